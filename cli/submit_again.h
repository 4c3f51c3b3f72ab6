// `weir job submit-again ID [changes]`: what the JobTracker has kept of a job goes through the same
// door as a new submission, with the options that are given in place of what it had. One thread.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/context.h"
#include "cli/submit_command.h"
#include "views/asked_view.h"

namespace weir::cli {

// What of the job has to be said again, as it is told to its user alone, or was too much to keep;
// none: nothing. In the words of the options.
std::vector<std::string> not_told(const AskedView& asked, const SubmitOptions& options);

void add_submit_again(CLI::App& group, Context& context);

}  // namespace weir::cli
