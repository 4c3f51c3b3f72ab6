// Watching one job to its end, for `weir submit --wait` and `weir job wait`: asks for its status
// again and again, shows progress (a redrawn line on a terminal, else plain lines when something
// changed, seconds apart) and then the result. A JobTracker that is away for a while is waited for:
// the job is durable and goes on without anybody watching. ^C ends the watching, and the job only
// if who is asked says so. One thread.
#pragma once

#include <cstdint>

#include "cli/connection.h"
#include "cli/context.h"
#include "jobqueue/model/counters.h"

namespace weir::cli {

// What ^C does on a terminal; elsewhere the job always goes on.
enum class OnInterrupt : std::uint8_t { kGoesOn, kAsks };

// Returns the exit code: 0 only if the job SUCCEEDED. `version` is that of the reply which made the
// job.
int follow_job(Context& context, JobTracker& jobtracker, std::int64_t job, std::int64_t version,
               OnInterrupt on_interrupt);

// From its submission to its end, "1m20s".
std::string time_taken(const JobView& job);
// Of a job that is over and has not succeeded: one line that says why.
std::string why_not_succeeded(const JobView& job);

// `counters:` and a line for each; nothing if there are none.
std::string counter_lines(const Counters& counters);

}  // namespace weir::cli
