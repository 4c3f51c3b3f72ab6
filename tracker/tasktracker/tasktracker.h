// The TaskTracker: registers with a JobTracker, runs what it is told to run, serves map outputs and
// logs. One Asio loop for processes and timers, one thread for blocking calls, one for the disk,
// one for the shuffle server; the user's data never passes through this process, each attempt has
// its own (run_task.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conf/daemon_settings.h"

namespace weir {

struct TaskTrackerOptions {
  std::string name;  // unique in the cluster; empty: HOST-PID of this machine and process
  std::string jobtracker_host = "127.0.0.1";
  std::uint16_t jobtracker_port = 9090;  // the client port; the tracker port is asked for there
  std::string host = "127.0.0.1";        // where others reach this tracker's shuffle port
  std::int64_t map_slots = 2;
  std::int64_t reduce_slots = 2;
  std::int64_t memory_mb = 0;  // 0: not reported
  std::int64_t vcores = 0;
  std::optional<OfferSettings> offer;  // where containers count; nothing: memory_mb and vcores
  std::map<std::string, std::string> labels;
  PortRange ports;                       // that tasks may be given
  std::string rack;                      // empty: default
  std::vector<std::string> local_paths;  // path prefixes whose blocks count as local
  std::string work_dir;                  // must be this tracker's alone; made if missing
  std::int64_t min_free_disk_mb = 256;   // below: takes no tasks
  std::string shuffle_address = "127.0.0.1";
  std::uint16_t shuffle_port = 0;  // 0: the system chooses
  std::string runner;              // a program that serves attempts; empty: the carried one
  std::optional<std::int64_t> job_disk_mb;  // nothing: half of the disk, 0: no bound
  TaskSettings task;
  LogSettings log;
  std::string log_level = "info";  // trace debug info warn error off
};

// Runs until SIGTERM or SIGINT. Returns the exit status: 0, or 1 if it could not start (the reason
// is logged).
int run_tasktracker(const TaskTrackerOptions& options);

}  // namespace weir
