#include "tracker/published/policy_outlook.h"

#include <memory>
#include <string>

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

OutlookView outlook_of(const Engine& engine, const Policy& policy) {
  OutlookView out;
  out.policy = policy.name();
  out.pools = policy.pools() != nullptr;
  for (const PoolFigures& pool : pool_figures(policy, engine.now()))
    out.shares.push_back(pool_share(pool));
  if (policy.pools() != nullptr) return out;
  const QueueTree& tree = engine.state().tree();
  for (std::size_t q = 1; q < tree.size(); ++q) {
    OutlookView::Share& line = out.shares.emplace_back();
    line.name = tree.nodes()[q].path;
    const bool guarantees = policy.claims() != nullptr;
    line.maps = share_figures(policy.figures(QueueId(q), TaskKind::kMap), guarantees);
    line.reduces = share_figures(policy.figures(QueueId(q), TaskKind::kReduce), guarantees);
  }
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
