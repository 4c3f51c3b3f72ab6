// The door of the binary `weir-lab`: what tries Weir out and is not for its users, in the same
// frame as `weir` (cli/frame.h).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"

namespace weir::cli {

// `arguments` without the program's name.
int run_lab(std::vector<std::string> arguments, std::ostream& out, std::ostream& err,
            Terminal terminal, std::istream& in);

}  // namespace weir::cli
