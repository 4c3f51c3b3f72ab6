// What a leaf is owed, task by task, by capacity.md, "Which queue, which job": its wanted tasks in
// the leaf's order, up to the first that does not fit now though it would if the queue ran nothing;
// one that could never fit is passed. Hard user limits, which pass more, are not looked at.
#pragma once

#include <cstdint>
#include <map>

#include "sim/checker/census.h"
#include "sim/checker/expected.h"

namespace weir::check {

struct OwedTasks {
  std::map<std::int64_t, std::int64_t> by_width;  // width -> tasks
  std::int64_t slots = 0;
};
// Of so many slots. `with_dying`: tasks that are ordered to die and wanted again, too.
OwedTasks owed_tasks(const Census& census, TaskKind kind, QueueId leaf, const ExpectedQueue& line,
                     std::int64_t slots, bool with_dying);

}  // namespace weir::check
