#include "conf/load.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/event_log_section.h"
#include "conf/queues.h"
#include "conf/removed_queues.h"
#include "conf/resources_section.h"
#include "conf/sections.h"
#include "conf/yaml_reader.h"

namespace weir {
namespace {

constexpr std::string_view kSizeAllowed = "a settings file of at most 1 MiB";

void refuse(Diagnostics& out, Mark at, std::string_view what, std::string_view allowed) {
  out.error(at, fmt::format("{}, allowed: {}", what, allowed));
}

// Of the first byte that is too many.
Mark end_of_allowed(const std::string& text) {
  const std::string_view fits = std::string_view(text).substr(0, kMaxSettingsBytes);
  const auto lines = std::count(fits.begin(), fits.end(), '\n');
  const std::size_t line_at = fits.rfind('\n') + 1;  // 0, if there is but one line
  return {static_cast<int>(lines) + 1, static_cast<int>(fits.size() - line_at) + 1};
}

// The keys at the top of weir.yaml; each policy's section has its name.
std::vector<std::string_view> top_keys(PolicyTable policies) {
  std::vector<std::string_view> keys = {"policy", "listen", "store", "heartbeat"};
  for (const PolicyEntry& policy : policies) {
    if (policy.read != nullptr) keys.push_back(policy.name);
  }
  keys.insert(keys.end(), {"queues", "removed_queues", "limits", "administrators",
                           "finished_jobs_kept", "finished_jobs_at_most", "history", "event_log",
                           "tracker", "speculation", "tracker_faults", "resources",
                           "containers", "conf"});
  return keys;
}

void read_policy(const MapReader& root, const Allocations& allocations, PolicyTable policies,
                 Settings& settings) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& policy : policies) names.push_back(policy.name);
  if (const auto index = root.read_enum("policy", names)) settings.policy = names[*index];
  const bool containers = settings.resources.mode == ResourceSettings::Mode::kContainers;
  if (const PolicyEntry* rules = find_policy(settings.policy, policies);
      containers && rules->make_of_containers == nullptr) {
    std::vector<std::string_view> allowed;
    for (const PolicyEntry& policy : policies) {
      if (policy.make_of_containers != nullptr) allowed.push_back(policy.name);
    }
    root.out().error(root.at("policy"),
                     fmt::format("policy {} knows slots alone, allowed with resources: containers: "
                                 "{}",
                                 settings.policy, fmt::join(allowed, ", ")));
  }
  for (const PolicyEntry& policy : policies) {
    if (policy.read == nullptr) continue;
    settings.policies[std::string(policy.name)] =
        policy.read(root.find(policy.name), settings.resources, allocations, root.out());
  }
}

}  // namespace

namespace {

// Nothing: `out` says why.
std::optional<Loaded> load(const SettingsText& source, Diagnostics& out) {
  if (source.text.size() > kMaxSettingsBytes) {
    refuse(out, end_of_allowed(source.text),
           fmt::format("is larger than {} bytes", kMaxSettingsBytes), kSizeAllowed);
    return std::nullopt;
  }
  const YamlNode::Ptr document = parse_yaml(source.text, out);
  if (!document) return std::nullopt;
  // A file caught half written is often empty; taking it for all defaults would drop every queue.
  const bool empty_map = document->kind == YamlNode::Kind::kMap && document->entries.empty();
  if (document->kind == YamlNode::Kind::kNull || empty_map) {
    const Mark at = document->at.line > 0 ? document->at : Mark{1, 1};
    refuse(out, at, "holds no settings", "at least one key, for example policy: capacity");
    return std::nullopt;
  }
  Loaded loaded = read_settings(*document, source.allocations, out);
  if (!out.ok()) return std::nullopt;
  loaded.settings.notices = out.warnings();
  loaded.settings.text = source.joined();
  return loaded;
}

}  // namespace

Result<Loaded> load_settings_text(const std::string& name, const SettingsText& source) {
  Diagnostics out(name);
  auto loaded = load(source, out);
  if (!loaded) return out.as_error();
  return std::move(*loaded);
}

CheckedText check_settings_text(const std::string& name, const SettingsText& source) {
  Diagnostics out(name);
  load(source, out);
  return {out.ok(), out.findings(), out.errors(), out.warnings()};
}

Result<Loaded> load_settings_text(const std::string& name, std::string_view text) {
  return load_settings_text(name, SettingsText::split(text));
}

Loaded read_settings(const YamlNode& document, const Allocations& allocations, Diagnostics& out,
                     PolicyTable policies) {
  Loaded loaded;
  const MapReader root(&document, "", out, top_keys(policies));
  read_resources(root, loaded.settings.resources);
  const Space space(loaded.settings.resources);
  read_policy(root, allocations, policies, loaded.settings);
  read_heartbeat(root, loaded.settings.heartbeat);
  read_speculation(root, loaded.settings.speculation);
  const auto& speculates = loaded.settings.speculation.on;
  if (space.containers() && root.has("speculation") &&
      std::any_of(std::begin(speculates), std::end(speculates), [](bool on) { return on; }))
    out.warning(root.at("speculation"),
                "speculation has no effect where `resources: containers` is set");
  if (auto administrators = read_access(root, "administrators"))
    loaded.settings.administrators = std::move(*administrators);
  root.read_duration("finished_jobs_kept", loaded.settings.finished_jobs_kept_ms, {.never = true});
  root.read_integer("finished_jobs_at_most", loaded.settings.finished_jobs_at_most,
                    {.least = 0, .most = 1'000'000});
  read_history(root, loaded.settings.history);
  read_event_log(root, loaded.settings.event_log);
  read_tracker_faults(root, loaded.settings.tracker_faults);
  read_source(root, loaded.settings.from);
  const std::size_t errors = out.error_count();
  loaded.names_queues = root.has("queues");
  loaded.settings.queues = load_queues(root.find("queues"), space, out);
  const bool queues_good = out.error_count() == errors;
  loaded.settings.removed_queues = read_removed_queues(
      root, queues_good ? loaded.settings.queues : std::vector<QueueSettings>());
  read_daemon(root, loaded.daemon, loaded.settings.job_bytes);
  for (const std::string_view key : {"listen", "store", "limits"}) {
    if (root.has(key)) loaded.daemon_sections.emplace_back(key);
  }
  loaded.daemon.administrators = loaded.settings.administrators;
  read_tracker(root, loaded.tracker);
  loaded.settings.source = out.file();
  return loaded;
}

Result<Loaded> load_settings(const std::string& file) {
  const Result<SettingsText> source = read_settings_text(file);
  if (!source) return source.error();
  return load_settings_text(file, *source);
}

}  // namespace weir
