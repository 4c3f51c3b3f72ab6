#include "jobqueue/engine/job_life.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {

// --- Jobs ---

void JobLife::admit(Job& job) {
  emit(JobStateChanged{job.id, JobState::kRunning, ""});
  admit_again(job);
}

void JobLife::admit_again(Job& job) {
  state_.set_job_state(job, JobState::kRunning);
  const auto made = [&](TaskKind kind) { return !job.tasks(kind).tasks.empty(); };
  if (const TaskKinds kinds = job.kinds(); std::none_of(kinds.begin(), kinds.end(), made))
    state_.expand_tasks(job);
  make_schedulable(job);
  touch(job);
}

// The policy hears of a job when it may be scheduled; slow-start and "all done" are looked at
// first.
void JobLife::make_schedulable(Job& job) {
  policy_->on_job_added(job.id);
  after_progress(job);
}

void JobLife::admit_waiting(QueueId queue) {
  if (limits_.across()) {
    regroup();
    return carry_out(limits_.plan());
  }
  for (AdmissionPlan turn = limits_.turn(queue); !turn.admit.empty(); turn = limits_.turn(queue))
    carry_out(turn);
}

void JobLife::carry_out(const AdmissionPlan& plan) {
  for (const JobId job : plan.demote) {
    if (state_.job(job).state == JobState::kRunning) demote(state_.mutable_job(job));
  }
  for (const JobId job : plan.admit) {  // one that is done already ends, and others come in
    if (state_.job(job).state == JobState::kWaiting) admit(state_.mutable_job(job));
  }
}

// What the policy has placed otherwise on its own.
void JobLife::regroup() {
  Pools* const pools = policy_->pools();
  if (pools == nullptr) return;
  pools->take_regrouped(regrouped_);
  for (const JobId id : regrouped_) {
    if (const Job* job = state_.find_job(id)) limits_.regroup(*job);
  }
  regrouped_.clear();
}

void JobLife::note_pools() {
  for (const QueueId leaf : state_.tree().leaves()) {
    for (const JobId id : state_.queue(leaf).unfinished) changes_.jobs.insert(id);
  }
}

void JobLife::admit_everywhere() {
  if (limits_.across()) return admit_waiting(QueueTree::root());
  for (const QueueId leaf : state_.tree().leaves()) admit_waiting(leaf);
}

// Back to waiting for a place: its running tasks go on, no new ones start.
void JobLife::demote(Job& job) {
  policy_->on_job_removed(job.id);
  parts_.gangs.release(job.id, "limit");
  parts_.holds.release_reservations(job.id, TrackerId{}, "limit");
  state_.set_job_state(job, JobState::kWaiting);
  emit(JobStateChanged{job.id, JobState::kWaiting, ""});
  touch(job);
}

// A waiting job whose reduces come to need maps, because outputs were lost or a restart finds them
// running, gets its place whatever the limits: the job whose end it waits for may need their slots.
void JobLife::admit_if_stuck(Job& job) {
  if (job.state != JobState::kWaiting || !job.type->waits_for_its_own(job)) return;
  admit(job);
  admit_waiting(job.queue);  // perhaps somebody yields now
}

// With its last map, or its last running reduce while maps are left, a job no longer keeps its
// place against more urgent ones. Who has it then is settled when the report has been taken.
void JobLife::note_yield(const Job& job) {
  if (job.state != JobState::kRunning || keeps_place(job)) return;
  if (state_.waiting_jobs() > 0 || limits_.across()) yielding_.push_back(job.id);
}

void JobLife::settle_yields() {
  while (!yielding_.empty()) {
    const Job* job = state_.find_job(yielding_.back());
    yielding_.pop_back();
    if (job != nullptr && !is_over(job->state)) admit_waiting(job->queue);
  }
}

void JobLife::after_progress(Job& job) {
  if (job.state == JobState::kWaiting && job.all_done()) return admit(job);  // it needs no slot
  if (job.state != JobState::kRunning || job.duty != Job::Duty::kNone) return;
  const bool waits = job.type->needs_containers() && !state_.space().containers();
  for (const TaskKind kind : job.kinds()) {
    TaskGroup& group = job.tasks(kind);
    if (waits || group.open || group.total == 0 || !job.type->may_open(job, kind)) continue;
    if (job.waits_for_gang(kind)) continue;
    if (job.maps_first && kind == TaskKind::kReduce) continue;
    group.open = true;
    pending_changed(job, kind);
  }
  if (job.gang != nullptr && !waits && !job.tasks(job.gang_kind()).open) {
    job.tasks(job.gang_kind()).open = true;
    parts_.gangs.follow(job);
  }
  if (job.type->done(job)) {
    parts_.holds.release_reservations(job.id, TrackerId{}, "over");
    policy_->on_job_removed(job.id);
    if (!job.type->leaves_output()) return end_job(job, JobState::kSucceeded, "", false);
    parts_.duties.open_duty(job, Job::Duty::kSucceed);
  }
}

void JobLife::begin_end(Job& job, JobState outcome, const std::string& diagnostics,
                        KillReason reason) {
  const bool scheduled = job.schedulable();
  const bool begun = job.started_at != 0 || job.may_have_written || job.duty != Job::Duty::kNone;
  const bool wrote = begun && job.type->leaves_output();
  end_job(job, outcome, diagnostics, wrote);
  if (scheduled) policy_->on_job_removed(job.id);
  parts_.gangs.release(job.id, "over");
  parts_.holds.release_reservations(job.id, TrackerId{}, "over");
  for (const TaskKind kind : job.kinds()) {
    for (const Task& task : job.tasks(kind).tasks) {
      state_.each_attempt(
          task, [&](AttemptSlot slot) { parts_.attempts.order_kill(slot, reason, QueueId{}); });
    }
  }
  if (!wrote) return parts_.submissions.release_output(job);
  // A tracker that is marking the success may be slow: it is told to clean up after itself.
  parts_.duties.open_duty(job, Job::Duty::kAbort);
}

std::shared_ptr<const JobRecord> JobLife::record_of(const Job& job) const {
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
  for (const TaskKind kind : job.kinds()) {
    const TaskGroup& group = job.tasks(kind);
    const JobRecord::Tasks tasks = {job.spec->tasks(kind), group.succeeded, group.failed_attempts,
                                    group.killed_attempts};
    if (is_group(kind)) {
      record->groups.push_back({job.spec->task_groups[group_number(kind)].name, tasks});
    } else {
      record->tasks[index(kind)] = tasks;
    }
  }
  record->counters = job.counters;
  record->submission = job.spec->submission;
  record->time_limit_ms = job.spec->time_limit_ms;
  return record;
}

void JobLife::end_job(Job& job, JobState state, const std::string& diagnostics, bool cleanup) {
  const QueueId queue = job.queue;
  state_.set_job_state(job, state);
  tell_listed(job.id);
  QueueCounters& counters = state_.counters(queue);
  counters.ended.count(state);
  counters.user(job.user, now_).ended.count(state);
  job.finished_at = now_;
  job.diagnostics = diagnostics;
  job.end_seq = emit(JobStateChanged{job.id, state, diagnostics, cleanup, record_of(job)});
  ending_.emplace_back(job.end_seq, job.id);
  finished_.emplace_back(now_, job.id);
  if (job.service) {
    forget_rests(job);
    job.status_line.clear();  // that a task starts again
  }
  if (job.deadline != 0) deadlines_.erase({job.deadline, job.id});
  if (state == JobState::kSucceeded) {
    parts_.submissions.release_output(job);
    parts_.faults.note_faults(job);
  }
  memory_.jobs.erase(job.id);
  touch(job);
  if (state_.waiting_jobs() > 0) admit_waiting(queue);
}

void JobLife::forget_old_jobs() {
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
      parts_.submissions.forget_submission(*job->spec);
      memory_.jobs.erase(job->id);
      state_.forget_job(job->id);
    }
    finished_.pop_front();
  }
  finished_.insert(finished_.begin(), busy.begin(), busy.end());
}

void JobLife::restore_deadline(const Job& job) {
  if (job.deadline != 0) deadlines_.emplace(job.deadline, job.id);
}

void JobLife::restore_finished(const Job& job) {
  finished_.emplace_back(job.finished_at, job.id);
}

void JobLife::sort_finished() {
  std::sort(finished_.begin(), finished_.end());
}

}  // namespace weir
