#include "sim/checker/owed_tasks.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace weir::check {

OwedTasks owed_tasks(const Census& census, TaskKind kind, QueueId leaf, const ExpectedQueue& line,
                     std::int64_t slots, bool with_dying) {
  std::vector<std::pair<JobOrder, const JobCount*>> in_order;
  for (const JobCount& job : census.jobs(kind)) {
    if (job.job->queue == leaf) in_order.emplace_back(job_order(*census.state, *job.job), &job);
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::int64_t widest = std::min(line.guaranteed, line.maximum);
  OwedTasks owed;
  for (const auto& [order, job] : in_order) {
    if (job->width > widest) continue;
    std::int64_t tasks = job->pending() + (with_dying ? job->returning : 0);
    for (; tasks > 0 && owed.slots + job->width <= slots; --tasks) {
      owed.slots += job->width;
      ++owed.by_width[job->width];
    }
    if (tasks > 0) break;
  }
  return owed;
}

}  // namespace weir::check
