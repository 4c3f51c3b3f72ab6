#include "conf/task_groups.h"

#include <fmt/format.h>

#include "jobqueue/model/group_checks.h"

namespace weir {
namespace {

constexpr IntegerRange kTasks{.least = 1, .most = 10'000'000};
constexpr IntegerRange kFew{.least = 0, .most = 10'000};

std::uint32_t count_of(const MapReader& map, std::string_view key, std::uint32_t otherwise,
                       IntegerRange range) {
  std::int64_t value = otherwise;
  map.read_integer(key, value, range);
  return static_cast<std::uint32_t>(value);
}

void read_asked(const MapReader& group, Asked& asked) {
  const YamlNode* node = group.find("resources");
  if (node == nullptr) return;
  for (const auto& [key, value] : node->entries) {
    const auto amount =
        value->kind == YamlNode::Kind::kScalar ? parse_integer(value->text) : std::nullopt;
    if (!amount || *amount < 0) {
      group.wrong(*value, "resources", "amounts by name, {memory_mb: 2048, vcores: 1, gpu: 2}");
    } else if (key->text == "memory_mb") {
      asked.memory_mb = *amount;
    } else if (key->text == "vcores") {
      asked.vcores = *amount;
    } else {
      asked.named[key->text] = *amount;
    }
  }
}

// `{disk: ssd, zone: [a, b], rack: "!r9"}`.
void read_required(const MapReader& group, std::vector<Requirement>& required) {
  const YamlNode* node = group.find("require");
  if (node == nullptr) return;
  for (const auto& [key, value] : node->entries) {
    auto values = strings_of(*value, group.path("require"), group.out());
    if (!values || values->empty()) continue;
    Requirement one{key->text, std::move(*values), false};
    if (one.values.front().starts_with('!')) {
      one.none_of = true;
      for (std::string& text : one.values) {
        if (text.starts_with('!')) text.erase(0, 1);
      }
    }
    required.push_back(std::move(one));
  }
}

void read_spread(const MapReader& group, std::optional<Spread>& spread) {
  const YamlNode* node = group.find("spread");
  if (node == nullptr) return;
  const MapReader map(node, group.path("spread"), group.out(), {"by", "max_skew"});
  Spread read;
  map.read_string("by", read.by);
  read.max_skew = count_of(map, "max_skew", 1, {.least = 1, .most = 10'000});
  spread = read;
}

constexpr std::string_view kGroupKeys[] = {
    "name",   "count",      "command", "resources", "gang",       "on_member", "require",
    "spread", "time_limit", "retries", "ports",     "environment"};

}  // namespace

void read_texts(const MapReader& map, std::string_view key,
                std::map<std::string, std::string>& texts) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return;
  for (const auto& [name, value] : node->entries) {
    if (value->kind == YamlNode::Kind::kScalar) {
      texts[name->text] = value->text;
    } else {
      map.wrong(*value, key, "texts by name, {MODE: fast}");
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
    group.gang = count_of(map, "gang", 0, kTasks);
    constexpr std::string_view kOnMember[] = {"restart", "replace"};
    if (const auto what = map.read_enum("on_member", kOnMember)) group.replace = *what == 1;
    read_required(map, group.require);
    read_spread(map, group.spread);
    map.read_duration("time_limit", group.time_limit_ms, {.least_ms = 1});
    group.retries = count_of(map, "retries", 3, kFew);
    group.ports = count_of(map, "ports", 0, kFew);
    read_texts(map, "environment", group.environment);
    if (further.read) further.read(map);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace weir
