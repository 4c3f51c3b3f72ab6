// What a report counts, in words: slots of both classes together, containers by dimension. Pure
// functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace weir::report {

// So much of each class for a time: "35 slot-s"; "12.5 MB-min, 40 vcore-s".
std::string times_of(const Report& report, const std::vector<double>& seconds);
// Nothing where the policy had no such figure.
std::optional<std::string> times_of(const Report& report, const QueueTotals::Times& seconds);
// What killed tasks had run; a container counts as one.
std::string waste_of(const Report& report, double slot_seconds);

}  // namespace weir::report
