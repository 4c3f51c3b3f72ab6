// The order of a sort buffer's lines, found by moving small records. Radix sort from the first byte
// of the key's prefix on, in place (American flag): every record is put into its byte's range by
// following cycles of exchanges, and each range is sorted by the next byte; small ranges, and those
// whose prefixes are the same, by comparison. So a line's own bytes are looked at only where eight
// of them do not tell. Equal keys stay in order of position. Any thread.
#pragma once

#include <cstdint>
#include <span>

namespace weir::tasktracker {

struct SortRecord {
  std::uint64_t prefix;
  std::uint32_t offset;  // of the line
  std::uint32_t key_length;
  std::uint32_t length;
  std::uint32_t partition;
};

// By key, then offset; the lines are in `memory`.
void sort_records(std::span<SortRecord> records, const char* memory);

}  // namespace weir::tasktracker
