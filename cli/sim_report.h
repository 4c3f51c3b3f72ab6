// How `weir sim` shows a run: the summary as tables or JSON. Numbers are written with fixed
// decimals, so that the same run gives the same bytes. Pure functions, one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "sim/summary.h"

namespace weir::cli {

// `dimensions`: of containers, if these count.
std::string summary_tables(const std::vector<SummaryRow>& rows,
                           const std::vector<std::string>& dimensions, std::size_t width);
Json summary_json(const std::vector<SummaryRow>& rows, const std::vector<std::string>& dimensions);

}  // namespace weir::cli
