// The frame of a binary that consists of commands: it builds them, parses, runs the action that was
// chosen and turns every failure into lines on stderr and an exit code (cli/exit_code.h). This is
// the edge at which exceptions end. One thread, but for the daemons' own.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"

namespace weir::cli {

struct Program {
  std::string name;  // as it is typed; it also stands before every message
  std::string what;  // it is, in a sentence
  std::string footer;
  void (*add_commands)(CLI::App& app, Context& context);
};

// `arguments` without the program's name; `in` is read when somebody at a terminal is asked.
int run_program(const Program& program, std::vector<std::string> arguments, std::ostream& out,
                std::ostream& err, Terminal terminal, std::istream& in);

}  // namespace weir::cli
