#include "sim/scenario.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "conf/load.h"
#include "fair/fair_settings.h"
#include "sim/scenario_parts.h"
#include "sim/trace.h"

namespace weir {
namespace {

constexpr std::size_t kMaxScenarioBytes = 16 * 1024 * 1024;

Result<std::string> read_text(const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    return Error{
        ErrorCode::kBadRequest, fmt::format("{}: {}", file, why), "a file that can be read", {}};
  };
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return refuse("is a directory, allowed: a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text(kMaxScenarioBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return refuse("cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxScenarioBytes) return refuse("is larger than 16 MiB, the most allowed");
  return text;
}

void read_heartbeats(const MapReader& root, HeartbeatPlan& plan) {
  const YamlNode* node = root.find("heartbeats");
  if (node == nullptr) return;
  if (node->kind == YamlNode::Kind::kScalar) {
    if (node->text != "manual") root.wrong(*node, "heartbeats", "manual, or {interval: 3s}");
    return;
  }
  plan.automatic = true;
  const MapReader map(node, "heartbeats", root.out(), {"interval", "out_of_band", "phase"});
  map.read_duration("interval", plan.interval_ms, {.least_ms = 10, .most_ms = 3'600'000});
  map.read_bool("out_of_band", plan.out_of_band);
  constexpr std::string_view kPhases[] = {"even", "random"};
  if (const auto phase = map.read_enum("phase", kPhases)) {
    plan.phase = static_cast<HeartbeatPlan::Phase>(*phase);
  }
}

bool has_section(const YamlNode::Ptr& settings, std::string_view section) {
  return settings && std::any_of(settings->entries.begin(), settings->entries.end(),
                                 [&](const auto& entry) { return entry.first->text == section; });
}

bool says(const YamlNode::Ptr& settings, std::string_view section, std::string_view key) {
  if (!settings) return false;
  for (const auto& [name, value] : settings->entries) {
    if (name->text != section) continue;
    for (const auto& [inner, unused] : value->entries) {
      if (inner->text == key) return true;
    }
  }
  return false;
}

// memory_mb, vcores, and what containers.resources names.
std::vector<std::string> dimensions_of(const YamlNode::Ptr& settings) {
  std::vector<std::string> dimensions = {"memory_mb", "vcores"};
  if (!settings) return dimensions;
  for (const auto& [name, section] : settings->entries) {
    if (name->text != "containers") continue;
    for (const auto& [key, value] : section->entries) {
      if (key->text != "resources") continue;
      for (const auto& item : value->items) dimensions.push_back(item->text);
      if (value->kind == YamlNode::Kind::kScalar) dimensions.push_back(value->text);
    }
  }
  return dimensions;
}

void read_start_settings(const MapReader& root, const std::string& directory, Scenario& scenario) {
  scenario.settings_source.file = scenario.file;
  if (const YamlNode* node = root.find("settings")) {
    scenario.settings_source = read_settings_source(*node, directory, root.out());
  }
  Diagnostics other(scenario.settings_source.file);
  Diagnostics& out = scenario.settings_source.file == scenario.file ? root.out() : other;
  scenario.settings = std::make_shared<Settings>(
      settings_of(scenario.settings_source, scenario.heartbeats, out));
  for (const std::string& line : other.errors()) root.out().error(root.at("settings"), line);
}

// `jobs: FILE`, or {file: FILE, divide: 6, limit: 1000}. A trace without a word about heartbeats
// has automatic ones.
void read_trace(const MapReader& root, const std::string& directory, Scenario& scenario) {
  const YamlNode* node = root.find("jobs");
  if (node == nullptr) return;
  TraceOptions options;
  std::string file;
  if (node->kind == YamlNode::Kind::kMap) {
    const MapReader map(node, "jobs", root.out(), {"file", "divide", "limit"});
    map.read_string("file", file);
    map.read_integer("divide", options.divide, {.least = 1});
    map.read_integer("limit", options.limit, {.least = 1});
    if (!map.has("file")) map.wrong(*node, "file", "the trace's file name");
  } else {
    root.read_string("jobs", file);
  }
  if (file.empty()) return;
  scenario.has_trace = true;
  Diagnostics trace(in_directory(directory, file));
  scenario.trace = load_trace(trace.file(), options, trace);
  for (const std::string& line : trace.errors()) root.out().error(node->at, line);
}

void read_model(const MapReader& root, ClusterModel& model) {
  std::int64_t seed = 0;
  root.read_integer("seed", seed, {.least = 0, .most = INT64_MAX});
  model.seed = static_cast<std::uint64_t>(seed);
  const MapReader map(root.find("model"), "model", root.out(),
                      {"rack_factor", "remote_factor", "task_launch", "spread", "replicas"});
  const auto read_factor = [&](const char* key, double& target) {
    const YamlNode* node = map.find(key);
    const auto value = node != nullptr ? number_of(*node, map.path(key), root.out()) : std::nullopt;
    if (value && (*value < 1 || *value > 1000)) {
      map.wrong(*node, key, "a number from 1 to 1000");
    } else if (value) {
      target = *value;
    }
  };
  read_factor("rack_factor", model.rack_factor);
  read_factor("remote_factor", model.remote_factor);
  map.read_duration("task_launch", model.task_launch_ms, {});
  if (std::int64_t spread = 0; map.read_percent("spread", spread, {.least = 0, .most = 10'000})) {
    model.spread = static_cast<double>(spread) / 10'000;
  }
  map.read_integer("replicas", model.replicas, {.least = 0, .most = 10});
}

// Jobs that do not say where their input lies have it drawn by lot.
void place_inputs(Scenario& scenario) {
  if (scenario.model.replicas == 0) return;
  const auto placed = [&](const JobPlan& plan) {
    auto copy = std::make_shared<JobSpec>(*plan.spec);
    const bool said = std::any_of(copy->splits.begin(), copy->splits.end(),
                                  [](const Split& split) { return !split.hosts.empty(); });
    if (said) return copy;
    const std::string& input = plan.input.empty() ? copy->name : plan.input;
    place_blocks(scenario.model, scenario.trackers, input, *copy);
    return copy;
  };
  for (JobPlan& plan : scenario.trace) plan.spec = placed(plan);
  for (Step& step : scenario.steps) {
    auto* submit = std::get_if<step::Submit>(&step.what);
    if (submit == nullptr) continue;
    auto plan = std::make_shared<JobPlan>(*submit->plan);
    plan->spec = placed(*plan);
    submit->plan = std::move(plan);
  }
}

void check_job_ids(const Scenario& scenario, Diagnostics& out) {
  std::set<std::string> ids;
  for (const JobPlan& plan : scenario.trace) ids.insert(plan.spec->name);
  for (const Step& step : scenario.steps) {
    const auto* submit = std::get_if<step::Submit>(&step.what);
    if (submit == nullptr || submit->plan->spec->name.empty()) continue;
    if (!ids.insert(submit->plan->spec->name).second) {
      out.error(step.at, fmt::format("a second job \"{}\", allowed: each id once",
                                     submit->plan->spec->name));
    }
  }
}

}  // namespace

std::string in_directory(const std::string& directory, const std::string& path) {
  return path.starts_with('/') || directory.empty() ? path : directory + "/" + path;
}

SettingsSource read_settings_source(const YamlNode& node, const std::string& directory,
                                    Diagnostics& out) {
  SettingsSource source{out.file(), std::make_shared<YamlNode>(node)};
  const bool from_file = node.kind == YamlNode::Kind::kMap && node.entries.size() == 1 &&
                         node.entries[0].first->text == "file";
  if (!from_file) return source;
  const MapReader map(&node, "settings", out, {"file"});
  std::string path;
  if (!map.read_string("file", path)) return source;
  source.file = in_directory(directory, path);
  const auto text = read_text(source.file);
  if (!text) {
    out.error(map.at("file"), text.error().message);
    source.node = nullptr;
    return source;
  }
  Diagnostics inner(source.file);
  source.node = parse_yaml(*text, inner);
  for (const std::string& line : inner.errors()) out.error(map.at("file"), line);
  return source;
}

Settings settings_of(const SettingsSource& source, const HeartbeatPlan& heartbeats,
                     Diagnostics& out) {
  const YamlNode nothing;
  const YamlNode& document = source.node ? *source.node : nothing;
  const Allocations allocations = read_allocations(document, directory_of(source.file));
  Settings settings = read_settings(document, allocations, out).settings;
  if (!heartbeats.automatic && !says(source.node, "heartbeat", "expiry")) {
    settings.heartbeat.expiry_ms = kNever;
  }
  if (!says(source.node, "heartbeat", "interval")) {
    settings.heartbeat.interval_ms = heartbeats.interval_ms;
  }
  if (!has_section(source.node, "speculation")) settings.speculation = {};
  const auto fair = settings.policies.find("fair");
  if (fair != settings.policies.end() && !says(source.node, "fair", "locality_delay")) {
    auto undelayed =
        std::make_shared<FairSettings>(dynamic_cast<const FairSettings&>(*fair->second));
    undelayed->locality_delay = {};
    fair->second = std::move(undelayed);
  }
  return settings;
}

Result<Scenario> load_scenario(const std::string& file) {
  const auto text = read_text(file);
  if (!text) {
    Error error = text.error();
    error.diagnostics = {error.message};
    return error;
  }
  return load_scenario_text(file, *text);
}

Result<Scenario> load_scenario_text(const std::string& file, std::string_view text) {
  Diagnostics out(file);
  const YamlNode::Ptr document = parse_yaml(text, out);
  if (!document) return out.as_error();
  if (document->kind == YamlNode::Kind::kNull) {
    out.error({}, "holds no scenario, allowed: at least steps or jobs");
    return out.as_error();
  }
  const std::string directory = directory_of(file);
  Scenario scenario;
  scenario.file = file;
  const MapReader root(document.get(), "", out,
                       {"cluster", "settings", "heartbeats", "steps", "jobs", "model", "seed"});
  scenario.trackers = read_cluster(root.find("cluster"), out);
  read_heartbeats(root, scenario.heartbeats);
  if (root.has("jobs") && !root.has("heartbeats")) scenario.heartbeats.automatic = true;
  read_start_settings(root, directory, scenario);
  scenario.steps =
      read_steps(root.find("steps"), directory, dimensions_of(scenario.settings_source.node), out);
  read_trace(root, directory, scenario);
  check_job_ids(scenario, out);
  read_model(root, scenario.model);
  if (!out.ok()) return out.as_error();
  place_inputs(scenario);
  return scenario;
}

}  // namespace weir
