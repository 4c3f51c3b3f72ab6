#include "conf/describe.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/event_log_section.h"
#include "conf/values.h"

namespace weir {
namespace {

using Unit = Guarantee::Unit;

std::string one_guarantee(const Guarantee& guarantee) {
  switch (guarantee.unit) {
    case Unit::kPercent:
      return format_percent(guarantee.amount);
    case Unit::kSlots:
      return fmt::format("{}", guarantee.amount);
    case Unit::kUnset:
      break;
  }
  return "equal part";
}

// "40%", "{memory_mb: 40%, gpu: 100%}": what is unset is left out.
template <class Words>
std::string by_dimension(const Words& words, const Space& space) {
  const auto& dimensions = space.dimensions();
  const Guarantee& first = words[dimensions.front().place()];
  const bool alike = std::all_of(dimensions.begin(), dimensions.end(), [&](Dimension d) {
    return words[d.place()] == first;
  });
  if (alike && first.unit != Unit::kSlots) return one_guarantee(first);
  std::string text;
  for (const Dimension d : dimensions) {
    const Guarantee& word = words[d.place()];
    if (word.unit == Unit::kUnset) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", space.name(d), one_guarantee(word));
  }
  return "{" + text + "}";
}

// "{memory_mb: 128, vcores: 1}"
std::string amounts_text(const Resources& amounts, const Space& space) {
  std::string text;
  for (const Dimension d : space.dimensions()) {
    if (amounts[d] > 0)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", space.name(d), amounts[d]);
  }
  return "{" + text + "}";
}

void add_resources(const ResourceSettings& resources, KeyValues& out) {
  const bool containers = resources.mode == ResourceSettings::Mode::kContainers;
  ResourceSettings of_containers = resources;
  of_containers.mode = ResourceSettings::Mode::kContainers;
  const Space space(of_containers);
  out.insert(out.end(),
             {{"resources", containers ? "containers" : "slots"},
              {"containers.resources", fmt::format("[{}]", fmt::join(resources.named, ", "))},
              {"containers.minimum", amounts_text(resources.minimum, space)},
              {"containers.increment", amounts_text(resources.increment, space)},
              {"containers.maximum",
               resources.maximum ? amounts_text(*resources.maximum, space) : "unlimited"},
              {"containers.map", amounts_text(resources.map, space)},
              {"containers.reduce", amounts_text(resources.reduce, space)},
              {"containers.reservations", format_percent(resources.reservations_hundredths)},
              {"containers.gang_hold", format_duration(resources.gang_hold_ms)}});
}

std::string limit_text(const std::optional<std::int64_t>& limit) {
  return limit ? fmt::format("{}", *limit) : "unlimited";
}

std::string access_text(const AccessList& list, const char* absent) {
  if (list && std::find(list->begin(), list->end(), "*") != list->end()) return "everybody";
  return list ? fmt::format("[{}]", fmt::join(*list, ", ")) : absent;
}

std::string duration_text(const std::optional<DurationMs>& duration) {
  return duration ? format_duration(*duration) : "inherited";
}

KeyValues reclaim_after_of(const QueueSettings& queue, const Space& space) {
  const std::string maps = duration_text(queue.reclaim_after_ms[index(TaskKind::kMap)]);
  if (space.containers()) return {{"reclaim_after", maps}};
  return {{"reclaim_after.map", maps},
          {"reclaim_after.reduce",
           duration_text(queue.reclaim_after_ms[index(TaskKind::kReduce)])}};
}

KeyValues values_of(const QueueSettings& queue, const Space& space) {
  const UserLimit& users = queue.user_limit;
  KeyValues result = {
      {"guaranteed", format_guarantee(queue.guaranteed, space)},
      {"maximum", queue.maximum ? format_bound(queue.maximum, space, "")
                                : format_percent(queue.maximum_hundredths.value_or(10'000))},
      {"borrow", format_bound(queue.borrow, space, "unlimited")},
      {"lend", format_bound(queue.lend, space, "all")}};
  for (auto& value : reclaim_after_of(queue, space)) result.push_back(std::move(value));
  const KeyValues rest = {
      {"lend_after", format_duration(queue.lend_after_ms)},
      {"user_limit.minimum", format_percent(users.minimum_hundredths)},
      {"user_limit.factor",
       users.factor_millionths ? format_millionths(*users.factor_millionths) : "unlimited"},
      {"user_limit.mode", users.mode == UserLimit::Mode::kSoft ? "soft" : "hard"},
      {"priorities", queue.priorities ? "true" : "false"},
      {"max_jobs", limit_text(queue.max_jobs)},
      {"max_jobs_per_user", limit_text(queue.max_jobs_per_user)},
      {"max_tasks_per_job", limit_text(queue.max_tasks_per_job)},
      {"max_running_jobs", limit_text(queue.max_running_jobs)},
      {"max_running_jobs_per_user", limit_text(queue.max_running_jobs_per_user)},
      {"kill_budget", limit_text(queue.kill_budget)},
      {"submit", access_text(queue.submit, "everybody")},
      {"administer", access_text(queue.administer, "administrators alone")},
      {"state", queue.stopped ? "stopped" : "running"}};
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

void flatten(const std::vector<QueueSettings>& queues, const Space& space,
             const std::string& prefix, std::vector<SettingsPart>& out) {
  for (const QueueSettings& queue : queues) {
    const std::string path = prefix + queue.name;
    out.push_back({path, values_of(queue, space), values_of(QueueSettings{}, space)});
    flatten(queue.queues, space, path + ".", out);
  }
}

}  // namespace

std::string format_guarantee(const Guarantee (&guaranteed)[kPlaceCount], const Space& space) {
  if (space.containers()) return by_dimension(guaranteed, space);
  const Guarantee& map = guaranteed[index(TaskKind::kMap)];
  const Guarantee& reduce = guaranteed[index(TaskKind::kReduce)];
  const bool slots = map.unit == Unit::kSlots || reduce.unit == Unit::kSlots;
  if (map == reduce && !slots) return one_guarantee(map);
  return fmt::format("{} map / {} reduce{}", one_guarantee(map), one_guarantee(reduce),
                     slots ? " slots" : "");
}

std::string format_bound(const std::optional<QueueBound>& bound, const Space& space,
                         const char* absent) {
  if (!bound) return absent;
  const std::string text = by_dimension(bound->of, space);
  return text == "0%" ? "never" : text;
}

KeyValues general_values(const Settings& settings, PolicyTable policies, const Space& space) {
  const HeartbeatSettings& beat = settings.heartbeat;
  const SpeculationSettings& speculation = settings.speculation;
  KeyValues result = {
      {"policy", settings.policy},
      {"heartbeat.interval", beat.interval_ms ? format_duration(*beat.interval_ms) : "auto"},
      {"heartbeat.floor", format_duration(beat.floor_ms)},
      {"heartbeat.per_second", fmt::format("{}", beat.per_second)},
      {"heartbeat.expiry", format_duration(beat.expiry_ms)},
      {"heartbeat.out_of_band_per_second", fmt::format("{}", beat.out_of_band_per_second)},
      {"speculation.maps", speculation.on[index(TaskKind::kMap)] ? "on" : "off"},
      {"speculation.reduces", speculation.on[index(TaskKind::kReduce)] ? "on" : "off"},
      {"speculation.after", format_duration(speculation.after_ms)},
      {"speculation.lag", format_percent(speculation.lag_millionths / 100)},
      {"administrators", fmt::format("[{}]", fmt::join(settings.administrators, ", "))},
      {"finished_jobs_kept", format_duration(settings.finished_jobs_kept_ms)},
      {"finished_jobs_at_most", fmt::format("{}", settings.finished_jobs_at_most)},
      {"tracker_faults.at_most", limit_text(settings.tracker_faults.at_most)},
      {"tracker_faults.forget_after", format_duration(settings.tracker_faults.forget_after_ms)},
      {"history.keep", format_duration(settings.history.keep_ms)},
      {"history.at_most", fmt::format("{}", settings.history.at_most)},
      {"event_log", format_event_log(settings.event_log)},
      {"conf.source", std::string(kSettingsFromNames[static_cast<std::size_t>(settings.from)])},
      {"limits.job_bytes", format_byte_size(settings.job_bytes.in_all)},
      {"limits.user_job_bytes", format_byte_size(settings.job_bytes.per_user)}};
  add_resources(settings.resources, result);
  for (const PolicyEntry& policy : policies) {
    if (policy.describe == nullptr) continue;
    for (auto& [key, value] : policy.describe(*settings_of(settings, policy), space)) {
      result.emplace_back(fmt::format("{}.{}", policy.name, key), std::move(value));
    }
  }
  return result;
}


KeyValues daemon_values(const DaemonSettings& daemon) {
  const RpcLimits& limits = daemon.limits;
  return {{"listen.thrift", format_address(daemon.listen_thrift)},
          {"listen.trackers", format_address(daemon.listen_trackers)},
          {"listen.http", daemon.listen_http ? format_address(*daemon.listen_http) : "none"},
          {"listen.http_names", fmt::format("[{}]", fmt::join(daemon.http_names, ", "))},
          {"store.sqlite", daemon.store_path},
          {"limits.max_connections", fmt::format("{}", limits.max_connections)},
          {"limits.max_trackers", fmt::format("{}", limits.max_trackers)},
          {"limits.read_timeout", format_duration(limits.read_timeout_ms)},
          {"limits.idle_timeout", format_duration(limits.idle_timeout_ms)},
          {"limits.buffered_bytes", format_byte_size(limits.buffered_bytes)},
          {"limits.tracker_frame_bytes", format_byte_size(limits.tracker_frame_bytes)},
          {"limits.client_frame_bytes", format_byte_size(limits.client_frame_bytes)}};
}

std::vector<SettingsPart> queue_parts(const Settings& settings) {
  std::vector<SettingsPart> parts;
  flatten(settings.queues, Space(settings.resources), "queues.", parts);
  return parts;
}

std::vector<SettingsPart> policy_parts(const Settings& settings, const PolicyEntry& policy) {
  if (policy.parts == nullptr) return {};
  std::vector<SettingsPart> parts =
      policy.parts(*settings_of(settings, policy), Space(settings.resources));
  for (SettingsPart& part : parts) part.path = fmt::format("{}.{}", policy.name, part.path);
  return parts;
}

std::vector<SettingValue> list_settings(const Settings& settings, const Settings& defaults,
                                        PolicyTable policies) {
  std::vector<SettingValue> out;
  const auto add = [&out](const std::string& prefix, const KeyValues& values,
                          const KeyValues& without) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& [key, value] = values[i];
      out.push_back({prefix + key, value, i < without.size() && without[i].second == value});
    }
  };
  const Space space(settings.resources);
  add("", general_values(settings, policies, space), general_values(defaults, policies, space));
  std::vector<SettingsPart> parts = queue_parts(settings);
  for (const PolicyEntry& policy : policies) {
    for (SettingsPart& part : policy_parts(settings, policy)) parts.push_back(std::move(part));
  }
  for (const SettingsPart& part : parts) add(part.path + ".", part.values, part.defaults);
  return out;
}

}  // namespace weir
