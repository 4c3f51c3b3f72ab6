// The files of a control group, of version 1 and 2: what is written to them and read from them.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "jobqueue/model/result.h"

namespace weir::tasktracker {

Status write_control(const std::string& path, const std::string& text);
std::string read_control(const std::string& path);  // without the last newline; empty: not there

// 0: none. Swap counts as memory where that can be said.
Status set_memory_limit(const std::string& directory, int version, std::int64_t megabytes);
// Of processor time; 0: none.
Status set_core_limit(const std::string& directory, int version, std::int64_t cores);

}  // namespace weir::tasktracker
