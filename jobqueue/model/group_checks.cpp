#include "jobqueue/model/group_checks.h"

#include <set>
#include <string>

#include "jobqueue/model/submission_checks.h"
#include "jobqueue/model/submission_limits.h"

namespace weir {
namespace {

using Limits = SubmissionLimits;

Status check_amounts(const std::string& where, const Asked& asked) {
  if (Status s = check_range(where + "memory_mb", asked.memory_mb, 0, Limits::kTaskMemoryMb); !s)
    return s;
  if (Status s = check_range(where + "vcores", asked.vcores, 0, Limits::kVcoresPerTask); !s)
    return s;
  for (const auto& [name, amount] : asked.named) {
    if (Status s = check_range(where + name, amount, 0, Limits::kNamedPerTask); !s) return s;
  }
  return Ok{};
}

Status check_labels(const std::string& where, const TaskGroupSpec& group) {
  const TextRule text{.max_bytes = Limits::kNameBytes};
  if (group.require.size() > Limits::kRequirements) {
    return out_of_range(where + "require: number of labels",
                        static_cast<std::int64_t>(group.require.size()), 0, Limits::kRequirements);
  }
  for (const Requirement& asked : group.require) {
    if (Status s = check_text(where + "require", asked.label, text); !s) return s;
    const auto values = static_cast<std::int64_t>(asked.values.size());
    const std::string of = where + "require " + asked.label;
    if (Status s = check_range(of + ": number of values", values, 1, Limits::kRequirements); !s)
      return s;
    for (const std::string& value : asked.values) {
      if (Status s = check_text(of, value, text); !s) return s;
    }
  }
  if (!group.spread) return Ok{};
  if (Status s = check_text(where + "spread: by", group.spread->by, text); !s) return s;
  return check_range(where + "spread: max_skew", static_cast<std::int32_t>(group.spread->max_skew),
                     1, Limits::kTasksPerGroup);
}

Status check_group(const std::string& where, const TaskGroupSpec& group, bool service) {
  const TextRule command{.max_bytes = Limits::kCommandBytes, .may_have_newlines = true};
  if (Status s = check_text(where + "command", group.command, command); !s) return s;
  const struct {
    const char* field;
    std::uint32_t value;
    std::int64_t least, most;
  } numbers[] = {{"count", group.count, 1, Limits::kTasksPerGroup},
                 {"retries", group.retries, 0, Limits::kAttemptsPerTask},
                 {"ports", group.ports, 0, Limits::kPortsPerTask}};
  for (const auto& [field, value, least, most] : numbers) {
    const auto number = static_cast<std::int32_t>(value);  // as it was said, if it is below 0
    if (Status s = check_range(where + field, number, least, most); !s) return s;
  }
  const auto gang = static_cast<std::int32_t>(group.gang);
  if (Status s = check_range(where + "gang", gang, 0, group.count); !s) return s;
  if (Status s = check_range(where + "time_limit_ms", group.time_limit_ms, 0, Limits::kTimeLimitMs);
      !s) {
    return s;
  }
  if (service && group.time_limit_ms > 0) {
    return bad_request(where + "time_limit: the job is a service, which runs until it is killed",
                       "no time limit, or a batch");
  }
  if (Status s = check_amounts(where + "resources: ", group.asked); !s) return s;
  if (Status s = check_labels(where, group); !s) return s;
  return check_entries(where + "environment", group.environment);
}

}  // namespace

bool is_group_name(std::string_view name) {
  return !name.empty() && name.size() <= Limits::kGroupNameBytes && name.front() >= 'a' &&
         name.front() <= 'z' && name != "m" && name != "r" &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

Status check_groups(const std::vector<TaskGroupSpec>& groups, bool service) {
  const auto count = static_cast<std::int64_t>(groups.size());
  if (Status s = check_range("groups: number of groups", count, 1, kGroupsAtMost); !s) return s;
  std::set<std::string_view> names;
  std::int64_t tasks = 0;
  for (const TaskGroupSpec& group : groups) {
    if (!is_group_name(group.name)) {
      return bad_request("groups: '" + group.name.substr(0, 64) + "' is no name of a group",
                         std::string(kGroupNameAllowed));
    }
    if (!names.insert(group.name).second)
      return bad_request("groups: there are two named " + group.name, "a name of its own for each");
    if (Status s = check_group("group " + group.name + ": ", group, service); !s) return s;
    tasks += group.count;
  }
  return check_range("groups: number of tasks", tasks, 1, Limits::kTasksPerGroup);
}

}  // namespace weir
