// `weir sim --fuzz`: random stories from the command line, first about the rules (sim/fuzz.h), then
// under faults (sim/faults/fault_fuzz.h), with a bar on a terminal, a table of the rules and faults
// that were come to, and for a failing seed the command that brings it back.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "cli/context.h"

namespace weir::cli {

struct FuzzFlags {
  bool fuzz = false;
  std::uint64_t seeds = 1000;
  std::uint64_t first_seed = 1;
  std::string only;   // rules or faults; empty: both
  std::string plant;  // for tests: an error put into the product; empty: none
};

// `check`: full, sampled or off; empty is full. `events` may be null. Returns the exit code.
int run_fuzz_command(Context& context, const FuzzFlags& flags, const std::string& check,
                     const std::string& break_rule, std::ostream* events);

}  // namespace weir::cli
