// How a job's progress looks: a line with two bars for a terminal, a plain line for a log, and the
// guess of the time left. All of it is a pure function of the job's status, so a test reads what a
// user would see. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "views/job_view.h"

namespace weir::cli {

// From its submission to its end, or to when its status was made: by the JobTracker's clock alone.
std::int64_t elapsed_ms(const JobView& job);
// By the tasks that are done so far: half of a task's input says little of its time. Nothing while
// none is done.
std::optional<std::int64_t> milliseconds_left(const JobView& job);

struct ProgressStyle {
  std::size_t columns = 80;  // never wider than this
  bool colours = false;
};

// `job_0007 RUNNING  maps [####----]  50%  reduces [--------]   0%  12 running  1m20s, about 2m05s
// left`
std::string progress_bar(const JobView& job, const ProgressStyle& style);
// `job_0007 RUNNING: maps 50% (100/200), reduces 0% (0/10), 12 running, 1m20s`
std::string progress_line(const JobView& job);

}  // namespace weir::cli
