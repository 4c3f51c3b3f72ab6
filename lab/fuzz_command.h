// `weir-lab fuzz`: random stories from the command line, first about the rules
// (lab/stories/fuzz.h), then under faults (lab/faults/fault_fuzz.h), with a bar on a terminal, a
// table of the rules and faults that were come to, and for a failing seed the command that brings
// it back.
#pragma once

#include <cstdint>
#include <string>

#include "cli/context.h"

namespace weir::cli {

struct FuzzFlags {
  std::uint64_t seeds = 1000;
  std::uint64_t first_seed = 1;
  std::string only;        // rules or faults; empty: both
  std::string check;       // full, sampled or off; empty is full
  std::string break_rule;  // a rule that is broken on purpose; empty: none
  std::string plant;       // an error put into the product; empty: none
  std::string events;
};

void add_fuzz_command(CLI::App& app, Context& context);

}  // namespace weir::cli
