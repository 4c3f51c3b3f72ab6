#include "tracker/tasktracker/task_report.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::transport::TMemoryBuffer;

std::string encode_report(const TaskReport& report) {
  auto memory = std::make_shared<TMemoryBuffer>();
  TBinaryProtocolT<TMemoryBuffer> protocol(memory);
  report.status.write(&protocol);
  const std::string body = memory->getBufferAsString();
  const std::size_t length = body.size() + 1;
  std::string frame;
  for (int shift = 0; shift < 32; shift += 8) frame.push_back(static_cast<char>(length >> shift));
  frame.push_back(static_cast<char>((report.waiting ? 1 : 0) | (report.active ? 2 : 0)));
  return frame + body;
}

Result<std::optional<TaskReport>> ReportDecoder::next() {
  if (buffer_.size() < 4) return std::optional<TaskReport>();
  std::size_t length = 0;
  for (int i = 3; i >= 0; --i)
    length = length << 8 | static_cast<unsigned char>(buffer_[static_cast<std::size_t>(i)]);
  if (length < 2 || length > kMaxReportBytes) {
    return data_error("report pipe: a frame of " + std::to_string(length) +
                      " bytes, allowed are 2 to " + std::to_string(kMaxReportBytes));
  }
  if (buffer_.size() < 4 + length) return std::optional<TaskReport>();
  TaskReport report;
  const unsigned char flags = static_cast<unsigned char>(buffer_[4]);
  report.waiting = (flags & 1) != 0;
  report.active = (flags & 2) != 0;
  try {
    auto memory =
        std::make_shared<TMemoryBuffer>(reinterpret_cast<std::uint8_t*>(buffer_.data()) + 5,
                                        static_cast<std::uint32_t>(length - 1));
    TBinaryProtocolT<TMemoryBuffer> protocol(memory, static_cast<std::int32_t>(kMaxReportBytes),
                                             4096, false, true);
    report.status.read(&protocol);
  } catch (const std::exception& problem) {
    return data_error(std::string("report pipe: not a report (") + problem.what() + ")");
  }
  buffer_.erase(0, 4 + length);
  return std::optional<TaskReport>(std::move(report));
}

}  // namespace weir::tasktracker
