#include "sim/clockwork.h"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

bool maps_done(const Engine& engine, JobId id) {
  const Job* job = engine.state().find_job(id);
  if (job == nullptr) return false;
  const TaskGroup& maps = job->tasks(TaskKind::kMap);
  return maps.succeeded == maps.total;
}

}  // namespace

void Clockwork::on_step(const Engine& engine, const Input&, const Output& output) {
  for (const Event& event : output.events) {
    if (const auto* launch = fact_as<AttemptLaunched>(event.fact)) {
      launched(*launch);
    } else if (const auto* done = fact_as<TaskSucceeded>(event.fact)) {
      if (done->attempt.task.kind == TaskKind::kMap) map_done(engine, done->attempt.task.job);
    } else if (const auto* grant = fact_as<ComputeGranted>(event.fact)) {
      push_reduce_end(grant->attempt, grant->tracker);
    } else if (const auto* change = fact_as<TrackerChanged>(event.fact)) {
      if (beating_ && change->how != TrackerChanged::How::kLost) {
        begin_beats(change->tracker, engine_.now());
      }
    }
  }
}

void Clockwork::add_job(JobId job, const JobPlan& plan) {
  if (jobs_.size() <= job.index()) jobs_.resize(job.index() + 1);
  jobs_[job.index()].plan = &plan;
}

void Clockwork::push(Due due) {
  due.order = ++order_;
  queue_.push(due);
}

void Clockwork::push_beat(TimeMs at, TrackerId tracker, std::uint32_t generation) {
  if (beats_.empty() || at >= beats_.back().at) {
    beats_.push_back({at, ++order_, tracker, generation});
  } else {
    push({.at = at, .tracker = tracker, .generation = generation, .what = What::kHeartbeat});
  }
}

bool Clockwork::beat_is_next() const {
  if (beats_.empty() || queue_.empty()) return !beats_.empty();
  const Due& due = queue_.top();
  const Beat& beat = beats_.front();
  return beat.at != due.at ? beat.at < due.at : beat.order < due.order;
}

void Clockwork::begin_beats(TrackerId tracker, TimeMs first) {
  if (generation_.size() <= tracker.index()) generation_.resize(tracker.index() + 1);
  push_beat(first, tracker, ++generation_[tracker.index()]);
}

void Clockwork::start_beats() {
  beating_ = true;
  const auto count = static_cast<std::int64_t>(cluster_.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const TrackerId tracker(static_cast<std::size_t>(i));
    if (!cluster_.live(tracker)) continue;
    const DurationMs phase =
        heartbeats_.phase == HeartbeatPlan::Phase::kRandom
            ? random_phase(model_, cluster_.spec(tracker).name, heartbeats_.interval_ms)
            : i * heartbeats_.interval_ms / count;
    begin_beats(tracker, engine_.now() + phase);
  }
}

void Clockwork::stop_beats() {
  beating_ = false;
  for (std::uint32_t& generation : generation_) ++generation;
}

DurationMs Clockwork::plain_time(const TaskKey& task,
                                 const std::vector<DurationMs> TaskTimes::*times) const {
  static const TaskTimes kDefault;
  const bool known = task.job.index() < jobs_.size() && jobs_[task.job.index()].plan != nullptr;
  const TaskTimes& all = known ? jobs_[task.job.index()].plan->times : kDefault;
  if (is_group(task.kind)) {
    const std::size_t group = group_number(task.kind);
    if (group < all.groups_ms.size()) return TaskTimes::of(all.groups_ms[group], task.index);
  }
  return TaskTimes::of(all.*times, task.index);
}

DurationMs Clockwork::slowed(TrackerId tracker, DurationMs time) const {
  const double slowdown = cluster_.spec(tracker).slowdown;
  return slowdown == 1 ? time : std::llround(static_cast<double>(time) * slowdown);
}

DurationMs Clockwork::reduce_ms(const TaskKey& task) const {
  return reduce_time(model_, *engine_.state().job(task.job).spec, task.index,
                     plain_time(task, &TaskTimes::reduce_ms));
}

void Clockwork::launched(const AttemptLaunched& launch) {
  const TaskKey& task = launch.attempt.task;
  Due due{.attempt = launch.attempt, .tracker = launch.tracker};
  if (is_group(task.kind)) {
    if (engine_.state().job(task.job).spec->service) return;  // it has no end of its own
    due.what = What::kEnd;
    due.at = engine_.now() + slowed(launch.tracker, plain_time(task, &TaskTimes::map_ms));
  } else if (task.kind == TaskKind::kMap) {
    const JobSpec& spec = *engine_.state().job(task.job).spec;
    due.what = What::kEnd;
    const DurationMs time = map_time(model_, spec, task.index, plain_time(task, &TaskTimes::map_ms),
                                     !spec.splits[task.index].hosts.empty(), launch.locality);
    due.at = engine_.now() + slowed(launch.tracker, time);
  } else {
    due.what = What::kCopied;
    due.at = engine_.now() + slowed(launch.tracker, plain_time(task, &TaskTimes::copy_ms));
  }
  push(due);
}

void Clockwork::push_reduce_end(const AttemptKey& attempt, TrackerId tracker) {
  push({.at = engine_.now() + slowed(tracker, reduce_ms(attempt.task)),
        .attempt = attempt,
        .tracker = tracker,
        .what = What::kEnd});
}

void Clockwork::map_done(const Engine& engine, JobId job) {
  if (job.index() >= jobs_.size() || jobs_[job.index()].copied.empty()) return;
  if (!maps_done(engine, job)) return;
  for (const auto& [attempt, tracker] : jobs_[job.index()].copied) {
    push({.at = engine_.now(), .attempt = attempt, .tracker = tracker, .what = What::kCopied});
  }
  jobs_[job.index()].copied.clear();
}

void Clockwork::copied(const Due& due) {
  const JobId job = due.attempt.task.job;
  // Killed since, and its job with it perhaps.
  const AttemptSlot slot = engine_.state().find_attempt(due.attempt);
  if (!slot.valid()) return;
  if (maps_done(engine_.engine(), job)) {
    if (engine_.state().attempt(slot).copy == CopyStage::kNone) {
      return push_reduce_end(due.attempt, due.tracker);
    }
    // It reports that, and ends its time of computing after it is granted its slots.
    if (cluster_.live(due.tracker) && cluster_.copied(due.tracker, due.attempt) &&
        heartbeats_.out_of_band && beating_) {
      cluster_.heartbeat(due.tracker);
      confirm_kills(due.tracker);
    }
    return;
  }
  if (jobs_.size() <= job.index()) jobs_.resize(job.index() + 1);
  jobs_[job.index()].copied.emplace_back(due.attempt, due.tracker);
}

void Clockwork::finish_copies(TrackerId tracker) {
  const ClusterState& state = engine_.state();
  std::vector<AttemptKey> copied;
  for (const AttemptReport& held : cluster_.held(tracker)) {
    if (held.compute_granted || held.phase != TaskPhase::kShuffle) continue;
    const AttemptSlot slot = state.find_attempt(held.attempt);
    const TaskKey& task = held.attempt.task;
    if (!slot.valid() || !maps_done(engine_.engine(), task.job)) continue;
    const DurationMs ran = engine_.now() - state.attempt(slot).launched_at;
    if (ran >= slowed(tracker, plain_time(task, &TaskTimes::copy_ms)))
      copied.push_back(held.attempt);
  }
  for (const AttemptKey& attempt : copied) cluster_.copied(tracker, attempt);
}

void Clockwork::end(const Due& due) {
  if (!cluster_.live(due.tracker)) return;
  if (!heartbeats_.out_of_band) {
    cluster_.finish_later(due.tracker, due.attempt);
    return;
  }
  // Fails if the attempt is gone, or is to die before it may publish: its end is another one.
  if (cluster_.finish(due.attempt, beating_)) confirm_kills(due.tracker);
}

void Clockwork::beat(const Beat& due) {
  if (generation_[due.tracker.index()] != due.generation || !cluster_.live(due.tracker)) return;
  report_progress(due.tracker);
  cluster_.heartbeat(due.tracker);
  confirm_kills(due.tracker);
  push_beat(due.at + heartbeats_.interval_ms, due.tracker, due.generation);
}

// A tracker tells at once that it has killed what the reply ordered, and may start something there.
void Clockwork::confirm_kills(TrackerId tracker) {
  constexpr int kMost = 4;  // what is left waits for the next beat
  for (int i = 0; i < kMost && heartbeats_.out_of_band && cluster_.heard_of_kills(); ++i) {
    if (!cluster_.live(tracker)) return;
    cluster_.heartbeat(tracker);
  }
}

void Clockwork::report_progress(TrackerId tracker) {
  const ClusterState& state = engine_.state();
  for (std::size_t i = 0; i < cluster_.held(tracker).size(); ++i) {
    const AttemptReport& held = cluster_.held(tracker)[i];
    if (held.state != ReportedState::kRunning) continue;
    const AttemptSlot slot = state.find_attempt(held.attempt);
    if (!slot.valid()) continue;
    const TaskKey& task = held.attempt.task;
    const DurationMs time =
        task.kind != TaskKind::kReduce
            ? plain_time(task, &TaskTimes::map_ms)
            : plain_time(task, &TaskTimes::copy_ms) + plain_time(task, &TaskTimes::reduce_ms);
    const DurationMs ran = engine_.now() - state.attempt(slot).launched_at;
    const DurationMs all = slowed(tracker, time);
    const std::int64_t done =
        all > 0 ? std::min<std::int64_t>(999'999, ran * 1'000'000 / all) : 999'999;
    cluster_.set_progress(tracker, i, static_cast<std::int32_t>(done));
  }
}

void Clockwork::run_to(TimeMs until) {
  while (!engine_.halted()) {
    const TimeMs tick = std::max(engine_.now(), engine_.engine().next_tick());
    const bool beat_next = beat_is_next();
    TimeMs event = queue_.empty() ? INT64_MAX : queue_.top().at;
    if (beat_next) event = beats_.front().at;
    if (std::min(tick, event) > until) break;
    if (tick <= event) {  // the update first: what comes in this moment sees it
      engine_.advance_to(tick);
      engine_.step(Tick{});
      continue;
    }
    if (event > engine_.now()) engine_.advance_to(event);
    if (beat_next) {
      const Beat due = beats_.front();
      beats_.pop_front();
      beat(due);
      continue;
    }
    const Due due = queue_.top();
    queue_.pop();
    if (due.what == What::kEnd) {
      end(due);
    } else if (due.what == What::kCopied) {
      copied(due);
    } else {
      beat({due.at, due.order, due.tracker, due.generation});
    }
  }
  engine_.advance_to(until);
}

}  // namespace weir
