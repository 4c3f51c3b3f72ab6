// Settings in words: each key with its value, defaults included, in a fixed order. What `conf diff`
// compares and `conf show --origin` lists. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conf/daemon_settings.h"
#include "conf/policies.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/space.h"

namespace weir {

// Not of queues and pools. Those that count in the space, which may be that of other settings.
KeyValues general_values(const Settings& settings, PolicyTable policies, const Space& space);
KeyValues daemon_values(const DaemonSettings& daemon);
std::vector<SettingsPart> queue_parts(const Settings& settings);
std::vector<SettingsPart> policy_parts(const Settings& settings, const PolicyEntry& policy);

// "40%", "40% map / 30% reduce", "40 map / 20 reduce slots", "equal part".
// Of containers "40%", "{memory_mb: 40%, gpu: 100%}".
std::string format_guarantee(const Guarantee (&guaranteed)[kPlaceCount], const Space& space);

// Of `lend`, `borrow`, `maximum`: "40%", "{memory_mb: 512}", "never"; without one `absent`.
std::string format_bound(const std::optional<QueueBound>& bound, const Space& space,
                         const char* absent);

struct SettingValue {
  std::string name;  // `heartbeat.expiry`, `queues.research.vision.maximum`
  std::string value;
  bool is_default = false;  // its value is that without its key
};
// All of them. `defaults`: settings of which nothing is said.
std::vector<SettingValue> list_settings(const Settings& settings, const Settings& defaults,
                                        PolicyTable policies = policy_table());

}  // namespace weir
