// Preemption for pools: only where it is on, only for a pool that was short for longer than its
// timeout, no more than it lacks, out of pools and jobs that keep their shares, the newest first,
// within budget, and usefully.
#include <fmt/format.h>

#include <algorithm>

#include "sim/checker/limits.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {

const Rational kHair(1, 1'000'000);  // what the digits of a share may hide

struct Due {
  std::int64_t slots = 0;
  bool minimum = false, fair = false;  // beyond which timeout
};

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

// Beyond which timeouts it is.
Due due_of(const std::string& pool, TaskKind kind, const PoolRules& rules, const PoolMemory& memory,
           TimeMs now) {
  const auto beyond = [&](const std::map<PoolMemory::Key, TimeMs>& stamps, DurationMs timeout) {
    const auto stamp = stamps.find({pool, kind});
    return stamp != stamps.end() && timeout != kNever && now - stamp->second > timeout;
  };
  Due due;
  due.minimum = beyond(memory.at_minimum, rules.min_timeout);
  due.fair = beyond(memory.at_half, rules.fair_timeout);
  return due;
}

Due due_of(const Pools& pools, const std::string& pool, const PoolMemory& memory, TimeMs now) {
  const PoolLine& line = pools.line(pool);
  Due due = due_of(pool, pools.kind, *line.rules, memory, now);
  if (due.minimum) due.slots = line.floor() - line.running;
  if (due.fair) {
    const std::int64_t whole = floor_of(line.share + kHair);
    due.slots = std::max(due.slots, std::min(whole, line.demand) - line.running);
  }
  return due;
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
    if (const auto poor = too_poor(job, slots, kill.for_pool)) {
      verdict_.breach("pool-kill-poor", what + ": " + *poor);
    }
    check_budget(kill, job, slots, what);
    check_newest(kill, job, what);
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
          if (due.slots >= job.count->width) look_for_victim(needy, due, job);
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

  void look_for_victim(const std::string& needy, const Due& due, const PoolJob& job) {
    for (const Attempt& attempt : step_.state.attempts()) {
      if (!attempt.live || attempt.dying() || attempt.key.task.kind != pools_.kind) continue;
      const Job& of = step_.state.job(attempt.key.task.job);
      const TrackerState& tracker = step_.state.tracker(attempt.tracker);
      if (!attempt.has_slots() || is_over(of.state) || !in_pool(tracker)) continue;
      const std::string& pool = step_.where.at(of.id);
      if (within(needy, pool) || pools_.line(pool).rules->kill_budget ||
          too_poor(of, of.width(pools_.kind), needy)) {
        continue;
      }
      Resources held = step_.census.trackers.at(tracker.id).held;
      held -= of.need(pools_.kind);
      if (!has_room(step_.census, job.count->job->need(pools_.kind), tracker, held) ||
          avoids(step_.census, *job.count->job, tracker) ||
          !has_task_for(step_.census, *job.count, pools_.kind, tracker)) {
        continue;
      }
      verdict_.breach("pool-kill-missing",
                      fmt::format("pool {} lacks {} {} slots for longer than its timeout, and {} "
                                  "of pool {} may die for {}",
                                  needy, due.slots, name(pools_.kind), attempt_name(attempt.key),
                                  pool, job_name(job.count->job->id)));
    }
  }

  // Whom the loss of so many slots more would leave below his share.
  std::optional<std::string> too_poor(const Job& job, std::int64_t slots,
                                      const std::string& needy) const {
    const std::string& leaf = step_.where.at(job.id);
    for (std::string p = leaf; !within(p, needy); p = parent_of(p)) {
      const PoolLine& line = pools_.line(p);
      std::int64_t left = line.running - slots;
      for (const auto& [other, lost] : gone_) {
        if (within(p, step_.where.at(other))) left -= lost;
      }
      if (left + kHair >= line.share) continue;
      return fmt::format("pool {} would run {} of its fair share of {:.6f}", p, left,
                         line.share.convert_to<double>());
    }
    const PoolJob* own = pools_.find(job.id);
    const bool alone =
        pools_.line(leaf).rules->fifo && !step_.fair->deficit;  // no share of its own
    if (own == nullptr || !own->runnable || alone) return std::nullopt;
    const auto lost = gone_.find(job.id);
    const std::int64_t left = own->running - slots - (lost == gone_.end() ? 0 : lost->second);
    if (left + kHair >= own->share) return std::nullopt;
    return fmt::format("{} would run {} of its fair share of {:.6f}", job_name(job.id), left,
                       own->share.convert_to<double>());
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

  // A task launched later on the same tracker, which needs as much, would have done as well. Only
  // the first kill is judged: those before may have made room under a maximum for what the pool
  // would launch.
  void check_newest(const KillOrdered& kill, const Job& job, const std::string& what) {
    const AttemptSlot own = step_.state.find_attempt(kill.attempt);
    if (!own.valid() || !gone_.empty()) return;
    const Attempt& victim = step_.state.attempt(own);
    for (const AttemptSlot slot : step_.state.tracker(kill.tracker).attempts) {
      const Attempt& other = step_.state.attempt(slot);
      const Job& of = step_.state.job(other.key.task.job);
      if (other.dying() || !other.has_slots() || other.key.task.kind != pools_.kind ||
          is_over(of.state) || other.launch_order <= victim.launch_order ||
          of.need(pools_.kind) != job.need(pools_.kind) || !step_.where.contains(of.id) ||
          within(kill.for_pool, step_.where.at(of.id)) || !frees_as_much(job, of) ||
          too_poor(of, of.width(pools_.kind), kill.for_pool) ||
          !within_budget(step_.where.at(of.id),
                         of.width(pools_.kind) * other.in_slots_ms(step_.engine.now()))) {
        continue;
      }
      verdict_.breach("pool-kill-order", fmt::format("{}: {} was launched later and could go", what,
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

// Whether a reduce waits on the tracker that could take the slots.
bool waits_there(const Step& step, const Hold& hold, const TrackerState& tracker,
                 const Resources& held) {
  const TaskKind kind = TaskKind::kReduce;
  return held.slots(kind) + hold.slots <= tracker.total.slots(kind) &&
         std::any_of(tracker.attempts.begin(), tracker.attempts.end(), [&](AttemptSlot slot) {
           const Attempt& attempt = step.state.attempt(slot);
           const JobId job = attempt.key.task.job;
           return attempt.copy == CopyStage::kCopied && !attempt.dying() &&
                  step.where.contains(job) && within(hold.pool, step.where.at(job)) &&
                  step.state.job(job).width(kind) == hold.slots;
         });
}

// Slots that are held since now: no more than the pool lacks, and somebody could use them.
void check_freed(const Step& step, const Pools& pools, const PoolMemory& memory, Verdict& verdict) {
  const auto& holds = step.state.claims().holds();
  for (const Hold& hold : holds) {
    if (hold.kind != pools.kind || hold.pool.empty() || step.memory.pending(hold.id)) continue;
    const Due due = due_of(pools, hold.pool, memory, step.engine.now());
    std::int64_t coming = 0;
    for (const Hold& other : holds) {
      if (other.kind == hold.kind && within(hold.pool, other.pool)) coming += other.slots;
    }
    if (coming > due.slots) {
      verdict.breach("pool-kill-excess",
                     fmt::format("{} {} slots are held for pool {}, which lacks {}", coming,
                                 name(hold.kind), hold.pool, due.slots));
    }
    const TrackerState& tracker = step.state.tracker(hold.tracker);
    Resources held = step.census.trackers.at(hold.tracker).held;
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = step.state.attempt(slot);
      if (!attempt.dying() || !attempt.has_slots()) continue;
      held -= step.state.job(attempt.key.task.job).need(attempt.key.task.kind);
    }
    const auto& jobs = step.census.jobs(hold.kind);
    const bool useful = std::any_of(jobs.begin(), jobs.end(), [&](const JobCount& job) {
      return within(hold.pool, step.where.at(job.job->id)) && job.launchable > 0 &&
             job.width == hold.slots &&
             has_room(step.census, job.job->need(hold.kind), tracker, held) &&
             !avoids(step.census, *job.job, tracker) &&
             has_task_for(step.census, job, hold.kind, tracker);
    });
    const bool splits = step.fair->splits && hold.kind == TaskKind::kReduce;
    if ((splits ? waits_there(step, hold, tracker, held) : useful) && in_pool(tracker)) continue;
    verdict.breach("pool-kill-useless",
                   fmt::format("{} {} slots are freed on tracker {} for pool {}, which has no task "
                               "that could start there",
                               hold.slots, name(hold.kind), tracker.name, hold.pool));
  }
}

void follow_policy(const Step& step, PoolMemory& memory) {
  if (step.fair.has_value() == memory.ruled) return;
  memory.ruled = step.fair.has_value();
  memory.at_minimum.clear();
  memory.at_half.clear();
  memory.updated_at = memory.killed_at = step.engine.policy_since();
}

// Whether the policy has looked for victims now, if it was time.
bool was_checked(const Step& step, Verdict& verdict) {
  if (step.fair->preemption != FairRules::Preemption::kOn || step.engine.recovering() ||
      !step.engine.unreported().empty()) {
    return false;
  }
  const TimeMs checked_at = step.state.memory().preemption_checked_at;
  const TimeMs now = step.engine.now();
  if (checked_at != now && now - checked_at >= step.fair->preemption_interval) {
    verdict.breach("pool-kill-missing",
                   fmt::format("nobody has looked for victims since {} ms, and checks are {} ms "
                               "apart",
                               checked_at, step.fair->preemption_interval));
  }
  return checked_at == now;
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
  const bool idle = was_checked(step, verdict) && step.pool_kills.empty();
  for (const TaskKind kind : kTaskKinds) {
    Census before = step.census;
    for (const KillOrdered* kill : step.pool_kills) before.take_back_kill(kill->attempt);
    Pools pools(before, kind, *step.fair, step.where, now);
    pools.deal_shares();
    follow_stamps(pools, memory.pools);
    Judge judge(step, pools, memory, verdict);
    for (const KillOrdered* kill : step.pool_kills) {
      if (kill->attempt.task.kind == kind) judge.judge(*kill);
    }
    if (verdict.clean() && idle) judge.judge_nothing_done();
    if (verdict.clean()) check_freed(step, pools, memory.pools, verdict);
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
        {now, step.where.at(job.id), job.width(kill->attempt.task.kind) * kill->ran_ms});
  }
  memory.pools.updated_at = now;
}

}  // namespace weir::check
