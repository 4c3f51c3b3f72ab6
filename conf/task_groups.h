// The groups of an application, as job files and scenarios say them: the keys of containers.md, 2.
// One load, one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conf/yaml_reader.h"
#include "jobqueue/model/job_spec.h"

namespace weir {

// What a group may have besides, and who reads it.
struct FurtherKeys {
  std::span<const std::string_view> keys;
  std::function<void(const MapReader&)> read;
};

// What is wrong is in `out`, by its place. Amounts and texts are not looked at (group_checks.h).
std::vector<TaskGroupSpec> read_task_groups(const YamlNode& node, const std::string& path,
                                            Diagnostics& out, const FurtherKeys& further = {});

// `ssd`, one of `a`, `b`, none of `!a`, `!b`; nothing of a mixture, which would be ambiguous.
inline constexpr std::string_view kValuesAllowed =
    "values that all begin with !, as none of them may be, or none of which does";
std::optional<Requirement> requirement_of(std::string label, std::vector<std::string> values);

// Environments and the like, {MODE: fast}.
void read_texts(const MapReader& map, std::string_view key,
                std::map<std::string, std::string>& texts);

}  // namespace weir
