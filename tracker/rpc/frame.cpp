#include "tracker/rpc/frame.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <thrift/TOutput.h>

#include <cctype>
#include <mutex>

namespace weir {

using apache::thrift::protocol::T_CALL;
using apache::thrift::protocol::T_ONEWAY;

namespace {
// Version, length of the name, sequence number, and the stop byte of an empty argument struct.
constexpr size_t kLeastMessageBytes = 13;
constexpr size_t kVersionBytes = 4;

// The first bytes as a log line may show them: quoted text when they are text, hexadecimal
// otherwise.
std::string printable(std::string_view bytes) {
  const std::string_view shown = bytes.substr(0, 8);
  std::string text = "\"";
  std::string hex = "0x";
  bool is_print = true;
  for (const unsigned char byte : shown) {
    is_print = is_print && std::isprint(byte) && byte != '"';
    text += static_cast<char>(byte);
    hex += fmt::format("{:02x}", byte);
  }
  return is_print ? text + '"' : hex;
}

bool is_text(std::string_view bytes) {
  for (const unsigned char byte : bytes) {
    if (!std::isprint(byte) && !std::isspace(byte)) return false;
  }
  return true;
}
}  // namespace

uint32_t read_big_endian_32(const char* bytes) {
  const auto* b = reinterpret_cast<const unsigned char*>(bytes);
  return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | uint32_t{b[3]};
}

void write_big_endian_32(uint32_t value, char* bytes) {
  bytes[0] = static_cast<char>(value >> 24);
  bytes[1] = static_cast<char>(value >> 16);
  bytes[2] = static_cast<char>(value >> 8);
  bytes[3] = static_cast<char>(value);
}

void FrameBuffer::observe(std::string_view message) {
  if (owner_) std::free(buffer_);
  owner_ = false;
  // Never written to: an observing buffer has no room to write in.
  buffer_ = reinterpret_cast<uint8_t*>(const_cast<char*>(message.data()));
  bufferSize_ = static_cast<uint32_t>(message.size());
  rBase_ = buffer_;
  rBound_ = wBase_ = wBound_ = buffer_ + bufferSize_;
  resetConsumedMessageSize();
  resetConsumedMessageSize(static_cast<long>(bufferSize_));
}

void FrameBuffer::begin_frame() {
  resetBuffer();
  const uint8_t room[kFrameHeaderBytes] = {};
  write(room, kFrameHeaderBytes);
}

std::string_view FrameBuffer::finish_frame() {
  uint8_t* bytes = nullptr;
  uint32_t size = 0;
  getBuffer(&bytes, &size);
  if (size <= kFrameHeaderBytes) return {};
  write_big_endian_32(size - kFrameHeaderBytes, reinterpret_cast<char*>(bytes));
  return {reinterpret_cast<const char*>(bytes), size};
}

FrameHead inspect_frame(std::string_view input, uint32_t max_frame_bytes) {
  using Kind = FrameHead::Kind;
  if (input.size() < kFrameHeaderBytes) return {};
  const uint32_t length = read_big_endian_32(input.data());
  if (is_text(input.substr(0, kFrameHeaderBytes))) {
    return {Kind::kMalformed, 0,
            fmt::format("not a framed Thrift message, it begins with {}", printable(input))};
  }
  if (length > INT32_MAX) {
    return {Kind::kMalformed, 0,
            fmt::format("negative frame length {}", static_cast<int32_t>(length))};
  }
  if (length > max_frame_bytes) {
    return {Kind::kOversize, 0,
            fmt::format("a frame of {} bytes, at most {} are allowed", length, max_frame_bytes)};
  }
  if (length < kLeastMessageBytes) {
    return {
        Kind::kMalformed, 0,
        fmt::format("a frame of {} bytes, a message has at least {}", length, kLeastMessageBytes)};
  }
  if (input.size() >= kFrameHeaderBytes + kVersionBytes) {
    const uint32_t version = read_big_endian_32(input.data() + kFrameHeaderBytes);
    const uint32_t type = version & 0xffff;
    if (version >> 16 != 0x8001 || (type != T_CALL && type != T_ONEWAY)) {
      return {
          Kind::kMalformed, 0,
          fmt::format("not a call in Thrift's strict binary protocol, the message begins with {}",
                      printable(input.substr(kFrameHeaderBytes)))};
    }
  }
  const size_t total = kFrameHeaderBytes + length;
  return {input.size() >= total ? Kind::kFrame : Kind::kIncomplete, total, {}};
}

bool parse_call_head(std::string_view message, std::string_view* method, int32_t* sequence) {
  if (message.size() < kLeastMessageBytes) return false;
  const uint32_t length = read_big_endian_32(message.data() + kVersionBytes);
  if (length > message.size() - kLeastMessageBytes) return false;
  *method = message.substr(kVersionBytes + 4, length);
  *sequence = static_cast<int32_t>(read_big_endian_32(method->data() + length));
  return true;
}

void quiet_thrift_output() {
  static std::once_flag once;
  std::call_once(once, [] {
    apache::thrift::GlobalOutput.setOutputFunction(
        [](const char* text) { spdlog::debug("thrift: {}", text); });
  });
}

}  // namespace weir
