#include "conf/resources_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conf/offer_section.h"
#include "jobqueue/model/containers.h"

namespace weir {
namespace {

constexpr std::string_view kModes[] = {"slots", "containers"};
constexpr IntegerRange kMemory{.least = 0, .most = 1LL << 40};
constexpr IntegerRange kVcores{.least = 0, .most = 1'000'000};

bool is_resource_name(std::string_view name) {
  constexpr std::size_t kLongest = 30;
  constexpr std::string_view kTaken[] = {"map", "reduce", "memory_mb", "vcores"};
  return !name.empty() && name.size() <= kLongest && name.front() >= 'a' && name.front() <= 'z' &&
         std::find(std::begin(kTaken), std::end(kTaken), name) == std::end(kTaken) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

// What is wrong with a name, and what is allowed; empty: it is good.
std::string wrong_name(const std::string& name, const std::vector<std::string>& before) {
  if (const auto meant = resource_meant(name)) {
    return fmt::format("\"{}\": every tracker has {}, allowed: names that are not like memory_mb "
                       "or vcores",
                       name, *meant);
  }
  const bool twice = std::find(before.begin(), before.end(), name) != before.end();
  if (is_resource_name(name) && !twice) return "";
  return fmt::format("\"{}\"{}, allowed: 1 to 30 of a-z 0-9 _ -, a letter first, none of map, "
                     "reduce, memory_mb, vcores, each once",
                     name, twice ? " twice" : "");
}

// Good names of a list that is refused count, the others are excused: whatever uses them is no
// error of its own.
void read_names(const MapReader& map, std::vector<std::string>& named) {
  const YamlNode* node = map.find("resources");
  if (node == nullptr) return;
  const std::string path = map.path("resources");
  strings_of(*node, path, map.out());  // reports what is no text
  const auto add = [&](const YamlNode& item) {
    if (item.kind != YamlNode::Kind::kScalar || item.text.empty()) return;
    const std::string wrong = wrong_name(item.text, named);
    if (wrong.empty()) return named.push_back(item.text);
    map.out().error(item.at, path + " has " + wrong);
    map.out().excuse_key(item.text);
  };
  if (node->kind != YamlNode::Kind::kList) return add(*node);
  for (const auto& item : node->items) add(*item);
  if (named.size() <= kNamedCount) return;
  map.wrong(*node, "resources", fmt::format("at most {} names", kNamedCount));
  for (std::size_t i = kNamedCount; i < named.size(); ++i) map.out().excuse_key(named[i]);
  named.resize(kNamedCount);
}

// Memory and vcores; what is not said stays as it is.
bool read_amounts(const MapReader& map, std::string_view key, Resources& target,
                  std::int64_t least_vcores) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return false;
  const MapReader amounts(node, map.path(key), map.out(), {"memory_mb", "vcores"});
  IntegerRange memory = kMemory, vcores = kVcores;
  memory.least = 1;
  vcores.least = least_vcores;
  amounts.read_integer("memory_mb", target[Dimension::kMemoryMb], memory);
  amounts.read_integer("vcores", target[Dimension::kVcores], vcores);
  return true;
}

void check_maximum(const MapReader& map, const ResourceSettings& resources) {
  const std::pair<TaskKind, Resources> unsaid[] = {
      {TaskKind::kMap, rounded_container(resources.map, resources)},
      {TaskKind::kReduce, rounded_container(resources.reduce, resources)}};
  for (const Dimension d : {Dimension::kMemoryMb, Dimension::kVcores}) {
    const std::int64_t most = (*resources.maximum)[d];
    if (most == 0) continue;
    const std::string_view key = d == Dimension::kMemoryMb ? "memory_mb" : "vcores";
    if (most < resources.minimum[d]) {
      map.out().error(map.at("maximum"),
                      fmt::format("containers.maximum.{} is {}, below containers.minimum.{}, which "
                                  "is {}, allowed: at least that",
                                  key, most, key, resources.minimum[d]));
      continue;
    }
    for (const auto& [kind, takes] : unsaid) {
      if (takes[d] <= most) continue;
      map.out().warning(map.at("maximum"),
                        fmt::format("containers.maximum.{} is {}, below the {} of a {} that says "
                                    "nothing (containers.{}): jobs with such {}s are refused",
                                    key, most, takes[d], name(kind), name(kind), name(kind)));
    }
  }
}

}  // namespace

void read_resources(const MapReader& root, ResourceSettings& resources) {
  if (const auto mode = root.read_enum("resources", kModes))
    resources.mode = static_cast<ResourceSettings::Mode>(*mode);
  const MapReader map(root.find("containers"), "containers", root.out(),
                      {"resources", "minimum", "increment", "maximum", "map", "reduce",
                       "reservations", "gang_hold"});
  read_names(map, resources.named);
  read_amounts(map, "minimum", resources.minimum, 0);
  read_amounts(map, "increment", resources.increment, 1);
  read_amounts(map, "map", resources.map, 0);
  read_amounts(map, "reduce", resources.reduce, 0);
  Resources maximum;
  if (read_amounts(map, "maximum", maximum, 1)) {
    resources.maximum = maximum;
    check_maximum(map, resources);
  }
  map.read_percent("reservations", resources.reservations_hundredths, {.least = 0, .most = 10'000});
  map.read_duration("gang_hold", resources.gang_hold_ms, {.least_ms = 1'000});
}

std::string words_of(const Space& space, Dimension dimension) {
  if (dimension.is_slots()) return std::string(space.name(dimension)) + " slots";
  if (dimension == Dimension::kMemoryMb) return "MB of memory";
  if (dimension == Dimension::kVcores) return "vcores";
  return "units of " + std::string(space.name(dimension));
}

std::vector<std::string_view> keys_of(const Space& space) {
  std::vector<std::string_view> keys;
  for (const Dimension d : space.dimensions()) keys.push_back(space.name(d));
  return keys;
}

std::string listed_keys(const Space& space) {
  std::string out;
  for (const std::string_view key : keys_of(space)) {
    out += out.empty() ? "" : ", ";
    out += key;
  }
  return out;
}

}  // namespace weir
