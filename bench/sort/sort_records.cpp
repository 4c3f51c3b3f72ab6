#include "bench/sort/sort_records.h"

#include <zlib.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace weir::bench {
namespace {

constexpr std::size_t kRecordsAtATime = 10'000;
constexpr std::uint64_t kPrintable = 95;  // from the space on
constexpr char kHex[] = "0123456789ABCDEF";

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__extension__ using UInt128 = unsigned __int128;

// Numbers below a bound out of 64 random bits, the next out of what is left.
std::uint64_t take(std::uint64_t& bits, std::uint64_t bound) {
  const auto product = static_cast<UInt128>(bits) * bound;
  bits = static_cast<std::uint64_t>(product);
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

void write_record(std::uint64_t number, std::span<char, kRecordBytes> into) {
  char* at = into.data();
  std::uint64_t bits = mixed(number);
  for (std::size_t i = 0; i < kRecordKeyBytes; ++i) {
    if (i == kRecordKeyBytes / 2) bits = mixed(~number);
    *at++ = static_cast<char>(' ' + take(bits, kPrintable));
  }
  *at++ = '\t';
  *at++ = ' ';
  for (int digit = 31; digit >= 0; --digit)
    *at++ = digit >= 16 ? '0' : kHex[number >> (digit * 4) & 15];
  *at++ = ' ';
  *at++ = ' ';
  bits = mixed(number ^ 0x5555555555555555ull);
  for (int letter = 0; letter < 13; ++letter, at += 4)
    std::memset(at, kHex[bits >> letter * 4 & 15], 4);
  *at++ = ' ';
  *at++ = '\n';
}

void RecordSum::add(const RecordSum& other) {
  records += other.records;
  checksum += other.checksum;
  unsorted += other.unsorted;
}

void RecordSummer::add(std::string_view records) {
  if (records.size() % kRecordBytes != 0) throw std::runtime_error("not whole records");
  for (; !records.empty(); records.remove_prefix(kRecordBytes)) {
    const std::string_view record = records.substr(0, kRecordBytes);
    const std::string_view key = record.substr(0, kRecordKeyBytes);
    sum_.unsorted += sum_.records > 0 && key < last_;
    last_ = key;
    ++sum_.records;
    sum_.checksum += crc32_z(0, reinterpret_cast<const Bytef*>(record.data()), record.size());
  }
}

RecordSum generate_records(const std::string& path, std::uint64_t records) {
  std::ofstream file(path, std::ios::binary);
  std::vector<char> lines(kRecordsAtATime * kRecordBytes);
  RecordSummer sum;
  for (std::uint64_t next = 0; next < records;) {
    std::size_t filled = 0;
    for (; next < records && filled < lines.size(); ++next, filled += kRecordBytes)
      write_record(next, std::span<char, kRecordBytes>(lines.data() + filled, kRecordBytes));
    sum.add({lines.data(), filled});
    file.write(lines.data(), static_cast<std::streamsize>(filled));
  }
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
  RecordSum all = sum.sum();
  all.unsorted = 0;  // as it should be afterwards
  return all;
}

RecordSum sum_of_records(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<char> lines(kRecordsAtATime * kRecordBytes);
  RecordSummer sum;
  while (file) {
    file.read(lines.data(), static_cast<std::streamsize>(lines.size()));
    sum.add({lines.data(), static_cast<std::size_t>(file.gcount())});
  }
  return sum.sum();
}

}  // namespace weir::bench
