// A piece of one queue's series: 64 steps, of which each has a point or none. Points are written
// behind each other as differences to the one before: a byte where nothing has changed, about
// twenty in a busy queue. The bytes are what the store keeps; they begin with the number of their
// form, and what was written in an earlier form is read. Whatever cannot be read (a store is a
// file, and files rot) ends the piece there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/time.h"

namespace weir {

// Of one class; in this order in the bytes.
struct SeriesFigures {
  std::int64_t guaranteed = 0;
  std::int64_t allocated = 0;
  std::int64_t running = 0;
  std::int64_t pending = 0;
  std::int64_t share = -1;  // thousandths of a slot; -1: none
  std::int64_t claims = 0;
  std::int64_t kills = 0;
  // Thousandths of a slot: the means of long steps add up to slot-time. -1: not known, of points
  // that an earlier version has written.
  std::int64_t running_thousandths = -1;
  std::int64_t lent_thousandths = -1;      // what of its guarantee was allocated to others
  std::int64_t borrowed_thousandths = -1;  // what ran beyond its guarantee
  friend bool operator==(const SeriesFigures&, const SeriesFigures&) = default;
};

struct SeriesPoint {
  TimeMs at = 0;  // wall clock; where its step begins
  std::array<SeriesFigures, kTaskKindCount> of{};
  friend bool operator==(const SeriesPoint&, const SeriesPoint&) = default;
};

class SeriesChunk {
 public:
  static constexpr std::int64_t kSteps = 64;

  SeriesChunk(DurationMs step, TimeMs start) : step_(step), start_(start) {}
  // As bytes() gave it.
  static SeriesChunk read(DurationMs step, TimeMs start, std::string_view bytes);

  static TimeMs start_of(DurationMs step, TimeMs at) { return at - at % (step * kSteps); }
  TimeMs start() const { return start_; }
  TimeMs end() const { return start_ + step_ * kSteps; }  // what begins earlier is in it
  TimeMs last() const { return last_at_; }                // 0: it has no point

  void add(const SeriesPoint& point);  // later than the last
  void each(const std::function<void(const SeriesPoint&)>& visit) const;

  const std::string& bytes() const { return bytes_; }
  bool changed() const { return changed_; }  // since it was written
  void written() { changed_ = false; }
  void seal();  // nothing will be added: it takes no more memory than it must

 private:
  DurationMs step_;
  TimeMs start_;
  TimeMs last_at_ = 0;
  std::unique_ptr<SeriesPoint> last_;  // while points are added
  std::string bytes_;
  bool changed_ = false;
};

}  // namespace weir
