#include "tracker/tasktracker/line_cursor.h"

#include <algorithm>
#include <cstring>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

LineCursor::LineCursor(int fd, const std::string* path, std::int64_t offset, std::int64_t bytes,
                       std::vector<char>* buffer, std::size_t buffer_bytes)
    : fd_(fd), path_(path), offset_(offset), left_(bytes), buffer_(buffer) {
  const auto wanted = static_cast<std::size_t>(
      std::min<std::int64_t>(bytes, static_cast<std::int64_t>(buffer_bytes)));
  if (buffer->size() < wanted) buffer->resize(wanted);
  at_ = end_ = buffer->data();
}

const char* LineCursor::refill() {
  for (;;) {
    const auto kept = static_cast<std::size_t>(end_ - at_);
    if (left_ == 0) {
      if (kept > 0)
        status_ = data_error((path_ ? *path_ : "a fetched map output") +
                             ": damaged, its last line has no end");
      return nullptr;
    }
    if (kept > 0) std::memmove(buffer_->data(), at_, kept);
    if (kept == buffer_->size()) {
      const auto most = static_cast<std::int64_t>(kept);
      buffer_->resize(kept + static_cast<std::size_t>(std::min(most, left_)));
    }
    const auto wanted = static_cast<std::size_t>(
        std::min<std::int64_t>(left_, static_cast<std::int64_t>(buffer_->size() - kept)));
    if (auto read = read_exactly_at(fd_, {buffer_->data() + kept, wanted}, offset_, *path_);
        !read) {
      status_ = read.error();
      return nullptr;
    }
    offset_ += static_cast<std::int64_t>(wanted);
    left_ -= static_cast<std::int64_t>(wanted);
    at_ = buffer_->data();
    end_ = at_ + kept + wanted;
    if (const void* newline = std::memchr(at_ + kept, '\n', wanted))
      return static_cast<const char*>(newline);
  }
}

}  // namespace weir::tasktracker
