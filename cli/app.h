// The door of the binary `weir`. weir_main handles what must not go through option parsing: the
// hidden `weir serve-attempts`, by which a tracker starts tasks, and what belongs to weir-lab
// (cli/lab_hand_over.h). run_cli is `weir` in its frame (cli/frame.h).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"

namespace weir::cli {

int weir_main(int argc, char** argv);
// `arguments` without the program's name; `in` is read when somebody at a terminal is asked.
int run_cli(std::vector<std::string> arguments, std::ostream& out, std::ostream& err,
            Terminal terminal, std::istream& in);

}  // namespace weir::cli
