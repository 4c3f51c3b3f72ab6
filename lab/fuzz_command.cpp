#include "lab/fuzz_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/sink.h"
#include "cli/table.h"
#include "conf/policies.h"
#include "lab/fault_fuzz_command.h"
#include "lab/fuzz_bar.h"
#include "lab/stories/fuzz.h"

namespace weir::cli {
namespace {

void show_tally(Context& context, const FuzzReport& report) {
  if (context.json()) {
    Json rules = Json::object();
    for (const auto& [rule, says] : RuleTally::rules()) {
      rules[std::string(rule)] = report.tally.count(rule);
    }
    print_json(context.out, {{"seeds", report.seeds},
                             {"inputs", report.tally.steps()},
                             {"jobs", report.jobs},
                             {"rules", rules}});
    return;
  }
  Table table({{"RULE"},
               {.header = "TIMES", .right = true},
               {.header = "WHEN", .least_width = 20}});
  for (const auto& [rule, says] : RuleTally::rules()) {
    table.add({std::string(rule), std::to_string(report.tally.count(rule)), std::string(says)});
  }
  context.out << table.render(context.columns());
  context.out << fmt::format("{} seeds, {} inputs, {} jobs: every rule held after every input\n",
                             report.seeds, report.tally.steps(), report.jobs);
}

// Rules that no seed came to, of those counted.
std::vector<std::string> never(const FuzzReport& report) {
  std::vector<std::string> rules;
  for (const auto& [rule, says] : RuleTally::rules()) {
    if (report.tally.count(rule) == 0) rules.push_back(std::string(rule));
  }
  return rules;
}

int run_rule_stories(Context& context, const FuzzFlags& flags, std::ostream* events) {
  FuzzOptions options;
  options.first_seed = flags.first_seed;
  options.seeds = flags.seeds;
  options.check = check::parse_check_mode(flags.check).value_or(check::CheckMode::kFull);
  options.break_rule = flags.break_rule;
  options.events = events;
  FuzzBar bar(context, options.seeds);
  const auto report =
      run_fuzz(options, policy_factory(), [&](std::uint64_t done) { bar.show(done); });
  bar.clear();
  if (!report) throw wrong_use(report.error().message + "; " + report.error().hint);
  if (report->failed_seed) {
    const std::string broken = flags.break_rule.empty() ? "" : " --break " + flags.break_rule;
    throw CliFailure::findings(
        kExitNotSo, {fmt::format("seed {}: {}", *report->failed_seed, to_string(report->breach)),
                     fmt::format("again: weir-lab fuzz --only rules --first-seed {} --seeds 1{}",
                                 *report->failed_seed, broken)});
  }
  if (events != &context.out) show_tally(context, *report);
  const double wall = bar.seconds();
  context.err << fmt::format("{:.1f} s, {:.1f} seeds a second, --check {}\n", wall,
                             static_cast<double>(report->seeds) / wall, name(options.check));
  const auto missing = never(*report);
  if (missing.empty() || report->seeds < kSeedsForEveryRule) return kExitDone;
  throw CliFailure::findings(kExitNotSo,
                             {fmt::format("{} seeds, and these rules never decided anything: {}",
                                          report->seeds, fmt::join(missing, ", "))});
}

int run(Context& context, const FuzzFlags& flags) {
  if (flags.seeds == 0) throw wrong_use("--seeds: at least 1");
  const bool rules = flags.only != "faults" && flags.plant.empty();
  const bool faults = flags.only != "rules" && flags.break_rule.empty();
  if (!rules && !faults) throw wrong_use("--break is for --only rules, --plant for --only faults");
  if (rules && faults && !flags.events.empty()) {
    throw wrong_use("--events: of one kind of story, --only rules or --only faults");
  }
  if (rules && faults && context.json()) {
    throw wrong_use("-o json: of one kind of story, --only rules or --only faults");
  }
  const auto sink = Sink::of(context, flags.events);
  std::ostream* events = sink ? &sink->stream() : nullptr;
  int code = kExitDone;
  if (rules) code = run_rule_stories(context, flags, events);
  if (faults && code == kExitDone) code = run_fault_stories(context, flags, events);
  if (sink) sink->close();
  return code;
}

}  // namespace

void add_fuzz_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "fuzz", "random stories, one a seed: of rules, then of everything that breaks");
  const auto flags = std::make_shared<FuzzFlags>();
  command
      ->add_option("--only", flags->only,
                   "rules: clusters, queues and loads under --check; faults: crashes, lost "
                   "messages\nand dying trackers around the real store (default: both)")
      ->check(CLI::IsMember({"rules", "faults"}));
  command->add_option("--seeds", flags->seeds, "how many")->capture_default_str();
  command->add_option("--first-seed", flags->first_seed, "where to begin")->capture_default_str();
  command
      ->add_option("--check", flags->check,
                   "full: after every input what must always be true; sampled: now and then; off")
      ->check(CLI::IsMember({"full", "sampled", "off"}));
  command->add_option("--break", flags->break_rule,
                      "break a rule, to see it caught (`weir sim --list-rules` has them)");
  command->add_option("--plant", flags->plant,
                      "an error in the product, to see it found (a wrong one lists them)");
  command->add_option("--events", flags->events,
                      "write what happens, one JSON object a line; - is stdout");
  add_output_option(*command, context);
  command->footer(
      "Exit codes: 0 all held, 1 a seed broke something, 2 wrong use. docs/testing.md says what is "
      "looked at.\n\n"
      "Examples:\n"
      "  weir-lab fuzz --seeds 10000\n"
      "  weir-lab fuzz --only rules --first-seed 42 --seeds 1 --events -\n"
      "  weir-lab fuzz --only rules --break user-limit\n"
      "  weir-lab fuzz --only faults --plant lost_kill");
  command->callback([&context, flags] {
    context.action = [&context, flags] { return run(context, *flags); };
  });
}

}  // namespace weir::cli
