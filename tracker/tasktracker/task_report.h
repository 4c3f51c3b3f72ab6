// What an attempt's process tells the agent over its report pipe: its part of the next heartbeat,
// and three facts that only the agent needs. A message is complete in itself (level-triggered); the
// newest counts. A frame is two little-endian 32-bit numbers, length and CRC-32, then a byte of
// flags and the Thrift struct that a heartbeat has. The decoder treats the pipe as outside bytes: a
// user's program may have found it. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jobqueue/model/input.h"

namespace weir::tasktracker {

struct TaskReport {
  AttemptReport status;
  bool waiting = false;  // for maps, or for the grant to compute: idleness is not the task's fault
  bool active = false;   // something moved since the last report
  bool goes_on = false;  // it has ended, and its process waits for another task of the job
};

inline constexpr std::size_t kMaxReportBytes = 256 * 1024;
inline constexpr std::size_t kMaxDiagnostics = 4096;
inline constexpr std::size_t kMaxFetchFailures = 1000;  // told of at a time
inline constexpr std::size_t kMaxStatusText = 1024;

std::string encode_report(const TaskReport& report);

class ReportDecoder {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next report; nullopt: not there yet; an Error: the stream is not to be trusted any more.
  Result<std::optional<TaskReport>> next();

 private:
  std::string buffer_;
};

}  // namespace weir::tasktracker
