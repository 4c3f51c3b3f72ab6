#include "web/server/target.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::web {
namespace {

constexpr std::size_t kMostParts = 1'000;  // segments, or parameters

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "a%20b" is "a b"; in a query "a+b" is, too.
std::optional<std::string> decoded(std::string_view text, bool query, std::string* problem) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && query) c = ' ';
    if (c == '%') {
      const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        *problem = "a '%' that two hexadecimal digits do not follow";
        return std::nullopt;
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') {
      *problem = "a NUL";
      return std::nullopt;
    }
    out += c;
  }
  if (!is_utf8(out)) {
    *problem = "bytes that are not UTF-8";
    return std::nullopt;
  }
  return out;
}

// "http://host/path" is "/path" of "host".
std::string_view take_origin(std::string_view target, Target* out) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!begins_with_word(target, scheme)) continue;
    const std::size_t end = std::min(target.find_first_of("/?#", scheme.size()), target.size());
    out->authority = target.substr(scheme.size(), end - scheme.size());
    return end == target.size() ? "/" : target.substr(end);
  }
  return target;
}

bool parse_path(std::string_view path, Target* out, std::string* problem) {
  if (path.empty() || path[0] != '/') {
    *problem = "a target that does not begin with '/'";
    return false;
  }
  path.remove_prefix(1);
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    auto segment = decoded(path.substr(0, slash), false, problem);
    if (!segment) return false;
    out->path.push_back(std::move(*segment));
    if (out->path.size() > kMostParts) {
      *problem = fmt::format("a path of more than {} parts", kMostParts);
      return false;
    }
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
    if (path.empty()) out->path.emplace_back();  // "/jobs/" is not "/jobs"
  }
  return true;
}

bool parse_query(std::string_view query, Target* out, std::string* problem) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (!part.empty()) {
      const std::size_t equals = part.find('=');
      auto name = decoded(part.substr(0, equals), true, problem);
      if (!name) return false;
      const bool has_value = equals != std::string_view::npos;
      auto value = decoded(has_value ? part.substr(equals + 1) : "", true, problem);
      if (!value) return false;
      out->query.emplace_back(std::move(*name), std::move(*value));
      if (out->query.size() > kMostParts) {
        *problem = fmt::format("a query of more than {} parameters", kMostParts);
        return false;
      }
    }
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return true;
}

// How many bytes follow the first of a character; -1 if it cannot be a first one.
int following(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 1;
  if ((first & 0xF0) == 0xE0) return 2;
  if (first >= 0xF0 && first <= 0xF4) return 3;
  return -1;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return lower_case(text.substr(0, word.size())) == word;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const int more = following(first);
    if (more < 0 || text.size() - i < static_cast<std::size_t>(more)) return false;
    for (int k = 0; k < more; ++k, ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if ((byte & 0xC0) != 0x80) return false;
      if (k > 0) continue;
      // Longer than need be, a surrogate, or beyond the last character.
      if (first == 0xE0 && byte < 0xA0) return false;
      if (first == 0xED && byte > 0x9F) return false;
      if (first == 0xF0 && byte < 0x90) return false;
      if (first == 0xF4 && byte > 0x8F) return false;
    }
  }
  return true;
}

std::optional<Target> parse_target(std::string_view target, std::string* problem) {
  for (const char c : target) {
    if (c > ' ' && c < 0x7F) continue;
    *problem = "a byte that must be percent-encoded";
    return std::nullopt;
  }
  Target out;
  target = take_origin(target, &out);
  target = target.substr(0, target.find('#'));
  const std::size_t question = target.find('?');
  if (!parse_path(question == 0 ? "/" : target.substr(0, question), &out, problem))
    return std::nullopt;
  if (question != std::string_view::npos &&
      !parse_query(target.substr(question + 1), &out, problem))
    return std::nullopt;
  return out;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace weir::web
