// Replies that wait for the store, because they should carry a commit grant. They do not wait for
// long: a store that stands still must not keep a tracker from being told what else there is, nor
// its own calls waiting until it is thought lost. The grant follows in a later reply. See engine.h.
#include <algorithm>

#include "jobqueue/engine/engine.h"

namespace weir {

// A tracker obeys a grant only while its heartbeat is fresh (5 s), and calls give up after 20 s.
constexpr DurationMs kParkedAtMostMs = 2000;

// The newest grant to one of its attempts that is not durable yet; 0: none.
std::uint64_t Engine::awaited_grant(const TrackerState& tracker) const {
  std::uint64_t awaited = 0;
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    if (tracker.held[i].state != AttemptState::kCommitPending) continue;
    const std::uint64_t grant_seq = state_.attempt(tracker.attempts[i]).grant_seq;
    if (grant_seq > durable_seq_) awaited = std::max(awaited, grant_seq);
  }
  return awaited;
}

void Engine::park(TrackerState& tracker, const Heartbeat& report, Token token,
                  std::uint64_t awaited) {
  const auto before = std::find_if(parked_.begin(), parked_.end(), [&](const ParkedHeartbeat& p) {
    return p.tracker == tracker.id;
  });
  if (before != parked_.end()) {  // its caller has given up on it
    reply(before->token, compose_parked(tracker, *before));
    parked_.erase(before);
  }
  // No longer than it would be silent anyhow.
  const DurationMs wait = std::min({kParkedAtMostMs, heartbeat_interval_ms(),
                                    state_.settings().heartbeat.expiry_ms / 4});
  ParkedHeartbeat parked{awaited, token, tracker.id, now_ + wait, {}, report.held_jobs};
  parked.attempts.reserve(report.attempts.size());
  for (const AttemptReport& attempt : report.attempts)
    parked.attempts.push_back({attempt.attempt, attempt.state});
  parked_.push_back(std::move(parked));
}

// Those whose grant is durable now, or that have waited for long enough.
void Engine::answer_parked() {
  const auto waits = [this](const ParkedHeartbeat& parked) {
    return parked.seq > durable_seq_ && now_ < parked.until;
  };
  const auto ready = std::stable_partition(parked_.begin(), parked_.end(), waits);
  std::vector<ParkedHeartbeat> answered(std::make_move_iterator(ready),
                                        std::make_move_iterator(parked_.end()));
  parked_.erase(ready, parked_.end());
  for (const ParkedHeartbeat& parked : answered)
    reply(parked.token, compose_parked(state_.mutable_tracker(parked.tracker), parked));
}

}  // namespace weir
