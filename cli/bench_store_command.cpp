#include "cli/bench_store_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/store_bench.h"
#include "cli/table.h"

namespace weir::cli {
namespace {

struct BenchStoreOptions {
  StoreBenchOptions bench;
  bool no_restart = false;
  bool no_submissions = false;
};

constexpr double kSubmissionsBar = 2'000;  // a second, 16 clients
constexpr double kRestartBarSeconds = 10;  // 100,000 unfinished jobs, 1,000,000 finished tasks

int bench_store(Context& context, const BenchStoreOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.bench.directory, ignored))
    throw wrong_use(fmt::format("--dir {}: not a directory", options.bench.directory));
  InterruptScope interrupt;
  Json json = Json::object();
  Table table({{.header = "FIGURE", .least_width = 30},
               {.header = "VALUE", .right = true},
               {.header = "BAR", .right = true}});
  if (!options.no_submissions) {
    const SubmissionFigures s = bench_submissions(options.bench, interrupt);
    json["submissions"] = {{"clients", options.bench.clients},
                           {"acknowledged", s.acknowledged},
                           {"seconds", s.seconds},
                           {"per_second", s.per_second},
                           {"p50_ms", s.p50_ms},
                           {"p99_ms", s.p99_ms}};
    table.add({fmt::format("durable submissions a second, {} clients", options.bench.clients),
               fmt::format("{:.0f}", s.per_second), fmt::format("{:.0f}", kSubmissionsBar)});
    table.add({"  one answered within, p50", fmt::format("{:.1f} ms", s.p50_ms), ""});
    table.add({"  p99", fmt::format("{:.1f} ms", s.p99_ms), ""});
  }
  if (!options.no_restart) {
    const RestartFigures r = bench_restart(options.bench, interrupt);
    json["restart"] = {{"unfinished_jobs", options.bench.unfinished_jobs},
                       {"finished_tasks", options.bench.finished_tasks},
                       {"store_mb", r.store_mb},
                       {"heartbeat_seconds", r.heartbeat_seconds},
                       {"launch_seconds", r.launch_seconds},
                       {"resident_mb", r.resident_mb}};
    table.add({fmt::format("restart with {} jobs and {} finished tasks, to the first heartbeat",
                           options.bench.unfinished_jobs, options.bench.finished_tasks),
               fmt::format("{:.1f} s", r.heartbeat_seconds),
               fmt::format("{:.0f} s", kRestartBarSeconds)});
    table.add({"  to the first launch", fmt::format("{:.1f} s", r.launch_seconds), ""});
    table.add({"  store", fmt::format("{:.0f} MB", r.store_mb), ""});
    table.add({"  the JobTracker's memory", fmt::format("{:.0f} MB", r.resident_mb), ""});
  }
  if (context.json()) {
    print_json(context.out, json);
  } else {
    context.out << table.render(context.columns());
  }
  return kExitDone;
}

}  // namespace

void add_bench_store_command(CLI::App& group, Context& context) {
  const auto options = std::make_shared<BenchStoreOptions>();
  std::error_code ignored;
  options->bench.directory = std::filesystem::temp_directory_path(ignored).string();
  auto* command =
      group.add_subcommand("store", "durable submissions a second, and how long a restart takes");
  StoreBenchOptions& bench = options->bench;
  command->add_option("--dir", bench.directory, "on the disk to measure (default TMPDIR or /tmp)");
  command->add_option("--clients", bench.clients, "default 16")
      ->type_name("N")
      ->check(CLI::Range(1u, 1000u));
  command->add_option("--seconds", bench.seconds, "of submitting (default 5)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 3600.0));
  command->add_option("--unfinished", bench.unfinished_jobs, "jobs in the store (default 100000)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1'000'000u));
  command->add_option("--finished-tasks", bench.finished_tasks, "of those jobs (default 1000000)")
      ->type_name("N")
      ->check(CLI::Range(0u, 10'000'000u));
  auto* submissions = command->add_flag("--no-restart", options->no_restart, "submissions only");
  command->add_flag("--no-submissions", options->no_submissions, "the restart only")
      ->excludes(submissions);
  add_output_option(*command, context);
  command->footer(
      "A real JobTracker in a process of its own, its store on the disk of --dir, clients over\n"
      "sockets. A submission counts when it is acknowledged, which is after it is on disk. The\n"
      "restart is timed from the start of the process on a store that was written beforehand.\n\n"
      "Examples:\n"
      "  weir bench store\n"
      "  weir bench store --dir /var/lib/weir --no-restart -o json");
  command->callback([&context, options] {
    context.action = [&context, options] { return bench_store(context, *options); };
  });
}

}  // namespace weir::cli
