#include "thrift/wire_groups.h"

#include "jobqueue/model/group_checks.h"
#include "jobqueue/model/submission_checks.h"

namespace weir {
namespace {

wire::TaskGroup group_to_wire(const TaskGroupSpec& group) {
  wire::TaskGroup out;
  out.name = group.name;
  out.count = static_cast<std::int32_t>(group.count);
  out.command = group.command;
  out.resources.__set_memory_mb(group.asked.memory_mb);
  out.resources.__set_vcores(group.asked.vcores);
  if (!group.asked.named.empty()) out.resources.__set_named(group.asked.named);
  out.__isset.resources = true;
  if (group.gang > 0) out.__set_gang(static_cast<std::int32_t>(group.gang));
  if (group.replace) out.__set_replace(true);
  for (const Requirement& asked : group.require) {
    wire::Requirement& requirement = out.require.emplace_back();
    requirement.label = asked.label;
    requirement.values = asked.values;
    if (asked.none_of) requirement.__set_none_of(true);
    out.__isset.require = true;
  }
  if (group.spread) {
    out.spread.by = group.spread->by;
    out.spread.max_skew = static_cast<std::int32_t>(group.spread->max_skew);
    out.__isset.spread = true;
  }
  if (group.time_limit_ms > 0) out.__set_time_limit_ms(group.time_limit_ms);
  out.__set_retries(static_cast<std::int32_t>(group.retries));
  if (group.ports > 0) out.__set_ports(static_cast<std::int32_t>(group.ports));
  if (!group.environment.empty()) out.__set_environment(group.environment);
  return out;
}

TaskGroupSpec group_from_wire(const wire::TaskGroup& group) {
  TaskGroupSpec out;
  out.name = group.name;
  out.count = static_cast<std::uint32_t>(group.count);
  out.command = group.command;
  out.asked = {group.resources.memory_mb, group.resources.vcores, group.resources.named};
  out.gang = static_cast<std::uint32_t>(group.gang);
  out.replace = group.__isset.replace && group.replace;
  for (const wire::Requirement& asked : group.require)
    out.require.push_back({asked.label, asked.values, asked.__isset.none_of && asked.none_of});
  if (group.__isset.spread)
    out.spread = Spread{group.spread.by, static_cast<std::uint32_t>(group.spread.max_skew)};
  out.time_limit_ms = group.time_limit_ms;
  out.retries = static_cast<std::uint32_t>(group.retries);
  out.ports = static_cast<std::uint32_t>(group.ports);
  out.environment = group.environment;
  return out;
}

// What a job of maps and reduces has, and an application has not.
Status check_nothing_of_mapreduce(const wire::JobSpec& spec) {
  const struct {
    const char* field;
    bool said;
  } fields[] = {{"input_files", !spec.input_files.empty()},
                {"splits", !spec.splits.empty()},
                {"output", !spec.output.empty()},
                {"mapper", !spec.mapper.empty()},
                {"reducer", !spec.reducer.empty()},
                {"combiner", !spec.combiner.empty()}};
  for (const auto& [field, said] : fields) {
    if (said) {
      return bad_request(std::string(field) + ": belongs to maps and reduces",
                         "nothing of that in a job with task_groups");
    }
  }
  return Ok{};
}

}  // namespace

Status check_application(const wire::JobSpec& spec) {
  if (Status s = check_nothing_of_mapreduce(spec); !s) return s;
  return check_groups(groups_from_wire(spec), spec.is_service);
}

std::vector<TaskGroupSpec> groups_from_wire(const wire::JobSpec& spec) {
  std::vector<TaskGroupSpec> out;
  out.reserve(spec.task_groups.size());
  for (const wire::TaskGroup& group : spec.task_groups) out.push_back(group_from_wire(group));
  return out;
}

std::vector<wire::TaskGroup> groups_to_wire(const JobSpec& spec) {
  std::vector<wire::TaskGroup> out;
  out.reserve(spec.task_groups.size());
  for (const TaskGroupSpec& group : spec.task_groups) out.push_back(group_to_wire(group));
  return out;
}

}  // namespace weir
