#include "cli/sim_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/sim_report.h"
#include "conf/policies.h"
#include "sim/runner.h"

namespace weir::cli {
namespace {

struct SimOptions {
  std::string scenario;
  std::string events;
  std::string samples;
  bool summary = false;
};

// A file, or stdout for "-". What could not be written is told when it is closed.
class Sink {
 public:
  Sink(Context& context, const std::string& name) : name_(name) {
    if (name == "-") {
      stream_ = &context.out;
      return;
    }
    file_.open(name, std::ios::binary | std::ios::trunc);
    if (!file_)
      throw wrong_use(
          fmt::format("{}: cannot be written: {}", printable(name), std::strerror(errno)));
    stream_ = &file_;
  }
  std::ostream& stream() { return *stream_; }
  void close() {
    stream_->flush();
    if (!*stream_ && stream_ == &file_) {
      throw CliFailure(kExitNotSo, fmt::format("{}: could not be written", printable(name_)));
    }
  }

 private:
  std::string name_;
  std::ofstream file_;
  std::ostream* stream_ = nullptr;
};

std::vector<std::string> findings(const Error& error) {
  return error.diagnostics.empty() ? std::vector<std::string>{error.message} : error.diagnostics;
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// What depends on the machine goes to stderr: stdout is the same at every run.
void show_summary(Context& context, const Runner& runner, double wall_s) {
  const auto rows = runner.summary()->rows();
  if (context.json()) {
    print_json(context.out, summary_json(rows));
  } else {
    context.out << summary_tables(rows) << "\n";
  }
  const double simulated_s = static_cast<double>(runner.engine().elapsed()) / 1000;
  const double per_s = wall_s > 0 ? 1 / wall_s : 0;
  context.err << fmt::format(
      "{:.2f} s of wall time for {:.0f} s simulated ({:.0f} times real time); {} heartbeats "
      "({:.0f}/s), {} decisions ({:.0f}/s)\n",
      wall_s, simulated_s, simulated_s * per_s, runner.summary()->heartbeats(),
      static_cast<double>(runner.summary()->heartbeats()) * per_s, runner.summary()->launches(),
      static_cast<double>(runner.summary()->launches()) * per_s);
}

int run(Context& context, const SimOptions& options) {
  const auto scenario = load_scenario(options.scenario);
  if (!scenario) throw CliFailure::findings(kExitRefused, findings(scenario.error()));
  auto runner = Runner::create(*scenario, policy_factory());
  if (!runner) throw CliFailure::findings(kExitRefused, findings(runner.error()));
  std::unique_ptr<Sink> events;
  std::unique_ptr<Sink> samples;
  if (!options.events.empty()) {
    events = std::make_unique<Sink>(context, options.events);
    (*runner)->write_events(events->stream());
  }
  if (!options.samples.empty()) {
    samples = std::make_unique<Sink>(context, options.samples);
    (*runner)->write_samples(samples->stream());
  }
  if (options.summary) (*runner)->summarise();
  const auto started = std::chrono::steady_clock::now();
  (*runner)->run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  if (events) events->close();
  if (samples) samples->close();
  if (options.summary) show_summary(context, **runner, wall.count());
  if (const std::string notice = (*runner)->notice(); !notice.empty()) {
    context.err << printable(options.scenario + ": " + notice) << "\n";
  }
  const auto& failures = (*runner)->failures();
  for (const std::string& failure : failures) context.err << printable(failure) << "\n";
  if (options.events != "-" && options.samples != "-" && !context.json()) {
    context.out << fmt::format("{}: {}, {}\n", printable(options.scenario),
                               counted((*runner)->expectations(), "expectation"),
                               failures.empty() ? "all met" : counted(failures.size(), "failure"));
  }
  return failures.empty() ? kExitDone : kExitNotSo;
}

}  // namespace

void add_sim_command(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("sim", "run a scenario on the JobTracker's engine, in no time");
  command->group("Simulation");
  const auto options = std::make_shared<SimOptions>();
  command->add_option("SCENARIO", options->scenario, "a scenario file (docs/scenarios.md)")
      ->required();
  command->add_option("--events", options->events,
                      "write what happens, one JSON object a line; - is stdout");
  command->add_option("--samples", options->samples,
                      "write each queue's figures at every update, one JSON object a line");
  command->add_flag("--summary", options->summary,
                    "responses, waits, slot use, locality, kills and fairness, per queue");
  add_output_option(*command, context);
  command->footer(
      "Exit codes: 0 all expectations met, 1 one was not, 2 the scenario is wrong.\n\n"
      "Examples:\n"
      "  weir sim tests/scenarios/sim/manual.yaml\n"
      "  weir sim day.yaml --summary\n"
      "  weir sim day.yaml --events day.jsonl --samples -");
  command->callback([&context, options] {
    context.action = [&context, options] { return run(context, *options); };
  });
}

}  // namespace weir::cli
