// Fetching from a tracker's shuffle server: a map output's partition for a reducer, or the end of
// an attempt's log for a person. Blocking calls with a timeout on connecting, on every wait for
// bytes and on an answer as a whole, so that a peer that drips bytes is given up as one that is
// silent; one connection serves many requests. A ShuffleConnection belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/shuffle_protocol.h"

namespace weir::tasktracker {

inline constexpr int kShuffleTimeoutMs = 20000;

class ShuffleConnection {
 public:
  static Result<ShuffleConnection> open(const std::string& host, std::uint16_t port,
                                        int timeout_ms = kShuffleTimeoutMs);

  // The answer line; its `bytes` must then be taken with read_body. A refusal (NO) is an Error.
  Result<ShuffleAnswer> ask(const ShuffleRequest& request);
  // Fills all of `into` with the next bytes of the body.
  Status read_body(std::span<char> into);

 private:
  ShuffleConnection(std::string name, UniqueFd fd, int timeout_ms)
      : name_(std::move(name)), fd_(std::move(fd)), timeout_ms_(timeout_ms) {}
  void allow(std::int64_t bytes);
  Result<std::size_t> receive(std::span<char> into);

  std::string name_;  // host:port, for messages
  UniqueFd fd_;
  int timeout_ms_;                // of each wait
  std::int64_t deadline_ms_ = 0;  // of the answer line, then of the body
  std::string ahead_;             // read past an answer line
};

// The lines of a partition of a map output as one string, checked (shuffle_intake.h).
Result<std::string> fetch_map_output(const std::string& host, std::uint16_t port,
                                     const AttemptKey& attempt, std::uint32_t partition,
                                     std::int64_t most_bytes);

struct LogPiece {
  std::string text;
  std::int64_t begin = 0;  // its place in the log
};
// The last `most_bytes` of a log of an attempt ("stdout", "stderr" or "syslog"), but nothing before
// its byte `from`.
Result<LogPiece> fetch_log(const std::string& host, std::uint16_t port, const AttemptKey& attempt,
                           const std::string& log, std::int64_t most_bytes, std::int64_t from = 0);

}  // namespace weir::tasktracker
