// The charts of slots over time: what the cluster's slots were used for, and of each queue its use
// against its guarantee, with what it lent and borrowed. Pure functions, any thread.
#pragma once

#include <string>

#include "report/report.h"

namespace weir::report {

std::string cluster_charts(const Report& report);
std::string queue_charts(const Report& report);
// Tasks killed for others over time; nothing, if none was.
std::string kill_chart(const Report& report);

}  // namespace weir::report
