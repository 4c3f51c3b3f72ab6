// The input of a map of several pieces of files: one reader over all of them, in their order. A
// file is opened when its turn comes. What does not end with a newline gets one before the next
// piece, so that no line runs on from one file into another. Blocking reads; one reader belongs to
// one thread.
#pragma once

#include <memory>
#include <vector>

#include "tracker/tasktracker/split_reader.h"
#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

// The first piece is opened at once.
Result<std::unique_ptr<SplitReader>> open_pieces(const TaskSpec& spec);

}  // namespace weir::tasktracker
