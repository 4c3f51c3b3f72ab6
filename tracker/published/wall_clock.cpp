#include "tracker/published/wall_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

namespace weir {
namespace {

// A number and the character that ends it, taken off the front.
std::optional<TimeMs> take_number(std::string_view* text, char end) {
  TimeMs number = 0;
  const auto [after, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text->remove_prefix(static_cast<std::size_t>(after - text->data()));
  if (text->empty() || text->front() != end) return std::nullopt;
  text->remove_prefix(1);
  return number;
}

}  // namespace

Result<WallClock> WallClock::read(std::string_view text) {
  WallClock clock;
  while (!text.empty()) {
    const auto engine = take_number(&text, ' ');
    const auto wall = engine ? take_number(&text, '\n') : std::nullopt;
    if (!wall || (!clock.starts_.empty() && clock.starts_.back().engine >= *engine)) {
      return Error{ErrorCode::kStoreFailed,
                   "the store's list of starts (wall_clock) cannot be read",
                   "restore the store from a copy",
                   {}};
    }
    clock.starts_.push_back({*engine, *wall});
  }
  return clock;
}

std::string WallClock::text() const {
  std::string out;
  for (const Start& start : starts_) out += fmt::format("{} {}\n", start.engine, start.wall);
  return out;
}

void WallClock::started(TimeMs engine, TimeMs wall) {
  while (!starts_.empty() && starts_.back().engine >= engine) starts_.pop_back();
  starts_.push_back({engine, wall});
  if (starts_.size() > kStartsKept) starts_.erase(starts_.begin());
}

std::vector<Downtime> WallClock::downtimes() const {
  std::vector<Downtime> found;
  for (std::size_t i = 1; i < starts_.size(); ++i) {
    const Start &before = starts_[i - 1], &start = starts_[i];
    const DurationMs ms = (start.wall - before.wall) - (start.engine - before.engine);
    if (ms > 0) found.push_back({start.engine, ms});  // else the clock was set back
  }
  return found;
}

TimeMs WallClock::at(TimeMs engine) const {
  if (engine == 0) return 0;
  const auto after = std::upper_bound(
      starts_.begin(), starts_.end(), engine,
      [](TimeMs moment, const Start& start) { return moment < start.engine; });
  if (after == starts_.begin()) return engine;
  const Start& start = *std::prev(after);
  return start.wall + (engine - start.engine);
}

TimeMs WallClock::engine_at(TimeMs wall) const {
  TimeMs end = starts_.empty() ? wall : std::min(wall, starts_.front().engine);
  // From the newest back: a clock that was set back shows some moments twice.
  for (std::size_t i = starts_.size(); i-- > 0;) {
    if (wall < starts_[i].wall) continue;
    end = starts_[i].engine + (wall - starts_[i].wall);
    if (i + 1 < starts_.size()) end = std::min(end, starts_[i + 1].engine);
    break;
  }
  return end;
}

TimeMs WallClock::now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

}  // namespace weir
