#include "tracker/published/name_pattern.h"

#include <cstddef>

namespace weir {
namespace {

// One item of a pattern other than `*`: how long it is, and whether it takes the byte.
struct Item {
  std::size_t length = 1;
  bool takes = false;
};

Item set_item(std::string_view pattern, char byte) {
  std::size_t at = 1;
  const bool inverted = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (inverted) ++at;
  const auto code = [](char c) { return static_cast<unsigned char>(c); };
  bool found = false;
  for (const std::size_t first = at; at < pattern.size(); ++at) {
    if (pattern[at] == ']' && at > first) return {at + 1, found != inverted};
    const char low = pattern[at];
    const bool range = at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']';
    const char high = range ? pattern[at + 2] : low;
    if (range) at += 2;
    found = found || (code(low) <= code(byte) && code(byte) <= code(high));
  }
  return {1, byte == '['};
}

Item item(std::string_view pattern, char byte) {
  if (pattern[0] == '?') return {1, true};
  if (pattern[0] == '[') return set_item(pattern, byte);
  if (pattern[0] == '\\' && pattern.size() > 1) return {2, pattern[1] == byte};
  return {1, pattern[0] == byte};
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  // Behind the last star, and where the text that it leaves begins: only that one is tried again.
  std::size_t star = std::string_view::npos, left = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      left = t;
      continue;
    }
    const Item next = p < pattern.size() ? item(pattern.substr(p), text[t]) : Item{};
    if (next.takes) {
      p += next.length;
      ++t;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star;
    t = ++left;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace weir
