#include "cli/fuzz_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "cli/exit_code.h"
#include "cli/fault_fuzz_command.h"
#include "cli/fuzz_bar.h"
#include "cli/json.h"
#include "cli/table.h"
#include "conf/policies.h"
#include "sim/fuzz.h"

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

int run_rule_stories(Context& context, const FuzzFlags& flags, const std::string& check,
                     const std::string& break_rule, std::ostream* events) {
  FuzzOptions options;
  options.first_seed = flags.first_seed;
  options.seeds = flags.seeds;
  options.check = check::parse_check_mode(check).value_or(check::CheckMode::kFull);
  options.break_rule = break_rule;
  options.events = events;
  FuzzBar bar(context, options.seeds);
  const auto report =
      run_fuzz(options, policy_factory(), [&](std::uint64_t done) { bar.show(done); });
  bar.clear();
  if (!report) throw wrong_use(report.error().message + "; " + report.error().hint);
  if (report->failed_seed) {
    const std::string broken = break_rule.empty() ? "" : " --break " + break_rule;
    throw CliFailure::findings(
        kExitNotSo, {fmt::format("seed {}: {}", *report->failed_seed, to_string(report->breach)),
                     fmt::format("again: weir sim --fuzz --only rules --first-seed {} --seeds 1{}",
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

}  // namespace

int run_fuzz_command(Context& context, const FuzzFlags& flags, const std::string& check,
                     const std::string& break_rule, std::ostream* events) {
  if (flags.seeds == 0) throw wrong_use("--seeds: at least 1");
  const bool rules = flags.only != "faults" && flags.plant.empty();
  const bool faults = flags.only != "rules" && break_rule.empty();
  if (!rules && !faults) throw wrong_use("--break is for --only rules, --plant for --only faults");
  if (rules && faults && events != nullptr) {
    throw wrong_use("--events with --fuzz: of one kind of story, --only rules or --only faults");
  }
  if (rules && faults && context.json()) {
    throw wrong_use("-o json with --fuzz: of one kind of story, --only rules or --only faults");
  }
  int code = kExitDone;
  if (rules) code = run_rule_stories(context, flags, check, break_rule, events);
  if (faults && code == kExitDone) code = run_fault_stories(context, flags, events);
  return code;
}

}  // namespace weir::cli
