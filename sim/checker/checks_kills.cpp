// Preemption: nobody is killed but for a claim that is due, usefully, within budget, out of a queue
// that stays at its allocation; and every kill is accounted for.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "jobqueue/policy/pools_facet.h"
#include "sim/checker/limits.h"
#include "sim/checker/step.h"
#include "sim/checker/victims.h"

namespace weir::check {
namespace {

// The claim as it is now, or as it was before this step.
const Claim* find_claim(const Step& step, ClaimId id) {
  for (const QueueId leaf : step.state.tree().leaves()) {
    for (const TaskKind kind : kTaskKinds) {
      if (const Claim* claim = step.state.claims().find(leaf, kind, id)) return claim;
    }
  }
  return nullptr;
}

// A kill that brought no launch bars the claim for another reclaim_after.
TimeMs due_from(const Step& step, const Claim& claim) {
  const DurationMs after = reclaim_after(step.state.tree(), claim.queue, claim.dimension.kind());
  TimeMs due = later(claim.born, after);
  for (const auto& [hold, of] : step.memory.wasted) {
    if (of.claim == claim.id) due = std::max(due, later(of.ordered_at, after));
  }
  return due;
}

bool check_permitted(const Step& step, const KillOrdered& kill, const std::string& what,
                     Verdict& verdict) {
  if (!step.rules || step.rules->preemption != CapacityRules::Preemption::kOn) {
    verdict.breach("kill-forbidden", what + ": preemption is not on");
    return false;
  }
  const Claim* claim = find_claim(step, kill.claim);
  if (claim == nullptr || claim->queue != kill.for_queue) {
    verdict.breach(
        "kill-without-claim",
        fmt::format("{}: queue {} has no claim {}", what,
                    kill.for_queue.valid() ? step.path(kill.for_queue) : "?", kill.claim));
    return false;
  }
  const TimeMs due = due_from(step, *claim);
  if (step.engine.now() < due) {
    verdict.breach("kill-early", fmt::format("{}: claim {} of queue {} is due at {} ms only", what,
                                             claim->id, step.path(claim->queue), due));
    return false;
  }
  return true;
}

// Kills of one class, judged one after the other on the cluster before the first.
void check_victims(const Step& step, TaskKind kind, const std::vector<const KillOrdered*>& kills,
                   Verdict& verdict) {
  Census before = step.census;
  for (const KillOrdered* kill : kills) before.take_back_kill(kill->attempt);
  const auto lines = expect(before, kind, *step.rules, step.not_lending);
  Losses losses = step.memory.losses_at(step.engine.now());
  const VictimSearch search{before, lines, kind, step.engine.now(), losses};
  std::map<QueueId, std::int64_t> gone;
  for (const KillOrdered* kill : kills) {
    const Job* job = step.state.find_job(kill->attempt.task.job);
    if (job == nullptr) continue;
    const std::int64_t slots = job->width(kind);
    const std::string what = "kill of " + attempt_name(kill->attempt);
    if (!search.stays_at_allocation(job->queue, slots, kill->for_queue, gone)) {
      const ExpectedQueue& line = lines[job->queue.index()];
      verdict.breach(
          "kill-below-allocated",
          fmt::format("{}: takes {} slots from queue {} (RUN {} less {} in this pass, AC "
                      "{}) or one above it",
                      what, slots, step.path(job->queue), line.running, gone[job->queue],
                      line.allocated));
    }
    gone[job->queue] += slots;
    if (!search.within_budget(job->queue, slots * kill->ran_ms)) {
      verdict.breach(
          "kill-budget",
          fmt::format("{}: {} slot-ms on top of {} are more than the budget of queue {}", what,
                      slots * kill->ran_ms, losses[step.path(job->queue)], step.path(job->queue)));
    }
    losses[step.path(job->queue)] += slots * kill->ran_ms;
    const TrackerState& tracker = step.state.tracker(kill->tracker);
    if (!in_pool(tracker)) {
      verdict.breach("kill-useless",
                     what + ": its tracker " + tracker.name + " is not in the pool");
    }
  }
}

// What is held by kills of this step can be used, and is not more than what is owed.
void check_new_holds(const Step& step, TaskKind kind, Verdict& verdict) {
  std::map<QueueId, std::int64_t> coming;
  std::map<QueueId, std::int64_t> last;  // at most what the last of the new kills frees
  for (const Hold& hold : step.state.claims().holds()) {
    if (hold.kind == kind) coming[hold.queue] += hold.slots;
    if (hold.kind != kind || step.memory.pending(hold.id)) continue;
    last[hold.queue] = std::max(last[hold.queue], hold.slots);
    const TrackerState& tracker = step.state.tracker(hold.tracker);
    Resources held = step.census.trackers.at(hold.tracker).held;
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = step.state.attempt(slot);
      if (attempt.dying()) held -= step.state.job(attempt.key.task.job).need(attempt.key.task.kind);
    }
    const VictimSearch search{step.census, step.expected[index(kind)], kind, step.engine.now(), {}};
    const Job* job = step.state.find_job(hold.job);
    const std::int64_t width = job == nullptr ? hold.slots : job->width(kind);
    if (search.could_start(hold.queue, width, tracker, held)) continue;
    verdict.breach(
        "kill-useless",
        fmt::format("{} {} slots are freed on tracker {} for queue {}, which has no task "
                    "that could start there",
                    hold.slots, name(kind), tracker.name, step.path(hold.queue)));
  }
  // Each kill was for a need that those before it had left.
  for (const auto& [queue, slots] : coming) {
    const std::int64_t owed = step.state.claims().owed(queue, kind);
    if (!last.contains(queue) || slots - last[queue] < owed) continue;
    verdict.breach("kill-excess", fmt::format("{} {} slots are held for queue {}, which is owed {}",
                                              slots, name(kind), step.path(queue), owed));
  }
}

// Whether what starts there, in slots of its own, is what the kill was for.
template <class Start>
bool serves(const Step& step, const Start& start, const KillRecord& record) {
  if (start.tracker != record.tracker) return false;
  if (record.for_pool.empty()) return start.queue == record.claimant;
  const std::string_view pool = pool_of(step.engine.policy(), start.attempt.task.job);
  return pool == record.for_pool || pool.starts_with(record.for_pool + ".");
}

bool served(const Step& step, const KillRecord& record) {
  for (const Event& event : step.output.events) {
    const auto* granted = fact_as<ComputeGranted>(event.fact);
    if (granted != nullptr && serves(step, *granted, record)) return true;
  }
  return std::any_of(step.launches.begin(), step.launches.end(), [&](const LaunchMoment& moment) {
    return !moment.launch->to_copy && serves(step, *moment.launch, record);
  });
}

// Every preempted attempt has a record; what is pending has a hold, what was used a launch.
void check_records(const Step& step, Verdict& verdict) {
  const auto& records = step.state.claims().records();
  for (const Event& event : step.output.events) {
    const auto* kill = fact_as<KillOrdered>(event.fact);
    if (kill == nullptr || !is_preemption(kill->reason)) continue;
    if (std::none_of(records.begin(), records.end(),
                     [&](const KillRecord& r) { return r.attempt == kill->attempt; })) {
      verdict.breach("kill-outcome",
                     "the kill of " + attempt_name(kill->attempt) + " has left no record");
    }
  }
  for (const KillRecord& record : records) {
    if (record.outcome == KillRecord::Outcome::kLoggedOnly) continue;
    if (record.claim == 0 && record.for_pool.empty()) continue;
    const auto& holds = step.state.claims().holds();
    const bool held = std::any_of(holds.begin(), holds.end(),
                                  [&](const Hold& hold) { return hold.id == record.hold; });
    const std::string what = "the kill of " + attempt_name(record.attempt);
    if (record.outcome == KillRecord::Outcome::kPending && !held) {
      verdict.breach("kill-outcome",
                     what + " is neither used nor wasted, and nothing is held any more");
    }
    const auto& before = step.memory.holds;
    const bool settled_now =
        record.outcome != KillRecord::Outcome::kPending && step.memory.every_step &&
        std::any_of(before.begin(), before.end(),
                    [&](const Hold& hold) { return hold.id == record.hold && !hold.used; });
    if (!settled_now) continue;
    if (record.outcome == KillRecord::Outcome::kUsed && !served(step, record)) {
      const std::string who = record.for_pool.empty() ? "queue " + step.path(record.claimant)
                                                      : "pool " + record.for_pool;
      verdict.breach("kill-outcome", what + " is recorded as used, but its claimant, " + who +
                                         ", started nothing there");
    }
  }
}

}  // namespace

void check_kills(const Step& step, Verdict& verdict) {
  std::vector<const KillOrdered*> of_class[kTaskKindCount];
  for (const KillOrdered* kill : step.kills) {
    const std::string what = "kill of " + attempt_name(kill->attempt);
    if (!check_permitted(step, *kill, what, verdict)) return;
    of_class[index(kill->attempt.task.kind)].push_back(kill);
  }
  for (const TaskKind kind : kTaskKinds) {
    if (of_class[index(kind)].empty()) continue;
    check_victims(step, kind, of_class[index(kind)], verdict);
    if (verdict.clean() && step.memory.every_step) check_new_holds(step, kind, verdict);
  }
  if (verdict.clean()) check_records(step, verdict);
}

// After a pass nothing that is due and could be served may wait for long.
void check_unserved(const Step& step, Memory& memory, Verdict& verdict) {
  if (!std::holds_alternative<Tick>(step.input.body) || !memory.every_step) return;
  const bool on = step.rules && step.rules->preemption == CapacityRules::Preemption::kOn;
  std::map<ClaimId, TimeMs> unserved;
  const Losses losses = memory.losses_at(step.engine.now());
  for (const TaskKind kind : kTaskKinds) {
    if (!on || step.engine.recovering()) break;
    std::int64_t free = 0;
    for (const TrackerState& tracker : step.state.trackers()) {
      if (!in_pool(tracker)) continue;
      const Resources& held = step.census.trackers.at(tracker.id).held;
      free += std::max<std::int64_t>(0, tracker.total.slots(kind) - held.slots(kind));
    }
    const VictimSearch search{step.census, step.expected[index(kind)], kind, step.engine.now(),
                              losses};
    for (const QueueId leaf : step.state.tree().leaves()) {
      std::int64_t served = free;  // it might use all of them
      for (const Hold& hold : step.state.claims().holds()) {
        if (hold.kind == kind && hold.queue == leaf) served += hold.slots;
      }
      for (const Claim& claim : step.state.claims().claims(leaf, kind)) {
        const std::int64_t need = claim.slots - std::min(served, claim.slots);
        served -= claim.slots - need;
        if (need == 0 || step.engine.now() < std::max(claim.deadline, claim.kills_from)) continue;
        const auto victims = search.find(leaf, need, claim.slots - need);
        if (!victims) continue;
        const auto before = memory.unserved.find(claim.id);
        const TimeMs since = before == memory.unserved.end() ? step.engine.now() : before->second;
        unserved[claim.id] = since;
        const DurationMs patience = step.rules->interval_ms + step.engine.heartbeat_interval_ms();
        if (step.engine.now() - since <= patience) continue;
        verdict.breach(
            "claim-unserved",
            fmt::format("claim {} of queue {} for {} {} slots is due since {} ms and "
                        "waits since {}, but {} on tracker {} may be killed for it",
                        claim.id, step.path(leaf), need, name(kind), claim.deadline, since,
                        attempt_name(step.state.attempt(victims->attempts[0]).key),
                        step.state.tracker(victims->tracker).name));
      }
    }
  }
  memory.unserved = std::move(unserved);
}

}  // namespace weir::check
