// What a submission is asked before it becomes a job: named checks in one order, of which the first
// no is the answer. Whether texts and sizes are sound is looked at before, where it is read
// (thrift/).
#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/access_rights.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {

std::span<const Submissions::Check> Submissions::checks() {
  static constexpr Check kChecks[] = {
      {"state of the queue", &Submissions::check_state},
      {"rights", &Submissions::check_rights},
      {"limits of the queue", &Submissions::check_limits},
      {"words of the job's conf", &Submissions::check_conf},
      {"settings that are being written", &Submissions::check_stays},
      {"the policy", &Submissions::check_policy},
      {"output in use", &Submissions::check_output},
      {"largest tracker", &Submissions::check_width},
      {"memory for descriptions", &Submissions::check_bytes},
  };
  return kChecks;
}

Status Submissions::may_come(const SubmitJob& input, QueueId leaf) const {
  for (const Check& check : checks()) {
    if (Status passes = (this->*check.passes)(input, leaf); !passes) return passes;
  }
  return Ok{};
}

Status Submissions::check_state(const SubmitJob&, QueueId leaf) const {
  return manager_.check_open(leaf);
}

Status Submissions::check_rights(const SubmitJob& input, QueueId leaf) const {
  return check_submit_right(state_, input.caller, leaf);
}

Status Submissions::check_limits(const SubmitJob& input, QueueId leaf) const {
  return manager_.check_limits(input.caller.user, *input.spec, leaf);
}

Status Submissions::check_conf(const SubmitJob& input, QueueId) const {
  const JobSpec& spec = *input.spec;
  for (const TaskKind kind : kTaskKinds) {
    const std::string key(kSpeculativeConf[index(kind)]);
    const auto said = spec.conf.find(key);
    if (said == spec.conf.end() || speculation_asked(spec, kind)) continue;
    return Error{ErrorCode::kBadRequest, key + " is '" + said->second + "'",
                 "allowed: true or false"};
  }
  return Ok{};
}

Status Submissions::check_stays(const SubmitJob&, QueueId leaf) const {
  return parts_.administration.check_stays(leaf);
}

Status Submissions::check_policy(const SubmitJob& input, QueueId leaf) const {
  const Pools* pools = policy_->pools();
  return pools == nullptr ? Ok{} : pools->check_submission(input.caller, *input.spec, leaf);
}

Status Submissions::check_output(const SubmitJob& input, QueueId) const {
  const auto writer = outputs_.find(input.spec->output);
  if (writer == outputs_.end()) return Ok{};
  return Error{ErrorCode::kOutputInUse,
               "output " + input.spec->output + " is being written by " + job_name(writer->second),
               "name another output directory, or wait for that job to end"};
}

// A task that is larger than every tracker of now, but not than one that is lost or has shrunk,
// waits for that one.
Status Submissions::check_width(const SubmitJob& input, QueueId) const {
  const JobSpec& spec = *input.spec;
  if (state_.live_trackers() == 0) return Ok{};
  const Resources largest = state_.largest_tracker();
  for (const TaskKind kind : kTaskKinds) {
    const Resources& need = spec.need[index(kind)];
    const auto fits_in = [&](const Resources& total) {
      return fits(need, total, Resources{}, state_.total());
    };
    if (spec.tasks(kind) == 0 || fits_in(largest)) continue;
    if (std::any_of(state_.trackers().begin(), state_.trackers().end(),
                    [&](const TrackerState& tracker) { return fits_in(tracker.largest); })) {
      continue;
    }
    return Error{ErrorCode::kBadRequest,
                 std::string("a ") + name(kind) + " of this job needs " + to_string(need) +
                     ", more than any tracker has or had",
                 "the largest tracker offers " + to_string(largest)};
  }
  return Ok{};
}

Status Submissions::check_bytes(const SubmitJob& input, QueueId) const {
  return job_bytes_.check(input.spec->user, bytes_of(*input.spec), state_.settings().job_bytes);
}

}  // namespace weir
