// `weir` called in this process, with what it printed.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/app.h"

namespace weir::cli {

struct Ran {
  int code;
  std::string out, err;
};

// `typed`: what somebody at the terminal answers.
inline Ran run(std::vector<std::string> arguments, Terminal terminal = {},
               const std::string& typed = "") {
  std::istringstream in(typed);
  std::ostringstream out, err;
  const int code = run_cli(std::move(arguments), out, err, terminal, in);
  return {code, out.str(), err.str()};
}

}  // namespace weir::cli
