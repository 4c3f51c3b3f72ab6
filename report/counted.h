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
// Figures of each class; those that are missing are 0.
void add_up(std::vector<double>& sum, const std::vector<double>& part);
double in_all(const std::vector<double>& of);

}  // namespace weir::report
