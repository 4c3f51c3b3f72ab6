// The cluster and the jobs of a scenario. See scenario_parts.h.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "sim/scenario_parts.h"

namespace weir {
namespace {

constexpr IntegerRange kSlots{.least = 0, .most = 100'000};
constexpr std::int64_t kMostTrackers = 100'000;
constexpr std::int64_t kMostTasks = 10'000'000;

void read_slots(const MapReader& map, Resources& total) {
  map.read_integer("map_slots", total[Dimension::kMapSlots], kSlots);
  map.read_integer("reduce_slots", total[Dimension::kReduceSlots], kSlots);
  map.read_integer("memory_mb", total[Dimension::kMemoryMb], {});
  map.read_integer("vcores", total[Dimension::kVcores], kSlots);
}

// `30s`, or a list with one a task.
void read_times(const MapReader& job, std::string_view key, std::vector<DurationMs>& target) {
  const YamlNode* node = job.find(key);
  if (node == nullptr) return;
  std::vector<DurationMs> times;
  const auto read = [&](const YamlNode& item) {
    if (const auto time = duration_of(item, job.path(key), {}, job.out())) times.push_back(*time);
  };
  if (node->kind == YamlNode::Kind::kList) {
    for (const auto& item : node->items) read(*item);
    if (node->items.empty()) job.wrong(*node, key, "a duration, or a list with one a task");
  } else {
    read(*node);
  }
  if (!times.empty()) target = std::move(times);
}

std::vector<std::vector<std::string>> read_locations(const MapReader& job) {
  std::vector<std::vector<std::string>> locations;
  const YamlNode* node = job.find("locations");
  if (node == nullptr) return locations;
  if (node->kind != YamlNode::Kind::kList) {
    job.wrong(*node, "locations",
              "a list with the trackers of each map's input, [[tt1, tt2], ...]");
    return locations;
  }
  for (const auto& item : node->items) {
    if (item->kind == YamlNode::Kind::kList && item->items.empty()) {
      locations.emplace_back();  // nowhere
    } else if (auto hosts = strings_of(*item, job.path("locations"), job.out())) {
      locations.push_back(std::move(*hosts));
    }
  }
  return locations;
}

void read_fraction(const MapReader& job, std::string_view key, std::int64_t& millionths) {
  const YamlNode* node = job.find(key);
  if (node == nullptr) return;
  const auto value = node->kind == YamlNode::Kind::kScalar ? parse_millionths(node->text)
                                                           : std::optional<std::int64_t>{};
  if (value && *value <= 1'000'000) {
    millionths = *value;
  } else {
    job.wrong(*node, key, "a number from 0 to 1 with at most six decimals");
  }
}

void read_need(const MapReader& job, TaskKind kind, JobSpec& spec) {
  Resources& need = spec.need[index(kind)];
  const std::string of = name(kind);
  job.read_integer("slots_per_" + of, need.slots(kind), {.least = 1, .most = 100'000});
  job.read_integer(of + "_memory_mb", need[Dimension::kMemoryMb], {});
  job.read_integer(of + "_vcores", need[Dimension::kVcores], kSlots);
}

std::map<std::string, std::string> read_labels(const MapReader& map) {
  std::map<std::string, std::string> labels;
  for (const auto& [label, value] :
       map.named_values("labels", "labels and their values, {disk: ssd}"))
    labels[label] = value->text;
  return labels;
}

double read_slowdown(const YamlNode& node, const std::string& path, Diagnostics& out) {
  const auto value = number_of(node, path, out);
  if (!value || (*value >= 1 && *value <= 1000)) return value.value_or(1);
  out.error(node.at, fmt::format("{} is {}, allowed: a number from 1 to 1000", path, shown(node)));
  return 1;
}

// `slow: {tt3: 10}`: trackers by name, and how many times as long their tasks take.
void read_slow_trackers(const MapReader& cluster, std::vector<VirtualTrackerSpec>& trackers) {
  constexpr std::string_view kAllowed = "trackers and their slowdown, {tt3: 10}";
  for (const MapReader::NamedValue& named : cluster.named_values("slow", kAllowed)) {
    const auto& [name, value] = named;
    const auto is_it = [&](const auto& tracker) { return tracker.name == named.first; };
    const auto slow = std::find_if(trackers.begin(), trackers.end(), is_it);
    if (slow == trackers.end()) {
      cluster.out().error(value->at, fmt::format("cluster.slow names \"{}\", allowed: a tracker of "
                                                 "the cluster",
                                                 name));
      continue;
    }
    slow->slowdown = read_slowdown(*value, "cluster.slow." + name, cluster.out());
  }
}

// The groups of an application, not those of its user.
bool is_list_of_maps(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kList && !node.items.empty() &&
         node.items.front()->kind == YamlNode::Kind::kMap;
}

// Whether second attempts are started for the job, by its own word.
void read_job_speculation(const MapReader& job, JobSpec& spec) {
  const YamlNode* node = job.find("speculation");
  if (node == nullptr) return;
  constexpr std::string_view kOffOn[] = {"off", "on"};
  const auto say = [&](TaskKind kind, std::optional<std::size_t> on) {
    if (on) spec.conf[std::string(kSpeculativeConf[index(kind)])] = *on == 1 ? "true" : "false";
  };
  if (node->kind != YamlNode::Kind::kMap) {
    const auto both = job.read_enum("speculation", kOffOn);
    for (const TaskKind kind : kTaskKinds) say(kind, both);
    return;
  }
  const MapReader map(node, job.path("speculation"), job.out(), {"maps", "reduces"});
  say(TaskKind::kMap, map.read_enum("maps", kOffOn));
  say(TaskKind::kReduce, map.read_enum("reduces", kOffOn));
}

std::vector<VirtualTrackerSpec> read_tracker_list(const YamlNode& node, Diagnostics& out) {
  std::vector<VirtualTrackerSpec> trackers;
  if (node.kind != YamlNode::Kind::kList) {
    out.error(node.at, fmt::format("cluster.trackers is {}, allowed: a list of trackers, "
                                   "[{{name: tt1, rack: r1, map_slots: 2, reduce_slots: 1}}, ...]",
                                   shown(node)));
    return trackers;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    trackers.push_back(
        read_tracker_spec(*node.items[i], fmt::format("cluster.trackers[{}]", i), out));
    const std::string& name = trackers.back().name;
    const auto same = std::count_if(trackers.begin(), trackers.end(),
                                    [&](const auto& other) { return other.name == name; });
    if (same > 1 && !name.empty()) {
      out.error(node.items[i]->at,
                fmt::format("a second tracker \"{}\", allowed: each name once", name));
    }
  }
  return trackers;
}

}  // namespace

std::map<std::string, std::int64_t> read_named(const MapReader& map, std::string_view key) {
  constexpr std::string_view kAllowed = "amounts by name, {gpu: 2}";
  std::map<std::string, std::int64_t> named;
  for (const auto& [name, value] : map.named_values(key, kAllowed)) {
    const auto amount =
        value->kind == YamlNode::Kind::kScalar ? parse_integer(value->text) : std::nullopt;
    if (amount && *amount >= 0 && *amount <= kSlots.most) {
      named[name] = *amount;
    } else {
      map.wrong(*value, key, kAllowed);
    }
  }
  return named;
}

std::optional<double> number_of(const YamlNode& node, const std::string& path, Diagnostics& out) {
  double value = 0;
  const char* end = node.text.data() + node.text.size();
  if (node.kind == YamlNode::Kind::kScalar) {
    const auto [stop, error] = std::from_chars(node.text.data(), end, value);
    if (error == std::errc{} && stop == end && value > -1e15 && value < 1e15) return value;
  }
  out.error(node.at, fmt::format("{} is {}, allowed: a number", path, shown(node)));
  return std::nullopt;
}

VirtualTrackerSpec read_tracker_spec(const YamlNode& node, const std::string& path,
                                     Diagnostics& out) {
  VirtualTrackerSpec spec;
  const MapReader map(
      &node, path, out,
      {"name", "rack", "map_slots", "reduce_slots", "memory_mb", "vcores", "resources", "labels",
       "slowdown"});
  if (!map.read_string("name", spec.name) && !map.has("name") &&
      node.kind == YamlNode::Kind::kMap) {
    out.error(node.at, fmt::format("{} has no name, allowed: a name no other tracker has", path));
  }
  map.read_string("rack", spec.rack);
  read_slots(map, spec.total);
  spec.named = read_named(map, "resources");
  spec.labels = read_labels(map);
  if (const YamlNode* slowdown = map.find("slowdown")) {
    spec.slowdown = read_slowdown(*slowdown, map.path("slowdown"), out);
  }
  return spec;
}

std::vector<VirtualTrackerSpec> read_cluster(const YamlNode* node, Diagnostics& out) {
  std::vector<VirtualTrackerSpec> trackers;
  const MapReader map(node, "cluster", out,
                      {"racks", "trackers_per_rack", "map_slots", "reduce_slots", "memory_mb",
                       "vcores", "resources", "labels", "trackers", "slow"});
  if (const YamlNode* list = map.find("trackers")) {
    for (const char* key : {"racks", "trackers_per_rack", "map_slots", "reduce_slots"}) {
      if (map.has(key)) {
        out.error(
            map.at(key),
            fmt::format("cluster.{} beside cluster.trackers, allowed: one of the two forms", key));
      }
    }
    return read_tracker_list(*list, out);
  }
  if (node == nullptr) return trackers;
  std::int64_t racks = 1;
  std::int64_t per_rack = 1;
  map.read_integer("racks", racks, {.least = 1, .most = kMostTrackers});
  map.read_integer("trackers_per_rack", per_rack, {.least = 0, .most = kMostTrackers});
  VirtualTrackerSpec spec;
  read_slots(map, spec.total);
  spec.named = read_named(map, "resources");
  spec.labels = read_labels(map);
  if (racks * per_rack > kMostTrackers) {
    out.error(map.at("trackers_per_rack"),
              fmt::format("the cluster has {} trackers, allowed: at most {}", racks * per_rack,
                          kMostTrackers));
    return trackers;
  }
  for (std::int64_t rack = 1; rack <= racks; ++rack) {
    for (std::int64_t i = 0; i < per_rack; ++i) {
      spec.name = fmt::format("tt{}", trackers.size() + 1);
      spec.rack = fmt::format("r{}", rack);
      trackers.push_back(spec);
    }
  }
  read_slow_trackers(map, trackers);
  return trackers;
}

std::shared_ptr<const JobPlan> read_job(const YamlNode& node, const std::string& path,
                                        Diagnostics& out) {
  auto plan = std::make_shared<JobPlan>();
  auto spec = std::make_shared<JobSpec>();
  const MapReader job(&node, path, out,
                      {"id",
                       "user",
                       "group",
                       "groups",
                       "queue",
                       "pool",
                       "maps",
                       "reduces",
                       "priority",
                       "map_time",
                       "reduce_time",
                       "copy_time",
                       "slowstart",
                       "slots_per_map",
                       "slots_per_reduce",
                       "locations",
                       "max_attempts",
                       "map_vcores",
                       "map_memory_mb",
                       "reduce_memory_mb",
                       "reduce_vcores",
                       "input",
                       "speculation",
                       "hold",
                       "time_limit",
                       "kind"});
  if (!job.read_string("id", spec->name) && !job.has("id") && node.kind == YamlNode::Kind::kMap) {
    out.error(node.at, fmt::format("{} has no id, allowed: a name such as J1", path));
  }
  if (spec->name.find('/') != std::string::npos) {
    job.wrong(*job.find("id"), "id", "a name without /, which stands before its tasks: J1/m0");
  }
  spec->user = "user";
  spec->queue = "default";
  job.read_string("user", spec->user);
  job.read_string("queue", spec->queue);
  job.read_string("input", plan->input);
  job.read_strings("group", spec->groups);
  if (const YamlNode* groups = job.find("groups"); groups != nullptr && !is_list_of_maps(*groups))
    job.read_strings("groups", spec->groups);
  if (std::string pool; job.read_string("pool", pool)) spec->conf["pool"] = pool;
  std::int64_t maps = 1;
  std::int64_t reduces = 0;
  std::int64_t attempts = spec->max_attempts;
  job.read_integer("maps", maps, {.least = 0, .most = kMostTasks});
  job.read_integer("reduces", reduces, {.least = 0, .most = kMostTasks});
  job.read_integer("max_attempts", attempts, {.least = 1, .most = 100});
  spec->reduces = static_cast<std::uint32_t>(reduces);
  spec->max_attempts = static_cast<std::uint32_t>(attempts);
  spec->slowstart_millionths = 0;
  read_fraction(job, "slowstart", spec->slowstart_millionths);
  if (const auto priority = job.read_enum("priority", kPriorityNames)) {
    spec->priority = static_cast<Priority>(*priority);
  }
  for (const TaskKind kind : kTaskKinds) read_need(job, kind, *spec);
  read_job_speculation(job, *spec);
  read_times(job, "map_time", plan->times.map_ms);
  read_times(job, "reduce_time", plan->times.reduce_ms);
  read_times(job, "copy_time", plan->times.copy_ms);
  const auto locations = read_locations(job);
  if (const YamlNode* groups = job.find("groups"); groups != nullptr && is_list_of_maps(*groups)) {
    read_groups(*groups, job.path("groups"), out, *spec, plan->times);
    maps = 0;
    spec->reduces = 0;
  }
  constexpr std::string_view kKinds[] = {"batch", "service"};
  if (const auto kind = job.read_enum("kind", kKinds)) spec->service = *kind == 1;
  spec->splits.resize(static_cast<std::size_t>(maps));
  for (std::size_t i = 0; i < spec->splits.size() && !locations.empty(); ++i) {
    spec->splits[i].hosts = locations[i % locations.size()];
  }
  job.read_bool("hold", spec->hold);
  job.read_duration("time_limit", spec->time_limit_ms, {.least_ms = 1});
  if (!spec->application()) spec->output = "/out/" + spec->name;
  plan->caller = {spec->user, spec->groups};
  plan->spec = std::move(spec);
  return plan;
}

}  // namespace weir
