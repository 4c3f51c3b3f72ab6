#include "conf/fair_section.h"

#include <algorithm>

#include <fmt/format.h>

#include "conf/fair_pools.h"
#include "conf/locality_value.h"
#include "fair/load_manager.h"
#include "fair/task_selector.h"
#include "fair/weight_adjuster.h"

namespace weir {
namespace {

constexpr std::string_view kPoolKeyNames[] = {"pools", "users", "defaults"};
constexpr std::string_view kBooster = "new_job_booster";
constexpr std::string_view kNoAdjuster = "none";

// `all`, or how many.
void read_per_heartbeat(const MapReader& map, std::string_view key,
                        std::optional<std::int64_t>& target) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return;
  const bool scalar = node->kind == YamlNode::Kind::kScalar;
  if (scalar && node->text == "all") {
    target.reset();
    return;
  }
  constexpr std::int64_t kMost = 100'000;
  const auto value = scalar ? parse_integer(node->text) : std::nullopt;
  if (value && *value >= 1 && *value <= kMost) {
    target = value;
  } else {
    map.wrong(*node, key, fmt::format("all, or an integer from 1 to {}", kMost));
  }
}

void read_millionths(const MapReader& map, std::string_view key, std::int64_t& target,
                     bool zero_too, std::int64_t most) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return;
  const auto value =
      node->kind == YamlNode::Kind::kScalar ? parse_millionths(node->text) : std::nullopt;
  if (value && *value >= (zero_too ? 0 : 1) && *value <= most * kWeightOne) {
    target = *value;
  } else {
    map.wrong(*node, key,
              fmt::format("a number {} up to {} with at most six decimals",
                          zero_too ? "from 0" : "above 0 and", most));
  }
}

// One of the names that the policy knows.
bool read_name_of(const MapReader& map, std::string_view key, const std::vector<std::string>& names,
                  std::string& target) {
  const std::vector<std::string_view> allowed(names.begin(), names.end());
  const auto index = map.read_enum(key, allowed);
  if (index) target = names[*index];
  return index.has_value();
}

// `off | log_only | on`; true and false are on and off.
void read_preemption(const MapReader& map, FairSettings& settings) {
  constexpr std::string_view kWords[] = {"off", "log_only", "on", "false", "true"};
  constexpr FairSettings::Preemption kMeaning[] = {
      FairSettings::Preemption::kOff, FairSettings::Preemption::kLogOnly,
      FairSettings::Preemption::kOn, FairSettings::Preemption::kOff, FairSettings::Preemption::kOn};
  if (const auto word = map.read_enum("preemption", kWords)) settings.preemption = kMeaning[*word];
}

void read_booster(const MapReader& map, FairSettings& settings) {
  const YamlNode* node = map.find(kBooster);
  if (node != nullptr && node->kind == YamlNode::Kind::kScalar && node->text == "off") {
    node = nullptr;
  } else if (node != nullptr) {
    const MapReader booster(node, map.path(kBooster), map.out(), {"factor", "duration"});
    settings.new_job_booster = FairSettings::Booster{};
    read_millionths(booster, "factor", settings.new_job_booster->factor, false, 1000);
    booster.read_duration("duration", settings.new_job_booster->duration_ms, {.least_ms = 1});
  }
  std::vector<std::string> names = weight_adjuster_names();
  names.insert(names.begin(), std::string(kNoAdjuster));
  std::string adjuster;
  if (!read_name_of(map, "weight_adjuster", names, adjuster)) return;
  if (adjuster != kNoAdjuster) {
    settings.weight_adjuster = adjuster;
    if (adjuster == kBooster && !settings.new_job_booster)
      settings.new_job_booster = FairSettings::Booster{};
  } else if (node != nullptr) {
    map.out().error(map.at("weight_adjuster"),
                    fmt::format("{} is none, but there is a {}, allowed: {}, or no {}",
                                map.path("weight_adjuster"), kBooster, kBooster, kBooster));
  }
}

void read_scalars(const MapReader& map, FairSettings& settings) {
  map.read_string("pool_name_property", settings.pool_name_property);
  constexpr std::string_view kUndeclared[] = {"allow", "refuse"};
  if (const auto index = map.read_enum("undeclared_pools", kUndeclared)) {
    settings.undeclared_pools_allowed = *index == 0;
  }
  if (const auto index = map.read_enum("algorithm", kFairAlgorithms)) {
    settings.algorithm = static_cast<FairSettings::Algorithm>(*index);
  }
  const DurationRange interval{.least_ms = 10, .most_ms = 3'600'000};
  map.read_duration("update_interval", settings.update_interval_ms, interval);
  read_preemption(map, settings);
  map.read_duration("preemption_interval", settings.preemption_interval_ms,
                    {.least_ms = 0, .most_ms = 24 * 3'600'000});
  map.read_bool("assign_multiple", settings.assign_multiple);
  read_per_heartbeat(map, "max_maps", settings.max_per_heartbeat[index(TaskKind::kMap)]);
  read_per_heartbeat(map, "max_reduces", settings.max_per_heartbeat[index(TaskKind::kReduce)]);
  map.read_bool("size_based_weight", settings.size_based_weight);
  read_name_of(map, "load_manager", load_manager_names(), settings.load_manager);
  read_millionths(map, "load_max_diff", settings.load_max_diff_millionths, true, 1);
  read_name_of(map, "task_selector", task_selector_names(), settings.task_selector);
  read_locality_delay(map, settings.locality_delay);
  map.read_bool("copy_compute_split", settings.copy_compute_split);
  map.read_integer("copy_factor", settings.copy_factor, {.least = 1, .most = 1000});
}

// The value in the section that names the allocations file, by either of its two spellings.
const YamlNode* file_name_of(const MapReader& map, FairSettings& settings) {
  const YamlNode* pools = map.find("pools");
  const bool by_pools = pools != nullptr && pools->kind == YamlNode::Kind::kMap;
  const YamlNode* name = map.find("allocations");
  if (name != nullptr) map.read_string("allocations", settings.allocations_file);
  if (!by_pools) return name;
  const MapReader file(pools, map.path("pools"), map.out(), {"file"});
  if (name != nullptr) {
    map.wrong(*pools, "pools", "no file here beside " + map.path("allocations"));
    return name;
  }
  file.read_string("file", settings.allocations_file);
  if (pools->entries.empty()) map.wrong(*pools, "pools", "a list of pools, or {file: PATH}");
  return file.find("file");
}

// The keys that stand in the section itself, and then nowhere else.
struct PoolSources {
  PoolKeys keys;
  void take(const MapReader& map) {
    const MapReader** targets[] = {&keys.pools, &keys.users, &keys.defaults};
    for (std::size_t i = 0; i < std::size(kPoolKeyNames); ++i) {
      const YamlNode* node = map.find(kPoolKeyNames[i]);
      if (node == nullptr || (i == 0 && node->kind == YamlNode::Kind::kMap)) continue;
      if (*targets[i] == nullptr) {
        *targets[i] = &map;
      } else {
        map.out().error(node->at, fmt::format("{} is in the settings file too, allowed: in one "
                                              "of the two files",
                                              kPoolKeyNames[i]));
      }
    }
  }
};

void read_pools(const MapReader& map, const Space& space, const Allocations& allocations,
                FairSettings& settings) {
  PoolSources sources;
  sources.take(map);
  const YamlNode* name = file_name_of(map, settings);
  if (settings.allocations_file.empty()) return read_pool_keys(sources.keys, space, settings);
  if (!allocations || !allocations->problem.empty()) {
    map.out().error(
        name->at,
        allocations
            ? fmt::format("the allocations file {} {}, allowed: a file that can be read, by its "
                          "path from the settings file's directory",
                          allocations->file, allocations->problem)
            : fmt::format("the allocations file {} did not come with these settings, allowed: "
                          "settings read from a file, or pools: as a list",
                          shown(*name)));
    return read_pool_keys(sources.keys, space, settings);
  }
  Diagnostics out(allocations->file);
  YamlNode::Ptr document;
  if (allocations->text.size() > kMaxSettingsBytes) {
    out.error({}, fmt::format("is larger than {} bytes, allowed: an allocations file of at most "
                              "1 MiB",
                              kMaxSettingsBytes));
  } else {
    document = parse_yaml(allocations->text, out);
  }
  // A file caught half written is often empty; taking it for no pools would drop every guarantee.
  if (document && document->kind == YamlNode::Kind::kNull) {
    out.error({}, "holds no allocations, allowed: at least one of the keys pools, users, defaults");
    document = nullptr;
  }
  const MapReader file(document.get(), "", out, {"pools", "users", "defaults"});
  sources.take(file);
  read_pool_keys(sources.keys, space, settings);
  map.out().include(out);
}

void refuse_what_needs_slots(const MapReader& map, const FairSettings& settings) {
  const auto refuse = [&map](std::string_view key, std::string_view is, std::string_view allowed) {
    map.out().error(map.at(key),
                    fmt::format("{} is {}, which needs slots, allowed where `resources: "
                                "containers` is set: {}",
                                map.path(key), is, allowed));
  };
  if (settings.algorithm == FairSettings::Algorithm::kDeficit)
    refuse("algorithm", "deficit", "share");
  if (settings.copy_compute_split) refuse("copy_compute_split", "true", "false");
  const auto note = [&map](std::string_view key, bool said) {
    if (!said) return;
    map.out().warning(map.at(key),
                      map.path(key) + " has no effect where `resources: containers` is set");
  };
  note("max_maps", settings.max_per_heartbeat[index(TaskKind::kMap)].has_value());
  note("max_reduces", settings.max_per_heartbeat[index(TaskKind::kReduce)].has_value());
  note("load_max_diff", settings.load_max_diff_millionths != 0);
}

void check_default_pool(const MapReader& map, const FairSettings& settings) {
  const bool declared =
      std::any_of(settings.pools.begin(), settings.pools.end(),
                  [](const PoolSettings& pool) { return pool.name == "default"; });
  if (settings.undeclared_pools_allowed || declared) return;
  map.out().warning(map.at("undeclared_pools"),
                    fmt::format("{} is refuse and there is no pool default: jobs that name no pool "
                                "are refused",
                                map.path("undeclared_pools")));
}

}  // namespace

std::shared_ptr<const PolicySettings> read_fair(const YamlNode* section,
                                                const ResourceSettings& resources,
                                                const Allocations& allocations, Diagnostics& out) {
  auto settings = std::make_shared<FairSettings>();
  const std::size_t errors = out.error_count();
  const MapReader map(section, "fair", out,
                      {"allocations",
                       "pools",
                       "users",
                       "defaults",
                       "pool_name_property",
                       "undeclared_pools",
                       "algorithm",
                       "update_interval",
                       "preemption",
                       "preemption_interval",
                       "assign_multiple",
                       "max_maps",
                       "max_reduces",
                       "size_based_weight",
                       "new_job_booster",
                       "weight_adjuster",
                       "load_manager",
                       "load_max_diff",
                       "task_selector",
                       "event_log",  // where it stood before: event_log_section.h reads it
                       "locality_delay",
                       "copy_compute_split",
                       "copy_factor"});
  read_scalars(map, *settings);
  read_booster(map, *settings);
  const Space space(resources);
  read_pools(map, space, allocations, *settings);
  if (space.containers()) refuse_what_needs_slots(map, *settings);
  if (out.error_count() != errors) return settings;
  check_default_pool(map, *settings);
  return settings;
}

}  // namespace weir
