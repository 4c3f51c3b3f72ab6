#include "jobqueue/store/counters_text.h"

#include <charconv>
#include <cstdint>

namespace weir {
namespace {

void append_escaped(std::string_view s, std::string* out) {
  for (char c : s) {
    switch (c) {
      case '\t':
        *out += "\\t";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\\':
        *out += "\\\\";
        break;
      default:
        *out += c;
    }
  }
}

std::optional<std::string> unescape(std::string_view s) {
  if (s.find('\\') == s.npos) return std::string(s);
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '\\') {
      out += s[i];
      continue;
    }
    if (++i == s.size()) return std::nullopt;
    switch (s[i]) {
      case 't':
        out += '\t';
        break;
      case 'n':
        out += '\n';
        break;
      case '\\':
        out += '\\';
        break;
      default:
        return std::nullopt;
    }
  }
  return out;
}

bool decode_line(std::string_view line, Counters* counters) {
  const std::size_t first = line.find('\t');
  if (first == line.npos) return false;
  const std::size_t second = line.find('\t', first + 1);
  if (second == line.npos) return false;
  const std::string_view digits = line.substr(second + 1);
  std::int64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return false;
  auto group = unescape(line.substr(0, first));
  auto name = unescape(line.substr(first + 1, second - first - 1));
  if (!group || !name) return false;
  // Lines are in order, so each goes to the end; a start reads millions of them.
  const auto place = counters->try_emplace(counters->end(), *std::move(group));
  place->second.insert_or_assign(place->second.end(), *std::move(name), value);
  return true;
}

}  // namespace

std::string encode_counters(const Counters& counters) {
  std::string out;
  for (const auto& [group, values] : counters) {
    for (const auto& [name, value] : values) {
      append_escaped(group, &out);
      out += '\t';
      append_escaped(name, &out);
      out += '\t';
      out += std::to_string(value);
      out += '\n';
    }
  }
  return out;
}

std::optional<Counters> decode_counters(std::string_view text) {
  Counters counters;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == text.npos || !decode_line(text.substr(0, end), &counters)) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return counters;
}

}  // namespace weir
