#include "tracker/tasktracker/line_cursor.h"

#include <algorithm>
#include <cstring>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

LineCursor::LineCursor(const StoredPiece& piece, std::vector<char>* buffer, BlockReader* blocks,
                       std::uint32_t key_fields)
    : piece_(piece), buffer_(buffer), blocks_(blocks), key_fields_(key_fields) {
  const auto most = static_cast<std::int64_t>(kMergeBufferBytes);
  const auto wanted = static_cast<std::size_t>(piece.in_blocks ? 0 : std::min(piece.bytes, most));
  if (buffer->size() < wanted) buffer->resize(wanted);
  at_ = end_ = buffer->data();
}

Status LineCursor::read(std::span<char> into) {
  if (auto got = read_exactly_at(piece_.fd, into, piece_.offset, *piece_.path); !got) return got;
  piece_.offset += static_cast<std::int64_t>(into.size());
  piece_.bytes -= static_cast<std::int64_t>(into.size());
  return Ok{};
}

Result<std::size_t> LineCursor::read_lines(std::size_t kept) {
  if (kept == buffer_->size()) {
    const auto most = static_cast<std::int64_t>(kept);
    buffer_->resize(kept + static_cast<std::size_t>(std::min(most, piece_.bytes)));
  }
  const auto wanted = static_cast<std::size_t>(
      std::min<std::int64_t>(piece_.bytes, static_cast<std::int64_t>(buffer_->size() - kept)));
  if (auto got = read({buffer_->data() + kept, wanted}); !got) return got.error();
  return wanted;
}

Result<std::size_t> LineCursor::read_block(std::size_t kept) {
  const auto header =
      blocks_->next(piece_.bytes, [this](std::span<char> into) { return read(into); });
  if (!header) return data_error(*piece_.path + ": " + header.error().message);
  if (buffer_->size() < kept + header->raw) buffer_->resize(kept + header->raw);
  if (auto unpacked = blocks_->unpack(buffer_->data() + kept); !unpacked)
    return data_error(*piece_.path + ": " + unpacked.error().message);
  return std::size_t{header->raw};
}

const char* LineCursor::refill() {
  for (;;) {
    const auto kept = static_cast<std::size_t>(end_ - at_);
    if (piece_.bytes == 0) {
      if (kept > 0)
        status_ = data_error((piece_.path ? *piece_.path : "a fetched map output") +
                             ": damaged, its last line has no end");
      return nullptr;
    }
    if (kept > 0) std::memmove(buffer_->data(), at_, kept);
    const auto more = piece_.in_blocks ? read_block(kept) : read_lines(kept);
    if (!more) {
      status_ = more.error();
      return nullptr;
    }
    at_ = buffer_->data();
    end_ = at_ + kept + *more;
    if (const void* newline = std::memchr(at_ + kept, '\n', *more))
      return static_cast<const char*>(newline);
  }
}

}  // namespace weir::tasktracker
