// What the processes need that the engine does not: where to listen, where the store is, limits on
// connections, and what a tracker offers. Read from the same weir.yaml as Settings (conf/load.h).
// These take effect at a start; the engine's Settings change while it runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/values.h"
#include "jobqueue/model/map_output_codec.h"
#include "jobqueue/model/time.h"

namespace weir {

// `limits:`. One misbehaving client or tracker may cost this much and no more.
struct RpcLimits {
  std::int64_t max_connections = 10000;                  // on each port
  DurationMs read_timeout_ms = 10 * 1000;                // for the rest of a frame that has begun
  DurationMs idle_timeout_ms = 10 * 60 * 1000;           // between frames
  std::int64_t buffered_bytes = 256LL * 1024 * 1024;     // of all connections together
  std::int64_t tracker_frame_bytes = 256LL * 1024;       // largest frame on the trackers' port
  std::int64_t client_frame_bytes = 16LL * 1024 * 1024;  // largest frame on the clients' port
  std::int64_t max_trackers = 50000;                     // there, or registered
  friend bool operator==(const RpcLimits&, const RpcLimits&) = default;
};

struct DaemonSettings {
  HostPort listen_thrift{"127.0.0.1", 9090};
  HostPort listen_trackers{"127.0.0.1",
                           9091};  // default: the clients' host, their port + 1 (0 stays 0)
  std::optional<HostPort> listen_http;
  std::vector<std::string> http_names;  // that browsers call the machine by, besides its own
  std::string store_path = "/var/lib/weir/weir.db";  // or `:memory:`
  RpcLimits limits;
  std::vector<std::string> administrators;  // as in Settings
  friend bool operator==(const DaemonSettings&, const DaemonSettings&) = default;
};

// `tracker:`, keys `task_...` and `map_output_codec`: what one attempt's programs may have, and how
// it works. 0 is no limit.
struct TaskSettings {
  std::int64_t memory_mb = 0;          // of all of its processes; for jobs that ask for none
  std::int64_t processes = 1024;       // with their threads
  std::int64_t user_processes = 0;     // of the user id, over all of the machine
  std::int64_t open_files = 4096;      // of one process
  std::int64_t file_mb = 0;            // of one file
  std::int64_t core_mb = 0;            // here 0 is none
  std::vector<std::string> environment;  // names that are passed on from the tracker's
  bool cgroups = true;
  bool mounts = true;  // other attempts' directories are out of sight
  MapOutputCodec map_output_codec = MapOutputCodec::kNone;  // for jobs that do not say
  friend bool operator==(const TaskSettings&, const TaskSettings&) = default;
};

// `tracker:`, keys `log_...`: what attempts' logs may take of the disk.
struct LogSettings {
  DurationMs keep_ms = 24 * 3'600'000;
  std::int64_t stream_mb = 8;    // of one stream of an attempt
  std::int64_t job_mb = 256;     // of a job on one tracker
  std::int64_t total_mb = 2048;  // on one tracker
  friend bool operator==(const LogSettings&, const LogSettings&) = default;
};

// Ports of a machine, `20000-20099`.
struct PortRange {
  std::uint16_t first = 0, last = 0;  // 0: none
  std::int64_t count() const { return first == 0 ? 0 : last - first + 1; }
  friend bool operator==(const PortRange&, const PortRange&) = default;
};
std::optional<PortRange> parse_port_range(std::string_view text);
inline constexpr std::string_view kPortRangeAllowed = "FIRST-LAST, ports from 1024 to 65535";

// `tracker.offer`, where containers count: what of the machine tasks may have. Nothing: all that it
// has (`auto`).
struct OfferSettings {
  std::optional<std::int64_t> memory_mb, vcores;
  std::map<std::string, std::int64_t> named;  // gpu 2
  friend bool operator==(const OfferSettings&, const OfferSettings&) = default;
};

// `tracker:`.
struct TrackerSettings {
  std::string name;  // empty: the tracker makes one of the host's name
  std::int64_t map_slots = 2;
  std::int64_t reduce_slots = 2;
  std::int64_t memory_mb = 0;  // 0: not offered as a resource
  std::int64_t vcores = 0;
  std::string rack = "default";
  std::vector<std::string> hosts;  // path prefixes whose blocks are local
  std::string work_dir;            // empty: the tracker makes one
  std::int64_t min_free_disk_mb = 256;
  // A job's attempts and map outputs on this tracker; nothing: half of the disk, 0: no bound.
  std::optional<std::int64_t> job_disk_mb;
  TaskSettings task;
  LogSettings log;
  HostPort listen{"127.0.0.1", 0};  // where map outputs are served
  std::optional<OfferSettings> offer = {};  // nothing: memory_mb and vcores
  std::map<std::string, std::string> labels = {};
  PortRange ports = {};  // that tasks may be given
  friend bool operator==(const TrackerSettings&, const TrackerSettings&) = default;
};

}  // namespace weir
