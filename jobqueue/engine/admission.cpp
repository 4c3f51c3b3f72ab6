// What a submission is asked before it becomes a job: named checks in one order, of which the first
// no is the answer. Whether texts and sizes are sound is looked at before, where it is read
// (thrift/).
#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/access_rights.h"
#include "jobqueue/model/containers.h"
#include "jobqueue/model/counted.h"
#include "jobqueue/model/gang_fit.h"
#include "jobqueue/model/labels.h"
#include "jobqueue/model/map_output_codec.h"
#include "jobqueue/model/map_output_keys.h"
#include "jobqueue/model/ok_exits.h"
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
  if (const auto codec = map_output_codec(spec.conf, MapOutputCodec::kNone); !codec)
    return codec.error();
  if (const auto keys = MapOutputKeys::of(spec.conf); !keys) return keys.error();
  if (const auto exits = OkExits::of(spec.conf); !exits) return exits.error();
  return Ok{};
}

Status Submissions::check_stays(const SubmitJob& input, QueueId leaf) const {
  const Status stays = parts_.administration.check_stays(leaf);
  return stays ? parts_.administration.check_stays_named(*input.spec) : stays;
}

Status Submissions::check_policy(const SubmitJob& input, QueueId leaf) const {
  const Pools* pools = policy_->pools();
  return pools == nullptr ? Ok{} : pools->check_submission(input.caller, *input.spec, leaf);
}

Status Submissions::check_output(const SubmitJob& input, QueueId) const {
  if (input.spec->application()) return Ok{};  // it publishes nothing
  const auto writer = outputs_.find(input.spec->output);
  if (writer == outputs_.end()) return Ok{};
  return Error{ErrorCode::kOutputInUse,
               "output " + input.spec->output + " is being written by " + job_name(writer->second),
               "name another output directory, or wait for that job to end"};
}

// A task that is larger than every tracker of now, but not than one that is lost or has shrunk,
// waits for that one.
Status Submissions::check_width(const SubmitJob& input, QueueId leaf) const {
  const JobSpec& spec = *input.spec;
  const Space& space = state_.space();
  if (space.containers()) {
    if (auto may = check_containers(spec, state_.settings().resources, space); !may) return may;
  }
  if (state_.live_trackers() == 0) return Ok{};
  if (space.containers()) {
    if (auto fits_one = check_containers_fit(spec); !fits_one) return fits_one;
    if (auto spread = check_spread(spec); !spread) return spread;
    return has_gang(spec) ? check_gang(spec, leaf) : Ok{};
  }
  if (spec.application()) return Ok{};  // it waits until containers count
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

// Each kind of task must fit some tracker when that is empty, by its size and what is asked of its
// labels and ports; lost ones count as well, whose ports may not be known.
Status Submissions::check_containers_fit(const JobSpec& spec) const {
  const Space& space = state_.space();
  const std::vector<Resources> containers =
      containers_of(spec, state_.settings().resources, space);
  std::size_t place = 0;
  for (const TaskKind kind : spec.kinds()) {
    const Resources& need = containers[place++];
    const std::vector<Requirement>* asked =
        is_group(kind) ? &spec.task_groups[group_number(kind)].require : nullptr;
    const std::uint32_t ports = is_group(kind) ? spec.task_groups[group_number(kind)].ports : 0;
    if (spec.tasks(kind) == 0) continue;
    Resources largest;
    std::uint32_t most_ports = 0;
    std::int64_t allowed = 0;
    bool fits_one = false;
    for (const TrackerState& tracker : state_.trackers()) {
      if (asked != nullptr && !meets(tracker, state_, *asked)) continue;
      ++allowed;
      for (const Dimension d : space.dimensions())
        largest[d] = std::max(largest[d], tracker.largest[d]);
      most_ports = std::max(most_ports, tracker.port_count);
      fits_one = fits(need, tracker.largest, Resources{}, space.looked_at({})) &&
                 (ports <= tracker.port_count || !tracker.live());
      if (fits_one) break;  // of many trackers mostly the first
    }
    if (fits_one) continue;
    const std::string who =
        is_group(kind) ? "group " + spec.task_groups[group_number(kind)].name : name(kind);
    if (allowed == 0) {
      return Error{ErrorCode::kBadRequest,
                   who + ": no tracker has the labels that it requires (" + text(*asked) + ")",
                   "see `weir tracker list -o json`"};
    }
    const bool nothing = std::all_of(space.dimensions().begin(), space.dimensions().end(),
                                     [&](Dimension d) { return largest[d] == 0; });
    if (nothing) {
      return Error{ErrorCode::kBadRequest,
                   who + ": " + space.text(need) + "; the trackers (" + std::to_string(allowed) +
                       ") offer nothing",
                   "say `tracker: {offer: {memory_mb, vcores}}` in their settings"};
    }
    return Error{ErrorCode::kBadRequest,
                 who + ": " + space.text(need) +
                     (ports > 0 ? ", " + counted(ports, "port") : "") + "; the largest of " +
                     counted(allowed, "tracker") + " offers " + space.text(largest) +
                     (ports > 0 ? ", " + counted(most_ports, "port") : ""),
                 "ask for less, or wait for a larger tracker"};
  }
  return Ok{};
}

// Over a label that no tracker has nothing would be spread.
Status Submissions::check_spread(const JobSpec& spec) const {
  const auto& trackers = state_.trackers();
  for (const TaskGroupSpec& group : spec.task_groups) {
    if (!group.spread) continue;
    const bool any = std::any_of(
        trackers.begin(), trackers.end(), [&](const TrackerState& tracker) {
          return !label_of(tracker, state_, group.spread->by).empty();
        });
    if (any) continue;
    return Error{ErrorCode::kBadRequest,
                 "group " + group.name + ": no tracker has the label that it is spread by (" +
                     group.spread->by + ")",
                 "see `weir tracker list -o json`"};
  }
  return Ok{};
}

// All members of a group's gang fit the cluster together when it is empty, with lost trackers or
// without (to a spread it matters which values there are), and the whole gang is within the
// maximums of its queues.
Status Submissions::check_gang(const JobSpec& spec, QueueId leaf) const {
  const Space& space = state_.space();
  const std::vector<Resources> containers =
      containers_of(spec, state_.settings().resources, space);
  Resources sum;
  std::vector<GangGroup> groups;
  std::string all;
  for (const TaskKind kind : spec.kinds()) {
    const TaskGroupSpec& group = spec.task_groups[group_number(kind)];
    const Resources& need = containers[group_number(kind)];
    for (const Dimension d : space.dimensions()) sum[d] += need[d] * group.gang;
    if (group.gang == 0) continue;
    groups.push_back({&group, need, std::int64_t{group.gang}});
    all += (all.empty() ? "" : " and ") + group.name + ", " + std::to_string(group.gang) + " x " +
           space.text(need) + ",";
    const std::int64_t fit =
        std::max(fit_empty(state_, need, group, true), fit_empty(state_, need, group, false));
    if (fit >= std::int64_t{group.gang}) continue;
    const std::string ports = group.ports > 0 ? ", " + counted(group.ports, "port") : "";
    return Error{ErrorCode::kBadRequest,
                 "gang of " + group.name + ": " + std::to_string(group.gang) + " x " +
                     space.text(need) + ports + "; the empty cluster holds " +
                     std::to_string(fit) +
                     (group.spread ? ", spread by " + group.spread->by : ""),
                 "fewer that start together, or smaller ones"};
  }
  if (!fit_together(state_, groups, true) && !fit_together(state_, groups, false)) {
    return Error{ErrorCode::kBadRequest,
                 "the gang: " + all + " do not find room in the empty cluster together",
                 "fewer that start together, or smaller ones"};
  }
  return check_maximums(sum, leaf);
}

// Trackers that are out for a while take their part of each maximum along.
Status Submissions::check_maximums(const Resources& gang, QueueId leaf) const {
  const Space& space = state_.space();
  Resources ever;
  for (const TrackerState& tracker : state_.trackers()) ever += tracker.total;
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    for (const Dimension d : space.dimensions()) {
      const std::int64_t total = state_.total()[d], maximum = policy_->figures(q, d).maximum;
      if (maximum < 0) continue;
      if (Int128(gang[d]) * total <= Int128(maximum) * std::max(ever[d], total)) continue;
      Resources most;
      most[d] = maximum;
      return Error{ErrorCode::kBadRequest,
                   "the gang needs " + space.text(gang) + " together; the maximum of queue " +
                       state_.tree().node(q).path + " is " + space.text(most),
                   "fewer that start together, or another queue"};
    }
  }
  return Ok{};
}

Status Submissions::check_bytes(const SubmitJob& input, QueueId) const {
  return job_bytes_.check(input.spec->user, bytes_of(*input.spec), state_.settings().job_bytes);
}

}  // namespace weir
