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

// What a run took of a server's CPU time, for each heartbeat.
struct Costed {
  WireFigures figures;
  double cpu_us = 0;
};
template <class CpuSeconds, class Beat>
Costed costed(const CpuSeconds& cpu_seconds, const Beat& beat) {
  const double before = cpu_seconds();
  Costed out{beat()};
  const auto heartbeats = static_cast<double>(std::max<std::size_t>(out.figures.heartbeats, 1));
  out.cpu_us = 1e6 * (cpu_seconds() - before) / heartbeats;
  return out;
}

// The same load on both, turn after turn.
struct InTurns {
  std::vector<double> rate, echo_rate, cpu_us, echo_cpu_us, p50_us, echo_p50_us;
  void add(const Costed& jobtracker, const Costed& echo) {
    rate.push_back(jobtracker.figures.per_second);
    cpu_us.push_back(jobtracker.cpu_us);
    p50_us.push_back(jobtracker.figures.p50_us);
    echo_rate.push_back(echo.figures.per_second);
    echo_cpu_us.push_back(echo.cpu_us);
    echo_p50_us.push_back(echo.figures.p50_us);
  }
  BesideEcho beside() const {
    return {median(rate), median(echo_rate), median(cpu_us), median(echo_cpu_us)};
  }
};

// A queue has the same part as every other; job j is in queue j mod Q, of one of five users.
std::string settings_of(const RpcBenchOptions& options) {
  std::string yaml = fmt::format(
      "policy: {}\nheartbeat: {{interval: {}ms}}\n"
      "limits: {{max_trackers: 100000, max_connections: 30000, job_bytes: 64GB, "
      "user_job_bytes: 32GB}}\nqueues:\n",
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
  double cpu_seconds() const { return cpu_seconds_of(process_->pid, false); }

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
    // For as long as that gives them more: on a busy machine a round is few heartbeats, and the
    // first of a tracker gives nothing, because the JobTracker asks a new one for its report.
    double before = -1;
    for (int round = 0; round < 10 || held_part() > before; ++round) {
      before = held_part();
      if (before >= 1) break;
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

  const auto told = [&](const WireRun& run) {
    return costed([&] { return cluster.jobtracker().cpu_seconds(); },
                  [&] { return cluster.beat(run); });
  };
  const auto told_echo = [&](const WireRun& run) {
    return costed([&] { return echo.cpu_seconds(); }, [&] { return cluster.beat(echoed, run); });
  };
  InTurns idle, busy, one;
  double launches = 0, heartbeats = 0;
  for (std::uint32_t turn = 0; turn < options.turns; ++turn) {
    says(fmt::format("turn {} of {}", turn + 1, options.turns));
    const WireRun nothing{.seconds = options.seconds};
    idle.add(told(nothing), told_echo(nothing));
    const WireRun finishing{.seconds = options.seconds, .finishes = kFinishes};
    const Costed finished = told(finishing);
    launches += static_cast<double>(finished.figures.launches);
    heartbeats += static_cast<double>(finished.figures.heartbeats);
    busy.add(finished, told_echo(finishing));
    const WireRun alone{.seconds = options.seconds, .connections = 1};
    one.add(told(alone), told_echo(alone));
  }
  figures.idle = idle.beside();
  figures.busy = busy.beside();
  figures.one = one.beside();
  figures.one_p50_us = median(one.p50_us);
  figures.one_echo_p50_us = median(one.echo_p50_us);
  figures.launches_per_heartbeat = heartbeats > 0 ? launches / heartbeats : 0;

  says("half of that load");
  const WireFigures half = cluster.beat({.seconds = options.seconds,
                                         .finishes = kFinishes,
                                         .per_second = figures.busy.jobtracker / 2});
  figures.half_load_p50_us = half.p50_us;
  figures.half_load_p99_us = half.p99_us;
  says("at rest");
  const WireRun resting = cluster.resting(std::max(5 * options.seconds, 1.0));
  figures.resting_cpu_percent = told(resting).cpu_us * resting.per_second / 1e4;
  figures.resting_echo_cpu_percent = told_echo(resting).cpu_us * resting.per_second / 1e4;
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
