#include "tracker/published/policy_outlook.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "conf/policies.h"
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

OutlookView::Share pool_share(const PoolFigures& pool) {
  OutlookView::Share line;
  line.name = pool.pool;
  line.maps = pool_class(pool, TaskKind::kMap);
  line.reduces = pool_class(pool, TaskKind::kReduce);
  if (pool.copying >= 0) line.reduces.copying = pool.copying;
  line.weight_millionths = pool.weight_millionths;
  line.mode = pool.fifo ? "fifo" : "fair";
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
    if (summed.insert(parent->second).second) to.maps.pending = to.reduces.pending = 0;
    to.maps.pending += from.maps.pending;
    to.reduces.pending += from.reduces.pending;
  }
}

OutlookView outlook_of(const Engine& engine, const Policy& policy) {
  OutlookView out;
  out.policy = policy.name();
  out.pools = policy.pools() != nullptr;
  for (const PoolFigures& pool : pool_figures(policy, engine.now()))
    out.shares.push_back(pool_share(pool));
  if (policy.pools() != nullptr) {
    add_up_pending(&out.shares);
    return out;
  }
  const QueueTree& tree = engine.state().tree();
  for (std::size_t q = 1; q < tree.size(); ++q) {
    OutlookView::Share& line = out.shares.emplace_back();
    line.name = tree.nodes()[q].path;
    const bool guarantees = policy.claims() != nullptr;
    line.maps = share_figures(policy.figures(QueueId(q), TaskKind::kMap), guarantees);
    line.reduces = share_figures(policy.figures(QueueId(q), TaskKind::kReduce), guarantees);
  }
  add_up_pending(&out.shares);
  return out;
}

}  // namespace

OutlookView ruling_outlook(const Engine& engine) {
  return outlook_of(engine, engine.policy());
}

std::optional<OutlookView> policy_outlook(const Engine& engine, const std::string& name) {
  if (name == engine.policy().name()) return ruling_outlook(engine);
  const auto policy = engine.make_policy(name);
  if (policy == nullptr) return std::nullopt;
  return outlook_of(engine, *policy);
}

}  // namespace weir
