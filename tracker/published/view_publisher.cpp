#include "tracker/published/view_publisher.h"

#include <algorithm>
#include <utility>

#include "tracker/published/listing.h"
#include "tracker/published/render.h"

namespace weir {

PublishedViewsPtr ViewPublisher::latest() const {
  note_reader();
  return glance();
}

void ViewPublisher::note_reader() const {
  read_at_.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                 std::memory_order_relaxed);
}

bool ViewPublisher::read_lately(std::chrono::steady_clock::time_point now) const {
  const auto at = read_at_.load(std::memory_order_relaxed);
  return waiting_.load(std::memory_order_acquire) > 0 ||
         (at != 0 && (now.time_since_epoch() - std::chrono::steady_clock::duration(at)) < kLately);
}

PublishedViewsPtr ViewPublisher::glance() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void ViewPublisher::when(std::int64_t version, Reader reader) {
  note_reader();
  PublishedViewsPtr current;
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    if (current_->version >= version) {
      current = current_;
    } else if (waiters_.size() >= kMaxWaiting) {
      full = true;
    } else {
      waiters_.push_back({version, std::chrono::steady_clock::now() + kWait, std::move(reader)});
      waiting_.store(waiters_.size(), std::memory_order_release);
    }
  }
  if (current) return reader(std::move(current));
  if (full) {
    return reader(Error{ErrorCode::kBusy,
                        "too many readers wait for a version to come",
                        "read with min_version 0, or again after a while",
                        {}});
  }
}

void ViewPublisher::update_job(const Engine& engine, JobId id) {
  const Job* job = engine.state().find_job(id);
  const bool visible = job != nullptr && job->durable;
  jobs_.set(id.index(),
            visible ? std::make_shared<JobView>(render_job(engine, *job, wall_)) : nullptr);
}

void ViewPublisher::publish_all(Engine& engine) {
  for (const auto& [id, job] : engine.state().jobs()) update_job(engine, id);
  for (const TrackerState& tracker : engine.state().trackers()) {
    trackers_.set(tracker.id.index(),
                  std::make_shared<TrackerRecord>(render_tracker(engine, tracker, wall_)));
  }
  version_ = std::int64_t{engine.state().epoch()} << 32;
  engine.changes().clear();
  publish(engine);
}

bool ViewPublisher::publish_changes(Engine& engine) {
  Changes& changes = engine.changes();
  if (changes.jobs.empty() && changes.trackers.empty() && !changes.queues) return false;
  for (const JobId id : changes.jobs) update_job(engine, id);
  for (const TrackerId id : changes.trackers) {
    const TrackerState& tracker = engine.state().tracker(id);
    trackers_.set(id.index(), tracker.forgotten ? nullptr
                                                : std::make_shared<TrackerRecord>(
                                                      render_tracker(engine, tracker, wall_)));
  }
  changes.clear();
  publish(engine);
  return true;
}

void ViewPublisher::publish(Engine& engine) {
  const ClusterState& state = engine.state();
  if (past_follows_ != state.settings_ptr()) {
    past_follows_ = state.settings_ptr();
    past_.follow(*past_follows_, state.tree());
  }
  queues_ = std::make_shared<const std::vector<QueueView>>(render_queues(engine, wall_, past_));
  auto next = std::make_shared<PublishedViews>();
  next->version = version_ + 1;
  next->jobs = jobs_.snapshot();
  next->trackers = trackers_.snapshot();
  next->queues = queues_;
  next->settings = state.settings_ptr();
  next->settings_stamp = engine.settings_stamp();
  next->policy = std::string(engine.policy().name());
  next->policy_since = wall_.at(engine.policy_since());
  next->total = state.total();
  next->live_trackers = static_cast<std::int32_t>(state.live_trackers());
  next->heartbeat_interval = engine.heartbeat_interval_ms();
  next->recovering = engine.recovering();
  const UnfinishedJobs jobs = unfinished_jobs(*queues_);
  next->jobs_unfinished = static_cast<std::int32_t>(jobs.waiting + jobs.pending + jobs.running);
  std::vector<Reader> ready;
  {
    const std::lock_guard lock(mutex_);
    current_ = next;
    version_.store(next->version, std::memory_order_release);
    const auto still = std::partition(waiters_.begin(), waiters_.end(),
                                      [&](const Waiter& w) { return w.version > next->version; });
    for (auto w = still; w != waiters_.end(); ++w) ready.push_back(std::move(w->reader));
    waiters_.erase(still, waiters_.end());
    waiting_.store(waiters_.size(), std::memory_order_release);
  }
  for (Reader& reader : ready) {
    executor_([reader = std::move(reader), view = PublishedViewsPtr(next)] { reader(view); });
  }
}

void ViewPublisher::expire(std::chrono::steady_clock::time_point now, bool everybody) {
  if (waiting_.load(std::memory_order_acquire) == 0) return;
  std::vector<Reader> late;
  {
    const std::lock_guard lock(mutex_);
    const auto still = std::partition(waiters_.begin(), waiters_.end(),
                                      [&](const Waiter& w) { return !everybody && w.until > now; });
    for (auto w = still; w != waiters_.end(); ++w) late.push_back(std::move(w->reader));
    waiters_.erase(still, waiters_.end());
    waiting_.store(waiters_.size(), std::memory_order_release);
  }
  for (Reader& reader : late) {
    executor_([reader = std::move(reader)] {
      reader(Error{ErrorCode::kBusy,
                   "the version asked for by min_version did not come in time",
                   "a version that a reply of this JobTracker gave, or 0",
                   {}});
    });
  }
}

}  // namespace weir
