// The daemon's clocks. Engine time, in milliseconds since the epoch, starts at the wall clock when
// the store is new, and otherwise after the last moment in it, and runs with the steady clock: it
// never jumps, never goes back, and a night of downtime ages no claim and no stamp. After downtime
// it is therefore behind the wall clock; `wall` says what to show for it. Any thread.
#pragma once

#include <chrono>
#include <utility>

#include "jobqueue/model/time.h"
#include "tracker/published/wall_clock.h"

namespace weir {

class TimeSource {
 public:
  // `starts` are those before this one, which is noted.
  explicit TimeSource(TimeMs last_stored, WallClock starts = {})
      : base_(last_stored == 0 ? WallClock::now() : last_stored + 1), wall_(std::move(starts)) {
    wall_.started(base_, WallClock::now());
  }

  TimeMs now() const {
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    return base_ + std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  }
  TimeMs started() const { return base_; }  // in engine time
  TimeMs wall_now() const { return wall_.at(now()); }
  const WallClock& wall() const { return wall_; }

 private:
  TimeMs base_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  WallClock wall_;
};

}  // namespace weir
