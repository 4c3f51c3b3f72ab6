#include "tracker/tasktracker/record_sort.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tracker/tasktracker/line.h"

namespace weir::tasktracker {
namespace {

// Below it comparing costs less than counting 256 ranges.
constexpr std::size_t kFewRecords = 96;
constexpr int kFirstShift = 56;

void sort_by_comparing(std::span<SortRecord> records, const char* memory) {
  std::sort(records.begin(), records.end(), [memory](const SortRecord& a, const SortRecord& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order =
        compare_beyond_prefix(memory + a.offset, a.key_length, memory + b.offset, b.key_length);
    return order != 0 ? order < 0 : a.offset < b.offset;
  });
}

std::size_t byte_at(const SortRecord& record, int shift) {
  return record.prefix >> shift & 0xff;
}

using Counts = std::array<std::uint32_t, 256>;

Counts count_bytes(std::span<const SortRecord> records, int shift) {
  Counts counts{};
  for (const SortRecord& record : records) ++counts[byte_at(record, shift)];
  return counts;
}

void put_into_ranges(std::span<SortRecord> records, int shift, const Counts& counts) {
  std::array<std::uint32_t, 256> place, end;
  std::uint32_t sum = 0;
  for (std::size_t byte = 0; byte < counts.size(); ++byte) {
    place[byte] = sum;
    sum += counts[byte];
    end[byte] = sum;
  }
  for (std::size_t byte = 0; byte < counts.size(); ++byte) {
    while (place[byte] < end[byte]) {
      SortRecord moving = records[place[byte]];
      for (std::size_t to; (to = byte_at(moving, shift)) != byte;)
        std::swap(moving, records[place[to]++]);
      records[place[byte]++] = moving;
    }
  }
}

void sort_from(std::span<SortRecord> records, int shift, const char* memory) {
  if (records.size() < kFewRecords || shift < 0) return sort_by_comparing(records, memory);
  const Counts counts = count_bytes(records, shift);
  if (counts[byte_at(records[0], shift)] == records.size())
    return sort_from(records, shift - 8, memory);
  put_into_ranges(records, shift, counts);
  for (const std::uint32_t count : counts) {
    if (count > 1) sort_from(records.first(count), shift - 8, memory);
    records = records.subspan(count);
  }
}

}  // namespace

void sort_records(std::span<SortRecord> records, const char* memory) {
  sort_from(records, kFirstShift, memory);
}

}  // namespace weir::tasktracker
