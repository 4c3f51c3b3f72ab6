#include "cli/fuzz_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <vector>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/table.h"
#include "conf/policies.h"
#include "sim/fuzz.h"

namespace weir::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One line that is drawn over itself, at most a few times a second.
class Bar {
 public:
  Bar(Context& context, std::uint64_t seeds) : context_(context), seeds_(seeds) {}
  void show(std::uint64_t done) {
    if (!context_.terminal.err) return;
    const double elapsed = seconds_since(start_);
    if (done < seeds_ && elapsed - shown_ < 0.2) return;
    shown_ = elapsed;
    constexpr std::size_t kWidth = 30;
    const auto full = static_cast<std::size_t>(done * kWidth / seeds_);
    const double left = elapsed / static_cast<double>(done) * static_cast<double>(seeds_ - done);
    context_.err << fmt::format("\r[{:#<{}}{:-<{}}] {}/{} seeds, about {:.0f} s left ", "", full,
                                "", kWidth - full, done, seeds_, left);
    drawn_ = true;
    context_.err.flush();
  }
  void clear() {
    if (drawn_) context_.err << "\r\033[K";
  }

 private:
  Context& context_;
  std::uint64_t seeds_;
  Clock::time_point start_ = Clock::now();
  double shown_ = -1;
  bool drawn_ = false;
};

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
  Table table({{"RULE"}, {"TIMES", true}, {"WHEN", false, 20}});
  for (const auto& [rule, says] : RuleTally::rules()) {
    table.add({std::string(rule), std::to_string(report.tally.count(rule)), std::string(says)});
  }
  context.out << table.render();
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

}  // namespace

int run_fuzz_command(Context& context, const FuzzFlags& flags, const std::string& check,
                     const std::string& break_rule, std::ostream* events) {
  FuzzOptions options;
  options.first_seed = flags.first_seed;
  options.seeds = flags.seeds;
  options.check = check::parse_check_mode(check).value_or(check::CheckMode::kFull);
  options.break_rule = break_rule;
  options.events = events;
  if (options.seeds == 0) throw wrong_use("--seeds: at least 1");
  Bar bar(context, options.seeds);
  const auto start = Clock::now();
  const auto report =
      run_fuzz(options, policy_factory(), [&](std::uint64_t done) { bar.show(done); });
  bar.clear();
  if (!report) throw wrong_use(report.error().message + "; " + report.error().hint);
  if (report->failed_seed) {
    const std::string broken = break_rule.empty() ? "" : " --break " + break_rule;
    throw CliFailure::findings(
        kExitNotSo, {fmt::format("seed {}: {}", *report->failed_seed, to_string(report->breach)),
                     fmt::format("again: weir sim --fuzz --first-seed {} --seeds 1{}",
                                 *report->failed_seed, broken)});
  }
  if (events != &context.out) show_tally(context, *report);
  const double wall = seconds_since(start);
  context.err << fmt::format("{:.1f} s, {:.1f} seeds a second, --check {}\n", wall,
                             static_cast<double>(report->seeds) / wall, name(options.check));
  const auto missing = never(*report);
  if (missing.empty() || report->seeds < kSeedsForEveryRule) return kExitDone;
  throw CliFailure::findings(kExitNotSo,
                             {fmt::format("{} seeds, and these rules never decided anything: {}",
                                          report->seeds, fmt::join(missing, ", "))});
}

}  // namespace weir::cli
