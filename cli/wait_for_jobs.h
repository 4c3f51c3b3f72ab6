// Watching several jobs to their end, for `weir job wait`: a line for each when it is over, on a
// terminal also one that is redrawn with how many are. What cannot be watched (there is no such
// job) is told like a job that failed, and the others go on being watched. ^C ends the watching,
// never a job. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/connection.h"
#include "cli/context.h"
#include "cli/json.h"

namespace weir::cli {

// Returns the exit code: 0 only if all of them SUCCEEDED.
int wait_for_jobs(Context& context, JobTracker& jobtracker,
                  const std::vector<std::int64_t>& jobs);

// A job about which something was refused, for scripts: {"job", "number", "error": {...}}.
Json refusal_json(const std::string& name, std::int64_t number, const Refused& refused);

}  // namespace weir::cli
