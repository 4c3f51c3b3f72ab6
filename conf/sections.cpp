#include "conf/sections.h"

#include <algorithm>

#include <fmt/format.h>

#include "conf/offer_section.h"
#include "jobqueue/model/tracker_name.h"

namespace weir {
namespace {

constexpr DurationRange kBeat{.least_ms = 10, .most_ms = 3'600'000};
constexpr DurationRange kTimeout{.least_ms = 100, .most_ms = 24 * 3'600'000};

void read_listen(const MapReader& root, DaemonSettings& daemon) {
  const MapReader map(root.find("listen"), "listen", root.out(),
                      {"thrift", "trackers", "http", "http_names"});
  const bool thrift_good = map.read_address("thrift", daemon.listen_thrift) || !map.has("thrift");
  if (!map.has("trackers")) {
    const int port = daemon.listen_thrift.port;
    if (port == 65535) {
      root.out().error(
          map.at("thrift"),
          "listen.thrift has port 65535, so trackers have no next one, allowed: a lower "
          "port, or listen.trackers beside it");
    }
    daemon.listen_trackers = {daemon.listen_thrift.host,
                              static_cast<std::uint16_t>(port == 0 ? 0 : port + 1)};
  } else if (map.read_address("trackers", daemon.listen_trackers) && thrift_good &&
             daemon.listen_trackers == daemon.listen_thrift && daemon.listen_thrift.port != 0) {
    map.wrong(*map.find("trackers"), "trackers", "another address than listen.thrift");
  }
  map.read_strings("http_names", daemon.http_names);
  HostPort http;
  if (!map.read_address("http", http)) return;
  daemon.listen_http = http;
  if (http.port != 0 && (http == daemon.listen_thrift || http == daemon.listen_trackers)) {
    map.wrong(*map.find("http"), "http", "another address than the thrift and the trackers' port");
  }
}

void read_limits(const MapReader& root, RpcLimits& limits, JobBytesSettings& job_bytes) {
  constexpr IntegerRange kFrame{.least = 1024, .most = 1LL << 30};
  const MapReader map(root.find("limits"), "limits", root.out(),
                      {"max_connections", "max_trackers", "read_timeout", "idle_timeout",
                       "buffered_bytes", "tracker_frame_bytes", "client_frame_bytes", "job_bytes",
                       "user_job_bytes"});
  map.read_integer("max_connections", limits.max_connections, {.least = 1, .most = 1'000'000});
  map.read_integer("max_trackers", limits.max_trackers, {.least = 1, .most = 1'000'000});
  map.read_duration("read_timeout", limits.read_timeout_ms, kTimeout);
  map.read_duration("idle_timeout", limits.idle_timeout_ms, kTimeout);
  map.read_byte_size("buffered_bytes", limits.buffered_bytes,
                     {.least = 1 << 20, .most = 1LL << 40});
  map.read_byte_size("tracker_frame_bytes", limits.tracker_frame_bytes, kFrame);
  map.read_byte_size("client_frame_bytes", limits.client_frame_bytes, kFrame);
  constexpr IntegerRange kJobBytes{.least = 1 << 20, .most = 1LL << 40};
  map.read_byte_size("job_bytes", job_bytes.in_all, kJobBytes);
  map.read_byte_size("user_job_bytes", job_bytes.per_user, kJobBytes);
  const std::int64_t largest = std::max(limits.tracker_frame_bytes, limits.client_frame_bytes);
  if (limits.buffered_bytes < largest) {
    root.out().error(
        map.at("buffered_bytes"),
        fmt::format("limits.buffered_bytes is {}, allowed: room for the largest frame, {}",
                    format_byte_size(limits.buffered_bytes), format_byte_size(largest)));
  }
}

}  // namespace

void read_heartbeat(const MapReader& root, HeartbeatSettings& heartbeat) {
  const MapReader map(root.find("heartbeat"), "heartbeat", root.out(),
                      {"interval", "floor", "per_second", "expiry", "out_of_band_per_second"});
  if (const YamlNode* interval = map.find("interval")) {
    const auto value =
        interval->kind == YamlNode::Kind::kScalar ? parse_duration(interval->text) : std::nullopt;
    if (value && *value >= kBeat.least_ms && *value <= kBeat.most_ms) {
      heartbeat.interval_ms = *value;
    } else if (interval->kind != YamlNode::Kind::kScalar || interval->text != "auto") {
      map.wrong(*interval, "interval",
                fmt::format("auto, or a duration (300ms 5s 2m 1h) from {} to {}",
                            format_duration(kBeat.least_ms), format_duration(kBeat.most_ms)));
    }
  }
  map.read_duration("floor", heartbeat.floor_ms, kBeat);
  map.read_integer("per_second", heartbeat.per_second, {.least = 1, .most = 1'000'000});
  map.read_integer("out_of_band_per_second", heartbeat.out_of_band_per_second,
                   {.least = 0, .most = 1'000'000});
  const bool expiry_good =
      map.read_duration("expiry", heartbeat.expiry_ms, kTimeout) || !map.has("expiry");
  const DurationMs beat = heartbeat.interval_ms.value_or(heartbeat.floor_ms);
  if (expiry_good && heartbeat.expiry_ms <= beat) {
    root.out().error(map.at(map.has("expiry") ? "expiry" : "interval"),
                     fmt::format("heartbeat.expiry is {}, allowed: longer than the interval of {}, "
                                 "or every tracker is lost",
                                 format_duration(heartbeat.expiry_ms), format_duration(beat)));
  }
}

void read_history(const MapReader& root, HistorySettings& history) {
  const MapReader map(root.find("history"), "history", root.out(), {"keep", "at_most"});
  map.read_duration("keep", history.keep_ms, {.never = true});
  map.read_integer("at_most", history.at_most, {.least = 0, .most = 100'000'000});
}

void read_tracker_faults(const MapReader& root, TrackerFaultSettings& faults) {
  const MapReader map(root.find("tracker_faults"), "tracker_faults", root.out(),
                      {"at_most", "forget_after"});
  const YamlNode* most = map.find("at_most");
  if (most != nullptr && most->kind == YamlNode::Kind::kScalar && most->text == "unlimited") {
    faults.at_most.reset();
  } else if (std::int64_t number = 0;
             map.read_integer("at_most", number, {.least = 1, .most = 100}))
    faults.at_most = number;
  map.read_duration("forget_after", faults.forget_after_ms,
                    {.least_ms = 100, .most_ms = 365LL * 24 * 3'600'000});
}

void read_source(const MapReader& root, SettingsFrom& from) {
  const MapReader map(root.find("conf"), "conf", root.out(), {"source"});
  if (const auto chosen = map.read_enum("source", kSettingsFromNames))
    from = static_cast<SettingsFrom>(*chosen);
}

// A map, or `on` or `off` for both kinds. On unless it is said otherwise.
void read_speculation(const MapReader& root, SpeculationSettings& speculation) {
  for (bool& on : speculation.on) on = true;
  const YamlNode* node = root.find("speculation");
  if (node == nullptr) return;
  constexpr std::string_view kOffOn[] = {"off", "on"};
  if (node->kind == YamlNode::Kind::kScalar) {
    const auto both = root.read_enum("speculation", kOffOn);
    for (bool& on : speculation.on) on = both.value_or(1) == 1;
    return;
  }
  const MapReader map(node, "speculation", root.out(), {"maps", "reduces", "after", "lag"});
  const auto read = [&](const char* key, TaskKind kind) {
    if (const auto on = map.read_enum(key, kOffOn)) speculation.on[index(kind)] = *on == 1;
  };
  read("maps", TaskKind::kMap);
  read("reduces", TaskKind::kReduce);
  map.read_duration("after", speculation.after_ms, {.most_ms = 24 * 3'600'000});
  if (std::int64_t lag = 0; map.read_percent("lag", lag, {.least = 0, .most = 10'000})) {
    speculation.lag_millionths = lag * 100;
  }
}

void read_daemon(const MapReader& root, DaemonSettings& daemon, JobBytesSettings& job_bytes) {
  read_listen(root, daemon);
  if (root.has("store")) {
    const MapReader map(root.find("store"), "store", root.out(), {"sqlite"});
    map.read_string("sqlite", daemon.store_path);
  }
  read_limits(root, daemon.limits, job_bytes);
}

namespace {

constexpr IntegerRange kMegabytes{.least = 0, .most = 1'000'000'000};

void read_task(const MapReader& map, TaskSettings& task) {
  constexpr IntegerRange kProcesses{.least = 0, .most = 4'000'000};
  map.read_integer("task_memory_mb", task.memory_mb, kMegabytes);
  map.read_integer("task_processes", task.processes, kProcesses);
  map.read_integer("task_user_processes", task.user_processes, kProcesses);
  map.read_integer("task_open_files", task.open_files, {.least = 16, .most = 1'000'000});
  map.read_integer("task_file_mb", task.file_mb, kMegabytes);
  map.read_integer("task_core_mb", task.core_mb, kMegabytes);
  map.read_bool("task_cgroups", task.cgroups);
  map.read_bool("task_mounts", task.mounts);
  if (const auto codec = map.read_enum("map_output_codec", kMapOutputCodecNames))
    task.map_output_codec = static_cast<MapOutputCodec>(*codec);
  if (!map.read_strings("task_environment", task.environment)) return;
  for (const std::string& name : task.environment) {
    if (name.empty() || name.find('=') != std::string::npos)
      map.out().error(map.at("task_environment"),
                      "tracker.task_environment has \"" + name +
                          "\", allowed: names of environment variables, without values");
  }
}

void read_log(const MapReader& map, TrackerSettings& tracker) {
  std::int64_t job_disk_mb = 0;
  if (map.read_integer("job_disk_mb", job_disk_mb, kMegabytes)) tracker.job_disk_mb = job_disk_mb;
  map.read_duration("log_keep", tracker.log.keep_ms, {.never = true});
  map.read_integer("log_stream_mb", tracker.log.stream_mb, {.least = 1, .most = 1'000'000});
  map.read_integer("log_job_mb", tracker.log.job_mb, {.least = 1, .most = kMegabytes.most});
  map.read_integer("log_total_mb", tracker.log.total_mb, {.least = 1, .most = kMegabytes.most});
}

}  // namespace

void read_tracker(const MapReader& root, TrackerSettings& tracker) {
  constexpr IntegerRange kSlots{.least = 0, .most = 100'000};
  const MapReader map(root.find("tracker"), "tracker", root.out(),
                      {"name", "map_slots", "reduce_slots", "memory_mb", "vcores", "rack", "hosts",
                       "work_dir", "min_free_disk_mb", "listen", "job_disk_mb", "log_keep",
                       "log_stream_mb", "log_job_mb", "log_total_mb", "task_memory_mb",
                       "task_processes", "task_user_processes", "task_open_files", "task_file_mb",
                       "task_core_mb", "task_environment", "task_cgroups", "task_mounts",
                       "map_output_codec", "offer", "labels", "port_range"});
  map.read_string("name", tracker.name);
  // As the JobTracker will: a tracker that it refuses for good had better not start.
  if (!tracker.name.empty()) {
    if (const Status legal = check_tracker_name("tracker.name", tracker.name); !legal)
      root.out().error(map.at("name"),
                       legal.error().message + ", allowed: " + legal.error().hint);
  }
  map.read_integer("map_slots", tracker.map_slots, kSlots);
  map.read_integer("reduce_slots", tracker.reduce_slots, kSlots);
  map.read_integer("memory_mb", tracker.memory_mb, {});
  map.read_integer("vcores", tracker.vcores, kSlots);
  read_offer(map, tracker);
  map.read_string("rack", tracker.rack);
  if (map.read_strings("hosts", tracker.hosts)) {
    const bool absolute =
        std::all_of(tracker.hosts.begin(), tracker.hosts.end(),
                    [](const std::string& prefix) { return prefix.starts_with('/'); });
    if (!absolute) {
      root.out().error(
          map.at("hosts"),
          "tracker.hosts has a relative path, allowed: path prefixes that begin with /");
    }
  }
  map.read_string("work_dir", tracker.work_dir);
  map.read_integer("min_free_disk_mb", tracker.min_free_disk_mb, {});
  map.read_address("listen", tracker.listen);
  read_task(map, tracker.task);
  read_log(map, tracker);
  if (tracker.map_slots + tracker.reduce_slots == 0 && !tracker.offer) {
    root.out().error(
        map.at("map_slots"),
        "tracker.map_slots and tracker.reduce_slots are both 0, allowed: at least one slot");
  }
}

}  // namespace weir
