#include "jobqueue/model/job.h"

#include "jobqueue/model/job_type.h"

namespace weir {

bool Job::all_done() const {
  std::uint32_t succeeded = 0;
  for (const TaskKind kind : kinds()) succeeded += tasks(kind).succeeded;
  return succeeded > 0 && type->done(*this);
}

bool Job::avoids(TrackerId tracker) const {
  const auto failures = tracker_failures.find(tracker);
  return failures != tracker_failures.end() && failures->second >= kTrackerFailuresPerJob;
}

std::string output_owner(const Job& job) {
  return job_name(job.id) + " " + std::to_string(job.submitted_at);
}

std::string task_title(const Job& job, const TaskKey& task) {
  if (!is_group(task.kind)) return task_name(task);
  return job.spec->task_groups[group_number(task.kind)].name + "." + std::to_string(task.index);
}

}  // namespace weir
