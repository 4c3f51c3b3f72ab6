// The periodic update: since when pools are short of their shares, and whom to kill for those that
// have been for too long.
#include <algorithm>

#include "fair/container_fair.h"
#include "fair/pool_clocks.h"
#include "fair/shares.h"
#include "jobqueue/policy/container_reasons.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {

Preemption ContainerFair::tick(TimeMs now) {
  amounts_.settle_all();
  update_stamps();
  memory_.updated_at = now;
  Preemption plan;
  const std::optional<KeptRoom> room = kept_room();
  const KeptRoom* kept = room ? &*room : nullptr;
  end_what_is_over(
      state_, kept, [&](const Reservation& reserved) { return over(reserved, kept); },
      [this](const Job& job) { return standing_.gang_within(job); }, plan);
  preempt(now, kept, plan);
  if (plan.gang.valid()) leave_what_is_kept(kept, state_.job(plan.gang), plan.rooms);
  return plan;
}

// OWED of its minimum share is not empty.
bool ContainerFair::below_minimum(PoolId pool) const {
  const Amounts& running = amounts_.pool(pool).running;
  bool is_below = false;
  for (const Dimension d : state_.space().dimensions()) {
    const auto& least = tree_.node(pool).settings->minimum[d.value()];
    is_below = is_below || (least && running[d] < std::min(*least, amounts_.pool(pool).demand[d]));
  }
  if (!is_below) return false;
  return wants()
      .owed(pool, [&](const Amounts& runs, const Resources& need) {
        return amounts_.within_minimum(pool, runs, need);
      })
      .has_value();
}

// RUN / S is below a half in every dimension that is full, and OWED of its share is not empty.
bool ContainerFair::below_half(PoolId pool) const {
  const ShareLine& line = amounts_.pool(pool);
  bool any = false;
  for (const Dimension d : state_.space().dimensions()) {
    if (d.place() >= line.full.size() || !line.full[d.place()]) continue;
    const std::int64_t share = thousandths(line.share[d.place()]);
    if (share == 0) continue;
    if (2 * 1000 * line.running[d] >= share) return false;
    any = true;
  }
  if (!any) return false;
  return wants()
      .owed(pool, [&](const Amounts& runs, const Resources& need) {
        return amounts_.within_share(line, runs, need);
      })
      .has_value();
}

bool ContainerFair::starved(PoolId pool) const {
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const auto known = memory_.pools.find(tree_.node(p).path);
    if (known == memory_.pools.end()) continue;
    const PoolSettings& settings = *tree_.node(p).settings;
    if (beyond(state_.now(), known->second.at_min_share[0], settings.min_share_timeout_ms) ||
        beyond(state_.now(), known->second.at_half_share[0], settings.fair_share_timeout_ms))
      return true;
  }
  return false;
}

void ContainerFair::update_stamps() {
  for (std::size_t p = 1; p < tree_.size(); ++p) {
    const PoolTree::Node& node = tree_.node(PoolId(p));
    if (!node.exists) continue;
    follow_clocks(memory_, node.path, 0, below_minimum(PoolId(p)), below_half(PoolId(p)));
  }
  forget_clocks(memory_, tree_);
}

// Children first, siblings by name; of each what it lacks of its minimum share, then of its share.
std::vector<ContainerPoolKills::Due> ContainerFair::due(TimeMs now) const {
  std::vector<ContainerPoolKills::Due> all;
  tree_.visit_children_first(PoolTree::root(), [&](PoolId pool) {
    const auto known = memory_.pools.find(tree_.node(pool).path);
    if (known == memory_.pools.end()) return;
    const PoolSettings& settings = *tree_.node(pool).settings;
    const TimeMs at_minimum = known->second.at_min_share[0];
    const TimeMs at_half = known->second.at_half_share[0];
    if (beyond(now, at_minimum, settings.min_share_timeout_ms))
      all.push_back({pool, KillReason::kMinShare, now - at_minimum});
    if (beyond(now, at_half, settings.fair_share_timeout_ms))
      all.push_back({pool, KillReason::kFairShare, now - at_half});
  });
  return all;
}

// Checked once an interval; the first time one interval after it came to rule.
void ContainerFair::preempt(TimeMs now, const KeptRoom* kept, Preemption& plan) {
  using Mode = FairSettings::Preemption;
  if (settings_->preemption == Mode::kOff) return;
  TimeMs& checked_at = memory_.preemption_checked_at;
  if (now - checked_at < settings_->preemption_interval_ms) return;
  checked_at = now;
  ContainerPoolKills planner(state_, now, settings_->preemption == Mode::kLogOnly,
                             {.tree = tree_,
                              .amounts = amounts_,
                              .line_of = [this](JobId job) { return find(job); },
                              .rules = rules(),
                              .kept = kept});
  planner.plan(due(now), plan);
  for (auto& [path, stamps] : memory_.pools) stamps.block = ClaimBlock::kNone;
  for (const auto& [pool, block] : planner.unmet())
    memory_.pools[tree_.node(pool).path].block = block;
}

PoolWants::Rules ContainerFair::rules() const {
  return {.could_run =
              [this](const Job& job, TaskKind kind) {
                const JobLine* line = find(job.id);
                return line != nullptr && could_run(*line, job, kind);
              },
          .may = [this](const Job& job, const Resources& need,
                        const std::map<QueueId, Amounts>& taken) {
            return standing_.within_queues(job, need, &taken);
          },
          .line_of = [this](JobId job) { return find(job); }};
}

PoolWants ContainerFair::wants() const {
  return PoolWants(state_, tree_, amounts_, rules());
}

void ContainerFair::explain_short(PoolId pool, TimeMs now, std::vector<Reason>& reasons) const {
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const auto known = memory_.pools.find(tree_.node(p).path);
    if (known == memory_.pools.end() || known->second.block == ClaimBlock::kNone) continue;
    const TimeMs since = std::min(known->second.at_min_share[0], known->second.at_half_share[0]);
    reasons.push_back({"need_unmet",
                       "pool " + tree_.node(p).path + " has been short of its share for " +
                           short_duration(now - since) +
                           ", and nobody may be killed for its next task: " +
                           weir::name(known->second.block),
                       {}});
  }
}

// In the dimensions that decide: of which others want more than there is.
Reason ContainerFair::reason_of_share(PoolId pool, const Resources& need) const {
  const ShareLine& line = amounts_.pool(pool);
  const bool is_below = amounts_.short_of_share(line, need);
  std::string runs;
  for (const Dimension d : state_.space().dimensions()) {
    if (need[d] == 0 || d.place() >= line.full.size() || !line.full[d.place()]) continue;
    const Share share = line.share[d.place()];
    if (!is_below && line.running[d] * 1000 < thousandths(share)) continue;
    runs += (runs.empty() ? "" : " and ") + amount_text(state_.space(), d, line.running[d]) +
            (is_below ? " of its fair share of " : ", its fair share is ") + share_text(share);
  }
  const std::string name = "pool " + tree_.node(pool).path;
  if (!is_below) return {"pool_at_share", name + " runs " + runs, {}};
  return {"pool_below_share",
          name + (runs.empty() ? " is below its fair share" : " runs " + runs) +
              " and comes before pools that run more for their weight",
          {}};
}

}  // namespace weir
