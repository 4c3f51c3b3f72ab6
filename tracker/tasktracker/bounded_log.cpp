#include "tracker/tasktracker/bounded_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace weir::tasktracker {
namespace {

constexpr std::int64_t kLineSearchBytes = 8192;
constexpr std::int64_t kMovedBytes = 256 * 1024;

}  // namespace

BoundedLog::BoundedLog(std::string path, std::int64_t limit_bytes)
    : path_(std::move(path)), limit_(limit_bytes) {}

void BoundedLog::append(std::string_view bytes) {
  while (!bytes.empty() && !closed_) {
    const auto part = std::min(bytes.size(), static_cast<std::size_t>(limit_ / 8 + 1));
    closed_ = !write(bytes.substr(0, part)).ok();
    bytes.remove_prefix(part);
  }
}

Status BoundedLog::write(std::string_view bytes) {
  if (!file_.valid()) {
    auto file = open_untrusted(path_, O_RDWR | O_CREAT | O_TRUNC);
    if (!file) return file.error();
    file_ = std::move(*file);
  }
  if (size_ + static_cast<std::int64_t>(bytes.size()) > limit_) {
    if (auto made = make_room(); !made) return made;
  }
  size_ += static_cast<std::int64_t>(bytes.size());
  return write_all(file_.get(), bytes, path_);
}

std::string BoundedLog::notice() const {
  return "[weir: " + std::to_string(left_out_) +
         " bytes are left out here: a log keeps its beginning and its end, at most " +
         std::to_string(limit_) + " bytes (tracker.log_stream_mb)]\n";
}

// The beginning of the line after `offset`; `offset` itself if its line is too long.
std::int64_t BoundedLog::after_line_end(std::int64_t offset, std::int64_t before) const {
  std::vector<char> bytes(
      static_cast<std::size_t>(std::clamp<std::int64_t>(before - offset, 0, kLineSearchBytes)));
  if (!read_exactly_at(file_.get(), bytes, offset, path_)) return offset;
  const auto end = std::find(bytes.begin(), bytes.end(), '\n');
  return end == bytes.end() ? offset : offset + (end - bytes.begin()) + 1;
}

// Keeps the first half, and the last quarter of what the limit allows.
Status BoundedLog::make_room() {
  if (head_ == 0) head_ = tail_ = after_line_end(limit_ / 2, size_);
  const std::int64_t from =
      std::max(tail_, after_line_end(std::max(tail_, size_ - limit_ / 4), size_));
  left_out_ += from - tail_;
  const std::string line = notice();
  const std::int64_t to = head_ + static_cast<std::int64_t>(line.size());
  if (from < to) return data_error(path_ + ": its limit is too low");  // nothing else would fit
  if (::lseek(file_.get(), head_, SEEK_SET) < 0) return system_error(path_);
  if (auto written = write_all(file_.get(), line, path_); !written) return written;
  std::vector<char> chunk(kMovedBytes);
  std::int64_t at = from;
  while (at < size_) {
    const std::span<char> part(chunk.data(),
                               static_cast<std::size_t>(std::min(kMovedBytes, size_ - at)));
    if (auto read = read_exactly_at(file_.get(), part, at, path_); !read) return read;
    if (auto moved = write_all(file_.get(), {part.data(), part.size()}, path_); !moved)
      return moved;
    at += static_cast<std::int64_t>(part.size());
  }
  tail_ = to;
  size_ = to + (size_ - from);
  if (::ftruncate(file_.get(), size_) != 0) return system_error(path_);
  return Ok{};
}

}  // namespace weir::tasktracker
