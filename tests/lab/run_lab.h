// `weir-lab` called in this process, with what it printed.
#pragma once

#include "cli/run_weir.h"
#include "lab/app.h"

namespace weir::cli {

inline Ran lab(std::vector<std::string> arguments) {
  std::istringstream in;
  std::ostringstream out, err;
  const int code = run_lab(std::move(arguments), out, err, {}, in);
  return {code, out.str(), err.str()};
}

}  // namespace weir::cli
