// What an attempt is to do: a TaskSpec as a Thrift struct (thrift/task.thrift). It is read back
// strictly: a field that is missing, not known or of another type, a short file and bytes behind
// the end are errors that say which. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

std::string encode_task_spec(const TaskSpec& spec);
Result<TaskSpec> decode_task_spec(std::string_view bytes);

}  // namespace weir::tasktracker
