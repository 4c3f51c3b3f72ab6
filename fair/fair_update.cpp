// The periodic update: shares, and since when pools are short of theirs.
#include <algorithm>

#include "fair/fair_policy.h"
#include "fair/pool_clocks.h"

namespace weir {

void FairPolicy::deal_shares() const {
  settle();
  for (const TaskKind kind : kTaskKinds) {
    if (standings_[index(kind)].deal_shares(state_.total_slots(kind))) ++rules_[kDealtShares];
  }
}

Preemption FairPolicy::tick(TimeMs now) {
  deal_shares();
  update_stamps();
  if (by_deficit_) update_deficits(now);
  memory_.updated_at = now;
  return preempt(now);
}

// Checked once an interval; the first time one interval after it came to rule.
Preemption FairPolicy::preempt(TimeMs now) {
  using Mode = FairSettings::Preemption;
  Preemption plan;
  if (settings_->preemption == Mode::kOff) return plan;
  TimeMs& checked_at = memory_.preemption_checked_at;
  if (now - checked_at < settings_->preemption_interval_ms) return plan;
  checked_at = now;
  for (const TaskKind kind : kTaskKinds) {
    PoolKills planner(
        state_, kind, now, settings_->preemption == Mode::kLogOnly,
        {.tree = tree_,
         .standings = standings_[index(kind)],
         .pool_of =
             [this](JobId job) {
               const JobEntry* entry = find_entry(job);
               return entry == nullptr ? PoolId{} : entry->pool;
             },
         .job_share =
             [this, kind](JobId job) {
               const JobEntry* entry = find_entry(job);
               if (entry == nullptr || !entry->joined) return Share{0};
               return standings_[index(kind)].job_share(entry->stand[index(kind)]);
             },
         .due = [this, kind, now](PoolId pool) { return due(pool, kind, now); },
         .queue_limited = [this](QueueId queue) { return queue_limited_[queue.index()]; },
         .room_in_queue =
             [this, kind](QueueId queue) { return room_below_maximum(queue, kind); }});
    planner.plan(plan.kills);
    rules_[kOverBudget] += planner.spared();
    for (auto& [path, stamps] : memory_.pools) stamps.unmet[index(kind)] = 0;
    for (const auto& [pool, slots] : planner.unmet()) {
      memory_.pools[tree_.node(pool).path].unmet[index(kind)] = slots;
    }
  }
  return plan;
}

// What it was due at the last check, and still is, while nobody could be killed for it.
std::int64_t FairPolicy::unmet(PoolId pool, TaskKind kind, TimeMs now) const {
  const auto known = memory_.pools.find(tree_.node(pool).path);
  if (settings_->preemption == FairSettings::Preemption::kOff ||
      known == memory_.pools.end()) {
    return 0;
  }
  return std::clamp<std::int64_t>(known->second.unmet[index(kind)], 0,
                                  std::max<std::int64_t>(0, due(pool, kind, now).slots()));
}

// What it lacks of its minimum share and of its fair share, each only beyond its timeout.
PoolKills::Due FairPolicy::due(PoolId pool, TaskKind kind, TimeMs now) const {
  const auto& pools = memory_.pools;
  const auto known = pools.find(tree_.node(pool).path);
  if (known == pools.end()) return {};
  const PoolSettings& settings = *tree_.node(pool).settings;
  const Standings::Line& line = standings_[index(kind)].line(pool);
  PoolKills::Due due;
  if (beyond(now, known->second.at_min_share[index(kind)], settings.min_share_timeout_ms)) {
    due.minimum = line.owed_minimum() - line.running;
    due.minimum_ms = now - known->second.at_min_share[index(kind)];
  }
  if (beyond(now, known->second.at_half_share[index(kind)], settings.fair_share_timeout_ms)) {
    due.fair = std::min(whole_slots(line.share), line.demand) - line.running;
    due.fair_ms = now - known->second.at_half_share[index(kind)];
  }
  return due;
}

void FairPolicy::update_stamps() {
  for (const TaskKind kind : kTaskKinds) {
    const std::size_t k = index(kind);
    for (std::size_t p = 1; p < tree_.size(); ++p) {
      const PoolTree::Node& node = tree_.node(PoolId(p));
      if (!node.exists) continue;
      const Standings::Line& line = standings_[k].line(PoolId(p));
      const bool below_half = line.running < line.demand && !reaches(2 * line.running, line.share);
      follow_clocks(memory_, node.path, k, line.needy(), below_half);
    }
  }
  forget_clocks(memory_, tree_);
}

// Beyond its timeout, itself or a pool above it: by the stamps of the last update.
bool FairPolicy::starved(PoolId pool, TaskKind kind, TimeMs now) const {
  const auto& pools = memory_.pools;
  if (pools.empty()) return false;
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const auto known = pools.find(tree_.node(p).path);
    if (known == pools.end()) continue;
    const PoolSettings& settings = *tree_.node(p).settings;
    if (beyond(now, known->second.at_min_share[index(kind)], settings.min_share_timeout_ms) ||
        beyond(now, known->second.at_half_share[index(kind)], settings.fair_share_timeout_ms)) {
      return true;
    }
  }
  return false;
}

}  // namespace weir
