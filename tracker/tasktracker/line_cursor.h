// Walks the lines of one sorted piece: a range of a file, as it is or in blocks, read through a
// buffer, or bytes in memory. The buffer grows only for a line that does not fit. A piece must end
// with a newline; one that does not is reported as damaged, and so is a block that is none. Used by
// one thread; the bytes of `line()` are valid until the next advance().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/tasktracker/block_reader.h"
#include "tracker/tasktracker/line.h"

namespace weir::tasktracker {

inline constexpr std::size_t kMergeBufferBytes = 128 * 1024;
static_assert(kMergeBufferBytes >= kBlockBytes);

struct StoredPiece {
  int fd = -1;                        // the caller's
  const std::string* path = nullptr;  // for messages
  std::int64_t offset = 0, bytes = 0;
  bool in_blocks = false;
};

class LineCursor {
 public:
  explicit LineCursor(std::string_view memory, std::uint32_t key_fields = 1)
      : at_(memory.data()), end_(memory.data() + memory.size()), key_fields_(key_fields) {}
  // `buffer` is reused memory, `blocks` reads for all cursors of a merge.
  LineCursor(const StoredPiece& piece, std::vector<char>* buffer, BlockReader* blocks,
             std::uint32_t key_fields = 1);

  // False: over, or failed (see status).
  bool advance() {
    const auto* newline =
        static_cast<const char*>(at_ == end_ ? nullptr : std::memchr(at_, '\n', end_ - at_));
    if (!newline && !(newline = refill())) return false;
    line_ = make_line(at_, static_cast<std::size_t>(newline - at_) + 1, key_fields_);
    at_ = newline + 1;
    return true;
  }
  const Line& line() const { return line_; }
  const Status& status() const { return status_; }

 private:
  const char* refill();  // the next newline, or nullptr
  // Reads more behind the first `kept` bytes of the buffer: how many.
  Result<std::size_t> read_lines(std::size_t kept);
  Result<std::size_t> read_block(std::size_t kept);
  Status read(std::span<char> into);

  StoredPiece piece_;  // what is not yet read of it
  std::vector<char>* buffer_ = nullptr;
  BlockReader* blocks_ = nullptr;
  const char* at_;
  const char* end_;
  std::uint32_t key_fields_ = 1;
  Line line_;
  Status status_ = Ok{};
};

}  // namespace weir::tasktracker
