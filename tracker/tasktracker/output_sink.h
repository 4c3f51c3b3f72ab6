// Takes the stdout of a map-only mapper or a reducer into the attempt's output file, in large
// writes, and counts lines and bytes. One thread.
#pragma once

#include <span>

#include "tracker/tasktracker/count_lines.h"
#include "tracker/tasktracker/raw_buffer.h"
#include "tracker/tasktracker/task_output.h"

namespace weir::tasktracker {

class OutputSink {
 public:
  explicit OutputSink(const TaskOutput& output) : output_(output), buffer_(kBufferBytes) {}

  std::span<char> space() { return std::span<char>(buffer_).subspan(filled_); }
  Status commit(std::size_t bytes) {
    const char* from = buffer_.data() + filled_;
    lines_ += count_lines({from, bytes});
    filled_ += bytes;
    last_ = bytes > 0 ? buffer_.data()[filled_ - 1] : last_;
    return filled_ == buffer_.size() ? flush() : Status(Ok{});
  }
  Status flush() {
    auto written = write_all(output_.fd(), {buffer_.data(), filled_}, output_.path());
    bytes_ += static_cast<std::int64_t>(filled_);
    filled_ = 0;
    return written;
  }
  std::int64_t lines() const { return lines_ + (last_ != '\n' ? 1 : 0); }
  std::int64_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kBufferBytes = 256 * 1024;
  const TaskOutput& output_;
  RawBuffer buffer_;
  std::size_t filled_ = 0;
  std::int64_t lines_ = 0, bytes_ = 0;
  char last_ = '\n';
};

// Makes the finished output durable, waits to be told to publish it, and does so while the order is
// fresh.
Status publish(class TaskControl& control, TaskOutput& output);

}  // namespace weir::tasktracker
