// A job's priority.
#include "jobqueue/engine/parts.h"

namespace weir {

void JobCommands::on(const SetPriority& input, Token token) {
  if (job_to_change(input.job, input.caller, token, "priority") == nullptr) return;
  parts_.promises.promise(token, PriorityChanged{input.job, input.priority});
}

ReplyBody JobCommands::apply(const PriorityChanged& change) {
  if (state_.find_job(change.job) == nullptr) return Done{};
  Job& job = state_.mutable_job(change.job);
  state_.set_priority(job, change.priority);
  const bool waits = job.state == JobState::kWaiting && job.live_attempts > 0;
  if (job.schedulable() || waits) policy_->on_job_changed(job.id, job.queue);
  touch(job);
  limits_.regroup(job);
  parts_.jobs.admit_waiting(job.queue);
  return Done{};
}

}  // namespace weir
