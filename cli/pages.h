// Lists that may be longer than a frame, asked for page by page.
#pragma once

#include <vector>

#include "cli/connection.h"

namespace weir::cli {

// As many as the filter's limit says, 1,000 if it says none.
std::vector<wire::JobStatus> listed_jobs(JobTracker& jobtracker, wire::JobFilter filter);
std::vector<wire::JobStatus> listed_history(JobTracker& jobtracker, wire::HistoryFilter filter);
std::vector<wire::QueueStatus> listed_queues(JobTracker& jobtracker);
std::vector<wire::TrackerStatus> listed_trackers(JobTracker& jobtracker);

}  // namespace weir::cli
