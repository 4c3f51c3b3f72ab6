// Numbers and names as people read them: durations, bytes, percentages, points in time, and job
// names from what a user types. Text that came from a job is shown through printable(), so that a
// job's name cannot steer a terminal. Pure functions (local_time reads the time zone), any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "views/text_width.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/time.h"

namespace weir::cli {

std::string short_bytes(std::int64_t bytes);            // 512 B, 1.5 MiB
std::string percent(std::int64_t millionths);           // 45%; 100% only when all is done
std::string local_time(std::int64_t epoch_ms);          // 2024-11-21 04:25:38
// Of slots, or of so much of a dimension: exact to a tenth, 61.5.
std::string slot_seconds(std::int64_t slot_ms);
std::string upper_case(std::string text);               // ASCII letters of it
template <class Number>
std::string or_dash(const std::optional<Number>& value) {
  return value ? std::to_string(*value) : "-";
}

// Milliseconds since the epoch of what a user types: a date with or without a time of day, in the
// local time zone, or a span (30m 12h 2d) before now, which is asked for only then. Refused (exit
// code 2) otherwise, naming the option.
std::int64_t point_in_time(const std::string& option, const std::string& text,
                           const std::function<std::int64_t()>& now);

// Bytes of what a user types: a number, or one with a unit: k M G T (and KiB, MiB...) are powers of
// 1024, KB MB GB of 1000. Refused (exit code 2) otherwise, naming the option; so is what is less
// than `least`.
std::int64_t size_in_bytes(const std::string& option, const std::string& text, std::int64_t least);
// The same in MB (of 1024 * 1024 bytes), rounded up; a number without a unit is in MB.
std::int64_t size_in_mb(const std::string& option, const std::string& text);

// One line, as jobqueue/model/plain_text.h shows it.
std::string printable(std::string_view text);
std::string printable_line(std::string_view text);  // several lines as "one | two"
// "7" or "job_0007"; refused (exit code 2) otherwise.
JobId job_argument(const std::string& text);

}  // namespace weir::cli
