// The limits of the HTTP port. All of them are finite on purpose: what a client may send, how long
// it may take, how much of it is kept, and how many of them there may be.
#pragma once

#include <chrono>
#include <cstddef>

namespace weir::web {

struct HttpLimits {
  std::size_t max_header_bytes = 16 << 10;  // request line and headers
  std::size_t max_body_bytes = 16 << 20;
  std::size_t max_connections = 10'000;  // beyond, the address that has most gives way
  // Open event streams; an address may have as many as it leaves for others.
  std::size_t max_streams = 2'000;
  // From the first byte of a request to its last, and from the accept to the end of the first one.
  std::chrono::milliseconds read_timeout{10'000};
  // From the last answer of a connection to the first byte of its next request.
  std::chrono::milliseconds idle_timeout{120'000};
  // For one answer, from when the client's window is full, and the time that it takes at the
  // slowest rate.
  std::chrono::milliseconds write_timeout{30'000};
  std::size_t slowest_bytes_per_second = 64 << 10;
  std::chrono::milliseconds heartbeat{15'000};  // a comment on a stream that is silent
  std::size_t max_unsent_bytes = 1 << 20;       // of a stream; beyond, its reader is too slow
  std::size_t gzip_from_bytes = 1'024;
};

}  // namespace weir::web
