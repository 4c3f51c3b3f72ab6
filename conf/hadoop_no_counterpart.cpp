// Elements of an allocations file, and properties of YARN's capacity scheduler, that have no
// counterpart here, and why.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "conf/hadoop_allocations.h"
#include "conf/hadoop_schedulers.h"

namespace weir {
namespace {

constexpr std::pair<std::string_view, std::string_view> kAllocationReasons[] = {
    {"minResources", "memory and cores are not slots; say min_share in slots"},
    {"maxResources",
     "memory and cores are not slots; say max_share in slots, or maximum of the "
     "queue in percent"},
    {"maxChildResources", "it is of queues that come to be on demand in YARN; say max_share"},
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

// Parts of names of properties without a counterpart, and why.
constexpr std::pair<std::string_view, std::string_view> kYarnCapacityReasons[] = {
    {"maximum-am-resource-percent", "jobs have no masters here; max_running_jobs comes nearest"},
    {"resource-calculator", "slots are of one kind, and of containers every dimension counts"},
    {"queue-mappings", "every job names its queue here"},
    {"mapping-rule", "every job names its queue here"},
    {"node-label",
     "trackers have labels (tracker.labels), and groups of jobs say which they require; queues "
     "have none"},
    {"intra-queue-preemption", "no task is killed for another one of its own queue here"},
    {"ordering-policy", "jobs of a queue go by submit time, or by priority with priorities: true"},
    {"default-application-priority", "a job says its own priority"},
    {"workflow-priority-mappings", "a job says its own priority"},
    {"acl_application_max_priority", "who may submit to a queue may say any priority there"},
    {"priority", "queues have no priority over others here"},
    {"user-settings", "the users of a queue weigh the same here"},
    {"auto-create", "queues do not come to be on demand here"},
    {"auto-queue", "queues do not come to be on demand here"},
    {"template", "queues do not come to be on demand here"},
    {"max-resource", "memory and cores are not slots; say maximum in percent"},
    {"min-resource", "memory and cores are not slots; say guaranteed in percent"},
    {"reservable", "there are no reservations in time here"},
    {"lifetime", "jobs may run for as long as they do here"},
    {"allocation", "what a task may ask for is bounded by the largest tracker here"},
    {"rack-locality-additional-delay", "locality_delay: auto has one of its own"},
    {"acl_administer_jobs", "administer is said of queues"},
    {"per-node-heartbeat", "a heartbeat fills what is free"},
    {"schedule-asynchronously", "slots are given out at heartbeats"},
    {"reservation", "there are no reservations in time here"},
    {"scheduler.capacity.user.", "say max_running_jobs_per_user of each queue"},
    {"max-parallel-apps", "max_running_jobs is of queues without queues"},
};

constexpr std::string_view kLargestTask =
    "what a task may ask for is bounded by the largest tracker here";
constexpr std::string_view kWhichTrackers =
    "whoever reaches the trackers' port may be a tracker here";
constexpr std::string_view kNamesQueue = "every job names its queue here";
constexpr std::string_view kOwnersRights =
    "everybody sees jobs here, and who owns one or administers its queue may change it";

// Rights, limits and what else has a counterpart among the properties of mapred-site.xml and
// yarn-site.xml that are no scheduler's: how their names begin, and why they are not taken over.
constexpr std::pair<std::string_view, std::string_view> kSiteReasons[] = {
    {"mapred.jobtracker.maxtasks.per.job", "say max_tasks_per_job of each queue"},
    {"mapreduce.jobtracker.maxtasks.perjob", "say max_tasks_per_job of each queue"},
    {"mapred.cluster.max.map.memory.mb", kLargestTask},
    {"mapred.cluster.max.reduce.memory.mb", kLargestTask},
    {"mapreduce.jobtracker.maxmapmemory.mb", kLargestTask},
    {"mapreduce.jobtracker.maxreducememory.mb", kLargestTask},
    {"mapred.tasktracker.map.tasks.maximum", "say tracker.map_slots"},
    {"mapred.tasktracker.reduce.tasks.maximum", "say tracker.reduce_slots"},
    {"mapreduce.tasktracker.map.tasks.maximum", "say tracker.map_slots"},
    {"mapreduce.tasktracker.reduce.tasks.maximum", "say tracker.reduce_slots"},
    {"mapred.tasktracker.expiry.interval", "say heartbeat.expiry"},
    {"mapreduce.jobtracker.expire.trackers.interval", "say heartbeat.expiry"},
    {"mapred.max.tracker.blacklists", "say tracker_faults.at_most"},
    {"mapreduce.jobtracker.tasktracker.maxblacklists", "say tracker_faults.at_most"},
    {"mapred.map.tasks.speculative.execution", "say speculation.maps"},
    {"mapreduce.map.speculative", "say speculation.maps"},
    {"mapred.reduce.tasks.speculative.execution", "say speculation.reduces"},
    {"mapreduce.reduce.speculative", "say speculation.reduces"},
    {"mapred.jobtracker.completeuserjobs.maximum", "say history.at_most, of all users together"},
    {"mapred.jobtracker.retirejob.interval", "say history.keep"},
    {"mapreduce.job.acl-", kOwnersRights},
    {"mapred.permissions.supergroup", "say administrators: [\"@group\"]"},
    {"mapreduce.cluster.permissions.supergroup", "say administrators: [\"@group\"]"},
    {"hadoop.proxyuser.", "whoever asks is believed to be who they say"},
    {"mapred.hosts", kWhichTrackers},
    {"mapreduce.jobtracker.hosts.", kWhichTrackers},
    {"yarn.resourcemanager.nodes.include-path", kWhichTrackers},
    {"yarn.resourcemanager.nodes.exclude-path", kWhichTrackers},
    {"mapred.job.queue.name", kNamesQueue},
    {"mapreduce.job.queuename", kNamesQueue},
    {"yarn.scheduler.queue-placement-rules", kNamesQueue},
    {"yarn.cluster.max-application-priority", "a job's priority is one of five here"},
    {"yarn.scheduler.minimum-allocation-", kLargestTask},
    {"yarn.scheduler.maximum-allocation-", kLargestTask},
    {"yarn.scheduler.increment-allocation-", kLargestTask},
    {"yarn.resource-types", "of a named resource a task gets as much as it asks for"},
    {"yarn.node-labels.", "trackers say their labels themselves, under tracker.labels"},
    {"yarn.nodemanager.node-labels.", "say tracker.labels"},
    {"yarn.nodemanager.resource.", "say tracker.offer"},
    {"yarn.nodemanager.resource-type.", "say tracker.offer"},
    {"yarn.nodemanager.resource-plugins", "say tracker.offer"},
};

}  // namespace

std::optional<std::string_view> why_not_of_site(std::string_view name) {
  for (const auto& [begin, why] : kSiteReasons) {
    if (name.starts_with(begin)) return why;
  }
  return std::nullopt;
}

void tell_no_counterpart(const HadoopValue& value, std::string_view element) {
  const auto* const found =
      std::find_if(std::begin(kAllocationReasons), std::end(kAllocationReasons),
                   [&](const auto& reason) { return reason.first == element; });
  no_counterpart(value,
                 found == std::end(kAllocationReasons) ? "it has no counterpart" : found->second);
}

std::string why_not_in_yarn_capacity(std::string_view name) {
  for (const auto& [part, why] : kYarnCapacityReasons) {
    if (name.find(part) != std::string_view::npos) return std::string(why);
  }
  constexpr std::string_view kRoot = "yarn.scheduler.capacity.root.";
  if (name.starts_with(kRoot) && name.find('.', kRoot.size()) == std::string_view::npos)
    return "what is above all queues has no settings";
  return "it has no counterpart";
}

}  // namespace weir
