// What is noteworthy about pools on the cluster as it is.
#include <algorithm>

#include <fmt/format.h>

#include "conf/fair_section.h"
#include "conf/live_notices.h"
#include "fair/fair_settings.h"

namespace weir {
namespace {

// What all top pools together are to have at least.
void find_scaled_minimums(const FairSettings& fair, const Resources& total,
                          std::vector<std::string>& out) {
  for (const TaskKind kind : kTaskKinds) {
    std::int64_t sum = 0;
    std::vector<std::string> parts;
    for (const PoolSettings& pool : fair.pools) {
      const std::int64_t minimum = pool.min_share[index(kind)];
      if (minimum > 0) parts.push_back(fmt::format("{} {}", pool.name, minimum));
      sum += minimum;
    }
    if (total.slots(kind) <= 0 || sum <= total.slots(kind)) continue;
    out.push_back(
        fmt::format("the minimum shares of the top pools total {} {} slots, the cluster has {}: "
                    "where all want theirs each has a part, {}",
                    sum, name(kind), total.slots(kind), first_few(parts)));
  }
}

bool is_inner_pool(const std::vector<PoolSettings>& pools, std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto pool = std::find_if(pools.begin(), pools.end(), [&](const PoolSettings& p) {
    return p.name == path.substr(0, dot);
  });
  if (pool == pools.end()) return false;
  if (dot == std::string_view::npos) return !pool->pools.empty();
  return is_inner_pool(pool->pools, path.substr(dot + 1));
}

// Where the queue is the pool, a leaf that is called as an inner pool has nowhere to put its jobs.
void find_homeless_queues(const FairSettings& fair, const QueueTree& tree,
                          std::vector<std::string>& out) {
  if (fair.pool_name_property != "queue") return;
  std::vector<std::string> queues;
  for (const QueueId leaf : tree.leaves()) {
    const std::string& path = tree.node(leaf).path;
    if (is_inner_pool(fair.pools, path)) queues.push_back(path);
  }
  if (queues.empty()) return;
  out.push_back(
      fmt::format("queues called as a pool that has pools below it take no jobs that name no other "
                  "pool: {}",
                  first_few(queues)));
}

}  // namespace

std::vector<std::string> fair_notices(const Settings& settings, const QueueTree& tree,
                                      const Resources& total) {
  std::vector<std::string> out;
  const auto section = settings.policies.find("fair");
  if (section == settings.policies.end()) return out;
  const auto* fair = dynamic_cast<const FairSettings*>(section->second.get());
  if (fair == nullptr) return out;
  find_scaled_minimums(*fair, total, out);
  find_homeless_queues(*fair, tree, out);
  return out;
}

}  // namespace weir
