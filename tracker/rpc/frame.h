// What one frame is: a 4-byte big-endian length and one strict TBinaryProtocol message of that
// length. This file has the reading buffer over a frame that stays where it is, the writing buffer
// whose first 4 bytes become the length, the protocol that reads with limits taken from the frame
// (of calls here, of replies in client.cpp),
// and the look at a frame's first bytes that tells a call from garbage before anything is parsed.
//
// The limits matter because generated code resizes a vector to the size that a list claims before
// it reads the first element: a list may claim at most one element for every kLeastElementBytes
// that its frame still has, and a frame can therefore only make the parser take a small multiple of
// its own length.
#pragma once

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weir {

constexpr size_t kFrameHeaderBytes = 4;

// A TMemoryBuffer that can be pointed at bytes, or emptied, without allocating.
class FrameBuffer : public apache::thrift::transport::TMemoryBuffer {
 public:
  using TMemoryBuffer::TMemoryBuffer;

  // Reads from `message` from now on, which must outlive the reading.
  void observe(std::string_view message);
  // Empties the buffer for a reply and leaves room for its length.
  void begin_frame();
  // Writes the length into the room left for it; returns the whole frame, empty when nothing was
  // written.
  std::string_view finish_frame();
  // How much memory it holds.
  size_t capacity() const { return bufferSize_; }
};

// Lists, sets and maps may not claim more elements than what is left of the frame can hold.
// `Transport` has the whole frame at hand: available_read() is what is left of it.
template <class Transport>
class BoundedProtocol : public apache::thrift::protocol::TBinaryProtocolT<Transport> {
 public:
  // No list in Weir's IDL has elements that are smaller on the wire.
  static constexpr size_t kLeastElementBytes = 4;

  BoundedProtocol(std::shared_ptr<Transport> transport, uint32_t max_frame_bytes)
      : Base(std::move(transport), static_cast<int32_t>(max_frame_bytes),
             static_cast<int32_t>(max_frame_bytes), true, true) {}

  uint32_t readListBegin_virt(apache::thrift::protocol::TType& element_type,
                              uint32_t& size) override {
    const uint32_t read = Base::readListBegin(element_type, size);
    check_claim(size, kLeastElementBytes);
    return read;
  }
  uint32_t readSetBegin_virt(apache::thrift::protocol::TType& element_type,
                             uint32_t& size) override {
    const uint32_t read = Base::readSetBegin(element_type, size);
    check_claim(size, 1);
    return read;
  }
  uint32_t readMapBegin_virt(apache::thrift::protocol::TType& key_type,
                             apache::thrift::protocol::TType& value_type, uint32_t& size) override {
    const uint32_t read = Base::readMapBegin(key_type, value_type, size);
    check_claim(size, 2);
    return read;
  }

 private:
  using Base = apache::thrift::protocol::TBinaryProtocolT<Transport>;

  void check_claim(size_t elements, size_t least_element_bytes) {
    if (elements * least_element_bytes > this->trans_->available_read()) refuse_claim();
  }
  [[noreturn]] static void refuse_claim() {
    using apache::thrift::protocol::TProtocolException;
    throw TProtocolException(TProtocolException::SIZE_LIMIT,
                             "a container claims more elements than its frame has room for");
  }
};

using FrameProtocol = BoundedProtocol<FrameBuffer>;

// What the first bytes of a connection's unread input say. `problem` is empty unless it cannot be a
// call.
struct FrameHead {
  enum class Kind { kIncomplete, kFrame, kOversize, kMalformed };
  Kind kind = Kind::kIncomplete;
  size_t total_bytes = 0;  // of the frame with its header, once that is known; 0 before
  std::string problem;
};
FrameHead inspect_frame(std::string_view input, uint32_t max_frame_bytes);

// The name and sequence number of a message that inspect_frame called a frame; false when it is cut
// off.
bool parse_call_head(std::string_view message, std::string_view* method, int32_t* sequence);

uint32_t read_big_endian_32(const char* bytes);
void write_big_endian_32(uint32_t value, char* bytes);

// Sends what the Thrift library would print on stderr to the debug log. Once a process is enough,
// more is harmless.
void quiet_thrift_output();

}  // namespace weir
