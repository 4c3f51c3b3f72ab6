// Killing a job. See engine.h.
#include "jobqueue/engine/engine.h"

namespace weir {

void Engine::on(const KillJob& input, Token token) {
  if (job_to_change(input.job, input.caller, token, "kill") == nullptr) return;
  promise(token, JobKillRequested{input.job, input.caller.user});
}

Engine::Answer Engine::apply(const JobKillRequested& kill) {
  const Job* job = state_.find_job(kill.job);
  if (job != nullptr && !is_over(job->state)) {
    begin_end(state_.mutable_job(kill.job), JobState::kKilled, "killed by " + kill.by,
              KillReason::kJobKilled);
  }
  return Done{};
}

}  // namespace weir
