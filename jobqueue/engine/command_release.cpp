// Releasing a job that was submitted held: until then it counts among the waiting, but stands in no
// line for a place and has no demand.
#include "jobqueue/engine/parts.h"

namespace weir {

void JobCommands::on(const ReleaseJob& input, Token token) {
  const Job* job = job_to_change(input.job, input.caller, token, "release");
  if (job == nullptr) return;
  if (!job->held) {
    return refuse(token, "release",
                  Error{ErrorCode::kBadRequest, job_name(job->id) + " is not held",
                        "only jobs submitted with --hold wait to be released"});
  }
  parts_.promises.promise(token, JobReleased{input.job, input.caller.user});
}

ReplyBody JobCommands::apply(const JobReleased& released) {
  const Job* known = state_.find_job(released.job);
  if (known == nullptr || is_over(known->state)) return Done{};
  Job& job = state_.mutable_job(released.job);
  state_.release(job);
  touch(job);
  parts_.jobs.admit_waiting(job.queue);
  return Done{};
}

}  // namespace weir
