// `--files a.py,b.txt`: the small files that travel with a job into the working directory of each
// of its attempts, under their last names. What is missing, unreadable or too large, and two of one
// name, are refused (exit code 2) by their paths. One thread.
#pragma once

#include <string>
#include <vector>

#include "common_types.h"

namespace weir::cli {

// `lists`: as typed, each with commas.
std::vector<std::string> shipped_paths(const std::vector<std::string>& lists);
std::vector<wire::JobFile> read_shipped(const std::vector<std::string>& paths);

}  // namespace weir::cli
