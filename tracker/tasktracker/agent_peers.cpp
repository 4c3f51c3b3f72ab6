// How AgentCore starts members of gangs: each has its ports first, which its tracker reports; when
// all members have reported theirs, which the JobTracker is asked every so often, each is told
// where all are, and starts.
#include <algorithm>
#include <utility>

#include "tracker/tasktracker/agent_core.h"

namespace weir::tasktracker {

void AgentCore::wait_for_peers(Attempt& attempt, Job& job, Now now) {
  attempt.stage = Stage::kWaitsForPeers;
  job.next_peers_ms = now.steady_ms;
  actions_.push_back(action::TakePorts{attempt.launch.attempt, attempt.launch.grant->ports});
}

// What is being asked was asked without it.
void AgentCore::on_ports(const AttemptKey& key, std::vector<std::uint16_t> ports) {
  Attempt* attempt = find(key);
  if (attempt == nullptr || attempt->stage != Stage::kWaitsForPeers) return;
  attempt->status.ports = std::make_shared<const std::vector<std::uint16_t>>(std::move(ports));
  jobs_[key.task.job].other_peers = true;
  urgent_ = true;
}

void AgentCore::on_peers(JobId id, const GangPeers& peers, Now now) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  job.fetching_peers = false;
  job.peers_retry_ms = 0;
  if (!peers.complete || job.other_peers) {
    job.peers.clear();
    job.next_peer = 0;
    job.next_peers_ms = now.steady_ms + limits_.peers_poll_ms;
    return;
  }
  job.peers.insert(job.peers.end(), peers.peers.begin(), peers.peers.end());
  job.next_peer = peers.next;
  job.next_peers_ms = now.steady_ms;
  if (peers.next < peers.members) return;
  start_members(id, job, now);
}

void AgentCore::start_members(JobId id, Job& job, Now now) {
  const auto peers = std::make_shared<const std::vector<GangPeer>>(std::exchange(job.peers, {}));
  job.next_peer = 0;
  auto at = attempts_.lower_bound(AttemptKey{{id, TaskKind::kMap, 0}, 0});
  for (; at != attempts_.end() && at->first.task.job == id; ++at) {
    Attempt& attempt = at->second;
    if (attempt.stage != Stage::kWaitsForPeers || !attempt.status.ports) continue;
    attempt.stage = Stage::kRuns;
    attempt.last_active_ms = now.steady_ms;
    actions_.push_back(
        action::StartAttempt{*job.description, attempt.launch, attempt.status.ports, peers});
  }
}

void AgentCore::on_peers_failed(JobId id, Now now) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  job.fetching_peers = false;
  job.peers.clear();
  job.next_peer = 0;
  job.peers_retry_ms =
      std::clamp(job.peers_retry_ms * 2, limits_.first_retry_ms, limits_.longest_retry_ms);
  job.next_peers_ms = now.steady_ms + job.peers_retry_ms;
}

}  // namespace weir::tasktracker
