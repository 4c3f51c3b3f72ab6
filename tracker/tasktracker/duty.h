// A job's output and its last step, as the JobTracker speaks of them. Any thread.
#pragma once

#include "jobqueue/model/input.h"
#include "tracker/tasktracker/job_output.h"

namespace weir::tasktracker {

JobOutput output_of(const JobDescription& job);
Status do_duty(const Duty& duty, FileSystem& files = posix_files());

}  // namespace weir::tasktracker
