// An application in a file, for `weir run -f` (docs/applications.md). Pure, one load, one thread.
#pragma once

#include <string>
#include <string_view>

#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"

namespace weir {

// `name`: of the file, for messages. The error has a line for each thing that is wrong, with its
// place. Without who submits it; what it says of amounts is checked where it is submitted.
Result<JobSpec> read_job_file(const std::string& name, std::string_view text);

}  // namespace weir
