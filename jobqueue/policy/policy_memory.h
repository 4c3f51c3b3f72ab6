// History that decisions depend on and that no promise hangs on: how long jobs have waited for
// locality, deficits, since when pools are at their share. It is plain data beside the ClusterState
// and not in the policies, so it survives a switch of policy, and what-if runs can copy it; a
// restart forgets it. Only the ruling policy writes here, and only when it is told of a change,
// asked for a task, or ticks: constructing a policy changes nothing. Engine's thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "jobqueue/model/claims.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/share.h"
#include "jobqueue/model/time.h"
#include "jobqueue/policy/job_table.h"
#include "jobqueue/policy/locality_delay.h"

namespace weir {

// What a job is owed in one class: share that was due and did not run, in slot-milliseconds times
// kFineSlot. It moves at updates; what has become due and has run since stands beside it.
struct DeficitAccount {
  Int128 deficit = 0;
  FineShare due = 0;         // its share at the last update
  TimeMs due_since = 0;      // when that was, or when the job may be scheduled again since
  bool open = false;         // it is accounted: not over a limit
  std::int64_t running = 0;  // slots, now
  std::int64_t ran_ms = 0;   // slot-milliseconds until `ran_until`
  TimeMs ran_until = 0;
};

struct JobMemory {
  LocalityWait wait;
  std::array<DeficitAccount, kTaskKindCount> account{};  // under `algorithm: deficit`
};

// When a pool was last found at its minimum share, and at half its fair share (or not wanting
// more), where that was before the last update; kNever: it was so at the last update.
struct PoolStamps {
  std::array<TimeMs, kTaskKindCount> at_min_share{kNever, kNever};
  std::array<TimeMs, kTaskKindCount> at_half_share{kNever, kNever};
  // Slots that were due to it at the last check for victims, and that nobody could be killed for.
  std::array<std::int64_t, kTaskKindCount> unmet{};
  // Where containers count: why nobody could be killed for the next task that it is owed.
  ClaimBlock block = ClaimBlock::kNone;
};

struct PolicyMemory {
  JobTable<JobMemory> jobs;                 // unfinished ones; made when first written
  std::map<std::string, PoolStamps> pools;  // by dotted path; those with something to say
  TimeMs updated_at = 0;                    // the fair policy's last update, or since when it rules
  std::int32_t locality_patience = 16;  // what a job begins with under adaptive delay scheduling
  TimeMs preemption_checked_at = 0;     // likewise

  // Another policy rules from now on, and nobody watched the pools meanwhile: being short counts
  // from now, and deficits stand still until the next update.
  void policy_changed(TimeMs now) {
    pools.clear();
    updated_at = preemption_checked_at = now;
    close_accounts();
  }
  // Nobody counts: what is owed stands still until somebody does again.
  void close_accounts() {
    jobs.each([](JobId, JobMemory& memory) {
      for (DeficitAccount& account : memory.account) account.open = false;
    });
  }
  const JobMemory& of(JobId job) const {
    static const JobMemory kNothing;
    const JobMemory* found = jobs.find(job);
    return found == nullptr ? kNothing : *found;
  }
};

}  // namespace weir
