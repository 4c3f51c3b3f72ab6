#include "tracker/jobtracker/uploads.h"

#include <fmt/format.h>

#include <iterator>
#include <random>
#include <utility>

#include "jobqueue/model/submission_limits.h"
#include "thrift/wire_error.h"

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

std::string random_id() {
  std::random_device dice;
  return fmt::format("upload-{:08x}{:08x}{:08x}{:08x}", dice(), dice(), dice(), dice());
}

Error busy(std::string message, std::string hint = "try again after a while") {
  return Error{ErrorCode::kBusy, std::move(message), std::move(hint), {}};
}

// Whether an address that would hold so much leaves no less for others.
bool leaves_as_much(std::size_t held, std::size_t left) {
  return held <= left;
}
}  // namespace

Uploads::Uploads(Limits limits) : limits_(limits) {}

Uploads::Held Uploads::held_by(std::string Upload::* who, const std::string& name) const {
  Held held;
  for (const auto& [id, upload] : uploads_) {
    if (upload.*who != name) continue;
    ++held.uploads;
    held.bytes += upload.bytes;
  }
  return held;
}

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
  return bad_request("upload: there is no '" + id.substr(0, 64) + "'",
                     fmt::format("an id that begin_upload gave, used once, and within {} minutes",
                                 limits_.idle.count()));
}

Result<std::string> Uploads::begin(const std::string& user, const std::string& address,
                                   Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  drop_idle(now);
  if (const Held held = held_by(&Upload::user, user); held.uploads >= limits_.uploads_of_user) {
    return busy(fmt::format("{} uploads of {} are open already", held.uploads, user),
                "submit with them, or try again after a while");
  }
  if (uploads_.size() >= limits_.uploads)
    return busy(fmt::format("{} uploads are open already", uploads_.size()));
  const Held held = held_by(&Upload::address, address);
  if (held.uploads > 0 && !leaves_as_much(held.uploads + 1, limits_.uploads - uploads_.size() - 1))
    return busy(fmt::format("{} uploads from {} are open already", held.uploads, address));
  const std::string id = random_id();
  Upload& upload = uploads_[id];
  upload.user = user;
  upload.address = address;
  upload.last_used = now;
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
  if (upload.splits.size() + splits.size() > SubmissionLimits::kPieces) {
    return bad_request(fmt::format("upload: {} splits", upload.splits.size() + splits.size()),
                       fmt::format("at most {} a job", SubmissionLimits::kPieces));
  }
  if (const Held held = held_by(&Upload::user, upload.user);
      bytes > limits_.bytes_of_user - held.bytes) {
    return busy(fmt::format("uploads of {} take {} MiB already", upload.user, held.bytes >> 20),
                fmt::format("at most {} MiB a user", limits_.bytes_of_user >> 20));
  }
  if (bytes > limits_.bytes - bytes_)
    return busy(fmt::format("uploads take {} MiB already", bytes_ >> 20));
  const Held held = held_by(&Upload::address, upload.address);
  if (!leaves_as_much(held.bytes + bytes, limits_.bytes - bytes_ - bytes)) {
    return busy(
        fmt::format("uploads from {} take {} MiB already", upload.address, held.bytes >> 20));
  }
  upload.splits.insert(upload.splits.end(), splits.begin(), splits.end());
  upload.bytes += bytes;
  upload.last_used = now;
  bytes_ += bytes;
  return Ok{};
}

Result<std::vector<wire::Split>> Uploads::take(const std::string& user, const std::string& id,
                                               Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  drop_idle(now);
  const auto found = uploads_.find(id);
  if (found == uploads_.end() || found->second.user != user) return unknown(id);
  bytes_ -= found->second.bytes;
  std::vector<wire::Split> splits = std::move(found->second.splits);
  uploads_.erase(found);
  return splits;
}

}  // namespace weir
