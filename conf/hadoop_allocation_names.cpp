// Whose an allocations file is, by the names of its elements: MapReduce's or YARN's.
#include <algorithm>
#include <iterator>

#include "conf/hadoop_allocations.h"

namespace weir {
namespace {

// What only YARN's files have at the top.
constexpr std::string_view kYarnNames[] = {"queue",
                                           "queueMaxAppsDefault",
                                           "userMaxAppsDefault",
                                           "queuePlacementPolicy",
                                           "queueMaxAMShareDefault",
                                           "queueMaxResourcesDefault",
                                           "defaultQueueSchedulingPolicy",
                                           "defaultFairSharePreemptionTimeout",
                                           "defaultFairSharePreemptionThreshold",
                                           "reservation-agent"};

// And what only its queues have, which may be called pools.
constexpr std::string_view kYarnPoolNames[] = {"queue",
                                               "pool",
                                               "minResources",
                                               "maxResources",
                                               "maxRunningApps",
                                               "aclSubmitApps",
                                               "aclAdministerApps",
                                               "maxAMShare",
                                               "schedulingPolicy",
                                               "allowPreemptionFrom"};

// MapReduce's own, at the top and of pools.
constexpr std::string_view kMr1Names[] = {"userMaxJobsDefault", "poolMaxJobsDefault",
                                          "defaultPoolSchedulingMode"};
constexpr std::string_view kMr1PoolNames[] = {"minMaps", "minReduces", "maxMaps", "maxReduces",
                                              "maxRunningJobs"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <class Names>
bool has_one_of(const XmlElement& parent, const Names& names) {
  return std::any_of(parent.children.begin(), parent.children.end(),
                     [&](const XmlElement& child) { return is_one_of(names, child.name); });
}

}  // namespace

bool is_yarn_allocations(const XmlElement& root) {
  if (has_one_of(root, kYarnNames)) return true;
  if (has_one_of(root, kMr1Names)) return false;
  const auto has_pool_with = [&root](const auto& names) {
    return std::any_of(root.children.begin(), root.children.end(), [&](const XmlElement& child) {
      return child.name == "pool" && has_one_of(child, names);
    });
  };
  return has_pool_with(kYarnPoolNames) && !has_pool_with(kMr1PoolNames);
}

bool is_mr1_default(std::string_view element) {
  return is_one_of(kMr1Names, element);
}

bool is_mr1_pool_value(std::string_view element) {
  return is_one_of(kMr1PoolNames, element);
}

}  // namespace weir
