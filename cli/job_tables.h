// How jobs and attempts look to people: the table of `weir job list` (and with --history), the
// lines of `weir job status`, the table of attempts. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/table.h"
#include "views/attempt_view.h"
#include "views/job_view.h"

namespace weir::cli {

Table job_table(const std::vector<JobView>& jobs);
// Of these columns alone, which are of job_column_names().
Table job_table(const std::vector<JobView>& jobs, const std::vector<std::string_view>& names);
std::vector<std::string_view> job_column_names();  // all, as in -o wide
Table history_table(const std::vector<JobView>& jobs);
Table attempt_table(const std::vector<AttemptView>& attempts);
std::string job_details(const JobView& job);

}  // namespace weir::cli
