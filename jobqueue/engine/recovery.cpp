#include "jobqueue/engine/recovery.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/jobtypes/table.h"
#include "jobqueue/model/check.h"
#include "jobqueue/model/containers.h"
#include "jobqueue/model/gone_queue.h"

namespace weir {

Status Recovery::restore(const Snapshot& snapshot, const std::string& policy) {
  if (const auto restored = restore_state(snapshot); !restored) return restored;
  policy_ = make_policy(policy);
  if (policy_ == nullptr) {
    return Error{ErrorCode::kUnknownPolicy, "there is no policy '" + policy + "'",
                 "see `weir policy show`"};
  }
  core_.follow_policy();
  if (policy_->claims() == nullptr) parts_.claims.pause_claims(snapshot);
  restore_faults(snapshot);
  // Also one that counts no longer, draining, or did a task, may still run something.
  for (const TrackerState& tracker : state_.trackers()) {
    if (tracker.state == TrackerState::State::kAwaited) recovering_for_.insert(tracker.id);
  }
  trackers_known_ = !recovering_for_.empty();
  // What ran goes on, also where a limit would let it wait by now.
  for (const JobSnapshot& old : snapshot.jobs) {
    if (old.state == JobState::kRunning) parts_.jobs.admit_again(state_.mutable_job(old.job));
  }
  parts_.jobs.admit_everywhere();
  for (const JobSnapshot& old : snapshot.jobs) {
    const Job* job = state_.find_job(old.job);
    if (old.kill_requested && job != nullptr && !is_over(job->state)) {
      parts_.jobs.begin_end(state_.mutable_job(old.job), JobState::kKilled, "killed by request",
                            KillReason::kJobKilled);
    }
    const bool alive = job != nullptr && (!is_over(job->state) || job->duty != Job::Duty::kNone);
    if (alive) recovering_until_ = now_ + recovery_ms();
  }
  return Ok{};
}

namespace {

bool is_lost(const Snapshot& snapshot, const std::string& name) {
  return std::any_of(snapshot.lost_trackers.begin(), snapshot.lost_trackers.end(),
                     [&name](const LostTrackerSnapshot& lost) { return lost.name == name; });
}

void restore_order(ClusterState& state, TrackerState& tracker, const TrackerOrderSnapshot& old) {
  tracker.ordered_at = old.at;
  tracker.ordered_by = old.by;
  tracker.order_reason = old.reason;
  tracker.drains = old.drains;
  state.set_tracker_order(tracker, old.order);
}

}  // namespace

// What there is, before anybody rules.
Status Recovery::restore_state(const Snapshot& snapshot) {
  parts_.submissions.restore_next_job(snapshot.next_job);
  for (const std::string& path : snapshot.stopped_queues) {
    if (const auto queue = state_.tree().find_path(path)) {
      state_.stop_by_command(*queue, true);
    } else {
      parts_.administration.forget_stop(path);
    }
  }
  for (const TrackerSnapshot& old : snapshot.trackers) {
    TrackerState& tracker = awaited_tracker(old.name);
    tracker.named = old.named;
    state_.set_tracker_total(tracker, old.total);
    tracker.stored_total = old.total;
    unreported_.insert(tracker.id);
  }
  restore_orders(snapshot);
  restore_lost(snapshot);
  for (const JobSnapshot& job : snapshot.jobs) {
    for (const JobSnapshot::DoneTask& done : job.done) {
      TrackerState& tracker = awaited_tracker(done.tracker);
      tracker.incarnation = std::max(tracker.incarnation, done.incarnation);
    }
  }
  for (const JobSnapshot& job : snapshot.jobs) {
    if (const auto restored = restore_job(job); !restored) return restored;
  }
  parts_.administration.bring_containers();  // the settings may have changed meanwhile
  parts_.jobs.sort_finished();
  for (const KillLoss& loss : snapshot.kill_losses)
    state_.mutable_claims().mutable_losses().add(loss);
  parts_.claims.restore_claims(snapshot);
  return Ok{};
}

// Those that are awaited because they counted are not among them. Before jobs are: that it did a
// task of one makes nobody wait for a tracker that was given up.
void Recovery::restore_lost(const Snapshot& snapshot) {
  for (const LostTrackerSnapshot& old : snapshot.lost_trackers) {
    const TrackerState* known = state_.find_tracker(old.name);
    TrackerState& tracker =
        known == nullptr ? state_.add_tracker(old.name) : state_.mutable_tracker(known->id);
    tracker.stored_lost = true;
    if (known != nullptr) continue;
    state_.set_tracker_address(tracker, {old.host, 0, old.rack, {}});
    tracker.lost_why = old.why;
    tracker.last_heartbeat = old.last_heartbeat;
    tracker.incarnation = kUnknownIncarnation;
    state_.set_tracker_live(tracker, TrackerState::State::kLost);
  }
  // For when they come back.
  for (const TrackerOrderSnapshot& old : snapshot.tracker_orders) {
    if (is_lost(snapshot, old.name))
      restore_order(state_, state_.mutable_tracker(state_.find_tracker(old.name)->id), old);
  }
}

void Recovery::no_longer_awaits(TrackerId tracker) {
  if (!unreported_.empty()) unreported_.erase(tracker);
  if (!recovering_for_.empty()) recovering_for_.erase(tracker);
}

void Recovery::restore_orders(const Snapshot& snapshot) {
  for (const TrackerOrderSnapshot& old : snapshot.tracker_orders) {
    if (is_lost(snapshot, old.name)) continue;
    TrackerState& tracker = awaited_tracker(old.name);
    tracker.incarnation = std::max(tracker.incarnation, old.incarnation);
    restore_order(state_, tracker, old);
  }
}

// Those who were out for their faults are out again: they may run something, so they are awaited.
void Recovery::restore_faults(const Snapshot& snapshot) {
  const TrackerFaultSettings& settings = state_.settings().tracker_faults;
  std::map<std::string, std::vector<TimeMs>> faults;
  std::map<std::string, std::int64_t> incarnations;
  for (const TrackerFaultSnapshot& old : snapshot.tracker_faults) {
    if (old.at + settings.forget_after_ms <= now_) continue;
    faults[old.name].push_back(old.at);
    incarnations[old.name] = old.incarnation;
  }
  const auto most = static_cast<std::size_t>(settings.at_most.value_or(INT64_MAX));
  for (auto& [name, times] : faults) {
    const TrackerState* known = state_.find_tracker(name);
    const bool out = known != nullptr || times.size() >= most;
    TrackerState& tracker = out ? awaited_tracker(name) : state_.add_tracker(name);
    if (!out) state_.set_tracker_live(tracker, TrackerState::State::kLost);
    tracker.incarnation = std::max(tracker.incarnation, incarnations[name]);
    tracker.faults = std::move(times);
  }
  for (const auto& [name, unused] : faults)
    parts_.faults.judge(state_.mutable_tracker(state_.find_tracker(name)->id), true);
}

// A job that is over has no tasks any more. Its clean-up, if it was not done, is done now: an end
// that is on disk promises it.
void Recovery::restore_finished(Job& job, const JobSnapshot& old) {
  for (const TaskKind kind : job.kinds()) {
    TaskGroup& group = job.tasks(kind);
    group.total = job.spec->tasks(kind);
    if (job.state == JobState::kSucceeded) group.succeeded = group.total;
    if (old.record == nullptr) continue;
    const JobRecord::Tasks& tasks = old.record->of(kind);
    group.succeeded = tasks.succeeded;
    group.failed_attempts = tasks.failed_attempts;
    group.killed_attempts = tasks.killed_attempts;
  }
  if (old.record != nullptr) {
    job.started_at = old.record->started_at;
    job.counters = old.record->counters;
  }
  parts_.jobs.restore_finished(job);
  if (!old.cleanup) return;
  parts_.submissions.take_output(job);
  parts_.duties.open_duty(job, Job::Duty::kAbort);
}

// Long enough for every tracker to try again (its longest pause is 5 s) and to report.
DurationMs Recovery::recovery_ms() const {
  const HeartbeatSettings& beat = state_.settings().heartbeat;
  const auto known = static_cast<DurationMs>(state_.trackers().size());
  const DurationMs interval =
      beat.interval_ms.value_or(std::max(beat.floor_ms, known * 1000 / beat.per_second));
  return 5400 + 2 * interval;
}

TrackerState& Recovery::awaited_tracker(const std::string& name) {
  const TrackerState* known = state_.find_tracker(name);
  if (known != nullptr) return state_.mutable_tracker(known->id);
  TrackerState& tracker = state_.add_tracker(name);
  tracker.incarnation = kUnknownIncarnation;
  state_.set_tracker_live(tracker, TrackerState::State::kAwaited);
  parts_.trackers.heard_of(tracker);
  return tracker;
}

namespace {

// The first launch that is known of a job of which something has ended, or 0: what runs is not
// stored.
TimeMs first_launch_of(const JobSnapshot& job) {
  TimeMs first = 0;
  const auto note = [&](TimeMs at) {
    if (at != 0 && (first == 0 || at < first)) first = at;
  };
  for (const JobSnapshot::DoneTask& done : job.done) note(done.launched_at);
  for (const JobSnapshot::Failures& failures : job.failures) note(failures.launched_at);
  for (const JobSnapshot::Killed& killed : job.killed) note(killed.launched_at);
  return first;
}

std::unique_ptr<Job> job_of(const JobSnapshot& old, QueueId queue, UserId user) {
  auto job = std::make_unique<Job>();
  job->id = old.job;
  job->spec = queue.valid() ? old.spec : in_gone_queue(*old.spec, old.queue);
  job->type = &job_type_of(*job->spec);
  job->queue = queue.valid() ? queue : QueueTree::root();
  job->user = user;
  job->priority = old.priority;
  job->submitted_at = old.submitted_at;
  job->finished_at = old.finished_at;
  job->diagnostics = old.diagnostics;
  job->pool = old.pool;
  job->containers = old.containers;
  job->durable = true;
  job->state = is_over(old.state) ? old.state : JobState::kWaiting;
  job->held = old.spec->hold && !old.released && !is_over(old.state);
  return job;
}

}  // namespace

Status Recovery::restore_job(const JobSnapshot& old) {
  const QueueId queue = queue_after(state_.settings(), state_.tree(), old.queue);
  if (!queue.valid() && !is_over(old.state)) {
    return Error{ErrorCode::kSettingsRefused,
                 "the store holds unfinished " + job_name(old.job) + " in queue " + old.queue +
                     ", which the settings do not declare as a leaf",
                 "declare the queue again, or name it in removed_queues with a queue to move to"};
  }
  const Space& space = state_.space();
  const auto unnamed = unnamed_resource(*old.spec, space);
  if (unnamed && space.containers() && !is_over(old.state)) {
    return Error{ErrorCode::kSettingsRefused,
                 "the store holds unfinished " + job_name(old.job) + ", which asks for " +
                     *unnamed + ", and the settings name no such resource",
                 "name it again in containers.resources"};
  }
  auto restored = job_of(old, queue, state_.intern_user(old.spec->user));
  name_again(restored->containers, *old.spec, space);
  Job& job = state_.add_job(std::move(restored));
  parts_.submissions.remember_submission(*job.spec, job.id);
  changes_.jobs.insert(job.id);
  if (is_over(job.state)) {
    restore_finished(job, old);
    parts_.jobs.shed(job);
    return Ok{};
  }
  parts_.submissions.count_bytes(job);
  const std::string& path = state_.tree().node(job.queue).path;
  if (path != old.queue) emit(JobMoved{job.id, path, old.pool});  // new settings removed its queue
  job.deadline = old.deadline;
  parts_.jobs.restore_deadline(job);
  parts_.submissions.take_output(job);
  job.may_have_written = true;  // also one that waits: a limit may have stopped it
  if (!old.done.empty() || !old.failures.empty() || !old.killed.empty() || !old.commits.empty() ||
      !old.rests.empty())
    restore_tasks(job, old);
  return Ok{};
}

void Recovery::restore_tasks(Job& job, const JobSnapshot& old) {
  job.started_at = first_launch_of(old);
  state_.expand_tasks(job);
  for (const JobSnapshot::Failures& f : old.failures) {
    if (!job.has(f.kind)) continue;  // the store is damaged
    TaskGroup& group = job.tasks(f.kind);
    if (f.index >= group.total) continue;
    group.tasks[f.index].failures =
        static_cast<std::uint8_t>(std::min<std::uint32_t>(f.count, 255));
    group.failed_attempts += f.count;
    group.fresh.erase(f.index);
    group.retries.insert(f.index);
  }
  for (const JobSnapshot::Killed& killed : old.killed) {
    if (job.has(killed.kind)) job.tasks(killed.kind).killed_attempts = killed.count;
  }
  JobType::TasksDone tasks_done(index(TaskKind::kFirstGroup) + job.spec->task_groups.size());
  for (const JobSnapshot::DoneTask& done : old.done) {
    if (job.has(done.kind)) ++tasks_done[index(done.kind)];
  }
  const bool outputs_needed = job.type->outputs_needed(*job.spec, tasks_done);
  for (const JobSnapshot::DoneTask& done : old.done) {
    if (!job.has(done.kind) || done.index >= job.tasks(done.kind).total) continue;
    const TrackerState& tracker = awaited_tracker(done.tracker);
    // Incarnations of one name grow: only the newest may still hold its outputs.
    const bool older = done.incarnation < tracker.incarnation;
    const bool gone = older || tracker.state == TrackerState::State::kLost;
    if (gone && outputs_needed && job.type->keeps_output(*job.spec, done.kind)) continue;
    state_.mark_succeeded(job, done.kind, done.index, done.attempt, tracker.id);
    if (done.kind == TaskKind::kMap)
      job.map_log.push_back({done.index, done.attempt, tracker.id, false});
    parts_.attempts.add_counters(job, job.tasks(done.kind).tasks[done.index], done.counters.get());
  }
  for (const JobSnapshot::Commit& commit : old.commits) {
    const TaskKey& key = commit.attempt.task;
    if (!job.has(key.kind) || key.index >= job.tasks(key.kind).total) continue;
    Task& task = job.tasks(key.kind).tasks[key.index];
    if (task.state == Task::State::kSucceeded) continue;
    TrackerState& tracker = awaited_tracker(commit.tracker);
    if (tracker.state == TrackerState::State::kLost) continue;  // another may have it, too
    task.commit_granted = true;
    task.commit_attempt = commit.attempt.attempt;
    tracker.held_commits.push_back(commit.attempt);
  }
  for (const JobSnapshot::Rest& rest : old.rests) {
    if (!job.has(rest.task.kind) || rest.task.index >= job.tasks(rest.task.kind).total) continue;
    parts_.jobs.restore_rest(job, rest);
  }
}

}  // namespace weir
