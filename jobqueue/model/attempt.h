// A live attempt of a task. Of its task's attempts each knows the next.
#pragma once

#include <cstdint>

#include "jobqueue/model/claims.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/terms.h"
#include "jobqueue/model/time.h"
#include "jobqueue/model/tracker_state.h"

namespace weir {

// It occupies its tracker until the tracker says that it is over.
struct Attempt {
  using State = AttemptState;
  AttemptKey key;
  TrackerId tracker;
  QueueId queue;  // in which it counts; follows a move of its job
  UserId user;
  State state = State::kLaunching;  // changed by ClusterState alone, and the next
  CopyStage copy = CopyStage::kNone;
  bool speculative = false;  // it was launched beside another one
  bool paired = false;       // its task has other live attempts, perhaps dying
  bool aged = false;         // it has run for long enough to have a second one beside it
  TaskPhase phase = TaskPhase::kStarting;
  KillReason kill_reason = KillReason::kJobKilled;
  std::uint8_t preempted = 0;  // earlier attempts of its task, as counted there
  std::int32_t progress_millionths = 0;
  std::uint32_t copied_for_ms = 0;  // from its launch until it got its slots, saturating
  TimeMs launched_at = 0;
  // Of one that was taken on after a restart, saturating: for how long it ran while the JobTracker
  // was down, less for how long it had ended by then.
  std::int32_t apart_ms = 0;
  AttemptSlot next;                 // of the same task, launched later
  std::uint64_t launch_order = 0;   // counts launches: the larger, the later
  std::uint64_t grant_seq = 0;      // of CommitGranted; 0 = not granted
  HoldId hold = 0;                  // dying: what its slots are for
  std::uint32_t tracker_place = 0;  // index in TrackerState::attempts
  bool live = false;                // false: the slot is free for reuse
  bool finish_counts = false;       // dying, for another queue or pool alone
  bool untold = false;              // of a gang: its tracker has not been heard of since
  bool dying() const { return state == State::kDying; }
  // Its output is ready, and its slot comes free as soon as if it were killed: it publishes.
  bool finishing() const { return dying() && finish_counts && grant_seq != 0; }
  bool has_slots() const { return copy == CopyStage::kNone || copy == CopyStage::kGranted; }
  DurationMs ran_ms(TimeMs now) const { return now - launched_at + apart_ms; }
  DurationMs in_slots_ms(TimeMs now) const {
    return has_slots() ? ran_ms(now) - copied_for_ms : 0;
  }
};

}  // namespace weir
