// A line `key TAB value` and the order of lines. A line without a TAB is all key; a key may be of
// several fields, each but the last with a TAB behind it (map_output_keys.h). Keys are compared
// as unsigned bytes (as LC_ALL=C does), a key before its longer extensions. The first eight bytes
// are kept as a big-endian number, so that most comparisons touch no memory. The partition of a key
// is FNV-1a 64 of its bytes modulo the number of reduces: a fixed function, so that every tracker,
// build and release agrees. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "jobqueue/model/map_output_keys.h"

namespace weir::tasktracker {

// Bytes of a line with its newline; points into a buffer owned by someone else.
struct Line {
  const char* data = nullptr;
  std::uint32_t length = 0;  // with the newline
  std::uint32_t key_length = 0;
  std::uint64_t prefix = 0;

  std::string_view key() const { return {data, key_length}; }
  std::string_view bytes() const { return {data, length}; }
};

inline std::uint64_t key_prefix(const char* key, std::size_t length) {
  std::uint64_t prefix = 0;
  if (length >= 8) {
    std::memcpy(&prefix, key, 8);
    return __builtin_bswap64(prefix);
  }
  for (std::size_t i = 0; i < length; ++i) {
    prefix |= std::uint64_t{static_cast<unsigned char>(key[i])} << (56 - 8 * i);
  }
  return prefix;
}

// Below zero, zero, above zero; the prefixes are known to be equal.
inline int compare_beyond_prefix(const char* a, std::size_t a_length, const char* b,
                                 std::size_t b_length) {
  const std::size_t common = a_length < b_length ? a_length : b_length;
  if (common > 8) {
    const int order = std::memcmp(a + 8, b + 8, common - 8);
    if (order != 0) return order;
  }
  return a_length < b_length ? -1 : a_length > b_length;
}

inline int compare_keys(const Line& a, const Line& b) {
  if (a.prefix != b.prefix) return a.prefix < b.prefix ? -1 : 1;
  return compare_beyond_prefix(a.data, a.key_length, b.data, b.key_length);
}

// `length` counts the newline at the end.
inline Line line_of(const char* data, std::size_t length, std::size_t key_length) {
  return {data, static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(key_length),
          key_prefix(data, key_length)};
}
inline Line make_line(const char* data, std::size_t length, std::uint32_t key_fields = 1) {
  if (key_fields > 1) [[unlikely]]
    return line_of(data, length, length_of_fields({data, length - 1}, '\t', key_fields));
  const auto* tab = static_cast<const char*>(std::memchr(data, '\t', length - 1));
  return line_of(data, length, tab ? static_cast<std::size_t>(tab - data) : length - 1);
}

inline std::uint64_t fnv1a(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

inline std::uint32_t partition_of(std::string_view key, std::uint32_t partitions) {
  return partitions <= 1 ? 0 : static_cast<std::uint32_t>(fnv1a(key) % partitions);
}

}  // namespace weir::tasktracker
