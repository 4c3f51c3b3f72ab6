// The groups of an application, as a scenario gives them: as in a job file, and how long their
// tasks run. See scenario_parts.h.
#include "conf/task_groups.h"
#include "sim/scenario_parts.h"

namespace weir {

void read_groups(const YamlNode& node, const std::string& path, Diagnostics& out, JobSpec& spec,
                 TaskTimes& times) {
  constexpr std::string_view kKeys[] = {"run_time"};
  spec.task_groups = read_task_groups(node, path, out, {kKeys, [&](const MapReader& group) {
                                        DurationMs run_time = 30'000;
                                        group.read_duration("run_time", run_time, {});
                                        times.groups_ms.push_back({run_time});
                                      }});
}

}  // namespace weir
