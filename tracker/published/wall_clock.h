// What the wall clock showed at a moment of engine time: what people are shown. Engine time stands
// still while the JobTracker is down and runs with the steady clock while it is up, so each start
// notes both clocks, durably, and a moment is placed by the last start before it. Moments before
// the first start that was noted stand for themselves. Immutable once the daemon runs: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/result.h"
#include "jobqueue/model/snapshot.h"
#include "jobqueue/model/time.h"

namespace weir {

class WallClock {
 public:
  static constexpr std::size_t kStartsKept = 10'000;  // the newest

  // `text` as text() made it; empty: no start was noted yet.
  static Result<WallClock> read(std::string_view text);
  std::string text() const;

  // Notes a start; engine times never fall.
  void started(TimeMs engine, TimeMs wall);

  // Between the starts that are known.
  std::vector<Downtime> downtimes() const;

  TimeMs at(TimeMs engine) const;      // what the wall clock showed then; 0 (never) stays 0
  TimeMs engine_at(TimeMs wall) const;  // the other way; of a moment when it was down: its end

  static TimeMs now();  // of this machine

 private:
  struct Start {
    TimeMs engine = 0;
    TimeMs wall = 0;
  };
  std::vector<Start> starts_;
};

}  // namespace weir
