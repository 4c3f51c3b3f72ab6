// The records of the well-known sort benchmark, in lines that a text sort can read: a key of ten
// printable characters, a TAB, 88 bytes of value (the record's number in hexadecimal and letters),
// a newline; 100 bytes each. The key of a record depends on its number alone, so every run of the
// benchmark sorts the same. Whether lines are a sorted permutation of them is seen by a count, a
// sum of checksums and the order of neighbours. Pure, but for the two that take a path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir::bench {

inline constexpr std::size_t kRecordBytes = 100;
inline constexpr std::size_t kRecordKeyBytes = 10;

void write_record(std::uint64_t number, std::span<char, kRecordBytes> into);

// What lines have together. Sums of parts are the sum of the whole, in any order.
struct RecordSum {
  std::uint64_t records = 0;
  std::uint64_t checksum = 0;  // of the CRC-32s
  std::uint64_t unsorted = 0;  // records whose key is less than that before them
  void add(const RecordSum& other);
  friend bool operator==(const RecordSum&, const RecordSum&) = default;
};

class RecordSummer {
 public:
  // Whole records, in the order they stand in.
  void add(std::string_view records);
  const RecordSum& sum() const { return sum_; }

 private:
  RecordSum sum_;
  std::string last_;  // key
};

// The first records as a file. Throw std::runtime_error.
RecordSum generate_records(const std::string& path, std::uint64_t records);
RecordSum sum_of_records(const std::string& path);

}  // namespace weir::bench
