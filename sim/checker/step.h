// What the checks of one step look at: the engine as the step left it, the input and what came of
// it, the census and the figures expected of it, and what earlier steps left to remember. Made anew
// for each step; checks read it and say what is broken.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "sim/checker/census.h"
#include "sim/checker/claim_memory.h"
#include "sim/checker/expected.h"
#include "sim/checker/pools.h"
#include "sim/checker/rules.h"
#include "sim/checker/victims.h"
#include "sim/checker/waits.h"

namespace weir::check {

// What must be remembered of pools from step to step, while the fair policy rules.
struct PoolMemory {
  using Key = std::pair<std::string, TaskKind>;
  bool ruled = false;      // after the last step
  TimeMs slots_since = 0;  // when slots came to count again, if containers did
  TimeMs updated_at = 0;   // the last update, or since when it rules
  TimeMs killed_at = 0;    // the last check that killed, or since when it rules
  TimeMs checked_at = 0;   // the last check
  // Of pools that were short at the last update: the last update at which they were not.
  std::map<Key, TimeMs> at_minimum, at_half;
  struct Loss {
    TimeMs at = 0;
    std::string pool;
    std::int64_t slot_ms = 0;
    AttemptKey attempt;
  };
  std::vector<Loss> losses;  // to preemption for pools
  // What a job is owed under `algorithm: deficit`, in slot-ms.
  struct Account {
    bool open = false;   // the job may be scheduled
    Rational owed, due;  // due: its share at the last update
    TimeMs since = 0;    // that update
    std::int64_t running = 0, ran_ms = 0;
  };
  std::map<std::pair<JobId, TaskKind>, Account> accounts;
  std::set<JobId> could_run;                 // after the last step
  TimeMs counted_at = 0;                     // that step
  bool counting = false;                     // the algorithm ruled then
  bool known = false;                        // and an update has been seen since it came to rule
  std::vector<std::uint64_t> commands;       // sequence numbers of those that let jobs in or out
  std::vector<std::uint64_t> rule_commands;  // likewise, of changes of the policy or the settings
};

// What must be remembered from step to step.
struct Memory {
  bool every_step = true;                         // what is remembered is what the last step left
  std::set<JobId> reduces_eligible;               // slow-start was met once
  std::map<JobId, std::int64_t> maps_done;        // by events, of jobs with reduces
  std::map<std::string, std::int64_t> sequences;  // of the last heartbeat taken, by tracker
  std::map<TrackerId, Resources> tracker_held;    // as the last checked step left it
  std::vector<Hold> holds;                        // as the last step left them
  std::vector<Reservation> reservations;          // likewise
  std::map<ClaimId, TimeMs> born;                 // of open claims
  std::map<HoldId, Hold> wasted;                  // kills that brought no launch
  std::map<ClaimId, TimeMs> unserved;             // since which pass
  std::map<std::pair<std::string, TaskKind>, TimeMs> idle_since;  // DEM < GC, by queue's path
  std::set<std::pair<std::string, TaskKind>> lent;  // queues with a lend_after that lend
  struct Loss {
    TimeMs at = 0;
    std::string queue;
    std::int64_t slot_ms = 0;
    AttemptKey attempt;
  };
  std::vector<Loss> losses;         // to preemption
  std::optional<TimeMs> paused_at;  // another policy than the capacity policy rules since
  NotLending not_lending;
  ClaimMemory claims;
  PoolMemory pools;
  Waits waits;  // of unfinished jobs

  bool pending(HoldId hold) const;     // whether the last step left this hold
  Losses losses_at(TimeMs now) const;  // of the hour before, by queue
};

// A launch that the policy chose, and the cluster just before it.
struct LaunchMoment {
  const AttemptLaunched* launch = nullptr;
  Census before;
};

struct Step {
  Step(const Engine& engine, const Input& input, const Output& output,
       std::optional<CapacityRules> rules, std::optional<FairRules> fair, const Memory& memory);

  const Engine& engine;
  const ClusterState& state;
  const Input& input;
  const Output& output;
  std::optional<CapacityRules> rules;  // nothing if another policy rules
  std::optional<FairRules> fair;       // likewise
  const Memory& memory;
  NotLending not_lending;  // now; the memory's is that before the step
  Census census;
  std::vector<ExpectedQueue> expected[kTaskKindCount];  // empty if another policy rules
  std::vector<LaunchMoment> launches;                   // in order
  JobPools where;                                       // under the fair policy
  std::vector<const KillOrdered*> pool_kills;           // preemptions for pools, in order
  bool adopted = false;                   // an attempt that its tracker reported was taken on again
  std::vector<const KillOrdered*> kills;  // preemptions, in order
  bool reviewed = false;                  // claims were compared with the shortfall in this step
  DurationMs paused_for = 0;              // claims grew younger by that: another policy had ruled
  const Heartbeat* heartbeat = nullptr;   // one that was taken, not old news
  const TrackerState* tracker = nullptr;  // its tracker

  const std::string& path(QueueId queue) const { return state.tree().node(queue).path; }
  // The cluster as its kills for pools found it.
  Census before_kills() const;
};

// What the launch of a task does to its job's waiting for locality.
void follow_launch(const Step& step, const AttemptLaunched& launch, Waits& waits);

// Whether the pool, or one above it, was short of a share for longer than its timeout, by the
// stamps of the last update.
bool starved(const Step& step, const std::string& pool, TaskKind kind);

// An attempt that the tracker itself reported was taken on again, not launched.
bool was_reported(const Heartbeat* beat, const AttemptKey& attempt);

// Whether the job's reduces may start, by what was seen so far.
bool slow_start_met(const Memory& memory, const Job& job);

// The first breach of a step, if any.
class Verdict {
 public:
  void breach(std::string_view rule, std::string message) {
    if (!found_) found_ = Breach{std::string(rule), 0, std::move(message), "", 0};
  }
  bool clean() const { return !found_; }
  std::optional<Breach>& found() { return found_; }

 private:
  std::optional<Breach> found_;
};

// Each looks at one side of the step.
void check_attempts(const Step& step, Verdict& verdict);                      // checks_attempts.cpp
void check_counts(const Step& step, Verdict& verdict);                        // checks_counts.cpp
void check_figures(const Step& step, Verdict& verdict);                       // checks_figures.cpp
void check_launches(const Step& step, Verdict& verdict);                      // checks_launches.cpp
void check_idle(const Step& step, Verdict& verdict);                          // checks_launches.cpp
void check_kills(const Step& step, Verdict& verdict);                         // checks_kills.cpp
void check_kill_need(const Step& step, Verdict& verdict);                     // checks_need.cpp
void check_claims(const Step& step, Verdict& verdict);                        // checks_claims.cpp
void check_pools(const Step& step, Verdict& verdict);                         // checks_pools.cpp
void check_turns(const Step& step, Verdict& verdict);                         // checks_turns.cpp
void check_running_jobs(const Step& step, Memory& memory, Verdict& verdict);  // checks_running.cpp
void check_deficits(const Step& step, Memory& memory, Verdict& verdict);      // checks_deficits.cpp
void check_pool_kills(const Step& step, Memory& memory, Verdict& verdict);  // checks_pool_kills.cpp
// These remember since when.
void check_unserved(const Step& step, Memory& memory, Verdict& verdict);  // checks_kills.cpp
void check_lending(const Step& step, Memory& memory, Verdict& verdict);   // checks_claims.cpp
void check_owed(const Step& step, Memory& memory, Verdict& verdict);      // checks_owed.cpp

// The kill timer: the queue's own, else that of the nearest ancestor with one, else the default.
DurationMs reclaim_after(const QueueTree& tree, QueueId queue, TaskKind kind);

}  // namespace weir::check
