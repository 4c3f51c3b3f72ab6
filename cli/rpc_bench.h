// What the wire costs, measured on a real JobTracker in a process of its own with its store on a
// real disk, over real sockets, by trackers of this process (bench/wire). The same heartbeats go,
// in turns, to an echo made of Thrift's own server, so that a machine that is slower for a while is
// slower for both; medians of the turns. Makes its files in a directory of its own and removes
// them. One thread, which starts others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/interrupt.h"

namespace weir::cli {

struct RpcBenchOptions {
  std::string directory;  // existing; the store's disk
  std::string policy = "capacity";
  std::uint32_t connections = 8;
  std::uint32_t trackers = 1'000;
  std::uint32_t slots = 8;  // map slots of a tracker, and statuses of a heartbeat
  std::uint32_t jobs = 100;
  std::uint32_t queues = 10;
  std::uint32_t maps = 2'000'000;  // of all jobs together
  double seconds = 2;              // of a turn
  std::uint32_t turns = 5;
  std::uint32_t streams = 0;  // open event streams of the web port
  std::uint32_t readers = 0;  // that ask it once a second
};

// Heartbeats a second of the JobTracker, and of the echo beside it; and the CPU time of each of
// them for a heartbeat, which neighbours on the machine change less.
struct BesideEcho {
  double jobtracker = 0;
  double echo = 0;
  double jobtracker_us = 0;
  double echo_us = 0;
  double ratio() const { return echo > 0 ? jobtracker / echo : 0; }
};

struct RpcFigures {
  BesideEcho idle;  // nothing to tell
  BesideEcho busy;  // 3 finishes, 3 launches each, durable
  BesideEcho one;   // a connection alone, nothing to tell
  double one_p50_us = 0, one_echo_p50_us = 0;
  double launches_per_heartbeat = 0;  // of the busy ones: under 3 if there was nothing left to run
  double half_load_p50_us = 0, half_load_p99_us = 0;  // at half of `busy`
  double resident_mb = 0;
  // Of a core, every tracker at its normal interval.
  double resting_cpu_percent = 0, resting_echo_cpu_percent = 0;
  double filled_seconds = 0;       // to submit the jobs and fill all slots
};
// Throws CliFailure if the JobTracker does not start or refuses what it is asked. `says` is told
// what is being done.
using SaysWhat = std::function<void(const std::string&)>;
RpcFigures bench_rpc(const RpcBenchOptions& options, InterruptScope& interrupt,
                     const SaysWhat& says);

// What people at the web page cost: in turns with `streams` and `readers`, and without.
struct WebCost {
  double idle = 0, idle_with = 0;  // heartbeats a second
  double busy = 0, busy_with = 0;
  double paced_cpu = 0, paced_cpu_with = 0;  // CPU seconds a second at half load
  std::uint64_t answers = 0, bytes = 0, refused = 0;
};
WebCost bench_web(const RpcBenchOptions& options, InterruptScope& interrupt, const SaysWhat& says);

// The cluster of the bench, kept alive until interrupted: every tracker reports at its interval,
// and its tasks go on. `ready` is told the address of the web page.
void hold_cluster(const RpcBenchOptions& options, InterruptScope& interrupt, const SaysWhat& says,
                  const SaysWhat& ready);

}  // namespace weir::cli
