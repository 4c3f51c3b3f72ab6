#include "jobqueue/model/secrets.h"

#include <algorithm>
#include <map>

namespace weir {
namespace {

constexpr std::string_view kWords[] = {
    "PASSWORD", "PASSWD",        "PASSPHRASE", "PGPASS",     "SECRET", "TOKEN", "APIKEY",
    "COOKIE",   "AUTHORIZATION", "ACCESSKEY",  "PRIVATEKEY", "BEARER", "CREDENTIAL"};
// With which one ends: MYSQL_PWD, but not PWD; proxy.auth, but not author.
constexpr std::string_view kEnds[] = {"_PWD", ".PWD", "-PWD", "_AUTH", ".AUTH", "-AUTH"};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

// A word of a name: letters, digits, and what joins them.
bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

// To the end of a value, which may be in quotes.
std::size_t value_end(std::string_view text, std::size_t at) {
  if (at < text.size() && (text[at] == '\'' || text[at] == '"')) {
    const std::size_t end = text.find(text[at], at + 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  while (at < text.size() && !is_space(text[at]) && text[at] != '\'' && text[at] != '"' &&
         text[at] != '&' && text[at] != ';' && text[at] != '|')
    ++at;
  return at;
}

// Where the value of a name that ends at `at` begins; `at` itself: it has none. An option may have
// it as the next word, a header (`Authorization: Bearer X`) as all up to the quote.
std::size_t value_begin(std::string_view text, std::size_t at, bool option) {
  if (at < text.size() && (text[at] == '=' || text[at] == ':')) {
    ++at;
    while (at < text.size() && text[at] == ' ' && text[at - 1] != '=') ++at;
    return at;
  }
  std::size_t next = at;
  while (option && next < text.size() && is_space(text[next])) ++next;
  return next < text.size() && (next == at || text[next] == '-') ? at : next;
}

// `//user:password@` at `at`: the password's place; else both are `at`.
std::pair<std::size_t, std::size_t> address_password(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "//") return {at, at};
  std::size_t colon = 0;
  for (std::size_t i = at + 2; i < text.size() && !is_space(text[i]) && text[i] != '/'; ++i) {
    if (text[i] == '@') return colon == 0 ? std::pair(at, at) : std::pair(colon + 1, i);
    if (text[i] == ':' && colon == 0) colon = i;
  }
  return {at, at};
}

void mask_text(const char* field, std::string& text, std::vector<std::string>& masked) {
  std::string shown = without_secrets(text);
  if (shown == text) return;
  text = std::move(shown);
  masked.emplace_back(field);
}

void mask_values(const std::string& field, std::map<std::string, std::string>& values,
                 std::vector<std::string>& masked) {
  for (auto& [key, value] : values) {
    std::string shown = names_secret(key) ? std::string(kMasked) : without_secrets(value);
    if (shown == value) continue;
    value = std::move(shown);
    masked.push_back(field + "." + key);
  }
}

}  // namespace

bool names_secret(std::string_view name) {
  std::string plain, upper;
  for (const char c : name) {
    upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (c != '_' && c != '-' && c != '.') plain += upper.back();
  }
  for (const std::string_view end : kEnds) {
    if (upper.ends_with(end)) return true;
  }
  return std::any_of(std::begin(kWords), std::end(kWords), [&plain](std::string_view word) {
    return plain.find(word) != std::string::npos;
  });
}

std::string without_secrets(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  const auto mask = [&](std::size_t begin, std::size_t end) {
    out += text.substr(at, begin - at);
    if (end > begin) out += kMasked;
    at = end;
  };
  while (at < text.size()) {
    if (const auto [begin, end] = address_password(text, at); begin != at) {
      mask(begin, end);
      continue;
    }
    if (!in_name(text[at])) {
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    const bool secret = names_secret(text.substr(at, end - at));
    const std::size_t value = secret ? value_begin(text, end, text[at] == '-') : end;
    if (value == end) {
      mask(end, end);
    } else if (text[end] == ':') {
      mask(value, std::min(text.find_first_of("'\"\n", value), text.size()));
    } else {
      mask(value, value_end(text, value));
    }
  }
  return out;
}

std::vector<std::string> mask_secrets(JobSpec& spec) {
  std::vector<std::string> masked;
  mask_text("mapper", spec.mapper, masked);
  mask_text("reducer", spec.reducer, masked);
  mask_text("combiner", spec.combiner, masked);
  mask_values("conf", spec.conf, masked);
  mask_values("environment", spec.environment, masked);
  for (TaskGroupSpec& group : spec.task_groups) {
    mask_text((group.name + ".command").c_str(), group.command, masked);
    mask_values(group.name + ".environment", group.environment, masked);
  }
  return masked;
}

}  // namespace weir
