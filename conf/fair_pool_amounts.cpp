#include "conf/fair_pool_amounts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/fair_section.h"
#include "conf/queues.h"

namespace weir {
namespace {

void read_amounts(const MapReader& pool, std::string_view key, const Space& space,
                  PoolSettings::Amounts& amounts) {
  const YamlNode* node = pool.find(key);
  if (node == nullptr) return;
  std::vector<std::string_view> names;
  for (const Dimension d : space.dimensions()) names.push_back(space.name(d));
  if (key == "max_share" && node->kind == YamlNode::Kind::kScalar) {
    if (node->text != "unlimited")
      pool.wrong(*node, key,
                 fmt::format("unlimited, or a map with the keys {}", fmt::join(names, ", ")));
    amounts = {};  // whatever the defaults say
    return;
  }
  const MapReader each(node, pool.path(key), pool.out(), names);
  for (const Dimension d : space.dimensions()) {
    std::int64_t amount = 0;
    if (!each.read_integer(space.name(d), amount, {})) continue;
    amounts[d.value()] = amount;
    // Of others most tasks take nothing.
    const bool all_take = d == Dimension::kMemoryMb || d == Dimension::kVcores;
    if (key == "max_share" && amount == 0 && all_take)
      each.out().warning(each.at(space.name(d)),
                         fmt::format("{} is 0, with which no task that takes of it ever runs",
                                     each.path(space.name(d))));
  }
}

}  // namespace

void read_pool_amounts(const MapReader& pool, const Space& space, PoolSettings& settings) {
  read_amounts(pool, "min_share", space, settings.minimum);
  read_amounts(pool, "max_share", space, settings.maximum);
  if (pool.has("mode") && pool.has("policy")) {
    pool.out().error(pool.at("mode"), fmt::format("{} stands beside {}, allowed: policy alone, of "
                                                  "which mode is the old name",
                                                  pool.path("mode"), pool.path("policy")));
  }
  if (const auto mode = pool.read_enum("mode", kPoolModes)) {  // the old name
    settings.sharing = *mode == 0 ? PoolSettings::Sharing::kFair : PoolSettings::Sharing::kFifo;
  }
  if (const auto policy = pool.read_enum("policy", kPoolSharing))
    settings.sharing = static_cast<PoolSettings::Sharing>(*policy);
  read_loan(pool, "lend", space, settings.lend);
}

void check_pool_amounts(const MapReader& pool, const Space& space, bool has_pools,
                        const PoolSettings& settings) {
  for (const Dimension d : space.dimensions()) {
    const auto& least = settings.minimum[d.value()];
    const auto& most = settings.maximum[d.value()];
    if (!least || !most || *most >= *least) continue;
    if (!pool.has("max_share") && !pool.has("min_share")) return;  // the defaults' own fault
    const std::string_view key = pool.has("max_share") ? "max_share" : "min_share";
    pool.out().error(pool.at(key),
                     fmt::format("{}.{} is {}, below min_share.{}, which is {}, allowed: a "
                                 "max_share of at least the min_share",
                                 pool.path("max_share"), space.name(d), *most, space.name(d),
                                 *least));
  }
  if (!has_pools || settings.sharing != PoolSettings::Sharing::kFifo) return;
  for (const std::string_view key : {"policy", "mode"}) {
    if (!pool.has(key)) continue;
    pool.out().error(pool.at(key), fmt::format("{} is fifo, and there are pools within it, "
                                               "allowed: drf, fair; fifo in pools without pools",
                                               pool.path(key)));
    return;
  }
}

}  // namespace weir
