#include "jobqueue/model/job.h"

namespace weir {

bool Job::avoids(TrackerId tracker) const {
  const auto failures = tracker_failures.find(tracker);
  return failures != tracker_failures.end() && failures->second >= kTrackerFailuresPerJob;
}

std::string output_owner(const Job& job) {
  return job_name(job.id) + " " + std::to_string(job.submitted_at);
}

}  // namespace weir
