#include "cli/sim_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/sim_report.h"
#include "cli/sink.h"
#include "cli/table.h"
#include "conf/policies.h"
#include "jobqueue/model/counted.h"
#include "report/report.h"
#include "sim/checker_observer.h"
#include "sim/run_report.h"
#include "sim/runner.h"

namespace weir::cli {
namespace {

// Watches the run for breaches of what must always be true.
class Watch {
 public:
  Watch(const SimOptions& options, bool has_trace) : mode_(mode_of(options, has_trace)) {}
  void begin(Runner& runner) {
    if (mode_ == check::CheckMode::kOff) return;
    checker_ = std::make_unique<CheckerObserver>(mode_);
    runner.guard(*checker_, [this] { return checker_->breach().has_value(); });
  }
  // The breach in words, times as in the scenario; empty if there was none.
  std::string end(const Runner& runner, bool has_trace) {
    if (!checker_) return "";
    if (has_trace && runner.failures().empty()) checker_->on_end(runner.engine().engine());
    if (!checker_->breach()) return "";
    check::Breach breach = *checker_->breach();
    breach.at -= SimEngine::kStart;
    return to_string(breach);
  }

 private:
  static check::CheckMode mode_of(const SimOptions& options, bool has_trace) {
    const auto otherwise = has_trace ? check::CheckMode::kSampled : check::CheckMode::kFull;
    return check::parse_check_mode(options.check).value_or(otherwise);
  }

  check::CheckMode mode_;
  std::unique_ptr<CheckerObserver> checker_;
};

std::vector<std::string> findings(const Error& error) {
  return error.diagnostics.empty() ? std::vector<std::string>{error.message} : error.diagnostics;
}

// What depends on the machine goes to stderr: stdout is the same at every run.
void show_summary(Context& context, const Runner& runner, double wall_s) {
  const auto rows = runner.summary()->rows();
  if (context.json()) {
    print_json(context.out, summary_json(rows, runner.summary()->dimensions()));
  } else {
    context.out << summary_tables(rows, runner.summary()->dimensions(), context.columns()) << "\n";
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

// The summary is all of its JSON, so this is none there.
void show_outcome(Context& context, const SimOptions& options, const Runner& runner) {
  const auto& failures = runner.failures();
  if (!context.json()) {
    context.out << fmt::format("{}: {}, {}\n", printable(options.scenario),
                               counted(runner.expectations(), "expectation"),
                               failures.empty() ? "all met" : counted(failures.size(), "failure"));
  } else if (!options.summary) {
    print_json(context.out, {{"scenario", options.scenario},
                             {"expectations", runner.expectations()},
                             {"all_met", failures.empty()},
                             {"failures", failures}});
  }
}

// What it was made from, without what differs from run to run.
void write_report(Context& context, const SimOptions& options, const Scenario& scenario,
                  const Runner& runner, RunReport& run) {
  report::Report made = run.end(runner.engine().engine());
  made.title =
      "Simulated run of " + std::filesystem::path(scenario.file).filename().string();
  made.subtitle = fmt::format("{} simulated; times count from the start of the run.",
                              short_duration(runner.engine().elapsed()));
  made.made_from.insert(made.made_from.begin(),
                        {{"scenario", scenario.file},
                         {"seed", std::to_string(scenario.model.seed)},
                         {"span", short_duration(runner.engine().elapsed())}});
  made.made_from.emplace_back("made by", "weir sim, version " WEIR_VERSION);
  if (const std::string notice = runner.notice(); !notice.empty()) made.notes.push_back(notice);
  for (const std::string& failure : runner.failures()) {
    if (made.notes.size() < 20) made.notes.push_back(failure);
  }
  Sink sink(context, options.report);
  sink.stream() << report::html(made);
  sink.close();
}

int list_rules(Context& context) {
  Json list = Json::array();
  Table table({{"RULE"}, {.header = "SAYS", .least_width = 20}});
  for (const check::Rule& rule : check::rules()) {
    list.push_back({{"rule", std::string(rule.name)}, {"says", std::string(rule.says)}});
    table.add({std::string(rule.name), std::string(rule.says)});
  }
  if (context.json()) {
    print_json(context.out, list);
  } else {
    context.out << table.render(context.columns());
  }
  return kExitDone;
}

}  // namespace

int run_scenario(Context& context, const SimOptions& options, const PolicyFactory& policies,
                 Observer* before_checker) {
  const auto scenario = load_scenario(options.scenario);
  if (!scenario) throw CliFailure::findings(kExitRefused, findings(scenario.error()));
  Watch watch(options, scenario->has_trace);
  auto runner = Runner::create(*scenario, policies);
  if (!runner) throw CliFailure::findings(kExitRefused, findings(runner.error()));
  const auto events = Sink::of(context, options.events);
  if (events) (*runner)->write_events(events->stream());
  const auto samples = Sink::of(context, options.samples);
  if (samples) (*runner)->write_samples(samples->stream());
  if (options.summary) (*runner)->summarise();
  RunReport report;
  if (!options.report.empty()) (*runner)->watch(report);
  if (before_checker != nullptr) (*runner)->watch(*before_checker);
  watch.begin(**runner);
  const auto started = std::chrono::steady_clock::now();
  (*runner)->run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  if (events) events->close();
  if (samples) samples->close();
  if (!options.report.empty()) write_report(context, options, *scenario, **runner, report);
  if (options.summary) show_summary(context, **runner, wall.count());
  if (const std::string notice = (*runner)->notice(); !notice.empty()) {
    context.err << printable(options.scenario + ": " + notice) << "\n";
  }
  const std::string breach = watch.end(**runner, scenario->has_trace);
  const auto& failures = (*runner)->failures();
  for (const std::string& failure : failures) context.err << printable(failure) << "\n";
  if (!breach.empty()) {
    throw CliFailure::findings(
        kExitNotSo, {fmt::format("{}: the run was stopped: {}", options.scenario, breach)});
  }
  const bool text_on_stdout =
      options.events == "-" || options.samples == "-" || options.report == "-";
  if (!text_on_stdout) show_outcome(context, options, **runner);
  return failures.empty() ? kExitDone : kExitNotSo;
}

void add_sim_options(CLI::App& command, SimOptions& options) {
  command.add_option("SCENARIO", options.scenario, "a scenario file (docs/scenarios.md)");
  command.add_option("--events", options.events,
                     "write what happens, one JSON object a line; - is stdout");
  command.add_option("--samples", options.samples,
                     "write each queue's figures at every update, one JSON object a line");
  command.add_option("--report", options.report,
                     "write the run as a page with charts: one HTML file, to look at or print");
  command.add_flag("--summary", options.summary,
                   "responses, waits, slot use, locality, kills and fairness, per queue");
  command
      .add_option("--check", options.check,
                  "full: after every input what must always be true; sampled: now and then; off\n"
                  "(default: full, with a trace sampled)")
      ->check(CLI::IsMember({"full", "sampled", "off"}));
}

void add_sim_command(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("sim", "run a scenario on the JobTracker's engine, in no time");
  command->group("Simulation");
  const auto options = std::make_shared<SimOptions>();
  const auto rules = std::make_shared<bool>(false);
  add_sim_options(*command, *options);
  command->add_flag("--list-rules", *rules, "what --check looks at");
  add_output_option(*command, context);
  command->footer(
      "Exit codes: 0 all expectations met, 1 one was not or a rule was broken, 2 the scenario is "
      "wrong.\nRandom scenarios, and rules broken on purpose: `weir-lab`, in the development build "
      "(docs/testing.md).\n\n"
      "Examples:\n"
      "  weir sim tests/scenarios/sim/manual.yaml\n"
      "  weir sim day.yaml --summary\n"
      "  weir sim day.yaml --report day.html\n"
      "  weir sim day.yaml --events day.jsonl --samples -");
  command->callback([&context, options, rules] {
    context.action = [&context, options, rules] {
      if (*rules) return list_rules(context);
      if (options->scenario.empty()) throw wrong_use("which SCENARIO? See `weir sim --help`");
      return run_scenario(context, *options, policy_factory(), nullptr);
    };
  });
}

}  // namespace weir::cli
