// How jobs and attempts look to people: the table of `weir job list` (and with --history), the
// lines of `weir job status`, the table of attempts. Pure functions, any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/table.h"
#include "views/attempt_view.h"
#include "views/job_view.h"

namespace weir::cli {

Table job_table(const std::vector<JobView>& jobs);
Table history_table(const std::vector<JobView>& jobs);
Table attempt_table(const std::vector<AttemptView>& attempts);
std::string job_details(const JobView& job);

}  // namespace weir::cli
