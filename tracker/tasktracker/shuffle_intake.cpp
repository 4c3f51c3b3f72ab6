#include "tracker/tasktracker/shuffle_intake.h"

#include <algorithm>

#include "tracker/tasktracker/run_file.h"

namespace weir::tasktracker {

ShuffleIntake::ShuffleIntake() : buffer_(kBlockBytes) {}

Status ShuffleIntake::take(ShuffleConnection& connection, const ShuffleAnswer& answer,
                           const Part& part) {
  crc_ = 0;
  last_ = '\n';
  Status taken = answer.in_blocks ? take_blocks(connection, answer, part)
                                  : take_lines(connection, answer, part);
  return taken ? check_end(answer) : taken;
}

Status ShuffleIntake::check_end(const ShuffleAnswer& answer) const {
  if (crc_ != answer.crc) return data_error("damaged on the way (checksum differs)");
  if (last_ != '\n') return data_error("damaged: its last line has no end");
  return Ok{};
}

Status ShuffleIntake::take_lines(ShuffleConnection& connection, const ShuffleAnswer& answer,
                                 const Part& part) {
  for (std::int64_t left = answer.bytes; left > 0;) {
    const auto size = std::min<std::int64_t>(left, static_cast<std::int64_t>(buffer_.size()));
    const auto into = std::span<char>(buffer_).first(static_cast<std::size_t>(size));
    if (auto read = connection.read_body(into); !read) return read;
    const std::string_view bytes(into.data(), into.size());
    crc_ = crc_of(crc_, bytes);
    last_ = bytes.back();
    if (auto given = part(bytes, bytes); !given) return given;
    left -= size;
  }
  return Ok{};
}

Status ShuffleIntake::take_blocks(ShuffleConnection& connection, const ShuffleAnswer& answer,
                                  const Part& part) {
  std::int64_t raw_left = answer.size.value_or(0);
  for (std::int64_t left = answer.bytes; left > 0;) {
    const auto block = blocks_.next(
        left, [&connection](std::span<char> into) { return connection.read_body(into); });
    if (!block) return block.error();
    const std::string_view stored = blocks_.stored();
    crc_ = crc_of(crc_, stored);
    left -= static_cast<std::int64_t>(stored.size());
    raw_left -= block->raw;
    if (raw_left < 0) break;
    if (auto unpacked = blocks_.unpack(buffer_.data()); !unpacked) return unpacked;
    const std::string_view lines(buffer_.data(), block->raw);
    last_ = lines.back();
    if (auto given = part(stored, lines); !given) return given;
  }
  if (raw_left != 0) return data_error("damaged: its blocks are not as long as was said");
  return Ok{};
}

}  // namespace weir::tasktracker
