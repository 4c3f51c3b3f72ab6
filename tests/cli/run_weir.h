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

inline Ran run(std::vector<std::string> arguments, Terminal terminal = {}) {
  std::ostringstream out, err;
  const int code = run_cli(std::move(arguments), out, err, terminal);
  return {code, out.str(), err.str()};
}

}  // namespace weir::cli
