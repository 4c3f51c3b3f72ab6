// Jobs of a trace: one JSON object a line, plain or .gz, with the keys job, submit_s, user, queue,
// maps, reduces, map_s, reduce_s, copy_s (a number, or one per task; -1 is not recorded and takes
// the mean of those that are). Other keys are ignored. Every error in the file is reported with its
// line. `divide` shrinks each job's tasks by that factor, rounded up, for a smaller cluster.
// Reading is one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conf/diagnostics.h"
#include "sim/job_plan.h"

namespace weir {

struct TraceOptions {
  std::int64_t divide = 1;
  std::int64_t limit = 0;  // only the first so many jobs; 0: all
};

// By time of submission; only good if `out` has no errors. `out` names the trace's file.
std::vector<JobPlan> load_trace(const std::string& file, const TraceOptions& options,
                                Diagnostics& out);

}  // namespace weir
