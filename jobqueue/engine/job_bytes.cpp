#include "jobqueue/engine/job_bytes.h"

namespace weir {
namespace {

// To a tenth of a MiB, so that small ones differ, too.
std::string mebibytes(std::int64_t bytes) {
  const std::int64_t tenths = (bytes * 10 + (1 << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

Error beyond(const std::string& whose, const char* limit, std::int64_t held, std::int64_t asked,
             std::int64_t allowed) {
  return Error{ErrorCode::kLimitReached,
               std::string(limit) + " is reached: descriptions of jobs" + whose + " hold " +
                   mebibytes(held) + ", this job's takes " + mebibytes(asked) + ", allowed are " +
                   mebibytes(allowed),
               asked > allowed
                   ? "submit it with fewer, larger splits or smaller files, or ask an "
                     "administrator to raise " +
                         std::string(limit)
                   : "wait for jobs to end, or ask an administrator to raise " + std::string(limit),
               {}};
}

}  // namespace

Status JobBytes::check(const std::string& user, std::int64_t bytes,
                       const JobBytesSettings& limits) const {
  if (of(user) + bytes > limits.per_user)
    return beyond(" of user " + user, "limits.user_job_bytes", of(user), bytes, limits.per_user);
  if (in_all_ + bytes > limits.in_all)
    return beyond("", "limits.job_bytes", in_all_, bytes, limits.in_all);
  return Ok{};
}

void JobBytes::add(const std::string& user, std::int64_t bytes) {
  in_all_ += bytes;
  by_user_[user] += bytes;
}

void JobBytes::remove(const std::string& user, std::int64_t bytes) {
  in_all_ -= bytes;
  const auto found = by_user_.find(user);
  if (found == by_user_.end()) return;
  found->second -= bytes;
  if (found->second <= 0) by_user_.erase(found);
}

std::int64_t JobBytes::of(const std::string& user) const {
  const auto found = by_user_.find(user);
  return found == by_user_.end() ? 0 : found->second;
}

}  // namespace weir
