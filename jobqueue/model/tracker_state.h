// What is known of one TaskTracker: identity, slots, what it runs, when it last reported. A tracker
// keeps its id for the life of the process, whether it is there or lost; its name is unique.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/terms.h"
#include "jobqueue/model/time.h"
#include "jobqueue/model/units.h"

namespace weir {

inline constexpr std::int64_t kUnknownIncarnation = INT64_MIN;
inline constexpr std::int64_t kSilentIntervals = 3;

// The last three are ends: nothing that is live is in them.
enum class AttemptState : std::uint8_t {
  kLaunching,
  kRunning,
  kCommitPending,
  kDying,
  kSucceeded,
  kFailed,
  kKilled
};

// Copy-compute splitting: a reduce that was launched to copy takes no reduce slot before it is
// granted one. Everything else has its slots from its launch on.
enum class CopyStage : std::uint8_t {
  kNone,     // it has its slots, and all know it
  kCopying,  // it has a place to copy
  kCopied,   // likewise, and waits for its slots
  kGranted,  // it has its slots; its tracker has not said yet that it computes
};

// What every heartbeat asks of a live attempt, side by side for the whole tracker: a report that
// says nothing new touches nothing else.
struct HeldAttempt {
  AttemptKey key;
  AttemptState state = AttemptState::kLaunching;  // as in the Attempt
  bool said_running = false;                      // so said the last report, with what follows
  TaskPhase phase = TaskPhase::kStarting;
  CopyStage copy = CopyStage::kNone;  // as in the Attempt
  std::int32_t progress_millionths = 0;
  std::uint64_t reported_in = 0;  // the engine's count of reports when one last named it
  bool has_slots() const { return copy == CopyStage::kNone || copy == CopyStage::kGranted; }
};

// Where a tracker is found, and which input is near it.
struct TrackerAddress {
  std::string host;
  std::int32_t shuffle_port = 0;
  std::string rack;
  std::vector<std::string> local_paths;
};

struct alignas(64) TrackerState {
  // AWAITED: named in the store as holding outputs, but not heard of since the JobTracker started.
  // New: its name alone is known, for the moment.
  enum class State : std::uint8_t { kLive, kLost, kAwaited, kNew };

  // What every heartbeat looks at comes first and lies together.
  TrackerId id;
  RackId rack;
  std::int64_t incarnation = 0;
  std::int64_t sequence = 0;  // of the last heartbeat taken
  State state = State::kLive;
  bool accepts_tasks = true;  // as it says
  bool low_disk = false;      // likewise
  bool faulty = false;        // too many faults: out of the pool until enough are forgotten
  bool forgotten = false;     // lost, and to be in no list until it comes back
  bool reported = false;      // since the JobTracker was started
  TrackerOrder order = TrackerOrder::kNone;  // what an administrator wants of it
  bool drains = false;                       // it is to stop, and was drained: so it is afterwards
  TimeMs last_heartbeat = 0;
  std::vector<AttemptSlot> attempts;  // all live ones; order is not meaningful
  std::vector<HeldAttempt> held;      // of `attempts`, in the same places
  std::string key;                    // of this life (RegisterTracker::key): shown nowhere
  Resources used;                     // HELD: running and dying attempts
  Resources total;
  std::int64_t free_disk_mb = -1;
  std::int32_t load_millionths = 0;  // load average per core, as reported
  std::uint32_t keeps = 0;           // holds and reservations on it (ClaimBook)
  std::uint32_t copied = 0;          // reduces here that wait for their slots
  std::uint32_t to_drop = 0;         // last named and not taken on: still in its room
  std::uint32_t services = 0;        // attempts here of jobs that do not end by themselves
  std::uint32_t untold = 0;          // members of gangs that have started: it has not heard of them
  std::int64_t copy_slots = 0;       // taken by reduces that copy or wait, dying ones included
  std::string health;
  // Ends that were taken but may not be durable yet: acknowledged once seq is.
  std::vector<std::pair<AttemptKey, std::uint64_t>> unacknowledged;
  std::vector<TaskKey> map_outputs;  // succeeded maps whose output is here; may hold stale entries
  std::vector<JobId> duties;         // last duties of jobs that it was given
  std::vector<AttemptKey>
      held_commits;  // granted before a restart, not heard of since: may still be published
  // What ran on it when it was last lost: nothing else of this start may come back.
  struct LostAttempt {
    AttemptKey key;
    bool blamed = false;  // for the loss
  };
  std::vector<LostAttempt> lost_attempts;

  std::string name;
  std::string host;
  std::int32_t shuffle_port = 0;
  std::string home;  // as it says; empty: it does not
  // Since when the order stands, and by whose word.
  TimeMs ordered_at = 0;
  std::string ordered_by;
  std::string order_reason;
  std::uint64_t stop_ended_seq = 0;  // of the event that said so last
  std::vector<TimeMs> faults;        // not forgotten yet, oldest first
  std::string lost_why;              // lost: "was silent for 600 s"
  std::vector<std::string> local_paths;  // prefixes of files that are local here
  std::vector<std::string> protections;  // as it says
  Resources largest;       // the most it has had in each dimension, also if it is lost
  Resources stored_total;  // as last told to the store
  bool stored_lost = false;  // the store has it among the lost
  std::map<std::string, std::string> labels;  // as it says; `name` and `rack` are labels, too
  std::map<std::string, std::int64_t> named;  // what more it offers, by name
  std::uint32_t port_count = 0;               // that it can give to tasks,
  std::uint32_t ports_used = 0;               // and that those have
  UnitsInUse units;                           // of what it offers by name

  bool live() const { return state == State::kLive; }
  // There, as far as is known, but not heard of for a few heartbeats.
  bool silent(TimeMs now, DurationMs interval) const {
    return live() && now - last_heartbeat > kSilentIntervals * interval;
  }
  bool stopping() const { return order >= TrackerOrder::kStop; }
  // Nothing but its absence keeps it out of the pool.
  bool welcome() const { return accepts_tasks && order == TrackerOrder::kNone && !faulty; }
  // Whether it may be given tasks. A draining, sick or faulty tracker leaves the pool at once; what
  // it runs stays in RUN.
  bool in_pool() const { return live() && welcome(); }
  // What it offers may have come to be less than what is used of it.
  bool within_offer() const {
    for (std::size_t i = 0; i < kDimensionCount; ++i) {
      if (used.amount[i] > total.amount[i]) return false;
    }
    return true;
  }
  // Whether its slots count in the cluster's totals: also while it is awaited after a restart, with
  // what the store knows of it.
  bool counts() const { return in_pool() || (state == State::kAwaited && welcome()); }
};

}  // namespace weir
