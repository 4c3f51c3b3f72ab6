// The parts of a report that are no plots over time: totals, waits by queue, who lost tasks to
// whom, the slowest jobs. Pure functions, any thread.
#pragma once

#include <string>

#include "report/report.h"

namespace weir::report {

std::string headline(const Report& report);  // the few figures that say most
std::string totals_table(const Report& report);
std::string wait_charts(const Report& report);
std::string kill_table(const Report& report);
std::string slow_jobs(const Report& report);

}  // namespace weir::report
