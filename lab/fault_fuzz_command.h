// The part of `weir-lab fuzz` in which everything breaks (lab/faults/fault_fuzz.h).
#pragma once

#include <ostream>

#include "cli/context.h"
#include "lab/fuzz_command.h"

namespace weir::cli {

// `events` may be null. Returns the exit code.
int run_fault_stories(Context& context, const FuzzFlags& flags, std::ostream* events);

}  // namespace weir::cli
