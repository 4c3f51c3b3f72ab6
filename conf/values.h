// The small values of settings, from text and back: durations (`300ms 5s 2m 1h never`), percentages
// (`40%`, at most two decimals, kept in hundredths), byte sizes (`256KiB`), addresses
// (`host:port`), and the nearest known word for a wrong one. Everything is exact integer
// arithmetic; parse functions give nothing for text they do not accept, and parse_x(format_x(v)) ==
// v. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "jobqueue/model/time.h"

namespace weir {

struct HostPort {
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 0;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

std::optional<std::int64_t> parse_integer(std::string_view text);  // decimal digits, maybe a minus
std::optional<DurationMs> parse_duration(std::string_view text);   // `never` is kNever
std::optional<std::int64_t> parse_percent(std::string_view text);  // in hundredths; may exceed 100%
std::optional<std::int64_t> parse_millionths(std::string_view text);  // `1.5` is 1500000
std::optional<std::int64_t> parse_byte_size(
    std::string_view text);  // `65536 64KiB 16MiB 1GiB 100MB`
std::optional<HostPort> parse_address(
    std::string_view text);  // `127.0.0.1:9090 [::1]:0 jt.example.org:9090`

std::string format_percent(std::int64_t hundredths);     // `40%`, `33.33%`
std::string format_millionths(std::int64_t millionths);  // `1.5`
std::string format_byte_size(std::int64_t bytes);        // `16MiB`
std::string format_address(const HostPort& address);

// The known word most like `word`, if it is near enough to be meant (edit distance, case ignored).
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known);

}  // namespace weir
