// What the engine is told, and what it answers. Every input carries the time; an input with a token
// gets exactly one reply with that token, in the same step or in a later one (a promise waits for
// Durable). Heartbeats are level-triggered: a report says all that the tracker holds, a reply all
// that it should hold.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "jobqueue/model/caller.h"
#include "jobqueue/model/event.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/time.h"
#include "jobqueue/model/units.h"

namespace weir {

struct SubmitJob {
  Caller caller;
  std::shared_ptr<const JobSpec> spec;
};
struct KillJob {
  Caller caller;
  JobId job;
};
struct SetPriority {
  Caller caller;
  JobId job;
  Priority priority = Priority::kNormal;
};
struct MoveJob {
  Caller caller;
  JobId job;
  std::string queue;
};
struct ReleaseJob {  // it was submitted held
  Caller caller;
  JobId job;
};
struct SetQueueState {
  Caller caller;
  std::string queue;
  bool stopped = false;
};
struct ApplySettings {
  Caller caller;
  std::shared_ptr<const Settings> settings;
  // The number of those that they are to replace; absent: whatever is in force.
  std::optional<std::uint64_t> expected = std::nullopt;
};
struct SetPolicy {
  Caller caller;
  std::string policy;
  bool of_settings = false;  // the followed file names it: not a switch by command
};
// All of them or none; kNone takes back what was ordered before, and forgives faults.
struct OrderTrackers {
  Caller caller;
  std::vector<std::string> trackers;
  TrackerOrder order = TrackerOrder::kNone;
  std::string reason;
};
// They are dead, says an administrator: what expiry does, without the wait. All of them or none.
struct DeclareLost {
  Caller caller;
  std::vector<std::string> trackers;
  std::string reason;
};
// Lost trackers leave the lists, and what was ordered of them is dropped. All of them or none.
struct ForgetTrackers {
  Caller caller;
  std::vector<std::string> trackers;
};

struct RegisterTracker {
  std::string name;
  std::int64_t incarnation = 0;
  // Drawn with the incarnation, and told to nobody but the JobTracker: by it alone somebody else
  // could speak for this life. Empty: it has none.
  std::string key;
  std::string host;
  std::int32_t shuffle_port = 0;
  Resources total;
  std::string rack = "default";
  std::vector<std::string> local_paths;
  std::map<std::string, std::int64_t> named;  // what more it offers: gpu 2
  std::map<std::string, std::string> labels;
  std::uint32_t port_count = 0;          // that it can give to tasks
  std::vector<std::string> protections;  // of its tasks from each other, "name: how"; to be shown
  // The same in every life of a tracker in one work directory; empty: it does not say.
  std::string home;
  bool ended_in_order = false;  // the life before in that directory: no task took it down
  // Sequence of the last heartbeat before: what it, or one before it, says is old news, also where
  // this is the first that the JobTracker hears of it.
  std::int64_t reported = 0;
};

enum class ReportedState : std::uint8_t {
  kRunning = 0,
  kCommitPending = 1,
  kSucceeded = 2,
  kFailed = 3,
  kKilled = 4
};

struct FetchFailure {
  std::uint32_t map = 0;
  std::uint32_t map_attempt = 0;
  friend bool operator==(const FetchFailure&, const FetchFailure&) = default;
};

struct AttemptReport {
  AttemptKey attempt;
  ReportedState state = ReportedState::kRunning;
  std::int32_t progress_millionths = 0;
  TaskPhase phase = TaskPhase::kStarting;
  std::string status;
  std::string diagnostics;
  std::shared_ptr<const Counters> counters;
  std::vector<FetchFailure> fetch_failures;
  bool compute_granted = true;  // false: a reduce that may not compute yet
  DurationMs age_ms = 0;        // since its tracker started it; 0 if it does not say
  std::shared_ptr<const Units> units;  // that it was granted; null: none
  // Of a gang's member: that its tracker has given it; null: it does not say.
  std::shared_ptr<const std::vector<std::uint16_t>> ports;
  // By its tracker's clock, for display alone; 0: it does not say.
  TimeMs started_at_ms = 0, finished_at_ms = 0;
};

struct DutyReport {
  JobId job;
  bool ok = true;
  std::string message;
  std::optional<bool> succeed;  // which duty it was, if the tracker says
  bool elsewhere = false;       // not ok: it cannot begin it, another tracker is to be asked
};

struct Heartbeat {
  std::string name;
  std::int64_t incarnation = 0;
  std::string key;  // as it registered
  std::int64_t sequence = 0;
  std::vector<AttemptReport> attempts;
  std::optional<Resources> total;
  std::optional<std::map<std::string, std::int64_t>> named;  // likewise: if it has changed
  std::int64_t free_disk_mb = -1;  // -1: not reported
  bool accepts_tasks = true;       // false: draining or sick; leaves the pool
  bool low_disk = false;           // that is why
  bool leaving = false;            // the last one: the process ends, as it was told
  bool asks_for_tasks = true;      // false: a report only, nothing is launched
  std::int32_t load_millionths = 0;
  std::vector<JobId> held_jobs;
  std::vector<DutyReport> duties;
  std::string health;
};

struct LoseTracker {  // it is gone for certain: what expiry does, without the wait
  std::string name;
};

// Trackers are told about jobs that they run something of. Nobody: the caller may ask for any.
struct DescribeJob {
  JobId job;
  std::optional<std::vector<std::string>> askers = std::nullopt;  // one of these trackers
};
struct QueryMapOutputs {
  JobId job;
  std::uint32_t first = 0;
  std::optional<std::vector<std::string>> askers = std::nullopt;  // as above
};

// Where the members of a job's gang are, from the `first` of them on.
struct QueryPeers {
  JobId job;
  std::uint32_t first = 0;
  std::optional<std::vector<std::string>> askers = std::nullopt;  // as above
};

struct Tick {};  // time passes: expiry, the policy's periodic update
struct Durable {
  std::uint64_t seq = 0;  // everything up to here is on disk
};
struct StoreFailed {  // commands up to here were not written and never will be; facts are being
                      // retried
  std::uint64_t seq = 0;
  std::string message;
};

using Token = std::uint64_t;  // 0: no reply wanted

struct Input {
  TimeMs at = 0;
  Token token = 0;
  std::variant<SubmitJob, KillJob, SetPriority, MoveJob, SetQueueState, ApplySettings, SetPolicy,
               RegisterTracker, Heartbeat, DescribeJob, QueryMapOutputs, QueryPeers, Tick, Durable,
               StoreFailed, LoseTracker, OrderTrackers, DeclareLost, ForgetTrackers, ReleaseJob>
      body;
};

// --- Replies ---
struct Submitted {
  JobId job;
  std::string queue;
};
struct Done {};
struct Registered {
  DurationMs interval_ms = 0;
};
// A map's split, kept alive by the spec that it stands in. Named, and not looked at before somebody
// wants it: the engine, in whose way that memory would be, does not.
class LaunchSplit {
 public:
  LaunchSplit() = default;  // of a reduce: none
  LaunchSplit(std::shared_ptr<const JobSpec> spec, std::uint32_t map)
      : spec_(std::move(spec)), map_(map) {}
  explicit LaunchSplit(Split alone) {
    auto spec = std::make_shared<JobSpec>();
    spec->splits.push_back(std::move(alone));
    spec_ = std::move(spec);
  }

  explicit operator bool() const { return spec_ != nullptr; }
  const Split& operator*() const { return spec_->splits[map_]; }

 private:
  std::shared_ptr<const JobSpec> spec_;
  std::uint32_t map_ = 0;
};
// What a task has where containers count.
struct Grant {
  Resources container;  // memory and vcores
  Units units;
  std::uint32_t ports = 0;  // its tracker says which
  bool peers = false;       // of a gang: it starts once its tracker knows where the others are
};
struct Launch {
  AttemptKey attempt;
  LaunchSplit split;
  bool compute_granted = true;
  std::shared_ptr<const Grant> grant;  // null where slots count
};
struct Duty {
  JobId job;
  bool succeed = true;
  std::string output;
  std::string owner;       // see output_owner()
  std::int64_t parts = 0;  // how many files of the job may stand published there
  std::string user;        // whose job it is
};
struct HeartbeatReply {
  DurationMs interval_ms = 0;
  DurationMs out_of_band_gap_ms = 0;
  std::vector<Launch> launch;
  std::vector<AttemptKey> kill;
  std::vector<AttemptKey> commit;
  std::vector<AttemptKey> compute_granted;  // reduces that may go on from copying to computing
  std::vector<AttemptKey> acknowledged;
  std::vector<JobId> drop_jobs;
  std::vector<Duty> duties;
  std::string leave;  // not empty: report once more, as leaving, and end; this is why
};
struct JobDescription {
  JobId job;
  std::shared_ptr<const JobSpec> spec;
  std::string owner;  // see output_owner()
};
struct MapOutput {
  std::uint32_t map = 0;
  std::uint32_t attempt = 0;
  bool obsolete = false;
  std::string host;
  std::int32_t port = 0;
};
struct MapOutputs {
  std::vector<MapOutput> outputs;
  std::uint32_t list_id = 0;  // the JobTracker's start: after another one the list is another, too
  std::uint32_t next = 0;
  std::uint32_t maps = 0;
};

// One member of a gang.
struct GangPeer {
  std::string group;
  std::uint32_t index = 0;
  std::string host;
  std::vector<std::uint16_t> ports;
  friend bool operator==(const GangPeer&, const GangPeer&) = default;
};
struct GangPeers {
  bool complete = false;  // false: some have not said their ports yet, and `peers` is empty
  std::vector<GangPeer> peers;
  std::uint32_t next = 0;
  std::uint32_t members = 0;  // in all
};

using ReplyBody = std::variant<Done, Submitted, Registered, HeartbeatReply, JobDescription,
                               MapOutputs, GangPeers, Error>;
struct Reply {
  Token token = 0;
  ReplyBody body;
};

// Reused from step to step, so that the hot path allocates little.
struct Output {
  std::vector<Event> events;
  std::vector<Reply> replies;
  void clear() {
    events.clear();
    replies.clear();
  }
};

}  // namespace weir
