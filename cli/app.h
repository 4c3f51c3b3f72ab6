// The door of the binary. weir_main handles what must not go through option parsing (the hidden
// `weir run-task SPEC`, by which a tracker starts a task) and calls run_cli; run_cli builds the
// commands, parses, runs the chosen action and turns every failure into lines on stderr and an exit
// code (cli/exit_code.h). This is the edge at which exceptions end. One thread, but for the
// daemons' own.
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
