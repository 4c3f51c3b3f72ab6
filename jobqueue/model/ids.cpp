#include "jobqueue/model/ids.h"

#include <charconv>
#include <cstddef>
#include <string>

namespace weir {

namespace {

// With zeros before it, if it has fewer digits than `width`.
void append(std::string& out, std::uint32_t number, std::ptrdiff_t width) {
  char digits[10];
  const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  for (std::ptrdiff_t length = end - digits; length < width; ++length) out += '0';
  out.append(static_cast<const char*>(digits), end);
}

// task_0007_m_000012
std::string named(std::string_view kind, const TaskKey& task) {
  std::string out(kind);
  append(out, task.job.value, 4);
  out += '_';
  if (is_group(task.kind)) {
    out += 'g';
    append(out, static_cast<std::uint32_t>(group_number(task.kind)), 0);
  } else {
    out += name(task.kind)[0];
  }
  out += '_';
  append(out, task.index, 6);
  return out;
}

}  // namespace

std::string job_name(JobId job) {
  std::string out = "job_";
  append(out, job.value, 4);
  return out;
}

std::string task_name(const TaskKey& task) {
  return named("task_", task);
}

std::string attempt_name(const AttemptKey& attempt) {
  std::string out = named("attempt_", attempt.task);
  out += '_';
  append(out, attempt.attempt, 0);
  return out;
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
