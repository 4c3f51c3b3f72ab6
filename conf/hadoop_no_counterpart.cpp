// Elements of an allocations file that have no counterpart here.
#include <algorithm>
#include <iterator>
#include <utility>

#include "conf/hadoop_allocations.h"

namespace weir {
namespace {

constexpr std::pair<std::string_view, std::string_view> kAllocationReasons[] = {
    {"minResources", "memory and cores are not slots; say min_share in slots"},
    {"maxResources",
     "memory and cores are not slots; say max_share in slots, or maximum of the "
     "queue in percent"},
    {"maxChildResources", "say maximum of each queue"},
    {"queueMaxResourcesDefault", "say maximum of each queue"},
    {"maxContainerAllocation", "what a task may ask for is bounded by the largest tracker here"},
    {"maxAMShare", "jobs have no masters here; max_running_jobs comes nearest"},
    {"queueMaxAMShareDefault", "jobs have no masters here; max_running_jobs comes nearest"},
    {"fairSharePreemptionThreshold", "it is half of the fair share here"},
    {"defaultFairSharePreemptionThreshold", "it is half of the fair share here"},
    {"reservation", "there are no reservations in time here"},
    {"reservation-agent", "there are no reservations in time here"},
    {"reservation-planner", "there are no reservations in time here"},
    {"reservation-policy", "there are no reservations in time here"},
};

}  // namespace

void tell_no_counterpart(const HadoopValue& value, std::string_view element) {
  const auto* const found =
      std::find_if(std::begin(kAllocationReasons), std::end(kAllocationReasons),
                   [&](const auto& reason) { return reason.first == element; });
  no_counterpart(value,
                 found == std::end(kAllocationReasons) ? "it has no counterpart" : found->second);
}

}  // namespace weir
