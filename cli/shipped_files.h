// `--files a.py,b.txt`: the small files that travel with a job into the working directory of each
// of its attempts, under their last names. What is missing, unreadable or too large, and two of one
// name, are refused (exit code 2) by their paths. One thread.
#pragma once

#include <string>
#include <vector>

#include "common_types.h"

namespace weir::cli {

inline constexpr std::size_t kMostShipped = 100;
inline constexpr std::int64_t kShippedFileBytes = 1 << 20;
inline constexpr std::int64_t kShippedBytes = 4 << 20;  // in all

// `lists`: as typed, each with commas.
std::vector<std::string> shipped_paths(const std::vector<std::string>& lists);
std::vector<wire::JobFile> read_shipped(const std::vector<std::string>& paths);

}  // namespace weir::cli
