#include "conf/task_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "jobqueue/model/group_checks.h"
#include "jobqueue/model/submission_limits.h"

namespace weir {
namespace {

using Limits = SubmissionLimits;

constexpr IntegerRange kTasks{.least = 1, .most = Limits::kTasksPerGroup};
constexpr IntegerRange kGang{.least = 0, .most = Limits::kTasksPerGroup};  // 0: no gang
constexpr IntegerRange kRetries{.least = 0, .most = Limits::kAttemptsPerTask};
constexpr IntegerRange kPorts{.least = 0, .most = Limits::kPortsPerTask};

std::uint32_t count_of(const MapReader& map, std::string_view key, std::uint32_t otherwise,
                       IntegerRange range) {
  std::int64_t value = otherwise;
  map.read_integer(key, value, range);
  return static_cast<std::uint32_t>(value);
}

void read_asked(const MapReader& group, Asked& asked) {
  constexpr std::string_view kAllowed = "amounts by name, {memory_mb: 2048, vcores: 1, gpu: 2}";
  for (const auto& [name, value] : group.named_values("resources", kAllowed)) {
    const auto amount =
        value->kind == YamlNode::Kind::kScalar ? parse_integer(value->text) : std::nullopt;
    if (!amount || *amount < 0) {
      group.wrong(*value, "resources." + name, kAllowed);
    } else if (name == "memory_mb") {
      asked.memory_mb = *amount;
    } else if (name == "vcores") {
      asked.vcores = *amount;
    } else {
      asked.named[name] = *amount;
    }
  }
}

// `{disk: ssd, zone: [a, b], rack: "!r9"}`.
void read_required(const MapReader& group, std::vector<Requirement>& required) {
  constexpr std::string_view kAllowed = "labels with their values, {disk: ssd, zone: [a, b]}";
  for (const auto& [label, value] : group.named_values("require", kAllowed)) {
    const std::string key = "require." + label;
    if (value->kind == YamlNode::Kind::kList && value->items.empty()) {
      group.out().error(value->at, fmt::format("{} is an empty list, allowed: at least one value",
                                               group.path(key)));
      continue;
    }
    auto values = strings_of(*value, group.path(key), group.out());
    if (!values) continue;
    if (auto one = requirement_of(label, std::move(*values))) {
      required.push_back(std::move(*one));
    } else {
      group.out().error(value->at, fmt::format("{} mixes values with ! and without, allowed: {}",
                                               group.path(key), kValuesAllowed));
    }
  }
}

void read_spread(const MapReader& group, std::optional<Spread>& spread) {
  const YamlNode* node = group.find("spread");
  if (node == nullptr) return;
  const MapReader map(node, group.path("spread"), group.out(), {"by", "max_skew"});
  Spread read;
  map.read_string("by", read.by);
  read.max_skew = count_of(map, "max_skew", 1, kTasks);
  spread = read;
}

constexpr std::string_view kGroupKeys[] = {
    "name",   "count",      "command", "resources", "gang",       "on_member", "require",
    "spread", "time_limit", "retries", "ports",     "environment"};

}  // namespace

std::optional<Requirement> requirement_of(std::string label, std::vector<std::string> values) {
  const auto negated = [](const std::string& value) { return value.starts_with('!'); };
  const auto count = std::count_if(values.begin(), values.end(), negated);
  if (count != 0 && count != std::ssize(values)) return std::nullopt;
  if (count != 0) {
    for (std::string& value : values) value.erase(0, 1);
  }
  return Requirement{std::move(label), std::move(values), count != 0};
}

void read_texts(const MapReader& map, std::string_view key,
                std::map<std::string, std::string>& texts) {
  constexpr std::string_view kAllowed = "texts by name, {MODE: fast}";
  for (const auto& [name, value] : map.named_values(key, kAllowed)) {
    if (value->kind == YamlNode::Kind::kScalar) {
      texts[name] = value->text;
    } else {
      map.wrong(*value, fmt::format("{}.{}", key, name), kAllowed);
    }
  }
}

std::vector<TaskGroupSpec> read_task_groups(const YamlNode& node, const std::string& path,
                                            Diagnostics& out, const FurtherKeys& further) {
  std::vector<TaskGroupSpec> groups;
  if (node.items.size() > kGroupsAtMost) {
    out.error(node.at, fmt::format("{} has {} groups, allowed: at most {}", path,
                                   node.items.size(), kGroupsAtMost));
    return groups;
  }
  std::vector<std::string_view> keys(std::begin(kGroupKeys), std::end(kGroupKeys));
  keys.insert(keys.end(), further.keys.begin(), further.keys.end());
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    TaskGroupSpec group;
    const MapReader map(node.items[i].get(), fmt::format("{}[{}]", path, i), out, keys);
    map.read_string("name", group.name);
    if (!is_group_name(group.name)) {
      out.error(map.at("name"), fmt::format("{} is \"{}\", allowed: {}", map.path("name"),
                                            group.name, kGroupNameAllowed));
    }
    group.count = count_of(map, "count", 1, kTasks);
    map.read_string("command", group.command);
    read_asked(map, group.asked);
    group.gang = count_of(map, "gang", 0, kGang);
    if (group.gang > group.count) {
      out.error(map.at("gang"), fmt::format("{} is {}, allowed: at most count, which is {}",
                                            map.path("gang"), group.gang, group.count));
    }
    constexpr std::string_view kOnMember[] = {"restart", "replace"};
    if (const auto what = map.read_enum("on_member", kOnMember)) group.replace = *what == 1;
    read_required(map, group.require);
    read_spread(map, group.spread);
    map.read_duration("time_limit", group.time_limit_ms, {.least_ms = 1});
    group.retries = count_of(map, "retries", 3, kRetries);
    group.ports = count_of(map, "ports", 0, kPorts);
    read_texts(map, "environment", group.environment);
    if (further.read) further.read(map);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace weir
