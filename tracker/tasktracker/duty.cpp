#include "tracker/tasktracker/duty.h"

#include <algorithm>

#include "jobqueue/model/ids.h"

namespace weir::tasktracker {

constexpr std::int64_t kMostParts = 1'000'000;  // as many tasks as a job may have of a kind

JobOutput output_of(const wire::JobDescription& job) {
  return {job.spec.output, job.owner.empty() ? job.job_name : job.owner};
}

Status do_duty(const wire::Duty& duty, FileSystem& files) {
  const auto number = static_cast<std::uint32_t>(std::clamp<std::int64_t>(duty.job, 0, INT32_MAX));
  const JobOutput output{duty.output, duty.owner.empty() ? job_name(JobId(number)) : duty.owner};
  const std::int64_t parts =
      duty.__isset.parts ? std::clamp<std::int64_t>(duty.parts, 0, kMostParts) : 0;
  if (duty.succeed) return complete_job_output(output, parts, files);
  return abort_job_output(output, parts, files);
}

}  // namespace weir::tasktracker
