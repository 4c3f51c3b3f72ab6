#include "jobqueue/model/plain_text.h"

#include <algorithm>
#include <iterator>

namespace weir {

namespace {
struct Range {
  char32_t first, last;
};
// Joiners (U+200C, U+200D) and variation selectors are not among them: words and emoji need them.
constexpr Range kHidden[] = {
    {0x00, 0x1F},         // control characters
    {0x7F, 0x9F},         // DEL, and those of 8 bits
    {0xAD, 0xAD},         // soft hyphen
    {0x061C, 0x061C},     // direction of Arabic
    {0x180E, 0x180E},     // no width
    {0x200B, 0x200B},     // no width
    {0x200E, 0x200F},     // direction
    {0x2028, 0x202E},     // ends of lines, direction
    {0x2060, 0x2064},     // joins, operators
    {0x2066, 0x2069},     // direction
    {0xFEFF, 0xFEFF},     // byte order, no width
    {0xFFF9, 0xFFFB},     // annotations
    {0xE0000, 0xE007F}};  // tags
}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  std::size_t length = 0;
  if (lead < 0x80) length = 1;
  if (lead >= 0xC2 && lead < 0xE0) length = 2;
  if (lead >= 0xE0 && lead < 0xF0) length = 3;
  if (lead >= 0xF0 && lead < 0xF5) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
  if (lead == 0xED && byte(1) >= 0xA0) return 0;  // a surrogate
  if (lead == 0xF0 && byte(1) < 0x90) return 0;   // overlong
  if (lead == 0xF4 && byte(1) >= 0x90) return 0;  // past U+10FFFF
  return length;
}

char32_t code_point(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0);
  char32_t point = byte(0) & (0xFFu >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) point = point << 6 | (byte(i) & 0x3Fu);
  return point;
}

bool is_hidden(char32_t character) {
  return std::any_of(std::begin(kHidden), std::end(kHidden), [&](const Range& range) {
    return range.first <= character && character <= range.last;
  });
}

std::string json_escape(char32_t character) {
  const auto unit = [](char32_t value) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "\\u";
    for (const int shift : {12, 8, 4, 0}) text += kDigits[value >> shift & 0xF];
    return text;
  };
  if (character <= 0xFFFF) return unit(character);
  const char32_t rest = character - 0x10000;
  return unit(0xD800 + (rest >> 10)) + unit(0xDC00 + (rest & 0x3FF));
}

std::string plain_text(std::string_view text, Shown shown) {
  std::string result;
  result.reserve(std::min(text.size(), shown.most_bytes));
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    const char32_t character = code_point(sequence);
    const bool kept = (character == '\n' && shown.newlines) || (character == '\t' && shown.tabs);
    const bool seen = kept || (length > 0 && !is_hidden(character));
    const std::string_view added = seen ? sequence : std::string_view("?");
    if (result.size() + added.size() > shown.most_bytes) break;
    result += added;
    text.remove_prefix(sequence.size());
  }
  return result;
}

std::string one_line(std::string_view text, Shown shown) {
  std::string joined;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) continue;
    if (!joined.empty()) joined += joined.ends_with(':') ? " " : " | ";
    joined += line;
  }
  return plain_text(joined, shown);
}

}  // namespace weir
