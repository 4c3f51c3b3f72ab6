#include "conf/diff.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/policies.h"
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

std::string limit_text(const std::optional<std::int64_t>& limit) {
  return limit ? fmt::format("{}", *limit) : "unlimited";
}

std::string access_text(const AccessList& list, const char* absent) {
  return list ? fmt::format("[{}]", fmt::join(*list, ", ")) : absent;
}

std::string duration_text(const std::optional<DurationMs>& duration) {
  return duration ? format_duration(*duration) : "inherited";
}

KeyValues values_of(const QueueSettings& queue) {
  const UserLimit& users = queue.user_limit;
  return {{"guaranteed", format_guarantee(queue.guaranteed)},
          {"maximum", format_percent(queue.maximum_hundredths.value_or(10'000))},
          {"reclaim_after.map", duration_text(queue.reclaim_after_ms[index(TaskKind::kMap)])},
          {"reclaim_after.reduce", duration_text(queue.reclaim_after_ms[index(TaskKind::kReduce)])},
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
}

// A policy's settings; those made by hand may leave a policy out, which then has its defaults.
std::shared_ptr<const PolicySettings> settings_of(const Settings& settings,
                                                  const PolicySection& section) {
  const auto found = settings.policies.find(std::string(section.name));
  if (found != settings.policies.end() && found->second) return found->second;
  Diagnostics unused("");
  return section.read(nullptr, std::nullopt, unused);
}

KeyValues values_of(const Settings& settings) {
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
      {"history.at_most", fmt::format("{}", settings.history.at_most)}};
  for (const PolicySection& section : policy_sections()) {
    for (auto& [key, value] : section.describe(*settings_of(settings, section))) {
      result.emplace_back(fmt::format("{}.{}", section.name, key), std::move(value));
    }
  }
  return result;
}

KeyValues values_of(const DaemonSettings& daemon) {
  const RpcLimits& limits = daemon.limits;
  return {{"listen.thrift", format_address(daemon.listen_thrift)},
          {"listen.trackers", format_address(daemon.listen_trackers)},
          {"listen.http", daemon.listen_http ? format_address(*daemon.listen_http) : "none"},
          {"store.sqlite", daemon.store_path},
          {"limits.max_connections", fmt::format("{}", limits.max_connections)},
          {"limits.read_timeout", format_duration(limits.read_timeout_ms)},
          {"limits.idle_timeout", format_duration(limits.idle_timeout_ms)},
          {"limits.buffered_bytes", format_byte_size(limits.buffered_bytes)},
          {"limits.tracker_frame_bytes", format_byte_size(limits.tracker_frame_bytes)},
          {"limits.client_frame_bytes", format_byte_size(limits.client_frame_bytes)}};
}

void flatten(const std::vector<QueueSettings>& queues, const std::string& prefix,
             std::vector<SettingsPart>& out) {
  for (const QueueSettings& queue : queues) {
    const std::string path = prefix + queue.name;
    out.push_back({path, values_of(queue)});
    flatten(queue.queues, path + ".", out);
  }
}

// Both sides come from one function, so the keys stand in the same order.
void compare(const std::string& prefix, const KeyValues& before, const KeyValues& after,
             std::vector<std::string>& out) {
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    if (before[i].second == after[i].second) continue;
    out.push_back(
        fmt::format("{}{}: {} -> {}", prefix, after[i].first, before[i].second, after[i].second));
  }
}

void compare_parts(const std::vector<SettingsPart>& before, const std::vector<SettingsPart>& after,
                   std::vector<std::string>& out) {
  std::unordered_map<std::string_view, const SettingsPart*> left;
  for (const SettingsPart& part : before) left.emplace(part.path, &part);
  for (const SettingsPart& part : after) {
    const auto found = left.find(part.path);
    if (found == left.end()) {
      const auto& [key, value] = part.values.front();
      out.push_back(fmt::format("{}: added ({} {})", part.path, key, value));
      continue;
    }
    compare(part.path + ".", found->second->values, part.values, out);
    left.erase(found);
  }
  for (const SettingsPart& part : before) {
    if (left.contains(part.path)) out.push_back(fmt::format("{}: removed", part.path));
  }
}

std::vector<SettingsPart> parts_of(const Settings& settings, const PolicySection& section) {
  std::vector<SettingsPart> parts = section.parts(*settings_of(settings, section));
  for (SettingsPart& part : parts) part.path = fmt::format("{}.{}", section.name, part.path);
  return parts;
}

}  // namespace

std::string format_guarantee(const Guarantee (&guaranteed)[kTaskKindCount]) {
  const Guarantee& map = guaranteed[index(TaskKind::kMap)];
  const Guarantee& reduce = guaranteed[index(TaskKind::kReduce)];
  const bool slots = map.unit == Unit::kSlots || reduce.unit == Unit::kSlots;
  if (map == reduce && !slots) return one_guarantee(map);
  return fmt::format("{} map / {} reduce{}", one_guarantee(map), one_guarantee(reduce),
                     slots ? " slots" : "");
}

std::vector<std::string> diff_daemon(const DaemonSettings& before, const DaemonSettings& after,
                                     const std::vector<std::string>& sections) {
  std::vector<std::string> all;
  compare("", values_of(before), values_of(after), all);
  std::erase_if(all, [&](const std::string& line) {
    return std::none_of(sections.begin(), sections.end(), [&](const std::string& section) {
      return line.starts_with(section + ".");
    });
  });
  return all;
}

std::vector<std::string> diff_settings(const Settings& before, const Settings& after) {
  std::vector<std::string> result;
  compare("", values_of(before), values_of(after), result);
  std::vector<SettingsPart> old_queues;
  std::vector<SettingsPart> new_queues;
  flatten(before.queues, "queues.", old_queues);
  flatten(after.queues, "queues.", new_queues);
  compare_parts(old_queues, new_queues, result);
  for (const PolicySection& section : policy_sections()) {
    if (section.parts == nullptr) continue;
    compare_parts(parts_of(before, section), parts_of(after, section), result);
  }
  for (const RemovedQueue& removed : after.removed_queues) {
    if (std::find(before.removed_queues.begin(), before.removed_queues.end(), removed) ==
        before.removed_queues.end()) {
      result.push_back(
          fmt::format("removed_queues.{}: its jobs go to {}", removed.queue, removed.move_to));
    }
  }
  return result;
}

}  // namespace weir
