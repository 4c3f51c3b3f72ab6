// Walks the lines of one sorted piece: a range of a file, read through a buffer, or bytes in
// memory. The buffer grows only for a line that does not fit. A piece must end with a newline; one
// that does not is reported as damaged. Used by one thread; the bytes of `line()` are valid until
// the next advance().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/tasktracker/line.h"

namespace weir::tasktracker {

class LineCursor {
 public:
  explicit LineCursor(std::string_view memory)
      : at_(memory.data()), end_(memory.data() + memory.size()) {}
  // `fd` stays the caller's; `path` is for messages; `buffer` is reused memory.
  LineCursor(int fd, const std::string* path, std::int64_t offset, std::int64_t bytes,
             std::vector<char>* buffer, std::size_t buffer_bytes);

  // False: over, or failed (see status).
  bool advance() {
    const auto* newline =
        static_cast<const char*>(at_ == end_ ? nullptr : std::memchr(at_, '\n', end_ - at_));
    if (!newline && !(newline = refill())) return false;
    line_ = make_line(at_, static_cast<std::size_t>(newline - at_) + 1);
    at_ = newline + 1;
    return true;
  }
  const Line& line() const { return line_; }
  const Status& status() const { return status_; }

 private:
  const char* refill();  // the next newline, or nullptr

  int fd_ = -1;
  const std::string* path_ = nullptr;
  std::int64_t offset_ = 0, left_ = 0;  // in the file, not yet read
  std::vector<char>* buffer_ = nullptr;
  const char* at_;
  const char* end_;
  Line line_;
  Status status_ = Ok{};
};

}  // namespace weir::tasktracker
