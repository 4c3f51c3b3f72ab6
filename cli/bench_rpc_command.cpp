#include "cli/bench_rpc_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "bench/wire/echo_server.h"
#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/rpc_bench.h"
#include "cli/table.h"

namespace weir::cli {
namespace {

struct BenchRpcOptions {
  RpcBenchOptions bench;
  bool hold = false;
  std::string echo_port_file;  // this process is the echo
};

constexpr double kIdleBar = 0.6;  // of the echo
constexpr double kBusyBar = 0.5;
constexpr double kOneBar = 25'000;
constexpr double kHalfLoadBarUs = 5'000;
constexpr double kRestingBarPercent = 1;
constexpr double kReadersBar = 0.95;  // of the heartbeats without

std::string rate(double per_second) {
  return fmt::format("{:.0f}", per_second);
}

std::string micros(double us) {
  return fmt::format("{:.1f} us", us);
}

void be_the_echo(const std::string& port_file) {
  bench::serve_echo([&](std::uint16_t port) {
    // Whole or not at all: who waits for it reads at any moment.
    std::ofstream(port_file + ".new") << port << '\n';
    std::filesystem::rename(port_file + ".new", port_file);
  });
}

void print_figures(Context& context, const RpcFigures& f) {
  Table table({{.header = "HEARTBEATS", .least_width = 36},
               {.header = "JOBTRACKER", .right = true},
               {.header = "ECHO", .right = true},
               {.header = "RATIO", .right = true},
               {.header = "BAR", .right = true}});
  const auto beside = [&](const std::string& what, const BesideEcho& figure,
                          const std::string& bar) {
    table.add({what, rate(figure.jobtracker), rate(figure.echo),
               fmt::format("{:.2f}", figure.ratio()), bar});
    table.add(
        {"  CPU of it for each", micros(figure.jobtracker_us), micros(figure.echo_us), "", ""});
  };
  beside("a second, nothing to tell", f.idle, fmt::format("{:.2f}", kIdleBar));
  beside(fmt::format("a second, 3 finishes, {:.1f} launches", f.launches_per_heartbeat), f.busy,
         fmt::format("{:.2f}", kBusyBar));
  beside("a second, one connection alone", f.one, rate(kOneBar) + " a second");
  table.add({"  p50 there", fmt::format("{:.0f} us", f.one_p50_us),
             fmt::format("{:.0f} us", f.one_echo_p50_us), "", ""});
  table.add({"p50 at half load", fmt::format("{:.0f} us", f.half_load_p50_us), "", "", ""});
  table.add({"p99 at half load", fmt::format("{:.0f} us", f.half_load_p99_us), "", "",
             fmt::format("{:.0f} us", kHalfLoadBarUs)});
  table.add({"CPU, all at their interval", fmt::format("{:.2f}%", f.resting_cpu_percent),
             fmt::format("{:.2f}%", f.resting_echo_cpu_percent), "",
             fmt::format("{:.0f}%", kRestingBarPercent)});
  table.add({"the JobTracker's memory", fmt::format("{:.0f} MB", f.resident_mb), "", "", ""});
  table.add({"to submit and fill", fmt::format("{:.1f} s", f.filled_seconds), "", "", ""});
  context.out << table.render(context.columns());
}

Json json_of(const BesideEcho& figure) {
  return {{"jobtracker", figure.jobtracker}, {"echo", figure.echo}, {"ratio", figure.ratio()},
          {"jobtracker_cpu_us", figure.jobtracker_us}, {"echo_cpu_us", figure.echo_us}};
}

Json json_of(const RpcFigures& f) {
  return {{"idle", json_of(f.idle)},
          {"busy", json_of(f.busy)},
          {"one_connection", json_of(f.one)},
          {"one_connection_p50_us", f.one_p50_us},
          {"one_connection_echo_p50_us", f.one_echo_p50_us},
          {"launches_per_heartbeat", f.launches_per_heartbeat},
          {"half_load_p50_us", f.half_load_p50_us},
          {"half_load_p99_us", f.half_load_p99_us},
          {"resting_cpu_percent", f.resting_cpu_percent},
          {"resting_echo_cpu_percent", f.resting_echo_cpu_percent},
          {"resident_mb", f.resident_mb},
          {"filled_seconds", f.filled_seconds}};
}

void print_cost(Context& context, const RpcBenchOptions& options, const WebCost& cost) {
  Table table({{.header = "HEARTBEATS", .least_width = 36},
               {.header = "WITHOUT", .right = true},
               {.header = "WITH", .right = true},
               {.header = "RATIO", .right = true},
               {.header = "BAR", .right = true}});
  const auto beside = [&](const std::string& what, double without, double with) {
    table.add({what, rate(without), rate(with), fmt::format("{:.3f}", with / without),
               fmt::format("{:.2f}", kReadersBar)});
  };
  beside("a second, nothing to tell", cost.idle, cost.idle_with);
  beside("a second, 3 finishes, 3 launches", cost.busy, cost.busy_with);
  table.add({"CPU seconds a second at half load", fmt::format("{:.2f}", cost.paced_cpu),
             fmt::format("{:.2f}", cost.paced_cpu_with), "", ""});
  context.out << table.render(context.columns());
  context.out << fmt::format(
      "{} streams, {} readers: {} answers and events, {:.1f} MB, {} refused\n", options.streams,
      options.readers, cost.answers, static_cast<double>(cost.bytes) / 1e6, cost.refused);
}

int bench_rpc_command(Context& context, const BenchRpcOptions& options) {
  if (!options.echo_port_file.empty()) {
    be_the_echo(options.echo_port_file);
    return kExitDone;
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.bench.directory, ignored))
    throw wrong_use(fmt::format("--dir {}: not a directory", options.bench.directory));
  InterruptScope interrupt;
  const SaysWhat says = [](const std::string& what) { fmt::print(stderr, "{}\n", what); };
  if (options.hold) {
    hold_cluster(options.bench, interrupt, says,
                 [&](const std::string& address) { context.out << address << std::endl; });
    return kExitDone;
  }
  if (options.bench.streams + options.bench.readers > 0) {
    const WebCost cost = bench_web(options.bench, interrupt, says);
    if (context.json()) {
      print_json(context.out, {{"idle", cost.idle},
                               {"idle_with_readers", cost.idle_with},
                               {"busy", cost.busy},
                               {"busy_with_readers", cost.busy_with},
                               {"half_load_cpu", cost.paced_cpu},
                               {"half_load_cpu_with_readers", cost.paced_cpu_with},
                               {"answers", cost.answers},
                               {"bytes", cost.bytes},
                               {"refused", cost.refused}});
    } else {
      print_cost(context, options.bench, cost);
    }
    return kExitDone;
  }
  const RpcFigures figures = bench_rpc(options.bench, interrupt, says);
  if (context.json()) {
    print_json(context.out, json_of(figures));
  } else {
    print_figures(context, figures);
  }
  return kExitDone;
}

void add_options(CLI::App& command, BenchRpcOptions& options) {
  RpcBenchOptions& bench = options.bench;
  const auto number = [&](const char* name, std::uint32_t& value, std::uint32_t least,
                          std::uint32_t most, const char* what) {
    command.add_option(name, value, what)->type_name("N")->check(CLI::Range(least, most));
  };
  command.add_option("--dir", bench.directory, "on the disk of the store (default TMPDIR or /tmp)");
  command.add_option("--policy", bench.policy, "default capacity")
      ->check(CLI::IsMember({"capacity", "fair", "fifo"}));
  number("--trackers", bench.trackers, 1, 100'000, "default 1000");
  number("--connections", bench.connections, 1, 20'000, "that they share, default 8");
  number("--slots", bench.slots, 3, 1'000, "map slots of a tracker, default 8");
  number("--jobs", bench.jobs, 1, 1'000'000, "default 100");
  number("--queues", bench.queues, 1, 10'000, "default 10");
  number("--maps", bench.maps, 1, 100'000'000, "of all jobs together, default 2000000");
  command.add_option("--seconds", bench.seconds, "of a turn, default 2")
      ->type_name("S")
      ->check(CLI::Range(0.1, 3600.0));
  number("--turns", bench.turns, 1, 1'000, "default 5; figures are medians");
  number("--streams", bench.streams, 0, 2'000, "measure what so many open pages cost instead");
  number("--readers", bench.readers, 0, 10'000, "and so many clients that ask once a second");
  command.add_flag("--hold", options.hold,
                   "measure nothing: print the web page's address, keep the cluster until ^C");
  command.add_option("--echo", options.echo_port_file)->group("");
}

}  // namespace

void add_bench_rpc_command(CLI::App& group, Context& context) {
  const auto options = std::make_shared<BenchRpcOptions>();
  std::error_code ignored;
  options->bench.directory = std::filesystem::temp_directory_path(ignored).string();
  auto* command = group.add_subcommand("rpc", "heartbeats over the wire, beside a bare echo");
  add_options(*command, *options);
  add_output_option(*command, context);
  command->footer(
      "A real JobTracker in a process of its own, its store on the disk of --dir; trackers of "
      "this\n"
      "process share the connections, each waits for its answer. The echo is a server of Thrift's\n"
      "own, a thread a connection, that answers the same heartbeats; both are measured in "
      "turns.\n\n"
      "Examples:\n"
      "  weir bench rpc\n"
      "  weir bench rpc --trackers 10000 --jobs 50000 --queues 1000 --maps 1000000 --turns 1\n"
      "  weir bench rpc --streams 200 --readers 200\n"
      "  weir bench rpc --trackers 2000 --jobs 50000 --queues 1000 --hold");
  command->callback([&context, options] {
    context.action = [&context, options] { return bench_rpc_command(context, *options); };
  });
}

}  // namespace weir::cli
