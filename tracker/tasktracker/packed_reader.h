// Reads a compressed file (unpacker.h) as a stream of bytes: one chunk of the file at a time,
// member after member. A file that ends within a member, or is not what its name says, is an error
// that says where; an empty file is empty. Blocking reads; one reader belongs to one thread.
#pragma once

#include <string>

#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/split_reader.h"

namespace weir::tasktracker {

Result<std::unique_ptr<SplitReader>> open_packed(const std::string& path, UniqueFd fd,
                                                 std::int64_t size);

}  // namespace weir::tasktracker
