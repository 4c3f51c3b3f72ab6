// What every command shares: where to write, what the terminal can do, which JobTracker to ask, who
// is asking, and the action that parsing chose. Parsing only fills this in; run_cli runs the action
// afterwards, so no command runs before its whole line has been understood. One thread.
#pragma once

#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "cli/table.h"
#include "jobqueue/model/caller.h"

namespace CLI {
class App;
}

namespace weir::cli {

struct Terminal {
  bool out = false;      // stdout is a terminal
  bool err = false;      // stderr is one
  bool colours = false;  // stdout is one, and neither NO_COLOR nor TERM=dumb says otherwise
  std::size_t columns = 80;  // its width, if stdout is one
  bool in = false;  // somebody can be asked: stdin is a terminal, and stderr is
};
Terminal detect_terminal();
// $COLUMNS if it is a number, else what the terminal says of itself, else 80.
std::size_t terminal_columns(const std::string& environment, std::size_t said);

struct Context {
  Context(std::istream& in, std::ostream& out, std::ostream& err, Terminal terminal)
      : in(in), out(out), err(err), terminal(terminal) {}

  std::istream& in;  // answers to what is asked on a terminal
  std::ostream& out;
  std::ostream& err;
  Terminal terminal;
  std::string jobtracker;  // HOST:PORT as given; empty: WEIR_JOBTRACKER or the default
  std::string user;        // --user; empty: WEIR_USER or the process' user
  std::string format = "table";
  std::function<int()> action;

  bool json() const { return format == "json"; }
  bool wide() const { return format == "wide"; }
  // What tables are drawn for: nothing is cut that goes into a pipe or file.
  std::size_t columns() const { return terminal.out ? terminal.columns : kUncut; }
};

// The options that many commands have.
void add_connection_options(CLI::App& command, Context& context);  // --jobtracker
void add_output_option(CLI::App& command, Context& context);       // -o
void add_wide_output_option(CLI::App& command, Context& context);  // likewise, of tables with more
// Of a user: an empty name is refused, as it would stand for whoever calls, or for everybody.
void add_user_option(CLI::App& command, const std::string& names, std::string& user,
                     const std::string& what);
// Who asks; where --user selects, too, by --as alone.
void add_caller_option(CLI::App& command, Context& context,
                       const std::string& names = "--as,--user");

// HOST:PORT to talk to, from the option, the environment or the default.
std::string jobtracker_address(const Context& context);
// Self-declared: the JobTracker believes it until there are tokens.
Caller caller(const Context& context);

}  // namespace weir::cli
