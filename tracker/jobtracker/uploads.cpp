#include "tracker/jobtracker/uploads.h"

#include <fmt/format.h>

#include <iterator>
#include <random>
#include <utility>

#include "thrift/wire_error.h"
#include "thrift/wire_job.h"

namespace weir {
namespace {
std::size_t bytes_of(const std::vector<wire::Split>& splits) {
  std::size_t bytes = splits.size() * sizeof(wire::Split);
  for (const wire::Split& split : splits) {
    bytes += split.more.size() * sizeof(wire::FilePiece);
    for (const std::string& host : split.hosts) bytes += sizeof(std::string) + host.size();
  }
  return bytes;
}
}  // namespace

Uploads::Uploads(Limits limits) : limits_(limits), salt_(std::random_device{}()) {}

void Uploads::drop_idle(Clock::time_point now) {
  for (auto i = uploads_.begin(); i != uploads_.end();) {
    if (now - i->second.last_used <= limits_.idle) {
      ++i;
      continue;
    }
    bytes_ -= i->second.bytes;
    i = uploads_.erase(i);
  }
}

Error Uploads::unknown(const std::string& id) const {
  return bad_request("upload: there is no `" + id.substr(0, 64) + "`",
                     fmt::format("an id that begin_upload gave, used once, and within {} minutes",
                                 limits_.idle.count()));
}

Result<std::string> Uploads::begin(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  drop_idle(now);
  if (uploads_.size() >= limits_.uploads) {
    return Error{ErrorCode::kBusy,
                 fmt::format("{} uploads are open already", uploads_.size()),
                 "try again after a while",
                 {}};
  }
  const std::string id = fmt::format("upload-{:08x}-{}", salt_, next_++);
  uploads_[id].last_used = now;
  return id;
}

Status Uploads::append(const std::string& id, const std::vector<wire::Split>& splits,
                       Clock::time_point now) {
  const std::size_t bytes = bytes_of(splits);
  const std::lock_guard lock(mutex_);
  drop_idle(now);
  const auto found = uploads_.find(id);
  if (found == uploads_.end()) return unknown(id);
  Upload& upload = found->second;
  if (upload.splits.size() + splits.size() > JobLimits::kSplits) {
    return bad_request(fmt::format("upload: {} splits", upload.splits.size() + splits.size()),
                       fmt::format("at most {} a job", JobLimits::kSplits));
  }
  if (bytes > limits_.bytes - bytes_) {
    return Error{ErrorCode::kBusy,
                 fmt::format("uploads take {} MiB already", bytes_ >> 20),
                 "try again after a while",
                 {}};
  }
  upload.splits.insert(upload.splits.end(), splits.begin(), splits.end());
  upload.bytes += bytes;
  upload.last_used = now;
  bytes_ += bytes;
  return Ok{};
}

Result<std::vector<wire::Split>> Uploads::take(const std::string& id, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  drop_idle(now);
  const auto found = uploads_.find(id);
  if (found == uploads_.end()) return unknown(id);
  bytes_ -= found->second.bytes;
  std::vector<wire::Split> splits = std::move(found->second.splits);
  uploads_.erase(found);
  return splits;
}

}  // namespace weir
