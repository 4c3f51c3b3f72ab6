#include "jobqueue/engine/replies.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"

namespace weir {

// --- Replies ---

template <class Report>
void Replies::compose(TrackerState& tracker, const Report& report, HeartbeatReply& out) {
  for (const auto& reported : report.attempts) {
    const bool held = state_.place_of(tracker, reported.attempt) != ClusterState::kNoPlace;
    const bool ended = reported.state >= ReportedState::kSucceeded;
    if (!held && !ended) out.kill.push_back(reported.attempt);
    if (held || !ended) continue;
    const auto waiting = std::find_if(tracker.unacknowledged.begin(), tracker.unacknowledged.end(),
                                      [&](const auto& u) { return u.first == reported.attempt; });
    if (waiting != tracker.unacknowledged.end()) {
      if (waiting->second > durable_seq_)
        continue;  // it goes on reporting until the end is on disk
      tracker.unacknowledged.erase(waiting);
    }
    out.acknowledged.push_back(reported.attempt);
  }
  compose_orders(tracker, out);
  for (const JobId id : report.held_jobs) {
    const Job* job = state_.find_job(id);
    if (job == nullptr || (is_over(job->state) && job->end_seq <= durable_seq_))
      out.drop_jobs.push_back(id);
  }
  if (parts_.orders.may_leave(tracker)) {
    if (out.acknowledged.size() == report.attempts.size())
      out.leave = "stopped by " + tracker.ordered_by;
    return;
  }
  parts_.duties.give_duties(tracker);
  parts_.duties.list_duties(tracker, out);
}

template <class Report>
void Replies::answer_level(TrackerState& tracker, const Report& report, Token token) {
  const DurationMs interval = state_.heartbeat_interval_ms();
  const std::int64_t early =
      std::max<std::int64_t>(1, state_.settings().heartbeat.out_of_band_per_second);
  const DurationMs gap = DurationMs{state_.live_trackers()} * 1000 / early;
  if (token != 0)
    return compose(tracker, report, core_.begin_reply<HeartbeatReply>(token, interval, gap));
  HeartbeatReply unheard{.interval_ms = interval, .out_of_band_gap_ms = gap};
  compose(tracker, report, unheard);
}

void Replies::answer(TrackerState& tracker, const Heartbeat& report, Token token) {
  answer_level(tracker, report, token);
}

// Once it is on disk.
void Replies::give_grant(const Attempt& attempt, HeartbeatReply& out) const {
  const std::uint64_t seq = attempt.grant_seq;
  if (seq != 0 && seq <= durable_seq_) out.commit.push_back(attempt.key);
}

std::shared_ptr<const Grant> Replies::grant_of(const TrackerState& tracker,
                                               const AttemptKey& attempt) const {
  const TaskKind kind = attempt.task.kind;
  const Job& job = state_.job(attempt.task.job);
  auto grant = std::make_shared<Grant>();
  for (const Dimension d : {Dimension::kMemoryMb, Dimension::kVcores})
    grant->container[d] = job.need(kind)[d];
  if (const Units* units = tracker.units.of(attempt)) grant->units = *units;
  if (is_group(kind)) grant->ports = job.spec->task_groups[group_number(kind)].ports;
  grant->peers = job.gang != nullptr && job.gang->has(attempt.task);
  return grant;
}

// What the tracker should start, kill and commit.
void Replies::compose_orders(const TrackerState& tracker, HeartbeatReply& out) const {
  const auto launching = std::count_if(tracker.held.begin(), tracker.held.end(), [](const auto& h) {
    return h.state == AttemptState::kLaunching;
  });
  out.launch.reserve(static_cast<std::size_t>(launching));
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    const AttemptKey& key = tracker.held[i].key;
    switch (tracker.held[i].state) {
      case AttemptState::kLaunching:
        if (tracker.untold > 0 && state_.attempt(tracker.attempts[i]).untold) break;
        out.launch.push_back({key,
                              key.task.kind == TaskKind::kMap
                                  ? LaunchSplit(state_.job(key.task.job).spec, key.task.index)
                                  : LaunchSplit(),
                              tracker.held[i].copy != CopyStage::kCopying,
                              state_.space().containers() ? grant_of(tracker, key) : nullptr});
        break;
      case AttemptState::kDying:
        if (state_.attempt(tracker.attempts[i]).finishing()) {
          give_grant(state_.attempt(tracker.attempts[i]), out);
        } else {
          out.kill.push_back(key);
        }
        break;
      case AttemptState::kCommitPending:
        give_grant(state_.attempt(tracker.attempts[i]), out);
        break;
      case AttemptState::kRunning:
        if (tracker.held[i].copy == CopyStage::kGranted) out.compute_granted.push_back(key);
        break;
      case AttemptState::kSucceeded:
      case AttemptState::kFailed:
      case AttemptState::kKilled:
        break;  // not held any more
    }
  }
}

// A tracker obeys a grant only while its heartbeat is fresh (5 s), and calls give up after 20 s.
constexpr DurationMs kParkedAtMostMs = 2000;

// The newest grant to one of its attempts that is not durable yet; 0: none.
std::uint64_t Replies::awaited_grant(const TrackerState& tracker) const {
  std::uint64_t awaited = 0;
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    const AttemptState state = tracker.held[i].state;
    if (state != AttemptState::kCommitPending && state != AttemptState::kDying) continue;
    const Attempt& attempt = state_.attempt(tracker.attempts[i]);
    if (attempt.dying() && !attempt.finishing()) continue;
    if (attempt.grant_seq > durable_seq_) awaited = std::max(awaited, attempt.grant_seq);
  }
  return awaited;
}

void Replies::park(TrackerState& tracker, const Heartbeat& report, Token token,
                   std::uint64_t awaited) {
  const auto before = std::find_if(parked_.begin(), parked_.end(), [&](const ParkedHeartbeat& p) {
    return p.tracker == tracker.id;
  });
  if (before != parked_.end()) {  // its caller has given up on it
    answer_level(tracker, *before, before->token);
    parked_.erase(before);
  }
  // No longer than it would be silent anyhow.
  const DurationMs wait = std::min(
      {kParkedAtMostMs, state_.heartbeat_interval_ms(), state_.settings().heartbeat.expiry_ms / 4});
  ParkedHeartbeat parked{awaited, token, tracker.id, now_ + wait, {}, report.held_jobs};
  parked.attempts.reserve(report.attempts.size());
  for (const AttemptReport& attempt : report.attempts)
    parked.attempts.push_back({attempt.attempt, attempt.state});
  parked_.push_back(std::move(parked));
}

// Those whose grant is durable now, or that have waited for long enough.
void Replies::answer_parked() {
  const auto waits = [this](const ParkedHeartbeat& parked) {
    return parked.seq > durable_seq_ && now_ < parked.until;
  };
  const auto ready = std::stable_partition(parked_.begin(), parked_.end(), waits);
  std::vector<ParkedHeartbeat> answered(std::make_move_iterator(ready),
                                        std::make_move_iterator(parked_.end()));
  parked_.erase(ready, parked_.end());
  for (const ParkedHeartbeat& parked : answered)
    answer_level(state_.mutable_tracker(parked.tracker), parked, parked.token);
}

void Replies::give_up(const TrackerState& tracker, const Error& why) {
  for (std::size_t i = parked_.size(); i-- > 0;) {
    if (parked_[i].tracker != tracker.id) continue;
    reply(parked_[i].token, why);
    parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace weir
