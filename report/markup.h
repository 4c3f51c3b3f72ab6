// The small parts of which the page is made: text that cannot become markup, numbers as people read
// them, places on a plot. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/time.h"

namespace weir::report {

// Text of anybody as text: shown as jobqueue/model/plain_text.h has it, and escaped for content and
// for attributes.
std::string escaped(std::string_view text);

std::string count(std::uint64_t number);     // 12,345
std::string amount(double number);           // 0.4 12.5 1,234
std::string slot_time(double slot_seconds);  // 35 slot-s, 12.5 slot-min, 3.1 slot-h
std::string time_of(double seconds, const std::string& unit);  // 35 MB-s, 12.5 vcore-min
std::string percent(double part, double whole);
std::string moment(TimeMs at, bool wall_clock);  // 1h05m, or by the local clock Nov 23 14:05
std::string number(double value);                // for a path: at most two decimals

struct Tick {
  double place = 0;  // in percent of the axis
  std::string text;
};
std::vector<Tick> time_ticks(TimeMs from, TimeMs to, bool wall_clock, std::size_t most);
// The least round number that is not below `most`, for the top of an axis.
double round_above(double most);

}  // namespace weir::report
