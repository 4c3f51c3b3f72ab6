// Events are facts: what the engine did. A durable one carries a sequence number (seq > 0), which
// the store answers with the input Durable{seq} or StoreFailed{seq}; the others are for logs,
// traces and metrics. Commands (what a client asked for) take effect only when durable, and are
// dropped with an error if the store refuses them; reports of trackers take effect at once, but are
// acknowledged only when durable. Never renumber an enum that is stored.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "jobqueue/model/check.h"
#include "jobqueue/model/counters.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_record.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/job_state.h"
#include "jobqueue/model/kill_losses.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/terms.h"
#include "jobqueue/model/time.h"

namespace weir {

// --- Commands: refusable. Each is written before it takes effect. ---
struct JobSubmitted {
  JobId job;
  std::shared_ptr<const JobSpec> spec;
  std::string queue;  // dotted path
  std::vector<Resources> containers = {};  // of one task of each kind; where slots count: none
};
struct JobKillRequested {
  JobId job;
  std::string by;
};
struct PriorityChanged {
  JobId job;
  Priority priority = Priority::kNormal;
};
struct JobMoved {
  JobId job;
  std::string queue;
  std::string pool;  // that it was moved into, for policies with pools; empty: none of its own
};
struct JobReleased {  // it was submitted held
  JobId job;
  std::string by;
};
struct QueueStateChanged {
  std::string queue;
  bool stopped = false;
};
struct SettingsChanged {
  std::shared_ptr<const Settings> settings;
  // Leaves that are gone, and the ones that their unfinished jobs are moved to in the same step.
  std::vector<std::pair<std::string, std::string>> moves;
  std::string by;  // empty: the file that is followed was read
  std::uint64_t number = 0;  // in the history of settings; 0: the next one
  TimeMs at = 0;             // when they were asked for
};
struct PolicyChanged {
  std::string policy;
  std::string claims_of;  // whose claims stand still under it; empty: it keeps claims itself
  std::string by;         // empty: settings name it that come in the same moment
  std::uint64_t number = 0;  // as of settings, if somebody has set it
};
// kNone: a drain or stop is over, and faults are forgiven.
struct TrackersOrdered {
  struct Tracker {
    std::string name;
    std::int64_t incarnation = 0;  // that the order finds: a stop is for this one
  };
  std::vector<Tracker> trackers;
  TrackerOrder order = TrackerOrder::kNone;
  std::string by;
  std::string reason;   // as was said with it
  bool forget = false;  // kNone, and lost ones leave the lists
};

// --- Durable facts: never refused, retried by the store until they are written. ---
struct TaskSucceeded {
  AttemptKey attempt;
  std::string tracker;
  std::int64_t incarnation = 0;
  TimeMs launched_at = 0;
  std::shared_ptr<const Counters> counters;  // may be null
};
struct TaskReopened {  // a finished map runs again: its output is gone and still needed
  TaskKey task;
  std::string why;
};
struct AttemptFailed {
  AttemptKey attempt;
  std::string tracker;
  std::string diagnostics;
  TimeMs launched_at = 0;
};
struct AttemptKilled {  // it has ended so; counted, and known to a restart by nothing else
  AttemptKey attempt;
  TimeMs launched_at = 0;
};
struct SlotsLost {  // by a kill for another queue or pool, when it is ordered
  KillLoss loss;
  bool taken_back = false;  // the attempt was done first
};
struct TaskRested {  // of a service: it has ended, and starts again after a pause
  TaskKey task;
  DurationMs pause_ms = 0;
  TimeMs until = 0;
};
struct CommitGranted {
  AttemptKey attempt;
  std::string tracker;
};
struct JobStateChanged {
  JobId job;
  JobState state = JobState::kRunning;
  std::string diagnostics;
  // Of an end: attempts may have left files, and a tracker is still to remove them.
  bool cleanup = false;
  std::shared_ptr<const JobRecord> record = nullptr;  // of an end: what history keeps
};
struct JobDeadlineSet {  // the first task of a job with a time limit was launched
  JobId job;
  TimeMs deadline = 0;
};
// What one task of each kind takes, for a job that was accepted where slots count: as the settings
// say that bring containers.
struct JobSized {
  JobId job;
  std::vector<Resources> containers;
};
struct JobCleanedUp {  // nothing of an ended job is alive or left over any more
  JobId job;
  std::shared_ptr<const JobRecord> record;  // with its last attempts counted
};

// Claims are written behind: nobody waits for these. `left` is what the claim still owes; at 0 it
// is gone. A claim that another policy's rule made younger is opened again under its old number.
struct ClaimOpened {
  std::uint64_t claim = 0;
  std::string queue;  // dotted path
  Dimension dimension;
  std::int64_t slots = 0;
  TimeMs born = 0;
  TimeMs deadline = 0;
  bool again = false;
};
struct ClaimMet {  // by launches
  std::uint64_t claim = 0;
  std::string queue;
  Dimension dimension;
  std::int64_t slots = 0;
  std::int64_t left = 0;
  TimeMs deadline = 0;
};
struct ClaimDropped {  // less is wanted, or guaranteed
  std::uint64_t claim = 0;
  std::string queue;
  Dimension dimension;
  std::int64_t slots = 0;
  std::int64_t left = 0;
  TimeMs deadline = 0;
};

// The tracker that was to stop has left, or another incarnation came in its stead. It ends no
// drain, which may have been ordered in between.
struct TrackerStopEnded {
  std::string tracker;
};
// A job succeeded that had come to avoid the tracker. Written behind, as what follows.
struct TrackerFault {
  std::string tracker;
  std::int64_t incarnation = 0;
  JobId job;
  TimeMs forgotten_before = 0;  // faults older than this no longer count
};
struct TrackerForgiven {  // it was restarted: its faults are those of its earlier life
  std::string tracker;
};

// What a tracker counts in the totals until it reports after a restart of the JobTracker; nothing
// at all: it is lost, or takes no tasks.
struct TrackerTotal {
  std::string tracker;
  Resources total;
  std::map<std::string, std::int64_t> named = {};  // what else it offers
};

// It is in the list of trackers until it comes back or is forgotten.
struct TrackerLost {
  std::string tracker;
  std::string why;
  std::string host;
  std::string rack;
  TimeMs last_heartbeat = 0;
};
struct TrackerBack {
  std::string tracker;
};

// --- Soft facts: not stored. ---
struct AttemptLaunched {
  AttemptKey attempt;
  TrackerId tracker;
  QueueId queue;
  Locality locality = Locality::kAny;
  bool to_copy = false;      // it has no slots before ComputeGranted
  bool speculative = false;  // the task runs elsewhere too
};
struct AttemptEnded {  // any end, also the durable ones above
  enum class How : std::uint8_t { kSucceeded, kFailed, kKilled };
  AttemptKey attempt;
  TrackerId tracker;
  QueueId queue;
  How how = How::kSucceeded;
  DurationMs ran_ms = 0;   // since its launch
  DurationMs held_ms = 0;  // of that: it had its slots
  bool speculative = false;
  TimeMs launched_at = 0;
};
struct ComputeGranted {  // a reduce that was launched to copy has got its slots
  AttemptKey attempt;
  TrackerId tracker;
  QueueId queue;
};
struct KillOrdered {
  AttemptKey attempt;
  TrackerId tracker;
  KillReason reason = KillReason::kJobKilled;
  QueueId queue;
  QueueId for_queue;        // who gains, for preemption
  DurationMs ran_ms = 0;    // with its slots
  std::uint64_t claim = 0;  // that it serves; 0: none
  UserId user;              // whose task it is
  std::string for_pool;     // who gains, if it is a pool
};
struct TrackerChanged {
  enum class How : std::uint8_t {
    kAdded,
    kLost,
    kBack,
    kDraining,  // by order, as the next two
    kStopping,
    kResumed,
    kStopped,  // it has left
    kFaulty,   // it has too many faults and left the pool
    kHealed,   // enough of them are forgotten
    kForgotten,
  };
  TrackerId tracker;
  How how = How::kAdded;
};
struct Reserved {  // the tracker is kept for the task, which has no room there yet
  TaskKey task;
  TrackerId tracker;
  QueueId queue;
};
struct Unreserved {
  JobId job;
  TrackerId tracker;
  std::string why;
};
struct GangHeld {  // there is room on the tracker for a member of a gang that has not started
  TaskKey task;
  TrackerId tracker;
};
struct GangReleased {  // it has that room no longer
  JobId job;
  std::string why;
};
struct GangStarted {  // all of its members, of which so many did not run already
  JobId job;
  std::uint32_t tasks = 0;
};
struct DutyPassedOn {  // the last duty of a job goes to another tracker
  JobId job;
  TrackerId tracker;  // that had it
  std::string why;
};
struct Refused {  // a command that was not taken
  std::string what;
  Error error;
};

using Command = std::variant<JobSubmitted, JobKillRequested, PriorityChanged, JobMoved, JobReleased,
                             QueueStateChanged, SettingsChanged, PolicyChanged, TrackersOrdered>;
using DurableFact =
    std::variant<TaskSucceeded, TaskReopened, AttemptFailed, CommitGranted, JobStateChanged,
                 JobDeadlineSet, JobSized, JobCleanedUp, ClaimOpened, ClaimMet, ClaimDropped,
                 TrackerTotal, TrackerStopEnded, TrackerFault, TrackerForgiven, TrackerLost,
                 TrackerBack, TaskRested, AttemptKilled, SlotsLost>;
using SoftFact = std::variant<AttemptLaunched, AttemptEnded, ComputeGranted, KillOrdered,
                              TrackerChanged, Reserved, Unreserved, GangHeld, GangReleased,
                              GangStarted, DutyPassedOn, Refused>;
// How durable it is, is its type: a store that does not know a new durable one does not compile.
using Fact = std::variant<Command, DurableFact, SoftFact>;

template <class T, class Facts>
inline constexpr bool kIsOneOf = false;
template <class T, class... Facts>
inline constexpr bool kIsOneOf<T, std::variant<Facts...>> = (std::is_same_v<T, Facts> || ...);

// The fact as a T; null: it is another.
template <class T>
const T* fact_as(const Fact& fact) {
  using Unpromised = std::conditional_t<kIsOneOf<T, DurableFact>, DurableFact, SoftFact>;
  using Kind = std::conditional_t<kIsOneOf<T, Command>, Command, Unpromised>;
  const Kind* kind = std::get_if<Kind>(&fact);
  return kind == nullptr ? nullptr : std::get_if<T>(kind);
}
// Calls visitor(fact) with what the fact is; visit_written() is for stores, which get no soft ones.
template <class Visitor>
decltype(auto) visit_fact(Visitor&& visitor, const Fact& fact) {
  return std::visit([&](const auto& kind) { return std::visit(visitor, kind); }, fact);
}
template <class Visitor>
void visit_written(Visitor&& visitor, const Fact& fact) {
  if (const auto* command = std::get_if<Command>(&fact)) return std::visit(visitor, *command);
  const auto* durable = std::get_if<DurableFact>(&fact);
  WEIR_CHECK(durable != nullptr, "soft facts are not written");
  std::visit(visitor, *durable);
}

struct Event {
  Event() = default;
  Event(std::uint64_t number, TimeMs when, Fact what)
      : seq(number), at(when), fact(std::move(what)) {}
  // A soft fact, made where it stays: there is one for each task that starts or ends.
  template <class F>
    requires kIsOneOf<std::decay_t<F>, SoftFact>
  Event(TimeMs when, F&& what)
      : at(when),
        fact(std::in_place_type<SoftFact>, std::in_place_type<std::decay_t<F>>,
             std::forward<F>(what)) {}

  std::uint64_t seq = 0;  // > 0: durable, in order, without gaps
  TimeMs at = 0;
  Fact fact;
};

}  // namespace weir
