#include "tracker/published/policy_outlook.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "capacity/capacity_settings.h"
#include "conf/policies.h"
#include "jobqueue/policy/claims_facet.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {
namespace {

OutlookView::Figures share_figures(const QueueFigures& of, bool guarantees) {
  OutlookView::Figures out;
  out.running = of.running;
  out.pending = of.pending;
  if (guarantees) {
    out.guaranteed = of.guaranteed;
    out.allocated = of.allocated;
  }
  if (of.share >= 0) out.share_thousandths = thousandths(of.share);
  if (of.min_share >= 0) out.min_share = of.min_share;
  if (of.maximum >= 0) out.maximum = of.maximum;
  return out;
}

OutlookView::Figures pool_class(const PoolFigures& pool, TaskKind kind) {
  const std::size_t k = index(kind);
  OutlookView::Figures out = share_figures(pool.of[k], false);
  if (pool.unmet[k] > 0) out.unmet = pool.unmet[k];
  out.demand = pool.of[k].demand;
  out.below_min_share_ms = pool.below_min_share_ms[k];
  out.below_half_share_ms = pool.below_half_share_ms[k];
  return out;
}

OutlookView::Figures pool_amount(const QueueFigures& of) {
  OutlookView::Figures out = share_figures(of, false);
  out.demand = of.demand;
  return out;
}

OutlookView::Share pool_share(const PoolFigures& pool, const Space& space) {
  OutlookView::Share line;
  line.name = pool.pool;
  if (space.containers()) {
    for (std::size_t i = 0; i < pool.of_dimension.size(); ++i) {
      const std::string_view dimension = space.name(space.dimensions()[i]);
      line.amounts.push_back({std::string(dimension), pool_amount(pool.of_dimension[i])});
    }
    line.below_min_share_ms = pool.below_min_share_ms[0];
    line.below_half_share_ms = pool.below_half_share_ms[0];
  } else {
    line.maps = pool_class(pool, TaskKind::kMap);
    line.reduces = pool_class(pool, TaskKind::kReduce);
  }
  if (pool.copying >= 0) line.reduces.copying = pool.copying;
  line.weight_millionths = pool.weight_millionths;
  line.mode = pool.mode;
  line.jobs_running = static_cast<std::int32_t>(pool.jobs_running);
  line.jobs_waiting = static_cast<std::int32_t>(pool.jobs_waiting);
  return line;
}

// As everywhere, of an inner queue or pool what pends in its children; they stand behind it.
void add_up_pending(std::vector<OutlookView::Share>* shares) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < shares->size(); ++i) places.emplace((*shares)[i].name, i);
  std::set<std::size_t> summed;
  for (std::size_t i = shares->size(); i-- > 0;) {
    const OutlookView::Share& from = (*shares)[i];
    const auto dot = from.name.rfind('.');
    if (dot == std::string::npos) continue;
    const auto parent = places.find(std::string_view(from.name).substr(0, dot));
    if (parent == places.end()) continue;
    OutlookView::Share& to = (*shares)[parent->second];
    const bool first = summed.insert(parent->second).second;
    const auto add = [first](OutlookView::Figures& sum, const OutlookView::Figures& one) {
      sum.pending = (first ? 0 : sum.pending) + one.pending;
    };
    add(to.maps, from.maps);
    add(to.reduces, from.reduces);
    for (std::size_t d = 0; d < to.amounts.size(); ++d) {
      OutlookView::Figures& sum = to.amounts[d].figures;
      add(sum, from.amounts[d].figures);
      if (sum.demand)
        sum.demand = std::min(sum.maximum.value_or(INT64_MAX), sum.running + sum.pending);
    }
  }
}

OutlookView outlook_of(const ClusterState& state, TimeMs now, const Policy& policy) {
  OutlookView out;
  out.policy = policy.name();
  out.pools = policy.pools() != nullptr;
  for (const PoolFigures& pool : pool_figures(policy, now))
    out.shares.push_back(pool_share(pool, state.space()));
  if (policy.pools() != nullptr) {
    add_up_pending(&out.shares);
    return out;
  }
  const QueueTree& tree = state.tree();
  for (std::size_t q = 1; q < tree.size(); ++q) {
    OutlookView::Share& line = out.shares.emplace_back();
    line.name = tree.nodes()[q].path;
    const bool guarantees = policy.claims() != nullptr;
    const auto figures = [&](Dimension d) {
      return share_figures(policy.figures(QueueId(q), d), guarantees);
    };
    if (state.space().containers()) {
      for (const Dimension d : state.space().dimensions())
        line.amounts.push_back({std::string(state.space().name(d)), figures(d)});
    } else {
      line.maps = figures(TaskKind::kMap);
      line.reduces = figures(TaskKind::kReduce);
    }
  }
  add_up_pending(&out.shares);
  return out;
}

bool preempts(const Settings& settings) {
  const auto found = settings.policies.find("capacity");
  const auto* capacity = found == settings.policies.end()
                             ? nullptr
                             : dynamic_cast<const CapacitySettings*>(found->second.get());
  return capacity == nullptr || capacity->preemption == CapacitySettings::Preemption::kOn;
}

// How long the first claim of the leaf would still wait: one that is open goes on from when it was
// born, others open with the settings.
std::int64_t left_ms(const Engine& engine, const ClusterState& then, QueueId leaf, TaskKind kind) {
  const DurationMs after = reclaim_after_ms(then.tree(), leaf, kind);
  if (after == kNever || !preempts(then.settings())) return -1;
  const auto& open = then.claims().claims(leaf, kind);
  if (open.empty()) return after;
  return std::max<std::int64_t>(0, open.front().born + after - engine.claims_now());
}

// As the policy itself finds them, with those that are open.
std::vector<SettingsDiffView::Preview::Claim> claims_foreseen(const Engine& engine,
                                                              const Engine::Rehearsal& then) {
  std::vector<SettingsDiffView::Preview::Claim> claims;
  Claims* finder = then.policy->claims();
  if (finder == nullptr) return claims;
  std::vector<ClaimStep> steps;
  finder->review(engine.now(), false, steps);
  finder->claim(steps);
  const QueueTree& tree = then.state->tree();
  for (const TaskKind kind : kTaskKinds) {
    for (const QueueId leaf : tree.leaves()) {
      const std::int64_t open = then.state->claims().owed(leaf, kind);
      std::int64_t slots = open;
      for (const ClaimStep& step : steps) {
        if (step.queue != leaf || step.dimension != Dimension(kind)) continue;
        if (step.what == ClaimStep::What::kOpen) slots += step.slots;
        if (step.what == ClaimStep::What::kMeet || step.what == ClaimStep::What::kDrop)
          slots -= step.slots;
      }
      if (slots <= 0) continue;
      claims.push_back({tree.node(leaf).path, name(kind), slots, open,
                        left_ms(engine, *then.state, leaf, kind)});
    }
  }
  return claims;
}

}  // namespace

std::optional<SettingsDiffView::Preview> preview_of(const Engine& engine,
                                                    std::shared_ptr<const Settings> settings) {
  const auto then = engine.rehearse(std::move(settings));
  if (!then) return std::nullopt;
  return SettingsDiffView::Preview{ruling_outlook(engine),
                                   outlook_of(*then->state, engine.now(), *then->policy),
                                   claims_foreseen(engine, *then)};
}

OutlookView ruling_outlook(const Engine& engine) {
  return outlook_of(engine.state(), engine.now(), engine.policy());
}

std::optional<OutlookView> policy_outlook(const Engine& engine, const std::string& name) {
  if (name == engine.policy().name()) return ruling_outlook(engine);
  const auto policy = engine.make_policy(name);
  if (policy == nullptr) return std::nullopt;
  return outlook_of(engine.state(), engine.now(), *policy);
}

}  // namespace weir
