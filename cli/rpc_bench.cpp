#include "cli/rpc_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "bench/wire/in_parallel.h"
#include "bench/wire/web_readers.h"
#include "bench/wire/wire_jobs.h"
#include "bench/wire/wire_load.h"
#include "cli/benched_jobtracker.h"
#include "cli/exit_code.h"

namespace weir::cli {
namespace {

using bench::WireFigures;
using bench::WireLoad;
using bench::WireRun;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kFinishes = 3;
constexpr std::int64_t kIntervalMs = 3'000;  // of the settings below

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// A queue has the same part as every other; job j is in queue j mod Q, of one of five users.
std::string settings_of(const RpcBenchOptions& options) {
  std::string yaml = fmt::format(
      "policy: {}\nheartbeat: {{interval: {}ms}}\n"
      "limits: {{max_trackers: 100000, job_bytes: 64GB, user_job_bytes: 32GB}}\nqueues:\n",
      options.policy, kIntervalMs);
  // The parts add up to 100%, to the hundredth.
  const std::uint32_t hundredths = 10'000 / options.queues, rest = 10'000 % options.queues;
  for (std::uint32_t queue = 0; queue < options.queues; ++queue) {
    yaml += fmt::format(
        "  - {{name: q{}, guaranteed: {:.2f}%, submit: '*', administer: '*', max_jobs: 1000000}}\n",
        queue, (hundredths + (queue < rest)) / 100.0);
  }
  return yaml;
}

bench::WireJobs jobs_of(const RpcBenchOptions& options) {
  return {.jobs = options.jobs, .queues = options.queues, .maps = options.maps};
}

// What goes wrong on the wire ends the command.
template <class Doing>
auto on_the_wire(Doing&& doing) {
  try {
    return doing();
  } catch (const bench::WireTrouble& trouble) {
    throw CliFailure(kExitNotSo, trouble.what());
  }
}

// The echo, in a process of its own for as long as this lives.
class EchoProcess {
 public:
  EchoProcess(const BenchedJobTracker& beside, InterruptScope& interrupt) {
    const std::string port_file = beside.file("echo");
    process_ = spawn({"/proc/self/exe",
                      "echo",
                      {"bench", "rpc", "--echo", port_file},
                      beside.file(""),
                      beside.file("echo.log")},
                     interrupt);
    while (!(std::ifstream(port_file) >> port_)) {
      if (!alive(*process_)) throw CliFailure(kExitNotSo, "the echo did not start");
      if (interrupt.wait_ms(5)) throw CliFailure(kExitInterrupted, "interrupted");
    }
  }
  ~EchoProcess() { stop_processes({*process_}, 1'000); }
  EchoProcess(const EchoProcess&) = delete;
  EchoProcess& operator=(const EchoProcess&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  std::optional<LocalProcess> process_;
  std::uint16_t port_ = 0;
};

// A JobTracker with jobs, and trackers whose slots are all in use.
class FullCluster {
 public:
  FullCluster(const RpcBenchOptions& options, InterruptScope& interrupt, const SaysWhat& says)
      : options_(options),
        interrupt_(interrupt),
        says_(says),
        jobtracker_(options.directory, settings_of(options), interrupt) {
    jobtracker_.start();
    const auto start = Clock::now();
    says(fmt::format("submitting {} jobs", options.jobs));
    on_the_wire([&] { bench::submit_all(jobs_of(options), jobtracker_.ports().client); });
    trackers_.emplace(jobtracker_.ports().tracker, options.connections, options.trackers,
                      options.slots);
    says(fmt::format("filling {} trackers", options.trackers));
    on_the_wire([&] { trackers_->enlist(); });
    // Twice, because one alone is new to the JobTracker and is asked for its report.
    for (int round = 0; round < 10 && held_part() < 1; ++round) {
      beat({.seconds = std::max(0.2, options.trackers / 20'000.0)});
    }
    filled_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    if (held_part() < 0.5) {
      throw CliFailure(kExitNotSo,
                       fmt::format("the trackers got no more than {:.0f}% of the tasks that they "
                                   "have slots for",
                                   100 * held_part()));
    }
  }
  WireFigures beat(const WireRun& run) { return beat(*trackers_, run); }
  WireFigures beat(WireLoad& load, const WireRun& run) {
    if (interrupt_.wait_ms(0)) throw CliFailure(kExitInterrupted, "interrupted");
    return on_the_wire([&] { return load.beat(run); });
  }
  const BenchedJobTracker& jobtracker() const { return jobtracker_; }
  double filled_seconds() const { return filled_seconds_; }
  InterruptScope& interrupt() { return interrupt_; }
  void says(const std::string& what) const { says_(what); }
  // Every tracker at its interval.
  WireRun resting(double seconds) const {
    return {.seconds = seconds, .per_second = 1e3 * options_.trackers / kIntervalMs};
  }

 private:
  double held_part() const {
    return static_cast<double>(trackers_->held()) /
           (static_cast<double>(options_.trackers) * options_.slots);
  }

  const RpcBenchOptions& options_;
  InterruptScope& interrupt_;
  const SaysWhat says_;
  BenchedJobTracker jobtracker_;
  std::optional<WireLoad> trackers_;
  double filled_seconds_ = 0;
};

}  // namespace

RpcFigures bench_rpc(const RpcBenchOptions& options, InterruptScope& interrupt,
                     const SaysWhat& says) {
  FullCluster cluster(options, interrupt, says);
  RpcFigures figures;
  figures.filled_seconds = cluster.filled_seconds();
  figures.resident_mb = cluster.jobtracker().resident_mb();
  const EchoProcess echo(cluster.jobtracker(), interrupt);
  WireLoad echoed(echo.port(), options.connections, options.trackers, options.slots);
  echoed.fill();

  std::vector<double> idle, idle_echo, busy, busy_echo, one, one_echo, one_p50, one_echo_p50;
  double launches = 0, heartbeats = 0;
  for (std::uint32_t turn = 0; turn < options.turns; ++turn) {
    says(fmt::format("turn {} of {}", turn + 1, options.turns));
    const WireRun nothing{.seconds = options.seconds};
    idle.push_back(cluster.beat(nothing).per_second);
    idle_echo.push_back(cluster.beat(echoed, nothing).per_second);
    const WireRun finishing{.seconds = options.seconds, .finishes = kFinishes};
    const WireFigures told = cluster.beat(finishing);
    busy.push_back(told.per_second);
    launches += static_cast<double>(told.launches);
    heartbeats += static_cast<double>(told.heartbeats);
    busy_echo.push_back(cluster.beat(echoed, finishing).per_second);
    const WireRun alone{.seconds = options.seconds, .connections = 1};
    const WireFigures mine = cluster.beat(alone), theirs = cluster.beat(echoed, alone);
    one.push_back(mine.per_second);
    one_p50.push_back(mine.p50_us);
    one_echo.push_back(theirs.per_second);
    one_echo_p50.push_back(theirs.p50_us);
  }
  figures.idle = {median(idle), median(idle_echo)};
  figures.busy = {median(busy), median(busy_echo)};
  figures.one = {median(one), median(one_echo)};
  figures.one_p50_us = median(one_p50);
  figures.one_echo_p50_us = median(one_echo_p50);
  figures.launches_per_heartbeat = heartbeats > 0 ? launches / heartbeats : 0;

  says("half of that load");
  const WireFigures half = cluster.beat({.seconds = options.seconds,
                                         .finishes = kFinishes,
                                         .per_second = figures.busy.jobtracker / 2});
  figures.half_load_p50_us = half.p50_us;
  figures.half_load_p99_us = half.p99_us;
  says("at rest");
  const double resting_seconds = std::max(2 * options.seconds, 1.0);
  const double before = cluster.jobtracker().cpu_seconds();
  cluster.beat(cluster.resting(resting_seconds));
  figures.resting_cpu_percent =
      100 * (cluster.jobtracker().cpu_seconds() - before) / resting_seconds;
  return figures;
}

WebCost bench_web(const RpcBenchOptions& options, InterruptScope& interrupt, const SaysWhat& says) {
  FullCluster cluster(options, interrupt, says);
  WebCost cost;
  std::vector<double> idle[2], busy[2], cpu[2];
  const WireRun nothing{.seconds = options.seconds};
  const WireRun finishing{.seconds = options.seconds, .finishes = kFinishes};
  const double pace = cluster.beat(finishing).per_second / 2;
  for (std::uint32_t turn = 0; turn < 2 * options.turns; ++turn) {
    const bool with = turn % 2 == 1;
    says(fmt::format("turn {} of {}, {} readers", turn / 2 + 1, options.turns,
                     with ? "with" : "without"));
    std::optional<bench::WebReaders> readers;
    if (with) {
      readers.emplace(cluster.jobtracker().ports().http, options.streams, options.readers);
      if (interrupt.wait_ms(1'500)) throw CliFailure(kExitInterrupted, "interrupted");
    }
    idle[with].push_back(cluster.beat(nothing).per_second);
    busy[with].push_back(cluster.beat(finishing).per_second);
    const double before = cluster.jobtracker().cpu_seconds();
    cluster.beat({.seconds = options.seconds, .finishes = kFinishes, .per_second = pace});
    cpu[with].push_back((cluster.jobtracker().cpu_seconds() - before) / options.seconds);
    if (with) {
      cost.answers += readers->answers();
      cost.bytes += readers->bytes();
      cost.refused += readers->refused();
    }
  }
  cost.idle = median(idle[0]);
  cost.idle_with = median(idle[1]);
  cost.busy = median(busy[0]);
  cost.busy_with = median(busy[1]);
  cost.paced_cpu = median(cpu[0]);
  cost.paced_cpu_with = median(cpu[1]);
  return cost;
}

void hold_cluster(const RpcBenchOptions& options, InterruptScope& interrupt, const SaysWhat& says,
                  const SaysWhat& ready) {
  FullCluster cluster(options, interrupt, says);
  ready(fmt::format("http://127.0.0.1:{}/", cluster.jobtracker().ports().http));
  for (WireRun run = cluster.resting(1); !interrupt.wait_ms(0);) {
    run.finishes = run.finishes == 0 ? 1 : 0;
    cluster.beat(run);
  }
}

}  // namespace weir::cli
