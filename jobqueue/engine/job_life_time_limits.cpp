// Jobs with a time limit: the deadline is set with the first launch, is stored, and is looked at
// with every tick. Groups with one: each attempt has its own, from its launch on.
#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"

namespace weir {

// With the first launch, or what was found running after a restart that came too soon after it.
void JobLife::set_deadline(Job& job) {
  if (!job.limited || job.deadline != 0) return;
  job.deadline = now_ + job.spec->time_limit_ms;
  deadlines_.emplace(job.deadline, job.id);
  emit(JobDeadlineSet{job.id, job.deadline});
}

// One that is done but for its output folder is let end.
void JobLife::stop_late_jobs() {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now_) {
    const JobId id = deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    const Job* job = state_.find_job(id);
    if (job == nullptr || is_over(job->state) || job->duty != Job::Duty::kNone) continue;
    begin_end(state_.mutable_job(id), JobState::kKilled,
              "killed at its time limit, " + format_duration(job->spec->time_limit_ms) +
                  " after its first task started",
              KillReason::kJobKilled);
  }
}

void JobLife::set_task_deadline(const Attempt& attempt) {
  const TaskKey& task = attempt.key.task;
  const DurationMs limit = state_.job(task.job).time_limit_ms(task.kind);
  if (limit > 0) late_tasks_.emplace(attempt.launched_at + limit, attempt.key);
}

void JobLife::end_task_deadline(const Attempt& attempt) {
  if (late_tasks_.empty()) return;
  const TaskKey& task = attempt.key.task;
  const DurationMs limit = state_.job(task.job).time_limit_ms(task.kind);
  if (limit > 0) late_tasks_.erase({attempt.launched_at + limit, attempt.key});
}

// It has failed for good, and its job with it.
void JobLife::stop_late_tasks() {
  while (!late_tasks_.empty() && late_tasks_.begin()->first <= now_) {
    const AttemptKey late = late_tasks_.begin()->second;
    late_tasks_.erase(late_tasks_.begin());
    const AttemptSlot slot = state_.find_attempt(late);
    WEIR_CHECK(slot.valid(), "what has ended has no deadline");
    if (state_.attempt(slot).dying()) continue;
    Job& job = state_.mutable_job(late.task.job);
    if (is_over(job.state)) continue;
    parts_.attempts.order_kill(slot, KillReason::kTimeLimit, QueueId{});
    begin_end(job, JobState::kFailed,
              task_title(job, late.task) + " was killed at its time limit, " +
                  format_duration(job.time_limit_ms(late.task.kind)),
              KillReason::kJobKilled);
  }
}

}  // namespace weir
