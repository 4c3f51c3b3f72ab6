// What surrounds claims: their deadlines, what is held and reserved, and when idle queues lend.
#include <fmt/format.h>

#include <algorithm>

#include "sim/checker/step.h"

namespace weir::check {

DurationMs reclaim_after(const QueueTree& tree, QueueId queue, TaskKind kind) {
  for (QueueId q = queue; q != QueueTree::root(); q = tree.node(q).parent) {
    if (const auto own = tree.node(q).settings.reclaim_after_ms[index(kind)]) return *own;
  }
  return kind == TaskKind::kMap ? 5 * 60 * 1000 : 10 * 60 * 1000;
}

namespace {

void check_deadlines(const Step& step, Verdict& verdict) {
  for (std::size_t q = 0; q < step.state.tree().size(); ++q) {
    for (const TaskKind kind : kTaskKinds) {
      const DurationMs after = reclaim_after(step.state.tree(), QueueId(q), kind);
      for (const Claim& claim : step.state.claims().claims(QueueId(q), kind)) {
        const std::string who =
            fmt::format("claim {} of queue {} ({})", claim.id, step.path(QueueId(q)), name(kind));
        if (claim.deadline != later(claim.born, after) || claim.kills_from < claim.deadline) {
          verdict.breach(
              "claim-deadline",
              fmt::format("{}: born at {} ms, {} ms to wait, but due at {}, kills from {}", who,
                          claim.born, after, claim.deadline, claim.kills_from));
        }
        const auto before = step.memory.born.find(claim.id);
        const TimeMs born =
            before == step.memory.born.end() ? step.engine.now() : before->second + step.paused_for;
        if (claim.born != born && step.memory.every_step) {
          verdict.breach("claim-deadline",
                         fmt::format("{}: born at {} ms, but should be {}", who, claim.born, born));
        }
      }
    }
  }
}

void check_holds(const Step& step, Verdict& verdict) {
  for (const Hold& hold : step.state.claims().holds()) {
    const TrackerState& tracker = step.state.tracker(hold.tracker);
    const std::string what = fmt::format(
        "{} {} slots on tracker {} are held for {}", hold.slots, name(hold.kind), tracker.name,
        hold.pool.empty() ? "queue " + step.path(hold.queue) : "pool " + hold.pool);
    if (hold.pool.empty() &&
        step.state.claims().find(hold.queue, hold.kind, hold.claim) == nullptr) {
      verdict.breach("hold-without-claim",
                     fmt::format("{}, but its claim {} is not open", what, hold.claim));
    }
    std::int64_t dying = 0;
    for (const AttemptSlot slot : tracker.attempts) {
      if (step.state.attempt(slot).hold == hold.id) ++dying;
    }
    const bool tick = std::holds_alternative<Tick>(step.input.body);
    const DurationMs patience = 2 * step.engine.heartbeat_interval_ms();
    if (hold.dying != dying || tracker.state != TrackerState::State::kLive || hold.slots <= 0) {
      verdict.breach("hold-without-claim",
                     fmt::format("{}: {} victims are said to be dying there, counted {}", what,
                                 hold.dying, dying));
    } else if (tick && hold.complete() && step.engine.now() - hold.free_since >= patience) {
      verdict.breach("hold-without-claim",
                     fmt::format("{} and free since {} ms: too long", what, hold.free_since));
    }
  }
}

void check_reservations(const Step& step, Verdict& verdict) {
  std::set<std::pair<JobId, TaskKind>> jobs;
  std::set<std::pair<TrackerId, TaskKind>> trackers;
  for (const Reservation& reservation : step.state.claims().reservations()) {
    const TrackerState& tracker = step.state.tracker(reservation.tracker);
    const Job* job = step.state.find_job(reservation.job);
    const std::string what = fmt::format("tracker {} is reserved for a {} of {}", tracker.name,
                                         name(reservation.kind), job_name(reservation.job));
    if (!jobs.emplace(reservation.job, reservation.kind).second ||
        !trackers.emplace(reservation.tracker, reservation.kind).second) {
      verdict.breach("reservation", what + ", which has one already");
    } else if (job == nullptr || is_over(job->state) ||
               tracker.state != TrackerState::State::kLive) {
      verdict.breach("reservation", what + ", which is gone");
    }
  }
}

}  // namespace

void check_claims(const Step& step, Verdict& verdict) {
  check_deadlines(step, verdict);
  check_holds(step, verdict);
  check_reservations(step, verdict);
}

// A queue may lend only after it was seen idle, DEM < GC, for lend_after without a break. It is
// looked at whenever claims are, so what is busy only between two looks counts as idle.
void check_lending(const Step& step, Memory& memory, Verdict& verdict) {
  if (!step.rules || !memory.every_step) return;
  std::map<std::pair<std::string, TaskKind>, TimeMs> idle_since;
  std::set<std::pair<std::string, TaskKind>> lends;
  for (std::size_t q = 1; q < step.state.tree().size(); ++q) {
    const QueueTree::Node& node = step.state.tree().nodes()[q];
    for (const TaskKind kind : kTaskKinds) {
      const ExpectedQueue& line = step.expected[index(kind)][q];
      const auto before = memory.idle_since.find({node.path, kind});
      const bool known = before != memory.idle_since.end();
      const bool idle = line.demand < line.guaranteed || (known && !step.reviewed);
      const TimeMs since = known ? before->second : step.engine.now();
      if (idle) idle_since[{node.path, kind}] = since;
      if (!line.lends || node.settings.lend_after_ms == 0) continue;
      // What is lent stays lent when lend_after grows.
      const bool lent = memory.lent.contains({node.path, kind});
      lends.emplace(node.path, kind);
      if (idle && (lent || step.engine.now() - since >= node.settings.lend_after_ms)) continue;
      verdict.breach(
          "lend-after",
          fmt::format("queue {} lends {} slots, {}, lend_after is {} ms", node.path, name(kind),
                      idle ? fmt::format("idle since {} ms", since) : "is not idle",
                      node.settings.lend_after_ms));
    }
  }
  memory.idle_since = std::move(idle_since);
  memory.lent = std::move(lends);
}

}  // namespace weir::check
