// Killing a job.
#include "jobqueue/engine/parts.h"

namespace weir {

void JobCommands::on(const KillJob& input, Token token) {
  if (job_to_change(input.job, input.caller, token, "kill") == nullptr) return;
  parts_.promises.promise(token, JobKillRequested{input.job, input.caller.user});
}

ReplyBody JobCommands::apply(const JobKillRequested& kill) {
  const Job* job = state_.find_job(kill.job);
  if (job != nullptr && !is_over(job->state)) {
    parts_.jobs.begin_end(state_.mutable_job(kill.job), JobState::kKilled, "killed by " + kill.by,
                          KillReason::kJobKilled);
  }
  return Done{};
}

}  // namespace weir
