// What tasks count while they run, and jobs in sum: group -> counter -> value.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace weir {

using Counters = std::map<std::string, std::map<std::string, std::int64_t>>;

}  // namespace weir
