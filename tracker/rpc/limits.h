// The limits of one listening port. All of them are finite on purpose: what a client may send, how
// long it may take, how much of it is kept, and how many of them there may be.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weir {

struct ServerLimits {
  uint32_t max_frame_bytes = 16 << 20;
  size_t max_connections = 10'000;  // beyond, the address that has most gives way
  // From the first byte of a frame to its last, and from the accept to the end of the first frame.
  std::chrono::milliseconds read_timeout{10'000};
  // From the last reply of a connection to the first byte of its next frame.
  std::chrono::milliseconds idle_timeout{600'000};
  // For one reply, from when the client's window is full.
  std::chrono::milliseconds write_timeout{30'000};
  // Calls of one connection that are not yet answered and written; beyond, nothing is read from it.
  size_t max_in_flight = 64;
  // Bytes of finished replies that one connection has not taken; beyond, nothing is read from it.
  size_t max_unsent_bytes = 16 << 20;
};

}  // namespace weir
