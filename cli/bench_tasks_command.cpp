#include "cli/bench_tasks_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/tasks_bench.h"

namespace weir::cli {
namespace {

struct BenchTasksOptions {
  TasksBenchOptions bench;
  std::string only;  // one part; empty: tasks and slots
};

constexpr double kTasksBar = 600;  // a second
constexpr double kLoopBar = 0.5;   // of the bare loop
constexpr double kSlotBarMs = 50, kEarlySlotBarMs = 20;
constexpr double kJobsBar = 500;  // a second

std::string per_second(double figure) {
  return fmt::format("{:.0f}", figure);
}
std::string milliseconds(double ms) {
  return fmt::format("{:.1f} ms", ms);
}

void add_tasks(const TaskFigures& f, const TasksBenchOptions& options, Table& table, Json& json) {
  const double of_shell = f.tasks / f.shell_loop, of_plain = f.tasks / f.plain_loop;
  table.add({fmt::format("a second, a job of {} maps, {} slots", options.tasks, options.slots),
             per_second(f.tasks), per_second(kTasksBar)});
  table.add({"bare loop over all cores, by the shell as tasks are", per_second(f.shell_loop), ""});
  table.add({"  tasks, of that", fmt::format("{:.2f}", of_shell), fmt::format("{}", kLoopBar)});
  table.add({"bare loop over all cores, without the shell", per_second(f.plain_loop), ""});
  table.add({"  tasks, of that", fmt::format("{:.2f}", of_plain), ""});
  table.add({"CPU a task: tracker and its processes", milliseconds(f.tracker_cpu_ms), ""});
  table.add({"  JobTracker", milliseconds(f.jobtracker_cpu_ms), ""});
  json["tasks"] = {{"tasks", options.tasks},
                   {"slots", options.slots},
                   {"per_second", f.tasks},
                   {"shell_loop_per_second", f.shell_loop},
                   {"plain_loop_per_second", f.plain_loop},
                   {"of_shell_loop", of_shell},
                   {"of_plain_loop", of_plain},
                   {"tracker_cpu_ms", f.tracker_cpu_ms},
                   {"jobtracker_cpu_ms", f.jobtracker_cpu_ms}};
}

void add_slots(const SlotFigures& with, const SlotFigures& without, Table& table, Json& json) {
  const auto add = [&](const std::string& what, const SlotFigures& f, double bar) {
    table.add({"a freed slot's next task runs after, p50, " + what, milliseconds(f.p50_ms),
               milliseconds(bar)});
    table.add({"  p90", milliseconds(f.p90_ms), ""});
  };
  add("early heartbeats", with, kEarlySlotBarMs);
  add("regular ones", without, kSlotBarMs);
  json["slots"] = {{"out_of_band", {{"p50_ms", with.p50_ms}, {"p90_ms", with.p90_ms}}},
                   {"regular", {{"p50_ms", without.p50_ms}, {"p90_ms", without.p90_ms}}}};
}

void add_jobs(const ShortJobFigures& f, const TasksBenchOptions& options, Table& table,
              Json& json) {
  table.add({fmt::format("jobs of one map a second, {}, {} clients", options.jobs, options.clients),
             per_second(f.jobs), per_second(kJobsBar)});
  table.add({"  all submitted after", fmt::format("{:.1f} s", f.submit_seconds), ""});
  json["jobs"] = {{"jobs", options.jobs},
                  {"clients", options.clients},
                  {"per_second", f.jobs},
                  {"submit_seconds", f.submit_seconds}};
}

int bench_tasks_command(Context& context, const BenchTasksOptions& options) {
  const TasksBenchOptions& bench = options.bench;
  std::error_code ignored;
  if (!std::filesystem::is_directory(bench.directory, ignored))
    throw wrong_use(fmt::format("--dir {}: not a directory", bench.directory));
  InterruptScope interrupt;
  const SaysWhat says = [](const std::string& what) { fmt::print(stderr, "{}\n", what); };
  Json json = Json::object();
  Table table({{.header = "SHORT TASKS", .least_width = 40},
               {.header = "VALUE", .right = true},
               {.header = "BAR", .right = true}});
  const auto wanted = [&](const char* part) {
    return options.only == part || (options.only.empty() && std::string_view(part) != "jobs");
  };
  if (wanted("tasks")) add_tasks(bench_tasks(bench, interrupt, says), bench, table, json);
  if (wanted("slots")) {
    const SlotFigures with = bench_slots(bench, true, interrupt, says);
    add_slots(with, bench_slots(bench, false, interrupt, says), table, json);
  }
  if (wanted("jobs")) add_jobs(bench_short_jobs(bench, interrupt, says), bench, table, json);
  if (context.json()) {
    print_json(context.out, json);
  } else {
    context.out << table.render(context.columns());
  }
  return kExitDone;
}

void add_options(CLI::App& command, BenchTasksOptions& options) {
  TasksBenchOptions& bench = options.bench;
  const auto number = [&](const char* name, std::uint32_t& value, std::uint32_t most,
                          const char* what) {
    command.add_option(name, value, what)->type_name("N")->check(CLI::Range(1u, most));
  };
  command.add_option("--dir", bench.directory,
                     "on the disk of work directory, outputs and store (default TMPDIR or /tmp)");
  command.add_option("--command", bench.command, "default /bin/true")->type_name("CMD");
  number("--tasks", bench.tasks, 1'000'000, "maps of the job (default 2000)");
  number("--slots", bench.slots, 10'000, "of the tracker (default 64)");
  number("--turns", bench.turns, 1'000, "default 5; figures are medians");
  command.add_option("--seconds", bench.loop_seconds, "of the bare loop in each turn, default 1")
      ->type_name("S")
      ->check(CLI::Range(0.05, 3600.0));
  command
      .add_option("--only", options.only,
                  "one part: tasks, slots (how long a freed one waits), or jobs of one map each; "
                  "default: the first two")
      ->type_name("PART")
      ->check(CLI::IsMember({"tasks", "slots", "jobs"}));
  number("--jobs", bench.jobs, 1'000'000, "with --only jobs, default 20000");
  number("--clients", bench.clients, 1'000, "that submit them, default 16");
}

}  // namespace

void add_bench_tasks_command(CLI::App& group, Context& context) {
  const auto options = std::make_shared<BenchTasksOptions>();
  std::error_code ignored;
  options->bench.directory = std::filesystem::temp_directory_path(ignored).string();
  auto* command =
      group.add_subcommand("tasks", "real short tasks a second, beside a bare spawn-and-wait loop");
  add_options(*command, *options);
  add_output_option(*command, context);
  command->footer(
      "A real JobTracker and a real tracker, each a process of its own, below --dir. A turn is "
      "the\n"
      "bare loop, on all cores, by `sh -c` and without it, and then the job, from its submission\n"
      "until it has SUCCEEDED. For a freed slot the tasks write down when they begin and end.\n\n"
      "Examples:\n"
      "  weir bench tasks\n"
      "  weir bench tasks --only tasks --tasks 10000 --slots 8 -o json\n"
      "  weir bench tasks --only jobs --jobs 20000 --clients 16");
  command->callback([&context, options] {
    context.action = [&context, options] { return bench_tasks_command(context, *options); };
  });
}

}  // namespace weir::cli
