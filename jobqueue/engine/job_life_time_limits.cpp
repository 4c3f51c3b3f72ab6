// Jobs with a time limit: the deadline is set with the first launch, is stored, and is looked at
// with every tick.
#include "jobqueue/engine/parts.h"

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

}  // namespace weir
