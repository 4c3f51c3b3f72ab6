#include "cli/bench_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "bench/sched_matrix.h"
#include "cli/bench_rpc_command.h"
#include "cli/bench_sort_command.h"
#include "cli/bench_store_command.h"
#include "cli/bench_tasks_command.h"
#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/table.h"
#include "conf/policies.h"

namespace weir::cli {
namespace {

struct SchedOptions {
  bench::SchedLoad load;
  double seconds = 2;
  std::uint32_t repetitions = 5;
  bool matrix = false;
};

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

// In the order of the enum.
constexpr const char* kLocations[] = {"none", "spread", "hot"};

const char* resources(const bench::SchedLoad& load) {
  return load.containers ? "containers" : "slots";
}

const char* workload(const bench::SchedLoad& load) {
  return load.churn ? "W'" : "W";
}

// One line on a terminal, rewritten in place; nothing elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(Context& context) : context_(context) {}
  ~ProgressLine() {
    if (shown_) context_.err << "\r\x1b[K" << std::flush;
  }
  void show(const bench::SchedLoad& load, double part) {
    const auto now = std::chrono::steady_clock::now();
    if (!context_.terminal.err || (shown_ && now - last_ < std::chrono::milliseconds(100))) return;
    shown_ = true;
    last_ = now;
    context_.err << fmt::format("\r\x1b[K{:3.0f}%  {} {} J={} Q={}", 100 * part, load.policy,
                                workload(load), load.jobs, load.queues)
                 << std::flush;
  }

 private:
  Context& context_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

Json figures_json(const bench::SchedFigures& f) {
  return {{"tasks_per_second", f.tasks_per_second},
          {"heartbeats_per_second", f.heartbeats_per_second},
          {"p50_us", f.p50_us},
          {"p99_us", f.p99_us},
          {"bytes_per_pending_task", f.bytes_per_pending_task},
          {"tick_mean_ms", f.tick_mean_ms},
          {"tick_worst_ms", f.tick_worst_ms},
          {"cpu_share", f.cpu_share},
          {"heartbeats", f.heartbeats},
          {"launches", f.launches},
          {"reclaimed", f.reclaimed},
          {"jobs_ended", f.jobs_ended}};
}

Json row_json(const bench::SchedRow& row) {
  const bench::SchedLoad& load = row.load;
  const Resources offer = load.offer();
  Json json = {{"policy", load.policy},
               {"workload", workload(load)},
               {"resources", resources(load)},
               {"trackers", load.trackers},
               {"map_slots", offer.slots(TaskKind::kMap)},
               {"reduce_slots", offer.slots(TaskKind::kReduce)},
               {"memory_mb", offer[Dimension::kMemoryMb]},
               {"vcores", offer[Dimension::kVcores]},
               {"jobs", load.jobs},
               {"queues", load.queues},
               {"maps_per_job", load.maps()},
               {"reduces_per_job", load.reduces()},
               {"locations", kLocations[static_cast<std::size_t>(load.locations)]},
               {"repetitions", row.runs.size()}};
  json.update(figures_json(row.figures));
  const auto java = bench::published_java(load);
  json["java_tasks_per_second"] = java ? Json(*java) : Json();
  json["runs"] = Json::array();
  for (const auto& run : row.runs) json["runs"].push_back(figures_json(run));
  return json;
}

Json bars_json(const std::vector<bench::SchedRow>& rows) {
  Json list = Json::array();
  for (const auto& bar : bench::bars(rows)) {
    list.push_back({{"bar", bar.what},
                    {"measured", bar.measured},
                    {"wanted", bar.wanted},
                    {"at_least", bar.at_least},
                    {"met", bar.met()}});
  }
  return list;
}

void print_rows(Context& context, const std::vector<bench::SchedRow>& rows) {
  Table table({{"LOAD"},
               {.header = "JOBS", .right = true},
               {.header = "QUEUES", .right = true},
               {.header = "TASKS/S", .right = true},
               {.header = "JAVA", .right = true, .rank = 2},
               {.header = "BEATS/S", .right = true, .rank = 3},
               {.header = "P50 US", .right = true, .rank = 4},
               {.header = "P99 US", .right = true},
               {.header = "TICK MS", .right = true, .rank = 1},
               {.header = "WORST", .right = true, .rank = 1},
               {.header = "BYTES", .right = true, .rank = 5},
               {.header = "CPU", .right = true, .rank = 6}});
  for (const auto& row : rows) {
    const auto& f = row.figures;
    const auto java = bench::published_java(row.load);
    table.add({workload(row.load), grouped(row.load.jobs), grouped(row.load.queues),
               grouped(f.tasks_per_second), java ? grouped(*java) : "-",
               grouped(f.heartbeats_per_second), fmt::format("{:.2f}", f.p50_us),
               fmt::format("{:.2f}", f.p99_us), fmt::format("{:.3f}", f.tick_mean_ms),
               fmt::format("{:.3f}", f.tick_worst_ms),
               fmt::format("{:.0f}", f.bytes_per_pending_task),
               fmt::format("{:.0f}%", 100 * f.cpu_share)});
  }
  context.out << table.render(context.columns());
  for (const auto& row : rows) {
    if (!row.load.churn) continue;
    context.out << fmt::format("W' J={} Q={}: {} attempts reclaimed, {} jobs ended in a run\n",
                               row.load.jobs, row.load.queues, grouped(row.figures.reclaimed),
                               grouped(row.figures.jobs_ended));
  }
}

void print_bars(Context& context, const std::vector<bench::SchedRow>& rows) {
  Table table({{.header = "BAR", .least_width = 30},
               {.header = "MEASURED", .right = true},
               {.header = "WANTED", .right = true},
               {"MET"}});
  for (const auto& bar : bench::bars(rows)) {
    const auto number = [](double v) { return v >= 1000 ? grouped(v) : fmt::format("{:.3f}", v); };
    table.add({bar.what, number(bar.measured), (bar.at_least ? ">= " : "<= ") + number(bar.wanted),
               bar.met() ? "yes" : "no"});
  }
  if (!table.empty()) context.out << "\n" << table.render(context.columns());
}

// What is said of slots alone is no word on containers.
void check_slots_are_meant(const CLI::App& command, const bench::SchedLoad& load) {
  for (const char* option : {"--map-slots", "--reduce-slots"}) {
    if (load.containers && command.count(option) > 0)
      throw wrong_use(std::string(option) + " is of --resources slots; a tracker of containers "
                                            "offers 24576 MB and 16 vcores");
  }
}

int sched(Context& context, const SchedOptions& options) {
  const auto loads = options.matrix ? bench::table_loads(options.load)
                                    : std::vector<bench::SchedLoad>{options.load};
  for (const auto& load : loads) {
    if (const auto fit = bench::check_load(load); !fit)
      throw wrong_use(fit.error().message + "; " + fit.error().hint);
  }
  std::vector<bench::SchedRow> rows;
  {
    ProgressLine line(context);
    auto run = bench::run_rows(loads, options.seconds, options.repetitions,
                               [&](const auto& load, double part) { line.show(load, part); });
    if (!run) throw CliFailure(kExitNotSo, run.error().message + " (" + run.error().hint + ")");
    rows = std::move(run).value();
  }
  if (!context.json()) {
    print_rows(context, rows);
    if (options.matrix) print_bars(context, rows);
    return kExitDone;
  }
  if (!options.matrix) {
    print_json(context.out, row_json(rows.front()));
    return kExitDone;
  }
  Json json = {{"rows", Json::array()}, {"bars", bars_json(rows)}};
  for (const auto& row : rows) json["rows"].push_back(row_json(row));
  print_json(context.out, json);
  return kExitDone;
}

void add_sched_options(CLI::App& command, SchedOptions& options) {
  const auto many = CLI::Range(std::uint32_t{1}, std::uint32_t{1'000'000});
  const auto slots = CLI::Range(std::uint32_t{0}, std::uint32_t{10'000});
  bench::SchedLoad& load = options.load;
  const auto number = [&](const char* name, auto& value, const char* what, const auto& check) {
    command.add_option(name, value, what)->type_name("N")->check(check);
  };
  const auto policies = policy_names();
  command.add_option("--policy", load.policy, "capacity (default) or another policy")
      ->check(CLI::IsMember(policies));
  command
      .add_option_function<std::string>(
          "--resources", [&load](const std::string& word) { load.containers = word != "slots"; },
          "what is scheduled: slots (default) or containers")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"slots", "containers"}));
  number("--trackers", load.trackers, "default 1000", many);
  number("--map-slots", load.map_slots, "of each tracker (default 8)", slots);
  number("--reduce-slots", load.reduce_slots, "of each tracker (default 4)", slots);
  number("--jobs", load.jobs, "J, default 5000", many);
  number("--queues", load.queues, "Q, default 100", CLI::Range(1u, 10'000u));
  number("--maps-per-job", load.maps_per_job, "default 200 up to 100 jobs, else 40", many);
  number("--reduces-per-job", load.reduces_per_job, "default 100 up to 100 jobs, else 20", slots);
  command.add_option("--seconds", options.seconds, "CPU seconds of each repetition (default 2)")
      ->type_name("S")
      ->check(CLI::Range(0.001, 3600.0));
  number("--repetitions", options.repetitions, "medians of so many (default 5)",
         CLI::Range(1u, 1000u));
  command.add_flag("--churn", load.churn,
                   "W': jobs end and arrive, queues come and go, claims kill, settings change");
  command
      .add_option_function<std::string>(
          "--locations",
          [&load](const std::string& word) {
            using Places = bench::InputPlaces;
            load.locations = word == "hot"      ? Places::kHot
                             : word == "spread" ? Places::kSpread
                                                : Places::kNone;
          },
          "of the maps' input: none (default), spread, hot")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"none", "spread", "hot"}));
  command.add_flag("--matrix", options.matrix,
                   "all sizes of docs/performance.md, W and W', and the bars to reach");
}

}  // namespace

void add_bench_command(CLI::App& app, Context& context) {
  auto* group = app.add_subcommand("bench", "measure this machine, without a cluster");
  group->group("Simulation")->require_subcommand(1);
  const auto options = std::make_shared<SchedOptions>();
  auto* command =
      group->add_subcommand("sched", "how fast the engine schedules: the closed loop W(J,Q)");
  add_sched_options(*command, *options);
  add_output_option(*command, context);
  command->footer(
      "The very engine and policy of the JobTracker; virtual trackers report in turn, and the "
      "clock "
      "runs only inside\n"
      "the engine: report, accounting, decision, check, events, reply, and the periodic update "
      "every 50 heartbeats.\n"
      "W: with each heartbeat a tracker's 2 oldest maps and its oldest reduce end and 3 tasks must "
      "start. They are reported\n"
      "as KILLED, which makes a task pending again: demand stays as it is and no job ever ends.\n"
      "With --locations each split lies on 3 trackers; delay scheduling and preemption are on.\n"
      "Containers: trackers of 24576 MB and 16 vcores, applications whose tasks ask for 1024 MB "
      "and 1 core, 2048 MB\n"
      "and 1, or 4096 MB and 2, as many a job as maps and reduces together; a heartbeat ends the 3 "
      "oldest and fills up.\n"
      "W' (--churn): tasks succeed, jobs end and are replaced, every tenth queue comes and goes.\n"
      "Rates are per CPU second; CPU is the share of a core that the run got. Under 100% the "
      "percentiles include being put aside.\n\n"
      "Examples:\n"
      "  weir bench sched --jobs 5000 --queues 100\n"
      "  weir bench sched --policy fifo --churn --seconds 5 -o json\n"
      "  weir bench sched --resources containers --policy fifo\n"
      "  weir bench sched --matrix");
  command->callback([&context, options, command] {
    check_slots_are_meant(*command, options->load);
    context.action = [&context, options] { return sched(context, *options); };
  });
  add_bench_store_command(*group, context);
  add_bench_rpc_command(*group, context);
  add_bench_tasks_command(*group, context);
  add_bench_sort_command(*group, context);
}

}  // namespace weir::cli
