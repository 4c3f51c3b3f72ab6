// The protocol between reducers (or `weir job logs`) and a tracker's shuffle server: one request
// line, one answer line, then the bytes; a connection may ask again. Requests are at most 256
// bytes:
//   WEIR1 MAP <attempt name> <partition> LF        -> OK <bytes> <crc32> <lines> LF, bytes
//                                                  or OK <bytes> <crc32> <lines> <raw> blocks LF,
//                                                     bytes: blocks (block_codec.h), of which
//                                                     <raw> bytes of lines are made; the checksum
//                                                     is of what travels
//   WEIR1 LOG <attempt name> <stdout|stderr|syslog> <most bytes> [<from> [<to>]] LF
//                                                  -> OK <bytes> 0 <begin> <size> LF, bytes: the
//                                                  last
//                                                     ones of the log, but none before its byte
//                                                     <from>, nor from its byte <to> on (0: its
//                                                     end); they begin at its byte <begin> of
//                                                     <size>, which is said where <to> was
//   anything that cannot be served                 -> NO <reason> LF
// What does not begin with WEIR1, or is longer, drops the connection. Either side gives up a peer
// that gives or takes the bytes of an answer more slowly than kSlowestBytesPerSecond. Pure, any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "jobqueue/model/ids.h"

namespace weir::tasktracker {

inline constexpr std::size_t kMaxShuffleRequest = 256;
inline constexpr std::size_t kMaxShuffleAnswer = 512;
inline constexpr std::string_view kShuffleMagic = "WEIR1 ";

inline constexpr std::int64_t kSlowestBytesPerSecond = 64 << 10;

// The most time for all bytes of an answer, if each of them may take `silence_ms`.
constexpr std::int64_t transfer_ms(std::int64_t bytes, std::int64_t silence_ms,
                                   std::int64_t slowest = kSlowestBytesPerSecond) {
  return silence_ms + bytes / slowest * 1000;
}

struct ShuffleRequest {
  enum class Kind { kMapOutput, kLog };
  Kind kind = Kind::kMapOutput;
  AttemptKey attempt;
  std::uint32_t partition = 0;  // map outputs
  std::string log;              // logs
  std::int64_t most_bytes = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;  // 0: the end of the log
};

struct ShuffleAnswer {
  bool ok = false;
  std::string reason;  // when not ok
  std::int64_t bytes = 0;
  std::uint32_t crc = 0;
  std::int64_t lines = 0;            // of a log: the place of its first byte given
  std::optional<std::int64_t> size;  // of the whole log; of what is in the blocks
  bool in_blocks = false;
};

std::string encode(const ShuffleRequest& request);  // with the newline
std::string encode(const ShuffleAnswer& answer);
std::optional<ShuffleRequest> parse_shuffle_request(std::string_view line);  // without the newline
std::optional<ShuffleAnswer> parse_shuffle_answer(std::string_view line);

}  // namespace weir::tasktracker
