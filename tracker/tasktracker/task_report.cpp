#include "tracker/tasktracker/task_report.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "thrift/wire_tracker.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/run_file.h"

namespace weir::tasktracker {

using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::transport::TMemoryBuffer;

namespace {

constexpr std::size_t kHeaderBytes = 8;

void put_number(std::string& out, std::size_t number) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(number >> shift));
}

std::uint32_t get_number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

}  // namespace

std::string encode_report(const TaskReport& report) {
  auto memory = std::make_shared<TMemoryBuffer>();
  TBinaryProtocolT<TMemoryBuffer> protocol(memory);
  to_wire(report.status).write(&protocol);
  std::string body(1, static_cast<char>((report.waiting ? 1 : 0) | (report.active ? 2 : 0) |
                                   (report.goes_on ? 4 : 0)));
  body += memory->getBufferAsString();
  std::string frame;
  put_number(frame, body.size());
  put_number(frame, crc_of(0, body));
  return frame + body;
}

Result<std::optional<TaskReport>> ReportDecoder::next() {
  if (buffer_.size() < kHeaderBytes) return std::optional<TaskReport>();
  const std::size_t length = get_number(buffer_);
  if (length < 2 || length > kMaxReportBytes) {
    return data_error("report pipe: a frame of " + std::to_string(length) +
                      " bytes, allowed are 2 to " + std::to_string(kMaxReportBytes));
  }
  if (buffer_.size() < kHeaderBytes + length) return std::optional<TaskReport>();
  const std::string_view body = std::string_view(buffer_).substr(kHeaderBytes, length);
  // Also keeps damaged bytes from Thrift's reader, which trusts the types it finds.
  if (crc_of(0, body) != get_number(std::string_view(buffer_).substr(4))) {
    return data_error("report pipe: a frame's checksum differs");
  }
  wire::AttemptStatus status;
  try {
    auto memory = std::make_shared<TMemoryBuffer>(
        reinterpret_cast<std::uint8_t*>(buffer_.data()) + kHeaderBytes + 1,
        static_cast<std::uint32_t>(length - 1));
    TBinaryProtocolT<TMemoryBuffer> protocol(memory, static_cast<std::int32_t>(kMaxReportBytes),
                                             4096, false, true);
    status.read(&protocol);
  } catch (const std::exception& problem) {
    return data_error(std::string("report pipe: not a report (") + problem.what() + ")");
  }
  auto report = from_wire(status);
  if (!report) return data_error("report pipe: not a report (" + report.error().message + ")");
  const bool waiting = (body[0] & 1) != 0, active = (body[0] & 2) != 0,
             goes_on = (body[0] & 4) != 0;
  buffer_.erase(0, kHeaderBytes + length);
  return std::optional(TaskReport{std::move(*report), waiting, active, goes_on});
}

}  // namespace weir::tasktracker
