#include "conf/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace weir {
namespace {

struct UnitName {
  std::string_view name;
  std::int64_t factor;
};
constexpr UnitName kDurationUnits[] = {{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}};
constexpr UnitName kByteUnits[] = {{"GiB", 1LL << 30},
                                   {"GB", 1'000'000'000},
                                   {"MiB", 1LL << 20},
                                   {"MB", 1'000'000},
                                   {"KiB", 1LL << 10},
                                   {"KB", 1000},
                                   {"B", 1}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Digits only, without sign.
std::optional<std::int64_t> digits(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::optional<std::int64_t> with_unit(std::string_view text, std::span<const UnitName> units) {
  const auto unit_start = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto count = digits(text.substr(0, static_cast<std::size_t>(unit_start - text.begin())));
  if (!count) return std::nullopt;
  const std::string_view name = text.substr(static_cast<std::size_t>(unit_start - text.begin()));
  for (const UnitName& unit : units) {
    std::int64_t result = 0;
    if (unit.name != name) continue;
    if (__builtin_mul_overflow(*count, unit.factor, &result)) return std::nullopt;
    return result;
  }
  return std::nullopt;
}

// A decimal number without sign, as an integer of `places` places after the point.
std::optional<std::int64_t> decimal(std::string_view text, std::size_t places) {
  const std::size_t point = text.find('.');
  const auto whole = digits(text.substr(0, point));
  if (!whole) return std::nullopt;
  std::string fraction;
  if (point != std::string_view::npos) {
    fraction = text.substr(point + 1);
    if (fraction.empty() || fraction.size() > places) return std::nullopt;
  }
  fraction.resize(places, '0');
  const auto part = digits(fraction);
  std::int64_t factor = 1;
  for (std::size_t i = 0; i < places; ++i) factor *= 10;
  std::int64_t result = 0;
  if (!part || __builtin_mul_overflow(*whole, factor, &result) ||
      __builtin_add_overflow(result, *part, &result)) {
    return std::nullopt;
  }
  return result;
}

std::string decimal_text(std::int64_t value, std::int64_t factor, int places) {
  std::string text = fmt::format("{}.{:0{}}", value / factor, value % factor, places);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

bool is_host(std::string_view host, bool bracketed) {
  const std::string_view also = bracketed ? ":.%" : ".-_";
  return !host.empty() && host.size() <= 253 &&
         std::all_of(host.begin(), host.end(), [also](char c) {
           return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
                  also.find(c) != std::string_view::npos;
         });
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('-')) {
    const auto value = digits(text.substr(1));
    return value ? std::optional(-*value) : std::nullopt;
  }
  return digits(text);
}

std::optional<DurationMs> parse_duration(std::string_view text) {
  if (text == "never") return kNever;
  return with_unit(text, kDurationUnits);
}

std::optional<std::int64_t> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  return decimal(text.substr(0, text.size() - 1), 2);
}

std::optional<std::int64_t> parse_millionths(std::string_view text) {
  return decimal(text, 6);
}

std::optional<std::int64_t> parse_byte_size(std::string_view text) {
  if (const auto plain = digits(text)) return plain;
  return with_unit(text, kByteUnits);
}

std::optional<HostPort> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const auto port = digits(text.substr(colon + 1));
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!port || *port > 65535 || !is_host(host, bracketed)) return std::nullopt;
  return HostPort{std::string(host), static_cast<std::uint16_t>(*port)};
}

std::string format_percent(std::int64_t hundredths) {
  return decimal_text(hundredths, 100, 2) + "%";
}

std::string format_millionths(std::int64_t millionths) {
  return decimal_text(millionths, 1'000'000, 6);
}

std::string format_byte_size(std::int64_t bytes) {
  for (const UnitName& unit : kByteUnits) {
    if (bytes != 0 && bytes % unit.factor == 0)
      return fmt::format("{}{}", bytes / unit.factor, unit.name);
  }
  return "0B";
}

std::string format_address(const HostPort& address) {
  const bool bracketed = address.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(bracketed ? "[{}]:{}" : "{}:{}"), address.host, address.port);
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known) {
  // Long words are never meant; the bound also keeps hostile keys cheap.
  if (word.empty() || word.size() > 64) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() * 2 / 5) + 1;
  for (const std::string_view candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i + 1);
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t change = diagonal + (lower(word[i]) == lower(candidate[j]) ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace weir
