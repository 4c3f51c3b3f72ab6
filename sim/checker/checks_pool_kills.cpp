// Preemption for pools: only where it is on, only for a pool that was short for longer than its
// timeout, no more than it lacks, out of pools that run more than their share and keep what they
// must, in order, within budget, and usefully.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/checker/limits.h"
#include "sim/checker/pool_needs.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {


// An update has been made: since when pools are short.
void follow_stamps(const Pools& pools, PoolMemory& memory) {
  const auto follow = [&](std::map<PoolMemory::Key, TimeMs>& stamps, const std::string& pool,
                          bool is_short) {
    const PoolMemory::Key key{pool, pools.kind};
    if (!is_short) stamps.erase(key);
    if (is_short) stamps.emplace(key, memory.updated_at);  // keeps the earlier one
  };
  for (const auto& [path, line] : pools.lines) {
    if (path.empty()) continue;
    follow(memory.at_minimum, path, line.needy());
    follow(memory.at_half, path,
           line.running < line.demand && 2 * line.running + kHair < line.share);
  }
  const auto gone = [&](const auto& stamp) {
    return stamp.first.second == pools.kind && !pools.lines.contains(stamp.first.first);
  };
  std::erase_if(memory.at_minimum, gone);
  std::erase_if(memory.at_half, gone);
}

// The kills of one class in one check, on the cluster just before the first of them.
class Judge {
 public:
  Judge(const Step& step, const Pools& pools, const Memory& memory, Verdict& verdict)
      : step_(step), pools_(pools), memory_(memory), verdict_(verdict) {}

  void judge(const KillOrdered& kill) {
    const Due due = due_of(pools_, kill.for_pool, memory_.pools, step_.engine.now());
    const std::string what =
        fmt::format("kill of {} for pool {}", attempt_name(kill.attempt), kill.for_pool);
    const bool right = kill.reason == KillReason::kMinShare ? due.minimum : due.fair;
    if (!right) {
      verdict_.breach(
          "pool-kill-early",
          fmt::format("{}: it was not short of its {} for longer than its timeout", what,
                      kill.reason == KillReason::kMinShare ? "minimum" : "fair share"));
    }
    const Job& job = step_.state.job(kill.attempt.task.job);
    const std::int64_t slots = job.width(pools_.kind);
    const Gain gain{kill.for_pool, kill.reason == KillReason::kMinShare, coming(kill)};
    if (const auto poor = must_keep(pools_, step_.where, loss_of(job), gain, gone_)) {
      verdict_.breach("pool-kill-poor", what + ": " + *poor);
    }
    check_budget(kill, job, slots, what);
    if (gone_.empty()) check_order(kill, job, gain, due, what);
    gone_[job.id] += slots;
  }

  // Nobody was killed, nothing is free or kept, and yet a task may die so that one of a pool that
  // is due starts on its tracker. Maximums and budgets are left out: they make a matter of their
  // own.
  void judge_nothing_done() {
    const bool splits = step_.fair->splits && pools_.kind == TaskKind::kReduce;
    if (splits || anything_free() || anything_kept()) return;
    for (const auto& [path, line] : pools_.lines) {
      if (path.empty() || !line.children.empty()) continue;
      for (const PoolJob& job : line.jobs) {
        if (!job.runnable || job.count->pending() == 0 || has_maximum(*job.count->job)) continue;
        for (std::string needy = path; !needy.empty(); needy = parent_of(needy)) {
          const Due due = due_of(pools_, needy, memory_.pools, step_.engine.now());
          if (due.slots() > 0) look_for_victim(needy, due, job);
        }
      }
    }
  }

 private:
  bool anything_free() const {
    const auto& trackers = step_.state.trackers();
    return std::any_of(trackers.begin(), trackers.end(), [&](const TrackerState& tracker) {
      return in_pool(tracker) && step_.census.trackers.at(tracker.id).held.slots(pools_.kind) <
                                     tracker.total.slots(pools_.kind);
    });
  }
  bool anything_kept() const {
    const auto of_kind = [&](const auto& kept) { return kept.kind == pools_.kind; };
    const ClaimBook& book = step_.state.claims();
    return std::any_of(book.holds().begin(), book.holds().end(), of_kind) ||
           std::any_of(book.reservations().begin(), book.reservations().end(), of_kind);
  }
  bool has_maximum(const Job& job) const {
    const QueueTree& queues = step_.state.tree();
    for (QueueId q = job.queue; q.valid(); q = queues.parent(q)) {
      if (queues.node(q).settings.maximum_hundredths) return true;
    }
    for (std::string p = step_.where.at(job.id); !p.empty(); p = parent_of(p)) {
      if (pools_.line(p).rules->maximum[index(pools_.kind)]) return true;
    }
    return false;
  }

  Loss loss_of(const Job& job) const {
    return {step_.where.at(job.id), job.id, job.width(pools_.kind)};
  }
  // Slots on their way to the pool since before the tracker's hold was made.
  std::int64_t coming(const KillOrdered& kill) const {
    std::int64_t slots = 0;
    for (const Hold& hold : step_.state.claims().holds()) {
      const bool before = hold.tracker != kill.tracker || step_.memory.pending(hold.id);
      if (hold.kind == pools_.kind && within(kill.for_pool, hold.pool) && before &&
          step_.memory.pending(hold.id)) {
        slots += hold.slots;
      }
    }
    return slots;
  }
  // Whether the one's death would let a task of the other start.
  bool makes_room(const Attempt& attempt, const JobCount& starts) const {
    const TrackerState& tracker = step_.state.tracker(attempt.tracker);
    Resources held = step_.census.trackers.at(tracker.id).held;
    held -= step_.state.job(attempt.key.task.job).need(pools_.kind);
    return has_room(step_.census, starts.job->need(pools_.kind), tracker, held) &&
           !avoids(step_.census, *starts.job, tracker) &&
           has_task_for(step_.census, starts, pools_.kind, tracker);
  }
  bool may_be_victim(const Attempt& attempt, const std::string& needy) const {
    if (!attempt.live || attempt.dying() || attempt.key.task.kind != pools_.kind) return false;
    const Job& of = step_.state.job(attempt.key.task.job);
    return attempt.has_slots() && !is_over(of.state) && step_.where.contains(of.id) &&
           in_pool(step_.state.tracker(attempt.tracker)) && !within(needy, step_.where.at(of.id));
  }

  void look_for_victim(const std::string& needy, const Due& due, const PoolJob& job) {
    for (const Attempt& attempt : step_.state.attempts()) {
      if (!may_be_victim(attempt, needy)) continue;
      const Job& of = step_.state.job(attempt.key.task.job);
      const std::string& pool = step_.where.at(of.id);
      const auto kept = [&](bool for_minimum, std::int64_t slots) {
        return slots <= 0 ||
               must_keep(pools_, step_.where, loss_of(of), {needy, for_minimum, 0}, gone_);
      };
      if (pools_.line(pool).rules->kill_budget || !makes_room(attempt, *job.count) ||
          (kept(true, due.minimum_slots) && kept(false, due.fair_slots))) {
        continue;
      }
      verdict_.breach("pool-kill-missing",
                      fmt::format("pool {} lacks {} {} slots for longer than its timeout, and {} "
                                  "of pool {} may die for {}",
                                  needy, due.slots(), name(pools_.kind), attempt_name(attempt.key),
                                  pool, job_name(job.count->job->id)));
    }
  }

  bool within_budget(const std::string& pool, std::int64_t slot_ms) const {
    const auto budget = step_.fair->of(pool).kill_budget;
    if (!budget) return true;
    for (const PoolMemory::Loss& loss : memory_.pools.losses) {
      if (loss.pool == pool && step_.engine.now() - loss.at < kHour) slot_ms += loss.slot_ms;
    }
    const auto lost = lost_.find(pool);
    return slot_ms + (lost == lost_.end() ? 0 : lost->second) <= *budget * 1000;
  }

  void check_budget(const KillOrdered& kill, const Job& job, std::int64_t slots,
                    const std::string& what) {
    const std::string& pool = step_.where.at(job.id);
    if (!within_budget(pool, slots * kill.ran_ms)) {
      verdict_.breach("pool-kill-budget",
                      fmt::format("{}: {} slot-ms more than pool {} may lose in an hour", what,
                                  slots * kill.ran_ms, pool));
    }
    lost_[pool] += slots * kill.ran_ms;
  }

  // Whether all maximums that the loss of the one makes room under, the other's would too.
  bool frees_as_much(const Job& one, const Job& other) const {
    const QueueTree& queues = step_.state.tree();
    for (QueueId q = one.queue; q.valid(); q = queues.parent(q)) {
      if (queues.node(q).settings.maximum_hundredths && !queues.is_ancestor(q, other.queue)) {
        return false;
      }
    }
    for (std::string p = step_.where.at(one.id); !p.empty(); p = parent_of(p)) {
      if (pools_.line(p).rules->maximum[index(pools_.kind)] &&
          !within(p, step_.where.at(other.id))) {
        return false;
      }
    }
    return true;
  }

  // Whose task is to start on what this kill alone frees.
  const JobCount* starts(const KillOrdered& kill, const Attempt& victim) const {
    for (const Hold& hold : step_.state.claims().holds()) {
      if (hold.id == victim.hold && hold.tracker == kill.tracker && hold.kind == pools_.kind &&
          hold.pool == kill.for_pool && !step_.memory.pending(hold.id) && hold.dying == 1) {
        return step_.census.find(pools_.kind, hold.job);
      }
    }
    return nullptr;
  }
  // Nothing is free or kept there, so nothing is promised to anybody.
  bool is_full(const TrackerState& tracker) const {
    const auto here = [&](const auto& kept) {
      return kept.kind == pools_.kind && kept.tracker == tracker.id;
    };
    const ClaimBook& book = step_.state.claims();
    return step_.census.trackers.at(tracker.id).held.slots(pools_.kind) >=
               tracker.total.slots(pools_.kind) &&
           std::none_of(book.holds().begin(), book.holds().end(), here) &&
           std::none_of(book.reservations().begin(), book.reservations().end(), here);
  }

  // Somebody who would have done as well comes before the victim: a narrower one where the victim
  // brings more than is needed; whose job stays at its share; who was launched later. Only the
  // first kill is judged, of one victim: those before may have made room under a maximum. Where one
  // stands over the claimant, what a narrower victim frees may be too little.
  void check_order(const KillOrdered& kill, const Job& job, const Gain& gain, const Due& due,
                   const std::string& what) {
    const AttemptSlot own = step_.state.find_attempt(kill.attempt);
    const bool splits = step_.fair->splits && pools_.kind == TaskKind::kReduce;
    if (!own.valid() || splits) return;
    const Attempt& victim = step_.state.attempt(own);
    const JobCount* claimant = starts(kill, victim);
    if (claimant == nullptr) return;
    const std::int64_t width = job.width(pools_.kind);
    const bool stays = stays_at_share(pools_, *step_.fair, loss_of(job), gone_);
    const bool too_much = width > due.slots() - gain.coming;
    for (const Attempt& other : step_.state.attempts()) {
      if (!may_be_victim(other, kill.for_pool)) continue;
      const Job& of = step_.state.job(other.key.task.job);
      const std::int64_t other_width = of.width(pools_.kind);
      const TrackerState& tracker = step_.state.tracker(other.tracker);
      const bool narrower =
          too_much && other_width < width && !has_maximum(*claimant->job);
      const bool newer = std::tie(victim.launched_at, victim.launch_order) <
                         std::tie(other.launched_at, other.launch_order);
      const bool other_stays = stays_at_share(pools_, *step_.fair, loss_of(of), gone_);
      const bool same = of.need(pools_.kind) == job.need(pools_.kind);
      const bool before = narrower || (same && (stays == other_stays ? newer : other_stays));
      const bool beside = same && tracker.id == kill.tracker;
      if (!before || (!beside && (claimant->width > other_width || !is_full(tracker))) ||
          !frees_as_much(job, of) || !makes_room(other, *claimant) ||
          must_keep(pools_, step_.where, loss_of(of), gain, gone_) ||
          !within_budget(step_.where.at(of.id),
                         other_width * other.in_slots_ms(step_.engine.now()))) {
        continue;
      }
      verdict_.breach("pool-kill-order", fmt::format("{}: {} comes before it and could go", what,
                                                     attempt_name(other.key)));
    }
  }

  static constexpr DurationMs kHour = 3600 * 1000;
  const Step& step_;
  const Pools& pools_;
  const Memory& memory_;
  Verdict& verdict_;
  std::map<JobId, std::int64_t> gone_;        // slots, by kills before
  std::map<std::string, std::int64_t> lost_;  // slot-ms, likewise, by pool
};

void follow_policy(const Step& step, PoolMemory& memory) {
  if (step.fair.has_value() == memory.ruled) return;
  memory.ruled = step.fair.has_value();
  memory.at_minimum.clear();
  memory.at_half.clear();
  // A change of what counts drops the stamps as a change of the policy does.
  memory.updated_at = memory.killed_at = std::max(step.engine.policy_since(), memory.slots_since);
  memory.checked_at = step.engine.memory().preemption_checked_at;
}

// Whether the policy has looked for victims in this very step, if it was time: not in one before at
// the same moment.
bool was_checked(const Step& step, PoolMemory& memory, Verdict& verdict) {
  if (step.fair->preemption != FairRules::Preemption::kOn || step.engine.recovering() ||
      !step.engine.unreported().empty()) {
    return false;
  }
  const TimeMs checked_at = step.engine.memory().preemption_checked_at;
  const TimeMs now = step.engine.now();
  if (checked_at != now && now - checked_at >= step.fair->preemption_interval) {
    verdict.breach("pool-kill-missing",
                   fmt::format("nobody has looked for victims since {} ms, and checks are {} ms "
                               "apart",
                               checked_at, step.fair->preemption_interval));
  }
  return std::exchange(memory.checked_at, checked_at) != checked_at && checked_at == now;
}

}  // namespace

bool starved(const Step& step, const std::string& pool, TaskKind kind) {
  for (std::string p = pool; !p.empty(); p = parent_of(p)) {
    const Due due = due_of(p, kind, step.fair->of(p), step.memory.pools, step.engine.now());
    if (due.minimum || due.fair) return true;
  }
  return false;
}

void check_pool_kills(const Step& step, Memory& memory, Verdict& verdict) {
  if (!memory.every_step) return;
  follow_policy(step, memory.pools);
  if (!step.pool_kills.empty() &&
      (!step.fair || step.fair->preemption != FairRules::Preemption::kOn)) {
    return verdict.breach("pool-kill-forbidden",
                          "kill of " + attempt_name(step.pool_kills.front()->attempt) +
                              " for pool " + step.pool_kills.front()->for_pool +
                              ": preemption is not on");
  }
  if (!step.fair || !std::holds_alternative<Tick>(step.input.body)) return;
  const TimeMs now = step.engine.now();
  const bool idle = was_checked(step, memory.pools, verdict) && step.pool_kills.empty();
  Step moment = step;
  moment.census = step.before_kills();
  for (const TaskKind kind : kTaskKinds) {
    Pools pools(moment.census, kind, *step.fair, step.where, now);
    pools.deal_shares();
    follow_stamps(pools, memory.pools);
    Judge judge(moment, pools, memory, verdict);
    for (const KillOrdered* kill : step.pool_kills) {
      if (kill->attempt.task.kind == kind) judge.judge(*kill);
    }
    if (verdict.clean() && idle) judge.judge_nothing_done();
    if (verdict.clean()) check_pool_holds(moment, pools, memory.pools, verdict);
  }
  if (!step.pool_kills.empty()) {
    if (now - memory.pools.killed_at < step.fair->preemption_interval) {
      verdict.breach("pool-kill-early",
                     fmt::format("kills at {} ms and at {} ms, and checks are {} ms apart",
                                 memory.pools.killed_at, now, step.fair->preemption_interval));
    }
    memory.pools.killed_at = now;
  }
  for (const KillOrdered* kill : step.pool_kills) {
    const Job& job = step.state.job(kill->attempt.task.job);
    memory.pools.losses.push_back(
        {now, step.where.at(job.id), job.width(kill->attempt.task.kind) * kill->ran_ms,
         kill->attempt});
  }
  memory.pools.updated_at = now;
}

}  // namespace weir::check
