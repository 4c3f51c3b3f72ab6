// Publishes what readers see. The engine's thread makes views of the records that changed and
// publishes the whole as one immutable PublishedViews with a version; readers on any thread take
// the latest and walk it without a lock, so no number of readers can slow the engine down. A reader
// who needs a version that is not there yet leaves a callback, which runs on the executor when that
// version is published, or refuses after kWait. Versions only grow, also over restarts. Publishing
// costs what has changed, which is every tracker that reports: who publishes may ask whether
// anybody has read lately.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/result.h"
#include "tracker/published/past.h"
#include "tracker/published/published_views.h"
#include "tracker/published/wall_clock.h"

namespace weir {

class ViewPublisher {
 public:
  using Executor = std::function<void(std::function<void()>)>;
  using Reader = std::function<void(Result<PublishedViewsPtr>)>;

  static constexpr std::size_t kMaxWaiting = 10'000;
  static constexpr std::chrono::seconds kWait{30};
  static constexpr std::chrono::seconds kLately{5};

  ViewPublisher(Executor executor, const WallClock& wall, Past past = Past())
      : executor_(std::move(executor)), wall_(wall), past_(std::move(past)) {}

  // --- Any thread ---
  PublishedViewsPtr latest() const;
  // The same for one who would not have views published more often for his sake.
  PublishedViewsPtr glance() const;
  // Whether somebody has read, or waits to, within kLately.
  bool read_lately(std::chrono::steady_clock::time_point now) const;
  std::int64_t version() const { return version_.load(std::memory_order_acquire); }
  // Runs `reader` with views of at least that version: now if it is there, else later on the
  // executor.
  void when(std::int64_t version, Reader reader);

  // --- The engine's thread ---
  // Everything there is, as the first version of this start.
  void publish_all(Engine& engine);
  // What changed since the last time; false if nothing did.
  bool publish_changes(Engine& engine);
  // Refuses those that have waited too long; all of them with `everybody`.
  void expire(std::chrono::steady_clock::time_point now, bool everybody = false);

 private:
  struct Waiter {
    std::int64_t version;
    std::chrono::steady_clock::time_point until;
    Reader reader;
  };

  void note_reader() const;
  void update_job(const Engine& engine, JobId job);
  void publish(Engine& engine);

  const Executor executor_;
  const WallClock& wall_;
  std::atomic<std::int64_t> version_{0};
  std::atomic<std::size_t> waiting_{0};
  mutable std::atomic<std::chrono::steady_clock::rep> read_at_{0};  // 0: never

  // The engine's thread only.
  Past past_;
  std::shared_ptr<const Settings> past_follows_;  // these settings
  RecordTable<JobView> jobs_;
  RecordTable<TrackerRecord> trackers_;
  std::shared_ptr<const std::vector<QueueView>> queues_;

  mutable std::mutex mutex_;  // guards what follows
  PublishedViewsPtr current_;
  std::vector<Waiter> waiters_;
};

}  // namespace weir
