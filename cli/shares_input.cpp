#include "cli/shares_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "cli/exit_code.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

constexpr std::size_t kMostInputBytes = 256'000'000;
constexpr int kMostDepth = 1000;  // of lists and objects: what is wrong is written level by level

std::string read_input(std::istream& in) {
  std::string text;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostInputBytes)
      throw wrong_use(fmt::format("standard input: more than {} bytes", kMostInputBytes));
  }
  return text;
}

Json parse_input(const std::string& text, std::string_view example) {
  const auto refuse_deep = [](int depth, Json::parse_event_t, const Json&) {
    if (depth <= kMostDepth) return true;
    throw wrong_use(fmt::format("standard input: nested too deep, allowed: {} levels", kMostDepth));
  };
  try {
    return Json::parse(text, refuse_deep);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(
                                        std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0));
    const auto line = std::count(text.begin(), end, '\n') + 1;
    const auto newline = std::find(std::make_reverse_iterator(end), text.rend(), '\n');
    const auto column = end - newline.base() + 1;
    throw wrong_use(fmt::format("standard input:{}:{}: not JSON, allowed: a list like {}", line,
                                column, example));
  }
}

}  // namespace

Json read_list(std::string_view example, std::size_t most) {
  Json input = parse_input(read_input(std::cin), example);
  if (!input.is_array() || input.size() > most)
    throw wrong_use(fmt::format("standard input: {}, allowed: a list of up to {} objects",
                                input.is_array() ? "too long a list" : "no list", most));
  return input;
}

void refuse(const std::string& which, std::string_view key, const Json& value,
            std::string_view allowed) {
  std::string shown = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (shown.size() > 60) shown = shown.substr(0, 60) + "...";
  throw wrong_use(
      fmt::format("standard input: {} of {} is {}, allowed: {}", key, which, shown, allowed));
}

void refuse_key(const std::string& which, const std::string& key,
                std::span<const std::string_view> allowed) {
  const auto meant = nearest(key, allowed);
  throw wrong_use(fmt::format(
      "standard input: unknown key \"{}\" in {}{}, allowed: {}", key.substr(0, 60), which,
      meant ? fmt::format(", did you mean \"{}\"?", *meant) : "", fmt::join(allowed, ", ")));
}

std::int64_t whole_number(const std::string& which, std::string_view key, const Json& value,
                          std::string_view allowed) {
  constexpr double kBeyond = 0x1p63;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(INT64_MAX)) return static_cast<std::int64_t>(number);
  } else if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (number >= 0 && number < kBeyond && std::trunc(number) == number)
      return static_cast<std::int64_t>(number);
  }
  refuse(which, key, value, allowed);
}

double read_weight(const std::string& which, const Json& value) {
  const double weight = value.is_number() ? value.get<double>() : 0;
  if (!(weight > 0 && weight <= 1e9))
    refuse(which, "weight", value, "a number above 0 and up to 1000000000");
  return weight;
}

std::vector<std::int64_t> scaled_weights(const std::vector<double>& weights) {
  double heaviest = 0;
  for (const double weight : weights) heaviest = std::max(heaviest, weight);
  int exponent = 0;
  std::frexp(heaviest, &exponent);
  std::vector<std::int64_t> scaled;
  scaled.reserve(weights.size());
  for (const double weight : weights) {
    scaled.push_back(std::max<std::int64_t>(1, std::llround(std::ldexp(weight, 50 - exponent))));
  }
  return scaled;
}

}  // namespace weir::cli
