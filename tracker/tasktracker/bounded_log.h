// A log file of bounded size that keeps the beginning and the end of what was written: once it is
// full, a line in the middle says how many bytes are left out there, and the oldest after it make
// room for the newest. At every moment the file can be read as it is; each byte is moved twice at
// most on average. A log that cannot be written is no reason to fail a task: it ends there. One
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

class BoundedLog {
 public:
  BoundedLog(std::string path, std::int64_t limit_bytes);

  void append(std::string_view bytes);
  bool has_begun() const { return file_.valid(); }  // there is a file

 private:
  Status write(std::string_view bytes);
  Status make_room();
  std::int64_t after_line_end(std::int64_t offset, std::int64_t before) const;
  std::string notice() const;

  const std::string path_;
  const std::int64_t limit_;
  UniqueFd file_;
  bool closed_ = false;
  std::int64_t size_ = 0;
  std::int64_t head_ = 0, tail_ = 0;  // where the first part ends and the last begins; 0: one part
  std::int64_t left_out_ = 0;
};

}  // namespace weir::tasktracker
