#include "conf/hadoop_encoding.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "conf/hadoop_parts.h"

namespace weir {
namespace {

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto put_rest = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put_rest(6);
  } else {
    put(0xF0 | code >> 18);
    put_rest(12);
    put_rest(6);
  }
  put_rest(0);
}

// What follows the mark. Nothing for half a character.
std::optional<std::string> from_utf16(std::string_view bytes, bool big_end_first) {
  if (bytes.size() % 2 != 0) return std::nullopt;
  const auto unit_at = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return big_end_first ? first << 8 | second : second << 8 | first;
  };
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    std::uint32_t code = unit_at(at);
    if (code >= 0xD800 && code < 0xE000) {  // of a pair
      if (code >= 0xDC00 || at + 2 == bytes.size()) return std::nullopt;
      const std::uint32_t low = unit_at(at += 2);
      if (low < 0xDC00 || low >= 0xE000) return std::nullopt;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_utf8(code, text);
  }
  return text;
}

bool says_latin1(std::string_view bytes) {
  if (!bytes.starts_with("<?xml")) return false;
  const std::string head = lower_case(std::string(bytes.substr(0, bytes.find("?>"))));
  constexpr std::string_view kName = "iso-8859-1";
  const std::size_t word = head.find("encoding"), name = head.find(kName, word);
  if (word == std::string::npos || name == std::string::npos) return false;
  const std::string_view behind = std::string_view(head).substr(name + kName.size());
  return behind.starts_with('"') || behind.starts_with('\'');
}

}  // namespace

std::string utf8_of_xml(std::string_view bytes) {
  constexpr std::string_view kMark8 = "\xEF\xBB\xBF", kBig = "\xFE\xFF", kLittle = "\xFF\xFE";
  if (bytes.starts_with(kMark8)) return std::string(bytes.substr(kMark8.size()));
  if (bytes.starts_with(kBig) || bytes.starts_with(kLittle)) {
    const auto text = from_utf16(bytes.substr(2), bytes.starts_with(kBig));
    return text.value_or(std::string(bytes));
  }
  if (!says_latin1(bytes)) return std::string(bytes);
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) append_utf8(static_cast<unsigned char>(c), text);
  return text;
}

}  // namespace weir
