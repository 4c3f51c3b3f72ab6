#include "jobqueue/engine/questions.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"

namespace weir {

constexpr std::uint32_t kMapOutputsPerReply = 2000;
constexpr std::uint32_t kPeersPerReply = 1000;

Status Questions::may_ask(const std::optional<std::vector<std::string>>& askers, JobId job) const {
  const auto runs_of_it = [&](const std::string& name) {
    const TrackerState* tracker = state_.find_tracker(name);
    return tracker != nullptr && tracker->live() &&
           std::any_of(tracker->held.begin(), tracker->held.end(),
                       [job](const HeldAttempt& held) { return held.key.task.job == job; });
  };
  if (!askers || std::any_of(askers->begin(), askers->end(), runs_of_it)) return Ok{};
  return Error{ErrorCode::kNotPermitted,
               (askers->empty() ? "no tracker has reported on this connection, so it"
                                : "tracker " + askers->back()) +
                   " is told nothing about " + job_name(job),
               "trackers are told about the jobs that they run something of"};
}

void Questions::on(const DescribeJob& input, Token token) {
  const Job* job = state_.find_job(input.job);
  if (job == nullptr || !job->durable) {
    return reply(token, Error{ErrorCode::kUnknownJob, "there is no " + job_name(input.job), ""});
  }
  if (is_over(job->state)) {  // its programs may be gone, and nothing of it is to run
    return reply(token,
                 Error{ErrorCode::kJobOver,
                       job_name(job->id) + " has already ended (" + name(job->state) + ")", ""});
  }
  if (const auto may = may_ask(input.askers, input.job); !may) return reply(token, may.error());
  reply(token, JobDescription{input.job, job->spec, output_owner(*job)});
}

void Questions::on(const QueryMapOutputs& input, Token token) {
  const Job* job = state_.find_job(input.job);
  if (job == nullptr)
    return reply(token, Error{ErrorCode::kUnknownJob, "there is no " + job_name(input.job), ""});
  if (const auto may = may_ask(input.askers, input.job); !may) return reply(token, may.error());
  MapOutputs out;
  out.list_id = state_.epoch();
  out.maps = job->tasks(TaskKind::kMap).total;
  const std::size_t size = job->map_log.size();
  const std::size_t first = std::min<std::size_t>(input.first, size);
  const std::size_t last = std::min<std::size_t>(first + kMapOutputsPerReply, size);
  std::size_t next = first;
  for (; next < last; ++next) {
    const MapCompletion& completion = job->map_log[next];
    const TrackerState& tracker = state_.tracker(completion.tracker);
    // After a restart nobody knows where it listens until it registers: the list goes on then.
    if (tracker.state == TrackerState::State::kAwaited) break;
    out.outputs.push_back({completion.map, completion.attempt, completion.obsolete, tracker.host,
                           tracker.shuffle_port});
  }
  out.next = static_cast<std::uint32_t>(next);
  reply(token, std::move(out));
}

void Questions::on(const QueryPeers& input, Token token) {
  const Job* job = state_.find_job(input.job);
  if (job == nullptr)
    return reply(token, Error{ErrorCode::kUnknownJob, "there is no " + job_name(input.job), ""});
  if (const auto may = may_ask(input.askers, input.job); !may) return reply(token, may.error());
  GangPeers out;
  const Gang* gang = job->gang.get();
  out.complete = gang != nullptr && gang->started && all_have_ports(state_, *job);
  if (!out.complete) return reply(token, std::move(out));
  out.members = static_cast<std::uint32_t>(gang->members.size());
  const std::uint32_t first = std::min(input.first, out.members);
  out.next = std::min(first + kPeersPerReply, out.members);
  for (std::uint32_t i = first; i < out.next; ++i) {
    const TaskKey& member = gang->members[i];
    if (has_succeeded(*job, member)) continue;
    const Attempt& attempt = state_.attempt(running_member(state_, *job, member));
    out.peers.push_back({job->spec->task_groups[group_number(member.kind)].name, member.index,
                         state_.tracker(attempt.tracker).host, gang->ports.at(attempt.key)});
  }
  reply(token, std::move(out));
}

}  // namespace weir
