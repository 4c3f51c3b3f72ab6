#include "cli/sim_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "conf/policies.h"
#include "sim/runner.h"

namespace weir::cli {
namespace {

struct SimOptions {
  std::string scenario;
  std::string events;
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

int run(Context& context, const SimOptions& options) {
  const auto scenario = load_scenario(options.scenario);
  if (!scenario) throw CliFailure::findings(kExitRefused, findings(scenario.error()));
  auto runner = Runner::create(*scenario, policy_factory());
  if (!runner) throw CliFailure::findings(kExitRefused, findings(runner.error()));
  std::unique_ptr<Sink> events;
  if (!options.events.empty()) {
    events = std::make_unique<Sink>(context, options.events);
    (*runner)->write_events(events->stream());
  }
  (*runner)->run();
  if (events) events->close();
  const auto& failures = (*runner)->failures();
  for (const std::string& failure : failures) context.err << printable(failure) << "\n";
  if (options.events != "-") {
    context.out << fmt::format(
        "{}: {} expectations, {}\n", printable(options.scenario), (*runner)->expectations(),
        failures.empty() ? "all met" : fmt::format("{} failures", failures.size()));
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
  command->footer(
      "Exit codes: 0 all expectations met, 1 one was not, 2 the scenario is wrong.\n\n"
      "Examples:\n"
      "  weir sim tests/scenarios/sim/manual.yaml\n"
      "  weir sim day.yaml --events day.jsonl");
  command->callback([&context, options] {
    context.action = [&context, options] { return run(context, *options); };
  });
}

}  // namespace weir::cli
