// Keeps what people ask of the past (published/past.h, and of the decision log what is rare) in the
// store: a thread of its own looks every few seconds at what has been published and hands over what
// has changed, behind the promises; at the end all of it. So a crash costs the last seconds, a
// restart nothing.
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
  std::vector<std::shared_ptr<const DecisionSegment>> decisions;  // the oldest first
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
  void hand_over();
  void put_queues(SeriesWrite& write);
  void put_decisions(SeriesWrite& write);

  const Parts parts_;
  Past::Queues written_;                // the keeper's thread, as the next
  std::int64_t decisions_written_ = 0;  // up to this number

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace weir
