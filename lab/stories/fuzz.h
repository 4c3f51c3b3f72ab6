// Property runs: seed after seed a random story (fuzz_story.h) under the checker, with a tally of
// the rules that it came to. The first breach ends the run and names the seed, which alone brings
// it back. Deterministic; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "jobqueue/policy/policy.h"
#include "lab/stories/rule_tally.h"
#include "sim/checker/checker.h"

namespace weir {

struct FuzzOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1000;
  check::CheckMode check = check::CheckMode::kFull;
  std::string break_rule;          // for tests; empty: none
  std::ostream* events = nullptr;  // as of `weir sim --events`
};

struct FuzzReport {
  std::uint64_t seeds = 0;  // that were run
  std::uint64_t jobs = 0;
  RuleTally tally;
  std::optional<std::uint64_t> failed_seed;
  check::Breach breach;  // of that seed
};

// The fewest seeds of which is expected that they come to every rule.
inline constexpr std::uint64_t kSeedsForEveryRule = 1000;

// `progress` is told the number of seeds done. An error is an unknown rule in `break_rule`.
Result<FuzzReport> run_fuzz(const FuzzOptions& options, PolicyFactory factory,
                            const std::function<void(std::uint64_t)>& progress);

}  // namespace weir
