// `weir report`: the last hours of a cluster as one HTML page with charts (report/report.h), from
// the series, the history and the decisions of its HTTP API. One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_report_command(CLI::App& app, Context& context);

}  // namespace weir::cli
