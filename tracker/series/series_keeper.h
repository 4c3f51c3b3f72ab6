// Keeps the series of a running JobTracker: a thread of its own takes a sample of the published
// views each second (never of the engine), counts the kills that the decision log has told of
// meanwhile, and hands the store what has changed: every five seconds, at most 128 pieces a second,
// queue by queue; at the end all of it. So a crash costs the last seconds, half a minute where
// there are thousands of queues; a restart costs nothing, and the time in which the JobTracker was
// down stays a gap. It reads what the store has by a connection of its own before its first sample;
// until then a reader finds nothing older.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "jobqueue/store/store.h"
#include "tracker/published/decision_log.h"
#include "tracker/published/view_publisher.h"
#include "tracker/series/series_book.h"

namespace weir {

// What a moment's views say of each queue, and of the cluster; nothing while trackers are awaited
// after a restart of the JobTracker.
std::vector<SeriesSample> sample_of(const PublishedViews& views, const KillCounts& kills);

class SeriesKeeper {
 public:
  struct Parts {
    const ViewPublisher* views = nullptr;
    const DecisionLog* decisions = nullptr;
    Store* store = nullptr;                  // to read from
    std::function<bool()> room;              // whether its writer takes more for now
    std::function<void(SeriesWrite)> write;  // behind
    std::function<TimeMs()> now = &WallClock::now;
  };

  explicit SeriesKeeper(Parts parts);
  ~SeriesKeeper();  // as stop()
  SeriesKeeper(const SeriesKeeper&) = delete;
  SeriesKeeper& operator=(const SeriesKeeper&) = delete;

  // Any thread; a long series takes some milliseconds.
  Result<SeriesView> read(const SeriesQuery& query) const;
  // Hands over what the store does not know yet, and ends the thread. Before the store's writer
  // stops. Once.
  void stop();

 private:
  static constexpr std::size_t kPiecesAtOnce = 128;
  static constexpr DurationMs kWriteGapMs = 5'000;

  // Where containers count: of each two dimensions there is a series.
  Result<SeriesView> read_amounts(const SeriesQuery& query,
                                  const std::vector<std::string>& dimensions, TimeMs now) const;
  void run();
  void restore();
  void sample();
  void hand_over(bool all);

  const Parts parts_;
  std::int64_t told_ = 0;      // decisions up to this one are counted
  TimeMs written_at_ = 0;
  bool writing_ = false;       // there is more of this round's

  mutable std::mutex mutex_;  // guards what follows
  SeriesBook book_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace weir
