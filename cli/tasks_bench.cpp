#include "cli/tasks_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <vector>

#include "bench/tasks/slot_gaps.h"
#include "bench/tasks/spawn_loop.h"
#include "bench/wire/in_parallel.h"
#include "cli/benched_cluster.h"
#include "cli/exit_code.h"
#include "report/percentile.h"

namespace weir::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kWaves = 6;  // of the slots, of which each waits in all but the first
// When it began and ended. It sleeps from 0.6 to 1.4 s, so that slots come free one by one.
constexpr const char* kTimedTask =
    "date +%s%N; n=$((600 + mapreduce_task_partition * 379 % 800)); "
    "sleep $((n / 1000)).$(printf %03d $((n % 1000))); date +%s%N";

double passed_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return report::percentile(values, 50);
}

// What the wire or a loop throws ends the command.
template <class Doing>
auto as_failure(Doing&& doing) {
  try {
    return doing();
  } catch (const CliFailure&) {
    throw;
  } catch (const wire::WeirError& error) {
    throw CliFailure(kExitNotSo, error.message);
  } catch (const std::exception& error) {
    throw CliFailure(kExitNotSo, error.what());
  }
}

void run_job(BenchedCluster& cluster, const wire::SubmitRequest& request) {
  wire::SubmitReply reply;
  cluster.client().call([&](auto& c) { c.submit(reply, request); });
  cluster.wait_for(reply.job);
}

std::vector<bench::CommandSpan> spans_of(const std::string& output, std::uint32_t tasks) {
  std::vector<bench::CommandSpan> spans;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    std::ostringstream text;
    text << std::ifstream(fmt::format("{}/part-{:05}", output, task)).rdbuf();
    const auto span = bench::parse_span(text.str());
    if (!span) throw CliFailure(kExitNotSo, "a task printed no times: " + text.str());
    spans.push_back(*span);
  }
  return spans;
}

}  // namespace

TaskFigures bench_tasks(const TasksBenchOptions& options, InterruptScope& interrupt,
                        const SaysWhat& says) {
  return as_failure([&] {
    BenchedCluster cluster({.directory = options.directory, .slots = options.slots}, interrupt);
    std::vector<double> tasks, shell, plain, tracker, jobtracker;
    for (std::uint32_t turn = 0; turn < options.turns; ++turn) {
      says(fmt::format("turn {} of {}", turn + 1, options.turns));
      const auto loop = [&](bench::SpawnBy by) {
        return bench::spawn_and_wait({options.command, by, options.loop_seconds, 0});
      };
      shell.push_back(loop(bench::SpawnBy::kShell));
      plain.push_back(loop(bench::SpawnBy::kWords));
      const double tracker_cpu = cluster.tracker_cpu(), job_cpu = cluster.jobtracker_cpu();
      const auto request =
          cluster.request(fmt::format("tasks-{}", turn), options.command, options.tasks);
      const auto start = Clock::now();
      run_job(cluster, request);
      tasks.push_back(options.tasks / passed_since(start));
      cluster.wait_for_processes();
      tracker.push_back(1e3 * (cluster.tracker_cpu() - tracker_cpu) / options.tasks);
      jobtracker.push_back(1e3 * (cluster.jobtracker_cpu() - job_cpu) / options.tasks);
    }
    return TaskFigures{middle_of(tasks), middle_of(shell), middle_of(plain), middle_of(tracker),
                       middle_of(jobtracker)};
  });
}

SlotFigures bench_slots(const TasksBenchOptions& options, bool out_of_band,
                        InterruptScope& interrupt, const SaysWhat& says) {
  return as_failure([&] {
    says(fmt::format("freed slots, {} early heartbeats", out_of_band ? "with" : "without"));
    BenchedCluster cluster(
        {.directory = options.directory, .slots = options.slots, .out_of_band = out_of_band},
        interrupt);
    const std::uint32_t tasks = kWaves * options.slots;
    run_job(cluster, cluster.request("slots", kTimedTask, tasks));
    const auto gaps = bench::slot_gaps_ms(spans_of(cluster.output("slots"), tasks), options.slots);
    return SlotFigures{report::percentile(gaps, 50), report::percentile(gaps, 90)};
  });
}

ShortJobFigures bench_short_jobs(const TasksBenchOptions& options, InterruptScope& interrupt,
                                 const SaysWhat& says) {
  return as_failure([&] {
    BenchedCluster cluster({.directory = options.directory, .slots = options.slots}, interrupt);
    says(fmt::format("{} jobs of one map, {} clients", options.jobs, options.clients));
    const auto start = Clock::now();
    bench::in_parallel(options.clients, "submitting", [&](std::uint32_t client) {
      auto calls = cluster.client();
      for (std::uint32_t job = client; job < options.jobs; job += options.clients) {
        const auto request = cluster.request(fmt::format("job-{}", job), options.command, 1);
        calls.call([&](auto& c) {
          wire::SubmitReply reply;
          c.submit(reply, request);
        });
      }
    });
    const double submitted = passed_since(start);
    cluster.wait_for_jobs(options.jobs);
    return ShortJobFigures{options.jobs / passed_since(start), submitted};
  });
}

}  // namespace weir::cli
