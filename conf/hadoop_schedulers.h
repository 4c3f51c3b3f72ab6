// Each of Hadoop's schedulers to what our settings say in its place: conf/hadoop_import.cpp finds
// out which one the files are about and writes what these give. Used by conf/hadoop_*.cpp alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conf/hadoop_mr1_queues.h"
#include "conf/hadoop_properties.h"
#include "conf/hadoop_queues.h"

namespace weir {

inline constexpr std::string_view kMr1CapacityPrefix = "mapred.capacity-scheduler.";
inline constexpr std::string_view kYarnCapacityPrefix = "yarn.scheduler.capacity.";
inline constexpr std::string_view kMr1FairPrefix = "mapred.fairscheduler.";
inline constexpr std::string_view kYarnFairPrefix = "yarn.scheduler.fair.";
inline constexpr std::string_view kYarnMonitorPrefix = "yarn.resourcemanager.monitor.capacity.";

struct ImportedScheduler {
  std::string resources;  // lines that say what is scheduled; empty: slots
  std::string section;  // the lines of `capacity:` or `fair:`
  std::vector<ImportedQueue> queues;
  std::string comment;  // beside `queues:`
};

// `out` takes what is no single value's.
ImportedScheduler import_mr1_capacity(HadoopProperties& properties, const Mr1Queues& declared,
                                      Diagnostics& out);
ImportedScheduler import_yarn_capacity(HadoopProperties& properties, Diagnostics& out);
// The lines of `capacity:`; queues at the top get when they are given back what they are owed.
std::string yarn_capacity_section(HadoopProperties& properties, bool containers,
                                  std::vector<ImportedQueue>& queues);
// `allocations` is the root of an allocations file and `out` has its findings, or null.
ImportedScheduler import_mr1_fair(HadoopProperties& properties, const XmlElement* allocations,
                                  const Mr1Queues& declared, Diagnostics& out);
ImportedScheduler import_yarn_fair(HadoopProperties& properties, const XmlElement* allocations,
                                   Diagnostics& out);

// What mapred-site.xml and yarn-site.xml say of the fair scheduler.
struct ImportedFairSite {
  std::optional<std::string> pool_name_property;
  const HadoopValue* undeclared = nullptr;  // YARN's allow-undeclared-pools
  std::string section;                      // lines of `fair:`
};
ImportedFairSite import_mr1_fair_site(HadoopProperties& properties);
ImportedFairSite import_yarn_fair_site(HadoopProperties& properties, bool containers);

// Why a property of a scheduler that nobody has taken has no counterpart.
std::string why_not_in_yarn_capacity(std::string_view name);
std::string why_not_in_yarn_fair(std::string_view name);
// Of a right or limit that is no scheduler's; nothing for all other names.
std::optional<std::string_view> why_not_of_site(std::string_view name);

}  // namespace weir
