#include "conf/job_file.h"

#include <fmt/format.h>

#include "conf/task_groups.h"

namespace weir {
namespace {

constexpr std::string_view kKinds[] = {"batch", "service"};

}  // namespace

Result<JobSpec> read_job_file(const std::string& name, std::string_view text) {
  Diagnostics out(name);
  const YamlNode::Ptr document = parse_yaml(text, out);
  if (!document) return out.as_error();
  JobSpec spec;
  spec.reduces = 0;
  spec.task_timeout_ms = 0;
  const MapReader map(document.get(), "", out,
                      {"name", "queue", "kind", "priority", "groups", "environment", "conf",
                       "time_limit", "hold", "working_directory"});
  map.read_string("name", spec.name);
  map.read_string("queue", spec.queue);
  if (const auto kind = map.read_enum("kind", kKinds)) spec.service = *kind == 1;
  if (const auto priority = map.read_enum("priority", kPriorityNames))
    spec.priority = static_cast<Priority>(*priority);
  read_texts(map, "environment", spec.environment);
  read_texts(map, "conf", spec.conf);
  map.read_duration("time_limit", spec.time_limit_ms, {.least_ms = 1});
  map.read_bool("hold", spec.hold);
  map.read_string("working_directory", spec.working_directory);
  if (const YamlNode* groups = map.find("groups"); groups != nullptr && !groups->items.empty()) {
    spec.task_groups = read_task_groups(*groups, "groups", out);
  } else {
    out.error(map.at("groups"), "groups: there is none, allowed: a list of at least one");
  }
  if (!out.ok()) return out.as_error();
  return spec;
}

}  // namespace weir
