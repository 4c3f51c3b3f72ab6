// What the wire says of a job's output and of its last step. Any thread.
#pragma once

#include "tracker/tasktracker/job_output.h"
#include "tracker_types.h"

namespace weir::tasktracker {

JobOutput output_of(const wire::JobDescription& job);
Status do_duty(const wire::Duty& duty, FileSystem& files = posix_files());

}  // namespace weir::tasktracker
