#include "views/job_view.h"

namespace weir {

JobView::Tasks JobView::all_tasks() const {
  Tasks all;
  std::int64_t progress = 0;
  const auto add = [&](const Tasks& tasks) {
    all.total += tasks.total;
    all.pending += tasks.pending;
    all.running += tasks.running;
    all.succeeded += tasks.succeeded;
    all.failed_attempts += tasks.failed_attempts;
    all.killed_attempts += tasks.killed_attempts;
    progress += std::int64_t{tasks.progress_millionths} * tasks.total;
  };
  add(maps);
  add(reduces);
  for (const Group& group : groups) add(group.tasks);
  if (all.total > 0) all.progress_millionths = static_cast<std::int32_t>(progress / all.total);
  return all;
}

}  // namespace weir
