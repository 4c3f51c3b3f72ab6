#include "tracker/tasktracker/duty.h"

#include <algorithm>

namespace weir::tasktracker {
namespace {

constexpr std::int64_t kMostParts = 1'000'000;  // as many tasks as a job may have of a kind

// A JobTracker that names no owner knows the job by its number alone.
JobOutput output_of(const std::string& path, const std::string& owner, JobId job) {
  return {path, owner.empty() ? job_name(job) : owner};
}

}  // namespace

JobOutput output_of(const JobDescription& job) {
  return output_of(job.spec->output, job.owner, job.job);
}

Status do_duty(const Duty& duty, FileSystem& files) {
  const JobOutput output = output_of(duty.output, duty.owner, duty.job);
  const std::int64_t parts = std::clamp<std::int64_t>(duty.parts, 0, kMostParts);
  if (duty.succeed) return complete_job_output(output, parts, files);
  return abort_job_output(output, parts, files);
}

}  // namespace weir::tasktracker
