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
#include "cli/fuzz_command.h"
#include "cli/json.h"
#include "cli/sim_report.h"
#include "cli/table.h"
#include "conf/policies.h"
#include "sim/checker_observer.h"
#include "sim/runner.h"
#include "sim/saboteur.h"

namespace weir::cli {
namespace {

struct SimOptions {
  std::string scenario;
  std::string events;
  std::string samples;
  bool summary = false;
  std::string check;       // empty: full, with a trace sampled
  std::string break_rule;  // empty: nothing is broken on purpose
  bool list_rules = false;
  FuzzFlags fuzz;
};

// Watches the run for breaches of what must always be true; for tests it also breaks a rule.
class Watch {
 public:
  explicit Watch(const SimOptions& options, bool has_trace) : mode_(mode_of(options, has_trace)) {
    auto saboteur = Saboteur::create(options.break_rule, 0);
    if (!saboteur) {
      throw wrong_use(
          fmt::format("--break: {}; {}", saboteur.error().message, saboteur.error().hint));
    }
    if (!options.break_rule.empty()) saboteur_ = std::move(saboteur).value();
  }
  PolicyFactory factory() const {
    return saboteur_ ? saboteur_->wrap(policy_factory()) : policy_factory();
  }
  void begin(Runner& runner) {
    if (saboteur_) runner.watch(*saboteur_);  // before the checker looks
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
  std::unique_ptr<Saboteur> saboteur_;
  std::unique_ptr<CheckerObserver> checker_;
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
    context.out << summary_tables(rows, context.columns()) << "\n";
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

int run_fuzz(Context& context, const SimOptions& options) {
  if (!options.scenario.empty() || !options.samples.empty() || options.summary) {
    throw wrong_use("--fuzz makes its own scenarios: no SCENARIO, --samples or --summary with it");
  }
  std::unique_ptr<Sink> events;
  if (!options.events.empty()) events = std::make_unique<Sink>(context, options.events);
  const int code = run_fuzz_command(context, options.fuzz, options.check, options.break_rule,
                                    events ? &events->stream() : nullptr);
  if (events) events->close();
  return code;
}

int run(Context& context, const SimOptions& options) {
  if (options.list_rules) return list_rules(context);
  if (options.fuzz.fuzz) return run_fuzz(context, options);
  if (options.scenario.empty()) throw wrong_use("which SCENARIO? See `weir sim --help`");
  const auto scenario = load_scenario(options.scenario);
  if (!scenario) throw CliFailure::findings(kExitRefused, findings(scenario.error()));
  Watch watch(options, scenario->has_trace);
  auto runner = Runner::create(*scenario, watch.factory());
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
  watch.begin(**runner);
  const auto started = std::chrono::steady_clock::now();
  (*runner)->run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  if (events) events->close();
  if (samples) samples->close();
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
  command->add_option("SCENARIO", options->scenario, "a scenario file (docs/scenarios.md)");
  command->add_option("--events", options->events,
                      "write what happens, one JSON object a line; - is stdout");
  command->add_option("--samples", options->samples,
                      "write each queue's figures at every update, one JSON object a line");
  command->add_flag("--summary", options->summary,
                    "responses, waits, slot use, locality, kills and fairness, per queue");
  command
      ->add_option("--check", options->check,
                   "full: after every input what must always be true; sampled: now and then; off\n"
                   "(default: full, with a trace sampled)")
      ->check(CLI::IsMember({"full", "sampled", "off"}));
  command->add_flag("--fuzz", options->fuzz.fuzz,
                    "random stories, one a seed: clusters, queues and loads under --check full; "
                    "then crashes,\nlost messages and dying trackers around the real store");
  command->add_option("--seeds", options->fuzz.seeds, "with --fuzz: how many")
      ->capture_default_str();
  command->add_option("--first-seed", options->fuzz.first_seed, "with --fuzz: where to begin")
      ->capture_default_str();
  command
      ->add_option("--only", options->fuzz.only,
                   "with --fuzz: rules (what policies decide) or faults (everything breaks); "
                   "default both")
      ->check(CLI::IsMember({"rules", "faults"}));
  command->add_option("--plant", options->fuzz.plant, "an error, to see it found")->group("");
  command->add_flag("--list-rules", options->list_rules, "what --check looks at");
  command->add_option("--break", options->break_rule, "break a rule, to see it caught")->group("");
  add_output_option(*command, context);
  command->footer(
      "Exit codes: 0 all expectations met, 1 one was not or a rule was broken, 2 the scenario is "
      "wrong.\n\n"
      "Examples:\n"
      "  weir sim tests/scenarios/sim/manual.yaml\n"
      "  weir sim day.yaml --summary\n"
      "  weir sim day.yaml --events day.jsonl --samples -\n"
      "  weir sim --fuzz --seeds 10000");
  command->callback([&context, options] {
    context.action = [&context, options] { return run(context, *options); };
  });
}

}  // namespace weir::cli
