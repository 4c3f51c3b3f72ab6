// Releasing a job that was submitted held: until then it counts among the waiting, but stands in no
// line for a place and has no demand. See engine.h.
#include "jobqueue/engine/engine.h"

namespace weir {

void Engine::on(const ReleaseJob& input, Token token) {
  const Job* job = job_to_change(input.job, input.caller, token, "release");
  if (job == nullptr) return;
  if (!job->held) {
    return refuse(token, "release",
                  Error{ErrorCode::kBadRequest, job_name(job->id) + " is not held",
                        "only jobs submitted with --hold wait to be released"});
  }
  promise(token, JobReleased{input.job, input.caller.user});
}

Engine::Answer Engine::apply(const JobReleased& released) {
  const Job* known = state_.find_job(released.job);
  if (known == nullptr || is_over(known->state)) return Done{};
  Job& job = state_.mutable_job(released.job);
  state_.release(job);
  touch(job);
  admit_waiting(job.queue);
  return Done{};
}

}  // namespace weir
