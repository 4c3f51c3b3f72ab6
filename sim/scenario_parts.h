// The readers of a scenario's parts, each reporting to the Diagnostics of its node's file: jobs,
// trackers, steps, and the values that scenarios have besides those of weir.yaml. See scenario.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario.h"

namespace weir {

std::vector<VirtualTrackerSpec> read_cluster(const YamlNode* node, Diagnostics& out);
VirtualTrackerSpec read_tracker_spec(const YamlNode& node, const std::string& path,
                                     Diagnostics& out);
std::shared_ptr<const JobPlan> read_job(const YamlNode& node, const std::string& path,
                                        Diagnostics& out);
// `directory`: where relative paths start.
// `dimensions`: what of containers figures may be of, by name.
std::vector<Step> read_steps(const YamlNode* node, const std::string& directory,
                             const std::vector<std::string>& dimensions, Diagnostics& out);
// `resources: {gpu: 2}`.
std::map<std::string, std::int64_t> read_named(const MapReader& map, std::string_view key);
// `groups:` of an application, with how long their tasks run.
void read_groups(const YamlNode& node, const std::string& path, Diagnostics& out, JobSpec& spec,
                 TaskTimes& times);
// `settings:`, inline or {file: PATH}; an unreadable file is reported.
SettingsSource read_settings_source(const YamlNode& node, const std::string& directory,
                                    Diagnostics& out);

// A decimal number such as 2.67 or -1.
std::optional<double> number_of(const YamlNode& node, const std::string& path, Diagnostics& out);
std::string in_directory(const std::string& directory, const std::string& path);

}  // namespace weir
