// The small files that travel with a job, written into the working directory of an attempt before
// its command starts. Names come from afar: one that could lead out of the directory is an error,
// nothing that is there is written over, and no link is followed. Blocking, any thread.
#pragma once

#include <string>
#include <vector>

#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"

namespace weir::tasktracker {

Status write_job_files(const std::string& directory, const std::vector<JobFile>& files);

}  // namespace weir::tasktracker
