#include "jobqueue/job.h"

namespace weir {

bool Job::avoids(TrackerId tracker) const {
  const auto failures = tracker_failures.find(tracker);
  return failures != tracker_failures.end() && failures->second >= kTrackerFailuresPerJob;
}

}  // namespace weir
