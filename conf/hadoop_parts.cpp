#include "conf/hadoop_parts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir {
namespace {

bool is_plain_scalar(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !letter(text[0])) return false;
  static constexpr std::string_view kWords[] = {"null", "Null", "NULL"};
  if (std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords)) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

bool allowed_in_name(char c, bool queue) {
  const auto byte = static_cast<unsigned char>(c);
  if (!queue) return byte > 0x20 && byte != 0x7f && c != ',' && c != '/' && c != '.';
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

HadoopValue value_of_element(const XmlElement& element, const std::string& owner,
                             Diagnostics& out) {
  return {.text = element.text,
          .at = element.at,
          .what = owner.empty() ? element.name : fmt::format("{} of {}", element.name, owner),
          .out = &out,
          .blank_first = element.blank_first};
}

void hadoop_error(const HadoopValue& value, std::string_view allowed) {
  value.out->error(value.at, fmt::format("{} is {}, allowed: {}", value.what,
                                         quoted_briefly(value.text), allowed));
}

void hadoop_warning(const HadoopValue& value, std::string what) {
  value.out->warning(value.at, std::move(what));
}

void no_counterpart(const HadoopValue& value, std::string_view why) {
  hadoop_warning(value, fmt::format("{} = {} is not taken over: {}", value.what,
                                    quoted_briefly(value.text), why));
}

void tell_zero(const HadoopValue& value, std::string_view nothing) {
  hadoop_warning(value, fmt::format("{} is {}, with which {} ever runs", value.what,
                                    quoted_briefly(value.text), nothing));
}

std::string quoted_briefly(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string result = "\"";
  for (const char c : text) {
    if (result.size() > kMost && (static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      result += "...";
      break;
    }
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string> result;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return result;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<std::int64_t> hadoop_integer(const HadoopValue& value) {
  std::string_view text = value.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error == std::errc{} && end == text.data() + text.size()) return result;
  hadoop_error(value, "an integer");
  return std::nullopt;
}

std::optional<std::int64_t> hadoop_int(const HadoopValue& value) {
  const auto number = hadoop_integer(value);
  if (!number || (*number >= INT32_MIN && *number <= INT32_MAX)) return number;
  hadoop_error(value, fmt::format("an integer from {} to {}", INT32_MIN, INT32_MAX));
  return std::nullopt;
}

std::optional<double> hadoop_number(const HadoopValue& value) {
  std::string_view text = value.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  // Java's own numbers may say their type: 0.5f.
  constexpr std::string_view kTypes = "fFdD";
  if (text.size() > 1 && kTypes.find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  double result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(result)) {
    return result;
  }
  hadoop_error(value, "a number");
  return std::nullopt;
}

std::optional<bool> hadoop_boolean(const HadoopValue& value) {
  const std::string text = lower_case(value.text);
  if (text == "true" || text == "false") return text == "true";
  hadoop_error(value, "true, false");
  return std::nullopt;
}

std::int64_t hadoop_scaled(const HadoopValue& value, double number, std::int64_t scale) {
  constexpr double kMost = 1e15;
  const double exact = std::clamp(number * static_cast<double>(scale), -kMost, kMost);
  const auto rounded = static_cast<std::int64_t>(std::llround(exact));
  if (std::fabs(exact - static_cast<double>(rounded)) > 1e-4) {
    hadoop_warning(value, fmt::format("{} is {}, rounded to {} places", value.what,
                                      quoted_briefly(value.text), scale == 100 ? "two" : "six"));
  }
  return rounded;
}

std::optional<std::string> hadoop_percentage_list(const HadoopValue& value) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string text;
  for (const char c : value.text) {
    const bool joined = c == '%' || c == '=';
    while (joined && !text.empty() && kBlanks.find(text.back()) != kBlanks.npos) text.pop_back();
    if (kBlanks.find(c) != kBlanks.npos && text.ends_with('=')) continue;
    text += c;
    if (c == '%') text += ' ';
  }
  const std::string lower = lower_case(text);
  const auto said = [&](std::string_view of) {
    const std::size_t at = lower.find(of);
    if (at == lower.npos) return false;
    const std::size_t before = lower.find_last_not_of(kBlanks, at == 0 ? lower.npos : at - 1);
    return at > 0 && before != lower.npos && lower[before] == '%';
  };
  const bool alone = words_of(text, kBlanks).size() == 1;
  if (alone || text.find('=') != text.npos || (said("memory") && said("cpu"))) return text;
  hadoop_error(value, "40%, or 50% memory, 40% cpu, or memory-mb=50%, vcores=40%");
  return std::nullopt;
}

std::optional<std::int64_t> hadoop_percentages(const HadoopValue& value) {
  std::optional<std::int64_t> least;
  bool differ = false;
  const auto text = hadoop_percentage_list(value);
  if (!text) return least;
  for (std::string word : words_of(*text, ", \t\r\n")) {
    word = word.substr(word.rfind('=') + 1);
    if (!word.ends_with('%')) {
      if (word.find_first_of("0123456789") == std::string::npos) continue;
      no_counterpart(value, "memory and cores are not slots");
      return std::nullopt;
    }
    HadoopValue plain = value;
    plain.text = word.substr(0, word.size() - 1);
    const auto number = hadoop_number(plain);
    if (!number) return std::nullopt;
    if (*number < 0.01 || *number > 100) {
      no_counterpart(value, "a maximum is from 0.01% to 100%");
      return std::nullopt;
    }
    const std::int64_t percent = hadoop_scaled(plain, *number, 100);
    differ = differ || (least && *least != percent);
    least = std::min(percent, least.value_or(percent));
  }
  if (differ) {
    hadoop_warning(value, fmt::format("{} = {} is one percentage of slots here, the least",
                                      value.what, quoted_briefly(value.text)));
  }
  return least;
}

std::string hadoop_name(const HadoopValue& value, bool queue) {
  constexpr std::size_t kLongest = 90;
  std::string name;
  for (const char c : value.text) {
    if (allowed_in_name(c, queue)) {
      name += c;
    } else if (c == '.') {
      name += "_dot_";  // as the name of a user or group with a dot is spelled
    } else {
      name += '_';
    }
  }
  while (name.size() > kLongest) {
    const bool inside = (static_cast<unsigned char>(name.back()) & 0xC0) == 0x80;
    name.pop_back();
    if (!inside && name.size() <= kLongest) break;
  }
  if (!queue && name == "root") name = "root_";
  if (name.empty()) name = "_";
  if (name != value.text) {
    hadoop_warning(value, fmt::format("{} {} is called {} here, as not every character may be in "
                                      "a name",
                                      value.what, quoted_briefly(value.text), name));
  }
  return name;
}

std::vector<std::string> hadoop_access(const HadoopValue& value) {
  constexpr std::string_view kBlanks = " \t\r\n";
  constexpr std::string_view kSeparators = ", \t\r\n";
  const std::string_view text = value.text;
  // All up to the first blank are users.
  const std::size_t blank =
      value.blank_first ? 0 : std::min(text.find_first_of(kBlanks), text.size());
  std::vector<std::string> result;
  const auto add = [&](std::string_view part, std::string_view before) {
    const std::vector<std::string> names = words_of(part, kSeparators);
    if (names == std::vector<std::string>{"*"}) result.assign(1, "*");
    if (result == std::vector<std::string>{"*"}) return;
    for (const std::string& name : names) {
      if (name == "*" || name.starts_with('@')) {
        hadoop_warning(value, fmt::format("{} names {} among others, which is left out: here it "
                                          "would be more than one user or group",
                                          value.what, quoted_briefly(name)));
      } else {
        result.push_back(std::string(before) + name);
      }
    }
  };
  add(text.substr(0, blank), "");
  add(text.substr(blank), "@");
  return result;
}

std::string yaml_scalar(const std::string& text) {
  if (is_plain_scalar(text)) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

std::string yaml_list(const std::vector<std::string>& texts) {
  std::vector<std::string> scalars;
  for (const std::string& text : texts) scalars.push_back(yaml_scalar(text));
  return fmt::format("[{}]", fmt::join(scalars, ", "));
}

}  // namespace weir
