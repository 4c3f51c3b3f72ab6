// What a tree takes of the disk: blocks of its files and directories, links not followed. It may be
// of any depth and changing meanwhile; two descriptors are enough. A directory that is moved out
// from under the walk ends it early: the next measure sees it. Any thread, but not the agent's: a
// tree may be large.
#pragma once

#include <cstdint>
#include <string>

namespace weir::tasktracker {

struct TreeSize {
  std::int64_t bytes = 0;
  std::int64_t entries = 0;
  bool complete = true;  // false: it has more than `most_entries`, or was moved
};

// 0 of what is not there.
TreeSize tree_size(const std::string& path, std::int64_t most_entries = INT64_MAX);

}  // namespace weir::tasktracker
