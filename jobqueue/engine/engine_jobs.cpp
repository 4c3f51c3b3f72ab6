// The life of jobs, tasks and attempts. See engine.h.
#include <algorithm>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/check.h"

namespace weir {

constexpr std::size_t kCounterGroups = 100;
constexpr std::size_t kCountersPerGroup = 200;

std::uint32_t Engine::first_attempt_number() const {
  return (state_.epoch() > 0 ? state_.epoch() - 1 : 0) * kAttemptsPerEpoch;
}

std::uint32_t Engine::next_attempt_number(Task& task) const {
  return first_attempt_number() + task.next_attempt++;
}

// --- Jobs ---

void Engine::admit(Job& job) {
  state_.set_job_state(job, JobState::kRunning);
  if (job.tasks(TaskKind::kMap).tasks.empty() && job.tasks(TaskKind::kReduce).tasks.empty())
    state_.expand_tasks(job);
  emit(JobStateChanged{job.id, JobState::kRunning, ""});
  make_schedulable(job);
  touch(job);
}

// The policy hears of a job when it may be scheduled; slow-start and "all done" are looked at
// first.
void Engine::make_schedulable(Job& job) {
  policy_->on_job_added(job.id);
  after_progress(job);
}

void Engine::admit_waiting(QueueId queue) {
  if (policy_->limits_running_jobs()) {
    regroup();
    const AdmissionPlan plan = limits_.plan();
    for (const JobId job : plan.demote) {
      if (state_.job(job).state == JobState::kRunning) demote(state_.mutable_job(job));
    }
    for (const JobId job : plan.admit) {  // one that is done already ends, and others come in
      if (state_.job(job).state == JobState::kWaiting) admit(state_.mutable_job(job));
    }
    return;
  }
  while (const auto turn = manager_.next_turn(queue)) {
    if (turn->demote.valid()) demote(state_.mutable_job(turn->demote));
    admit(state_.mutable_job(turn->admit));
  }
}

// What the policy has placed otherwise on its own.
void Engine::regroup() {
  policy_->take_regrouped(regrouped_);
  for (const JobId id : regrouped_) {
    if (const Job* job = state_.find_job(id)) limits_.regroup(*job);
  }
  regrouped_.clear();
}

void Engine::note_pools() {
  for (const QueueId leaf : state_.tree().leaves()) {
    for (const JobId id : state_.queue(leaf).unfinished) changes_.jobs.insert(id);
  }
}

void Engine::admit_everywhere() {
  if (policy_->limits_running_jobs()) return admit_waiting(QueueTree::root());
  for (const QueueId leaf : state_.tree().leaves()) admit_waiting(leaf);
}

// Back to waiting for a place: its running tasks go on, no new ones start.
void Engine::demote(Job& job) {
  policy_->on_job_removed(job.id);
  release_reservations(job.id, TrackerId{});
  state_.set_job_state(job, JobState::kWaiting);
  emit(JobStateChanged{job.id, JobState::kWaiting, ""});
  touch(job);
}

// A waiting job whose reduces come to need maps, because outputs were lost or a restart finds them
// running, gets its place whatever the limits: the job whose end it waits for may need their slots.
void Engine::admit_if_stuck(Job& job) {
  if (job.state != JobState::kWaiting || !reduces_need_maps(job)) return;
  admit(job);
  admit_waiting(job.queue);  // perhaps somebody yields now
}

// With its last map, or its last running reduce while maps are left, a job no longer keeps its
// place against more urgent ones. Who has it then is settled when the report has been taken.
void Engine::note_yield(const Job& job) {
  if (job.state != JobState::kRunning || keeps_place(job)) return;
  if (state_.waiting_jobs() > 0 || policy_->limits_running_jobs()) yielding_.push_back(job.id);
}

void Engine::settle_yields() {
  while (!yielding_.empty()) {
    const Job* job = state_.find_job(yielding_.back());
    yielding_.pop_back();
    if (job != nullptr && !is_over(job->state)) admit_waiting(job->queue);
  }
}

void Engine::after_progress(Job& job) {
  if (job.state == JobState::kWaiting && job.all_done()) return admit(job);  // it needs no slot
  if (job.state != JobState::kRunning || job.duty != Job::Duty::kNone) return;
  const TaskGroup& maps = job.tasks(TaskKind::kMap);
  const TaskGroup& reduces = job.tasks(TaskKind::kReduce);
  if (!job.reduces_eligible && reduces.total > 0) {
    const std::int64_t needed =
        (std::int64_t{maps.total} * job.spec->slowstart_millionths + 999999) / 1000000;
    if (maps.succeeded >= needed || reduces.succeeded > 0) {  // before a restart perhaps
      job.reduces_eligible = true;
      pending_changed(job, TaskKind::kReduce);
    }
  }
  if (maps.succeeded == maps.total && reduces.succeeded == reduces.total) {
    release_reservations(job.id, TrackerId{});
    policy_->on_job_removed(job.id);
    open_duty(job, Job::Duty::kSucceed);
  }
}

void Engine::begin_end(Job& job, JobState outcome, const std::string& diagnostics,
                       KillReason reason) {
  const bool scheduled = job.schedulable();
  const bool wrote = job.started_at != 0 || job.may_have_written || job.duty != Job::Duty::kNone;
  end_job(job, outcome, diagnostics, wrote);
  if (scheduled) policy_->on_job_removed(job.id);
  release_reservations(job.id, TrackerId{});
  for (const TaskKind kind : kTaskKinds) {
    for (const Task& task : job.tasks(kind).tasks) {
      state_.each_attempt(task, [&](AttemptSlot slot) { order_kill(slot, reason, QueueId{}); });
    }
  }
  unassigned_duties_.erase(job.id);
  if (!wrote) return release_output(job);
  // A tracker that is marking the success may be slow: it is told to clean up after itself.
  open_duty(job, Job::Duty::kAbort);
}

// Nobody else may write there before the clean-up is over: it would go with it.
void Engine::release_output(const Job& job) {
  const auto writer = outputs_.find(job.spec->output);
  if (writer != outputs_.end() && writer->second == job.id) outputs_.erase(writer);
}

std::shared_ptr<const JobRecord> Engine::record_of(const Job& job) const {
  auto record = std::make_shared<JobRecord>();
  record->job = job.id;
  record->name = job.spec->name;
  record->user = job.spec->user;
  const std::string& path = state_.tree().node(job.queue).path;
  record->queue = path.empty() ? job.spec->queue : path;  // an ended job may outlive its queue
  record->output = job.spec->output;
  record->priority = job.priority;
  record->state = job.state;
  record->submitted_at = job.submitted_at;
  record->started_at = job.started_at;
  record->finished_at = job.finished_at;
  record->diagnostics = job.diagnostics;
  for (const TaskKind kind : kTaskKinds) {
    const TaskGroup& group = job.tasks(kind);
    record->tasks[index(kind)] = {job.spec->tasks(kind), group.succeeded, group.failed_attempts,
                                  group.killed_attempts};
  }
  record->counters = job.counters;
  record->submission = job.spec->submission;
  record->time_limit_ms = job.spec->time_limit_ms;
  return record;
}

void Engine::end_job(Job& job, JobState state, const std::string& diagnostics, bool cleanup) {
  const QueueId queue = job.queue;
  state_.set_job_state(job, state);
  policy_->on_job_listed(job.id);
  QueueCounters& counters = state_.counters(queue);
  counters.ended.count(state);
  counters.user(job.user, now_).ended.count(state);
  job.finished_at = now_;
  job.diagnostics = diagnostics;
  job.end_seq = emit(JobStateChanged{job.id, state, diagnostics, cleanup, record_of(job)});
  ending_.emplace_back(job.end_seq, job.id);
  finished_.emplace_back(now_, job.id);
  if (job.deadline != 0) deadlines_.erase({job.deadline, job.id});
  if (state == JobState::kSucceeded) {
    release_output(job);
    note_faults(job);
  }
  memory_->jobs.erase(job.id);
  touch(job);
  if (state_.waiting_jobs() > 0) admit_waiting(queue);
}

void Engine::forget_old_jobs() {
  const DurationMs kept = state_.settings().finished_jobs_kept_ms;
  const auto most = static_cast<std::size_t>(state_.settings().finished_jobs_at_most);
  std::vector<std::pair<TimeMs, JobId>> busy;  // attempts or duties are left: soon
  while (!finished_.empty() &&
         (now_ - finished_.front().first >= kept || finished_.size() > most)) {
    const Job* job = state_.find_job(finished_.front().second);
    if (job != nullptr &&
        (job->live_attempts > 0 || job->duty != Job::Duty::kNone || job->end_seq > durable_seq_)) {
      busy.push_back(finished_.front());
    } else if (job != nullptr) {
      changes_.jobs.insert(job->id);
      forget_submission(*job->spec);
      memory_->jobs.erase(job->id);
      state_.forget_job(job->id);
    }
    finished_.pop_front();
  }
  finished_.insert(finished_.begin(), busy.begin(), busy.end());
}

// --- Attempts ---

void Engine::order_kill(AttemptSlot slot, KillReason reason, QueueId for_queue, ClaimId claim,
                        const std::string& for_pool) {
  Attempt& attempt = state_.mutable_attempt(slot);
  if (attempt.dying()) return;
  emit(KillOrdered{attempt.key, attempt.tracker, reason, attempt.queue, for_queue,
                   attempt.in_slots_ms(now_), claim, attempt.user, for_pool});
  if (is_preemption(reason)) {
    const TaskKind kind = attempt.key.task.kind;
    const std::int64_t lost =
        state_.job(attempt.key.task.job).width(kind) * attempt.in_slots_ms(now_);
    QueueCounters& counters = state_.counters(attempt.queue);
    counters.lost_ms[index(kind)] += lost;
    counters.user(attempt.user, now_).lost_ms[index(kind)] += lost;
  }
  state_.order_kill(attempt, reason);
  policy_->on_released(slot);
  const Job& job = state_.job(attempt.key.task.job);
  touch(job);
  if (attempt.key.task.kind == TaskKind::kReduce) note_yield(job);
}

// The attempt leaves its tracker. What becomes of its task is for the caller.
void Engine::finish_attempt(AttemptSlot slot, AttemptEnded::How how) {
  const Attempt attempt = state_.attempt(slot);
  Job& job = state_.mutable_job(attempt.key.task.job);
  TaskGroup& group = job.tasks(attempt.key.task.kind);
  if (how == AttemptEnded::How::kFailed) ++group.failed_attempts;
  if (how == AttemptEnded::How::kKilled) ++group.killed_attempts;
  if (attempt.speculative) {
    ++(how == AttemptEnded::How::kSucceeded ? group.speculative.won : group.speculative.lost);
  }
  const bool was_running = !attempt.dying();
  const TaskKind kind = attempt.key.task.kind;
  const std::int64_t used = job.width(kind) * attempt.in_slots_ms(now_);
  QueueCounters& counters = state_.counters(attempt.queue);
  counters.used_ms[index(kind)] += used;
  counters.user(attempt.user, now_).used_ms[index(kind)] += used;
  emit(AttemptEnded{attempt.key, attempt.tracker, attempt.queue, how, now_ - attempt.launched_at,
                    attempt.in_slots_ms(now_), attempt.speculative});
  state_.end_attempt(slot);
  if (was_running) {
    if (how != AttemptEnded::How::kKilled && attempt.has_slots() && policy_->keeps_claims()) {
      state_.mutable_claims().add_freed(
          {attempt.tracker, attempt.queue, kind, job.width(kind)});
    }
    policy_->on_released(slot);
  } else {
    if (attempt.hold != 0) victim_left(attempt);
    pending_changed(job, attempt.key.task.kind);  // what was dying counted as wanted
  }
  if (how != AttemptEnded::How::kSucceeded) {
    release_commit(job, attempt.key.task.kind, attempt.key.task.index, attempt.key.attempt);
  }
  if (job.live_attempts == 0 && job.duty != Job::Duty::kNone && !job.duty_tracker.valid()) {
    unassigned_duties_.insert(job.id);
  }
  touch(job);
  note_over(job);
  if (kind == TaskKind::kReduce && group.alive() == 0) note_yield(job);
  changes_.trackers.insert(attempt.tracker);
}

void Engine::release_commit(Job& job, TaskKind kind, std::uint32_t index, std::uint32_t attempt) {
  Task& task = job.tasks(kind).tasks[index];
  if (task.commit_granted && task.commit_attempt == attempt) task.commit_granted = false;
}

void Engine::attempt_succeeded(AttemptSlot slot, const AttemptReport& report) {
  const Attempt attempt = state_.attempt(slot);
  const TaskKey key = attempt.key.task;
  Job& job = state_.mutable_job(key.job);
  // Another attempt was sooner: its output is the one that counts.
  if (job.tasks(key.kind).tasks[key.index].state == Task::State::kSucceeded)
    return attempt_killed(slot);
  TrackerState& tracker = state_.mutable_tracker(attempt.tracker);
  finish_attempt(slot, AttemptEnded::How::kSucceeded);
  if (is_over(job.state)) return;
  state_.mark_succeeded(job, key.kind, key.index, attempt.key.attempt, attempt.tracker);
  job.losses.erase({key.kind, key.index});
  add_counters(job, job.tasks(key.kind).tasks[key.index], report.counters.get());
  if (key.kind == TaskKind::kMap && job.spec->reduces > 0) {
    job.map_log.push_back({key.index, attempt.key.attempt, attempt.tracker, false});
    job.fetch_failures.erase(key.index);
  }
  const std::uint64_t seq = emit(TaskSucceeded{
      attempt.key, tracker.name, tracker.incarnation, attempt.launched_at, report.counters});
  tracker.unacknowledged.emplace_back(attempt.key, seq);
  if (attempt.paired) kill_losers(job, key);
  limits_.update(job);
  after_progress(job);
  if (key.kind == TaskKind::kMap && job.tasks(TaskKind::kReduce).alive() > 0) note_yield(job);
}

void Engine::attempt_failed(AttemptSlot slot, const std::string& diagnostics) {
  const Attempt attempt = state_.attempt(slot);
  const TaskKey key = attempt.key.task;
  if (attempt.dying()) return attempt_killed(slot);
  Job& job = state_.mutable_job(key.job);
  TrackerState& tracker = state_.mutable_tracker(attempt.tracker);
  finish_attempt(slot, AttemptEnded::How::kFailed);
  const std::uint64_t seq = emit(AttemptFailed{attempt.key, tracker.name, diagnostics});
  tracker.unacknowledged.emplace_back(attempt.key, seq);
  if (is_over(job.state)) return;
  Task& task = job.tasks(key.kind).tasks[key.index];
  ++task.failures;
  note_failure(job, key.kind, key.index, tracker.id);
  if (task.failures >= job.spec->max_attempts) {
    return begin_end(job, JobState::kFailed,
                     task_name(key) + " failed " + std::to_string(task.failures) +
                         (task.failures == 1 ? " time" : " times") + ", last on tracker " +
                         tracker.name + ": " + diagnostics,
                     KillReason::kJobFailed);
  }
  reopen_if_left(job, key);
}

// Nobody runs the task any more, and it is not done.
void Engine::reopen_if_left(Job& job, const TaskKey& key) {
  const Task& task = job.tasks(key.kind).tasks[key.index];
  if (task.state == Task::State::kRunning && !task.attempt.valid()) {
    state_.reopen_task(job, key.kind, key.index);
  }
  pending_changed(job, key.kind);
}

void Engine::attempt_killed(AttemptSlot slot) {
  const TaskKey key = state_.attempt(slot).key.task;
  finish_attempt(slot, AttemptEnded::How::kKilled);
  Job& job = state_.mutable_job(key.job);
  if (is_over(job.state)) return;
  // Killed attempts cost a job nothing, but they do not go on for ever: numbers must not repeat,
  // and a tracker that kills all it is given must not keep its cluster busy.
  const Task& task = job.tasks(key.kind).tasks[key.index];
  if (task.state != Task::State::kSucceeded && task.next_attempt + 1u >= kAttemptsPerEpoch) {
    return begin_end(job, JobState::kFailed,
                     task_name(key) + " was started " + std::to_string(kAttemptsPerEpoch - 1) +
                         " times since the JobTracker was, and killed each time",
                     KillReason::kJobFailed);
  }
  reopen_if_left(job, key);
}

// Remembers where a task failed; a job that comes to avoid the tracker is another one to the
// policy.
void Engine::note_failure(Job& job, TaskKind kind, std::uint32_t index, TrackerId where) {
  job.has_failures = true;
  auto& places = job.failed_on[{kind, index}];
  if (std::find(places.begin(), places.end(), where) == places.end()) places.push_back(where);
  const bool avoids = ++job.tracker_failures[where] == kTrackerFailuresPerJob;
  if (avoids && job.schedulable()) policy_->on_job_changed(job.id, job.queue);
}

// A task counts once: one that runs again, its output lost, would say the same again. Sums
// saturate, and a job has a bounded number of counters, whatever its programs say.
void Engine::add_counters(Job& job, Task& task, const Counters* counters) {
  if (counters == nullptr || task.counted) return;
  task.counted = true;
  for (const auto& [group, values] : *counters) {
    if (job.counters.size() >= kCounterGroups && !job.counters.contains(group)) continue;
    auto& known = job.counters[group];
    for (const auto& [counter, value] : values) {
      if (known.size() >= kCountersPerGroup && !known.contains(counter)) continue;
      std::int64_t& sum = known[counter];
      if (__builtin_add_overflow(sum, value, &sum)) sum = value > 0 ? INT64_MAX : INT64_MIN;
    }
  }
}

// A finished map runs again: its output is gone, and reduces still need it.
void Engine::reopen(Job& job, TaskKind kind, std::uint32_t index, const std::string& why) {
  const Task& task = job.tasks(kind).tasks[index];
  const std::uint32_t attempt = task.done_attempt;
  const TrackerId where = task.where;
  state_.reopen_task(job, kind, index);
  job.map_log.push_back({index, attempt, where, true});
  job.fetch_failures.erase(index);
  emit(TaskReopened{{job.id, kind, index}, why});
  pending_changed(job, kind);
  admit_if_stuck(job);
}

}  // namespace weir
