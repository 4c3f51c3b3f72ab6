// Of a policy under which claims arise and fall due; under others they stand still. It finds, the
// engine enters what it finds in the ClaimBook (claims.h).
#pragma once

#include <cstdint>
#include <vector>

#include "jobqueue/policy/policy.h"

namespace weir {

// How claims and lending follow the figures.
struct ClaimStep {
  enum class What : std::uint8_t {
    kOpen,     // a claim of `slots` arises
    kMeet,     // launches have met `slots`, the earliest claim first
    kDrop,     // `slots` less are owed, the latest claim first
    kSeen,     // RUN is `slots` now
    kCounted,  // `slots` of the free ones are counted for the queue
    kIdle,     // DEM < GC from now on
    kLend,     // it has been so for lend_after
    kNotIdle,  // DEM >= GC
    kRelease,  // no tracker is kept for such tasks of `job` any more
  };
  What what = What::kOpen;
  QueueId queue;
  Dimension dimension;
  std::int64_t slots = 0;
  JobId job = {};
};

class Claims {
 public:
  virtual ~Claims() = default;
  // How claims should follow: asked after each input, and at each tick before anybody is killed;
  // and, with that entered, what should be claimed anew.
  virtual void review(TimeMs now, bool tick, std::vector<ClaimStep>& steps) = 0;
  virtual void claim(std::vector<ClaimStep>& steps) = 0;
  // What queues lend has changed (a step of review() was entered).
  virtual void on_lending_changed(QueueId, Dimension) {}
};

}  // namespace weir
