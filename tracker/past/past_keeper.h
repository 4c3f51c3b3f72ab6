// Keeps what people ask of the past (published/past.h, and of the decision log what it keeps) in
// the store: a thread of its own looks every few seconds at what has been published and hands over
// what has changed, behind the promises; at the end all of it, and that it was the end. So a crash
// costs the last seconds, and the next start knows; a restart costs nothing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "jobqueue/store/store.h"
#include "tracker/published/decision_log.h"
#include "tracker/published/past.h"
#include "tracker/published/view_publisher.h"

namespace weir {

struct StoredPast {
  Past::Queues queues;
  DecisionLog::Kept decisions;
  bool killed = false;  // the JobTracker before did not get to the end
};
// Without what is damaged; an error: the store cannot be read, so that what it has must not be
// written over. `before`: the number of the first decision that is not of the past.
Result<StoredPast> load_past(Store& store, std::int64_t before);

class PastKeeper {
 public:
  static constexpr DurationMs kGapMs = 5'000;

  struct Parts {
    const ViewPublisher* views = nullptr;
    const DecisionLog* decisions = nullptr;
    std::function<bool()> room;              // whether the store's writer takes more for now
    std::function<void(SeriesWrite)> write;  // behind
    DurationMs gap_ms = kGapMs;
  };

  // `stored`: what the store has.
  PastKeeper(Parts parts, Past::Queues stored);
  ~PastKeeper();  // as stop()
  PastKeeper(const PastKeeper&) = delete;
  PastKeeper& operator=(const PastKeeper&) = delete;

  // Hands over what the store does not know yet, and ends the thread. Before the store's writer
  // stops. Once.
  void stop();

 private:
  void run();
  void hand_over(const char* how);
  void put_queues(SeriesWrite& write);
  void put_decisions(const DecisionLog::Segments& segments, DurationMs step,
                     std::int64_t& written_up_to, SeriesWrite& write);

  const Parts parts_;
  Past::Queues written_;  // the keeper's thread, as what follows
  std::int64_t rare_written_, jobs_written_;  // up to this number
  const char* run_written_ = "";              // kRuns, kEnded

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace weir
