#include "bench/sort/sort_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

namespace weir::bench {
namespace {

std::string record(std::uint64_t number) {
  std::string text(kRecordBytes, 0);
  write_record(number, std::span<char, kRecordBytes>(text.data(), kRecordBytes));
  return text;
}

std::string joined(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& one : records) text += one;
  return text;
}

RecordSum sum_of(const std::vector<std::string>& records) {
  RecordSummer summer;
  summer.add(joined(records));
  return summer.sum();
}

TEST(SortRecords, AreLinesOfAKeyAndAValue) {
  std::set<std::string> keys;
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    const std::string text = record(number);
    EXPECT_EQ(text.find('\t'), kRecordKeyBytes);
    EXPECT_EQ(text.find('\n'), kRecordBytes - 1);
    EXPECT_EQ(std::count_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }),
              2);
    keys.insert(text.substr(0, kRecordKeyBytes));
  }
  EXPECT_EQ(keys.size(), 10'000u);
}

// What was measured yesterday was measured with these.
TEST(SortRecords, AreTheSameForever) {
  EXPECT_EQ(record(0),
            "svsYEtwo=V\t 00000000000000000000000000000000"
            "  CCCC8888FFFF888888885555CCCC11114444EEEECCCCDDDD3333 \n");
  EXPECT_EQ(record(0xfedcba9876543210),
            "MZ K}'|/Ln\t 0000000000000000FEDCBA9876543210"
            "  1111000011110000FFFF222244440000111177778888EEEE3333 \n");
}

TEST(SortRecords, AnyOrderHasTheSameSumAndItsOwnFaults) {
  std::vector<std::string> records;
  for (std::uint64_t number = 0; number < 1'000; ++number) records.push_back(record(number));
  const RecordSum before = sum_of(records);
  EXPECT_GT(before.unsorted, 400u);
  std::sort(records.begin(), records.end());
  RecordSum after = sum_of(records);
  EXPECT_EQ(after.unsorted, 0u);
  EXPECT_EQ(after.records, 1'000u);
  EXPECT_EQ(after.checksum, before.checksum);
  // In two parts, each sorted.
  RecordSum parts = sum_of({records.begin() + 500, records.end()});
  parts.add(sum_of({records.begin(), records.begin() + 500}));
  EXPECT_EQ(parts, after);
  // One twice and one not at all.
  records[3] = records[4];
  EXPECT_NE(sum_of(records).checksum, before.checksum);
  EXPECT_THROW(sum_of({"half a record"}), std::runtime_error);
}

}  // namespace
}  // namespace weir::bench
