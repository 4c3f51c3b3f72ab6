// Words that facts, reports and the state share. Stored and sent: never renumber.
#pragma once

#include <cstdint>

namespace weir {

enum class Locality : std::uint8_t { kNode = 0, kRack = 1, kAny = 2 };
const char* name(Locality locality);  // "node"

enum class KillReason : std::uint8_t {
  kReclaim = 0,
  kMinShare = 1,
  kFairShare = 2,
  kJobKilled = 3,
  kSpeculative = 4,
  kTrackerLost = 5,
  kJobFailed = 6,       // another task failed the job
  kUnknown = 7,         // the JobTracker does not know the attempt
  kNoRoom = 8,          // it has copied where there are no longer as many slots as it needs
  kTrackerStopped = 9,  // an administrator stops its tracker at once
  kGang = 10,           // a member of its gang was lost
  kTimeLimit = 11,      // its group's
  kOwnMaps = 12,        // a reduce that stands in the way of the maps it waits for
};
const char* name(KillReason reason);  // "reclaim"
// Whether the slot is wanted by another queue or pool.
constexpr bool is_preemption(KillReason reason) {
  return reason <= KillReason::kFairShare;
}

// What an administrator wants of a tracker. All but the first keep it out of the pool; a stop ends
// with the tracker's leaving.
enum class TrackerOrder : std::uint8_t {
  kNone = 0,
  kDrain = 1,    // it gets nothing new; what runs goes on, its outputs are served
  kStop = 2,     // likewise, and it leaves when nothing runs and no output of it is needed
  kStopNow = 3,  // what runs is killed, outputs that are needed are made elsewhere, it leaves
};
const char* name(TrackerOrder order);  // "drain"

enum class TaskPhase : std::uint8_t {
  kStarting = 0,
  kMap = 1,
  kShuffle = 2,
  kSort = 3,
  kReduce = 4,
  kCommit = 5
};

}  // namespace weir
