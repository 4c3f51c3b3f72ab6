#include "cli/format.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "cli/exit_code.h"
#include "conf/values.h"
#include "jobqueue/model/plain_text.h"

namespace weir::cli {

std::string short_bytes(std::int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(kUnits)) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string percent(std::int64_t millionths) {
  return fmt::format("{}%", std::clamp<std::int64_t>(millionths, 0, 1000000) / 10000);
}

std::string slot_seconds(std::int64_t slot_ms) {
  return fmt::format("{}.{}", slot_ms / 1000, slot_ms % 1000 / 100);
}

// Whatever the locale says: what is not ASCII stays as it is.
std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string local_time(std::int64_t epoch_ms) {
  const std::time_t seconds = static_cast<std::time_t>(epoch_ms / 1000);
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return std::to_string(epoch_ms);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
}

namespace {

// 30m, 12h, 2d, 1w: digits and one letter.
std::optional<std::int64_t> span_ms(std::string_view text) {
  constexpr std::pair<char, std::int64_t> kUnits[] = {
      {'s', 1'000}, {'m', 60'000}, {'h', 3'600'000}, {'d', 86'400'000}, {'w', 604'800'000}};
  if (text.size() < 2 || text.size() > 7) return std::nullopt;  // at most 999,999 weeks
  std::int64_t number = 0;
  for (const char c : text.substr(0, text.size() - 1)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  for (const auto& [unit, ms] : kUnits) {
    if (text.back() == unit) return number * ms;
  }
  return std::nullopt;
}

std::optional<std::int64_t> date_ms(const std::string& text) {
  for (const char* form : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"}) {
    std::tm local{};
    local.tm_isdst = -1;
    const char* end = strptime(text.c_str(), form, &local);
    if (end == nullptr || *end != '\0') continue;
    return static_cast<std::int64_t>(std::mktime(&local)) * 1000;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t point_in_time(const std::string& option, const std::string& text,
                           const std::function<std::int64_t()>& now) {
  if (const auto span = span_ms(text)) return now() - *span;
  if (const auto date = date_ms(text)) return *date;
  throw wrong_use(fmt::format(
      "{}: '{}' is no point in time: write 30m, 12h, 2d, 2024-11-21 or '2024-11-21 04:25'", option,
      printable(text)));
}

namespace {

std::optional<std::int64_t> parse_size(const std::string& text) {
  constexpr std::pair<char, int> kUnits[] = {
      {'k', 10}, {'K', 10}, {'m', 20}, {'M', 20}, {'g', 30}, {'G', 30}, {'t', 40}, {'T', 40}};
  for (const auto& [unit, bits] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_integer(std::string_view(text).substr(0, text.size() - 1));
    if (!number || *number < 0 || *number > INT64_MAX >> bits) return std::nullopt;
    return *number << bits;
  }
  return parse_byte_size(text);
}

}  // namespace

std::int64_t size_in_bytes(const std::string& option, const std::string& text, std::int64_t least) {
  const auto bytes = parse_size(text);
  if (bytes && *bytes >= least) return *bytes;
  throw wrong_use(fmt::format("{} '{}': write bytes like 65536, 512k, 64M, 1G, 64MiB, at least {}",
                              option, printable(text), least));
}

std::int64_t size_in_mb(const std::string& option, const std::string& text) {
  if (const auto plain = parse_integer(text)) return *plain;
  const auto bytes = parse_size(text);
  if (bytes) return (*bytes >> 20) + ((*bytes & ((1 << 20) - 1)) != 0 ? 1 : 0);
  throw wrong_use(
      fmt::format("{} '{}': write MB like 512, or a size like 512M, 2G", option, printable(text)));
}

std::string printable(std::string_view text) {
  return plain_text(text);
}

std::string printable_line(std::string_view text) {
  return one_line(text);
}

JobId job_argument(const std::string& text) {
  const auto job = parse_job_name(text);
  if (!job) {
    throw wrong_use(fmt::format("'{}' is not a job: write its name (job_0007) or its number (7)",
                                printable(text)));
  }
  return *job;
}

}  // namespace weir::cli
