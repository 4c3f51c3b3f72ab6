#include "tracker/published/policy_outlook.h"

#include <memory>
#include <string>

#include "conf/policies.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {
namespace {

OutlookView::Figures share_figures(const QueueFigures& of, bool guarantees) {
  constexpr Share kThousandth = kWholeSlot / 1000;
  OutlookView::Figures out;
  out.running = of.running;
  out.pending = of.pending;
  if (guarantees) {
    out.guaranteed = of.guaranteed;
    out.allocated = of.allocated;
  }
  if (of.share >= 0) out.share_thousandths = (of.share + kThousandth / 2) / kThousandth;
  if (of.min_share >= 0) out.min_share = of.min_share;
  if (of.maximum >= 0) out.maximum = of.maximum;
  return out;
}

OutlookView outlook_of(const Engine& engine, const Policy& policy) {
  OutlookView out;
  out.policy = policy.name();
  out.pools = policy.pools() != nullptr;
  for (const PoolFigures& pool : pool_figures(policy, engine.now())) {
    OutlookView::Share& line = out.shares.emplace_back();
    line.name = pool.pool;
    line.maps = share_figures(pool.of[index(TaskKind::kMap)], false);
    line.reduces = share_figures(pool.of[index(TaskKind::kReduce)], false);
    const auto &[maps, reduces] = pool.unmet;
    if (maps > 0) line.maps.unmet = maps;
    if (reduces > 0) line.reduces.unmet = reduces;
    if (pool.copying >= 0) line.reduces.copying = pool.copying;
  }
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

std::vector<OutlookView> policy_outlooks(const Engine& engine) {
  std::vector<OutlookView> outlooks;
  for (const std::string& name : policy_names()) {
    if (name == engine.policy().name()) {
      outlooks.push_back(outlook_of(engine, engine.policy()));
    } else if (const auto policy = engine.make_policy(name)) {
      outlooks.push_back(outlook_of(engine, *policy));
    }
  }
  return outlooks;
}

}  // namespace weir
