#include "report/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "jobqueue/model/plain_text.h"

namespace weir::report {
namespace {

// 1234567 -> 1,234,567
std::string grouped(std::string digits) {
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::tm local(TimeMs at) {
  const auto seconds = static_cast<std::time_t>(at / 1000);
  std::tm local{};
  localtime_r(&seconds, &local);
  return local;
}

std::string formatted(const std::tm& time, const char* form) {
  char text[64];
  return {text, std::strftime(text, sizeof text, form, &time)};
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string count(std::uint64_t number) {
  return grouped(std::to_string(number));
}

std::string amount(double number) {
  if (number >= 99.95) return grouped(fmt::format("{:.0f}", number));
  std::string text = fmt::format("{:.1f}", number);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string slot_time(double slot_seconds) {
  return time_of(slot_seconds, "slot");
}

std::string time_of(double seconds, const std::string& unit) {
  const std::string of = " " + escaped(unit);
  if (seconds < 120) return amount(seconds) + of + "-s";
  if (seconds < 7200) return amount(seconds / 60) + of + "-min";
  return amount(seconds / 3600) + of + "-h";
}

std::string percent(double part, double whole) {
  if (whole <= 0) return "–";
  if (part > 0 && part < 0.0005 * whole) return "under 0.1%";
  return fmt::format("{:.1f}%", 100 * part / whole);
}

std::string moment(TimeMs at, bool wall_clock) {
  if (!wall_clock) return short_duration(at);
  return formatted(local(at), "%b %d %H:%M:%S");
}

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::vector<Tick> time_ticks(TimeMs from, TimeMs to, bool wall_clock, std::size_t most) {
  constexpr DurationMs kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute,
                       kDay = 24 * kHour;
  constexpr DurationMs kSteps[] = {kSecond,      2 * kSecond,  5 * kSecond,  10 * kSecond,
                                   30 * kSecond, kMinute,      2 * kMinute,  5 * kMinute,
                                   10 * kMinute, 30 * kMinute, kHour,        2 * kHour,
                                   3 * kHour,    6 * kHour,    12 * kHour,   kDay,
                                   2 * kDay,     7 * kDay,     14 * kDay,    30 * kDay,
                                   90 * kDay,    365 * kDay};
  std::vector<Tick> ticks;
  if (to <= from) return ticks;
  DurationMs step = kSteps[0];
  for (const DurationMs candidate : kSteps) {
    step = candidate;
    if ((to - from) / step < static_cast<DurationMs>(most)) break;
  }
  // Whole hours and days by the local clock.
  const DurationMs ahead = wall_clock ? local(from).tm_gmtoff * kSecond : 0;
  const TimeMs first = (from + ahead + step - 1) / step * step - ahead;
  for (TimeMs at = first; at <= to; at += step) {
    Tick tick;
    tick.place = 100.0 * static_cast<double>(at - from) / static_cast<double>(to - from);
    if (!wall_clock) {
      tick.text = at % kDay == 0 && at > 0 ? fmt::format("{}d", at / kDay) : short_duration(at);
      if (at % kHour == 0 && at % kDay != 0) tick.text = fmt::format("{}h", at / kHour);
      if (at % kHour != 0 && at % kMinute == 0 && at < kHour) {
        tick.text = fmt::format("{}m", at / kMinute);
      }
      if (at % kMinute != 0 && at < kMinute) tick.text = fmt::format("{}s", at / kSecond);
      if (at == 0) tick.text = "0";
    } else {
      const std::tm clock = local(at);
      const bool midnight = clock.tm_hour == 0 && clock.tm_min == 0 && clock.tm_sec == 0;
      tick.text = formatted(clock, step >= kDay || midnight ? "%b %d"
                                   : step >= kMinute        ? "%H:%M"
                                                            : "%H:%M:%S");
    }
    ticks.push_back(tick);
  }
  return ticks;
}

double round_above(double most) {
  if (most <= 1) return 1;
  const double unit = std::pow(10, std::floor(std::log10(most)));
  for (const double part : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0}) {
    if (most <= part * unit * 1.0000001) return part * unit;
  }
  return 10 * unit;
}

}  // namespace weir::report
