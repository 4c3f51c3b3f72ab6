// How jobs and attempts look to people: the table of `weir job list` (and with --history), the
// lines of `weir job status`, the table of attempts. Pure functions, any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/table.h"
#include "client_types.h"

namespace weir::cli {

Table job_table(const std::vector<wire::JobStatus>& jobs);
Table history_table(const std::vector<wire::JobStatus>& jobs);
Table attempt_table(const std::vector<wire::AttemptInfo>& attempts);
std::string job_details(const wire::JobStatus& job);

}  // namespace weir::cli
