// Paths as trackers see them, of what a user types.
#pragma once

#include <string>

namespace weir::cli {

// Absolute and without "." and "..". Refused (exit code 2) if there is none.
std::string absolute_path(const std::string& path);

}  // namespace weir::cli
