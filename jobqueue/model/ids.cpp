#include "jobqueue/model/ids.h"

#include <charconv>
#include <cstdio>

namespace weir {

std::string job_name(JobId job) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "job_%04u", job.value);
  return buffer;
}

std::string task_name(const TaskKey& task) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "task_%04u_%c_%06u", task.job.value, name(task.kind)[0],
                task.index);
  return buffer;
}

std::string attempt_name(const AttemptKey& attempt) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "attempt_%04u_%c_%06u_%u", attempt.task.job.value,
                name(attempt.task.kind)[0], attempt.task.index, attempt.attempt);
  return buffer;
}

std::optional<JobId> parse_job_name(std::string_view s) {
  if (s.starts_with("job_")) s.remove_prefix(4);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (s.empty() || error != std::errc() || end != s.data() + s.size() || value == UINT32_MAX)
    return std::nullopt;
  return JobId(value);
}

}  // namespace weir
