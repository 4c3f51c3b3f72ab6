#include "cli/bench_sort_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/sort_bench.h"
#include "cli/table.h"
#include "report/percentile.h"

namespace weir::cli {
namespace {

struct BenchSortOptions {
  SortBenchOptions bench;
  std::string size = "2GB", memory = "512M", split_size = "64M";
};

constexpr double kSortBar = 1;  // of sort's time
constexpr std::int64_t kLeastBytes = 100'000, kLeastMemoryMb = 8;

template <class Figure>
double middle(const std::vector<SortTurn>& turns, Figure&& figure) {
  std::vector<double> values;
  for (const SortTurn& turn : turns) values.push_back(figure(turn));
  std::sort(values.begin(), values.end());
  return report::percentile(values, 50);
}

struct Medians {
  double job, sort, synced, of_synced, of_sort, job_cpu, sort_cpu;
};

// Ratios are those of each turn, so that what slows the machine for a while counts on both sides.
Medians medians_of(const std::vector<SortTurn>& turns) {
  const auto of = [&](auto figure) { return middle(turns, figure); };
  return {of([](const SortTurn& t) { return t.job_seconds; }),
          of([](const SortTurn& t) { return t.sort_seconds; }),
          of([](const SortTurn& t) { return t.synced_sort_seconds; }),
          of([](const SortTurn& t) { return t.job_seconds / t.synced_sort_seconds; }),
          of([](const SortTurn& t) { return t.job_seconds / t.sort_seconds; }),
          of([](const SortTurn& t) { return t.job_cpu_seconds; }),
          of([](const SortTurn& t) { return t.sort_cpu_seconds; })};
}

void print_table(Context& context, const SortBenchOptions& bench, const Medians& figures) {
  const auto seconds = [](double value) { return fmt::format("{:.2f} s", value); };
  const auto ratio = [](double value) { return fmt::format("{:.2f}", value); };
  const std::int64_t maps = (bench.bytes + bench.split_bytes - 1) / bench.split_bytes;
  Table table({{.header = "SORT", .least_width = 40},
               {.header = "VALUE", .right = true},
               {.header = "BAR", .right = true}});
  table.add({fmt::format("{} MB of records of 100 bytes: job, {} maps, {} reduces",
                         bench.bytes / 1'000'000, maps, bench.reduces),
             seconds(figures.job), ""});
  table.add({fmt::format("sort --parallel={} -S {}M", bench.slots, bench.memory_mb),
             seconds(figures.sort), ""});
  table.add({"  and until its output is on the disk, as the job's", seconds(figures.synced), ""});
  table.add(
      {"job, of sort with its output on the disk", ratio(figures.of_synced), ratio(kSortBar)});
  table.add({"job, of sort alone", ratio(figures.of_sort), ""});
  table.add({"CPU: JobTracker, tracker and all tasks", seconds(figures.job_cpu), ""});
  table.add({"  sort", seconds(figures.sort_cpu), ""});
  context.out << table.render(context.columns());
}

Json json_of(const SortBenchOptions& bench, const std::vector<SortTurn>& turns,
             const Medians& figures) {
  Json each = Json::array();
  for (const SortTurn& turn : turns) {
    each.push_back({{"job_seconds", turn.job_seconds},
                    {"sort_seconds", turn.sort_seconds},
                    {"synced_sort_seconds", turn.synced_sort_seconds},
                    {"job_cpu_seconds", turn.job_cpu_seconds},
                    {"sort_cpu_seconds", turn.sort_cpu_seconds}});
  }
  return {{"bytes", bench.bytes},
          {"memory_mb", bench.memory_mb},
          {"slots", bench.slots},
          {"reduces", bench.reduces},
          {"job_seconds", figures.job},
          {"sort_seconds", figures.sort},
          {"synced_sort_seconds", figures.synced},
          {"of_synced_sort", figures.of_synced},
          {"of_sort", figures.of_sort},
          {"job_cpu_seconds", figures.job_cpu},
          {"sort_cpu_seconds", figures.sort_cpu},
          {"turns", each}};
}

int bench_sort_command(Context& context, const BenchSortOptions& options) {
  SortBenchOptions bench = options.bench;
  bench.bytes = size_in_bytes("--size", options.size, kLeastBytes) / 100 * 100;
  bench.split_bytes = size_in_bytes("--split-size", options.split_size, 1'000);
  bench.memory_mb = size_in_bytes("--memory", options.memory, kLeastMemoryMb << 20) >> 20;
  std::error_code ignored;
  if (!std::filesystem::is_directory(bench.directory, ignored))
    throw wrong_use(fmt::format("--dir {}: not a directory", bench.directory));
  InterruptScope interrupt;
  const auto turns = bench_sort(bench, interrupt,
                                [](const std::string& what) { fmt::print(stderr, "{}\n", what); });
  const Medians figures = medians_of(turns);
  if (context.json()) {
    print_json(context.out, json_of(bench, turns, figures));
  } else {
    print_table(context, bench, figures);
  }
  return kExitDone;
}

void add_options(CLI::App& command, BenchSortOptions& options) {
  SortBenchOptions& bench = options.bench;
  const auto number = [&](const char* name, std::uint32_t& value, std::uint32_t most,
                          const char* what) {
    command.add_option(name, value, what)->type_name("N")->check(CLI::Range(1u, most));
  };
  const auto size = [&](const char* name, std::string& value, const char* what) {
    command.add_option(name, value, what)->type_name("SIZE");
  };
  command.add_option("--dir", bench.directory,
                     "where all files are, so on which disk (default TMPDIR or /tmp)");
  size("--size", options.size, "of the input (default 2GB)");
  size("--memory", options.memory, "of sort, and of the tasks that run at once (default 512M)");
  size("--split-size", options.split_size, "input of one map (default 64M)");
  number("--slots", bench.slots, 1'000,
         "for maps, as many for reduces, and threads of sort (default 2)");
  number("--reduces", bench.reduces, 1'000, "default 2; with 1 the output is one file, as sort's");
  command.add_option("--codec", bench.codec, "of map outputs (default: the tracker's)")
      ->check(CLI::IsMember({"none", "lz4", "zstd"}));
  number("--turns", bench.turns, 1'000, "default 5; figures are medians");
}

}  // namespace

void add_bench_sort_command(CLI::App& group, Context& context) {
  const auto options = std::make_shared<BenchSortOptions>();
  std::error_code ignored;
  options->bench.directory = std::filesystem::temp_directory_path(ignored).string();
  auto* command = group.add_subcommand("sort", "a real job that sorts, beside sort(1)");
  add_options(*command, *options);
  add_output_option(*command, context);
  command->footer(
      "The records of the sort benchmark, 10 bytes of key and 90 of value, as lines. A turn is\n"
      "sort(1) and then the job, map and reduce both `cat`, on a real JobTracker and a real "
      "tracker.\n"
      "Both outputs are checked, outside the clock: the records of the input, each file in order.\n"
      "A job's output is on the disk when it has succeeded; so sort's time is told with that, "
      "too.\n\n"
      "Examples:\n"
      "  weir bench sort\n"
      "  weir bench sort --size 500M --memory 128M --reduces 1 --turns 3 -o json\n"
      "  weir bench sort --codec lz4");
  command->callback([&context, options] {
    context.action = [&context, options] { return bench_sort_command(context, *options); };
  });
}

}  // namespace weir::cli
