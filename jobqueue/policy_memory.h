// History that decisions depend on and that no promise hangs on: how long jobs have waited for
// locality, deficits, since when pools are at their share. It is plain data beside the ClusterState
// and not in the policies, so it survives a switch of policy, and what-if runs can copy it; a
// restart forgets it. Only the ruling policy writes here, and only while it launches or ticks:
// constructing a policy changes nothing. Engine's thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "jobqueue/ids.h"
#include "jobqueue/locality_delay.h"
#include "jobqueue/share.h"
#include "jobqueue/time.h"

namespace weir {

struct JobMemory {
  LocalityWait wait;
  // Deficit of the fair policy, in slot-milliseconds times kWholeSlot: share that was due and did
  // not run.
  std::array<Int128, kTaskKindCount> deficit{};
};

// When a pool was last found at its minimum share, and at half its fair share (or not wanting
// more).
struct PoolStamps {
  std::array<TimeMs, kTaskKindCount> at_min_share{};
  std::array<TimeMs, kTaskKindCount> at_half_share{};
};

struct PolicyMemory {
  std::map<JobId, JobMemory> jobs;          // unfinished jobs; an entry is made when first written
  std::map<std::string, PoolStamps> pools;  // by dotted path
  std::int32_t locality_patience = 16;  // what a job begins with under adaptive delay scheduling
  TimeMs preemption_checked_at = 0;     // by the fair policy; 0: never

  const JobMemory& of(JobId job) const {
    static const JobMemory kNothing;
    const auto found = jobs.find(job);
    return found == jobs.end() ? kNothing : found->second;
  }
};

}  // namespace weir
