// The validated settings that the engine works by. conf/ makes them from YAML; scenarios and tests
// make them by hand. A Settings value is immutable once applied: a change is a whole new value,
// applied in one step.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/dimension.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/time.h"

namespace weir {

// What is scheduled: slots of two kinds, or containers of memory, virtual cores and the resources
// that `named` lists, and how large a container is for what a task asks (containers.md, section 1).
struct ResourceSettings {
  enum class Mode : std::uint8_t { kSlots, kContainers };
  Mode mode = Mode::kSlots;
  std::vector<std::string> named;  // countable, at most kNamedCount
  // What is asked is raised to `minimum`, and rounded up to a multiple of `increment`; more than
  // `maximum` is refused. Of memory and vcores; named resources are given as asked.
  Resources minimum{{0, 0, 128, 1}};
  Resources increment{{0, 0, 128, 1}};
  std::optional<Resources> maximum;
  // Of one map and one reduce that say nothing, times their slots.
  Resources map{{0, 0, 1024, 1}};
  Resources reduce{{0, 0, 1024, 1}};
  std::int64_t reservations_hundredths = 500;  // of the trackers, at least one
  DurationMs gang_hold_ms = 5 * 60 * 1000;     // beyond its share
  friend bool operator==(const ResourceSettings&, const ResourceSettings&) = default;
};

// A queue's guarantee in one dimension: a share of the parent's (in hundredths of a percent), an
// amount (a ratio among siblings that all say amounts), or nothing said (an equal part of what the
// siblings leave).
struct Guarantee {
  enum class Unit : std::uint8_t { kUnset, kPercent, kSlots };
  Unit unit = Unit::kUnset;
  std::int64_t amount = 0;  // kPercent: 4000 is 40%; kSlots: slots
  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

// A part of something in every dimension, or a word for each: `80%`, `{memory_mb: 80%, gpu: 2}`.
// By Dimension::place(); what is unset is not bounded.
struct QueueBound {
  std::array<Guarantee, kPlaceCount> of{};
  const Guarantee& operator[](Dimension d) const { return of[d.place()]; }
  friend bool operator==(const QueueBound&, const QueueBound&) = default;
};

struct UserLimit {
  enum class Mode : std::uint8_t { kSoft, kHard };
  std::int64_t minimum_hundredths = 10000;        // 25% is 2500; default 100%: one user may use all
  std::optional<std::int64_t> factor_millionths;  // no limit if absent
  Mode mode = Mode::kSoft;
  friend bool operator==(const UserLimit&, const UserLimit&) = default;
};

// Users, @groups and "*". An empty list is nobody; an absent one everybody.
using AccessList = std::optional<std::vector<std::string>>;

struct QueueSettings {
  std::string name;  // last part
  Guarantee guaranteed[kPlaceCount];  // by Dimension::place()
  std::optional<std::int64_t> maximum_hundredths;  // of the parent's maximum; absent = 100%
  // Of containers alone, as the next two: MAX by dimension, of the parent's maximum; how much of
  // its parent's guarantee it may go beyond its own; how much of its guarantee it lends while it
  // does not use it. Absent: as the parent; as much as `maximum` says; all.
  std::optional<QueueBound> maximum;
  std::optional<QueueBound> borrow;
  std::optional<QueueBound> lend;
  std::optional<DurationMs> reclaim_after_ms[kTaskKindCount];  // containers: the first for all
  DurationMs lend_after_ms = 0;
  UserLimit user_limit;
  bool priorities = false;  // jobs by priority, then submit time
  bool stopped = false;
  std::optional<std::int64_t> max_jobs, max_jobs_per_user, max_tasks_per_job;
  std::optional<std::int64_t> max_running_jobs, max_running_jobs_per_user;
  std::optional<std::int64_t> kill_budget;  // slot-seconds an hour
  AccessList submit, administer;
  std::vector<QueueSettings> queues;  // children
  friend bool operator==(const QueueSettings&, const QueueSettings&) = default;
};

// What one policy is set to; each policy derives its own and finds it in Settings::policies by its
// name.
struct PolicySettings {
  virtual ~PolicySettings() = default;
};

struct HeartbeatSettings {
  std::optional<DurationMs> interval_ms;  // absent = auto: grows with the cluster
  DurationMs floor_ms = 300;
  std::int64_t per_second = 1000;  // heartbeats in all, for auto
  DurationMs expiry_ms = 10 * 60 * 1000;
  std::int64_t out_of_band_per_second = 5000;  // early heartbeats in all
  friend bool operator==(const HeartbeatSettings&, const HeartbeatSettings&) = default;
};

// Speculative attempts: a second one of a task that has fallen behind. A setting is on here only if
// somebody says so; what is read from a file is on unless it says otherwise (conf/).
struct SpeculationSettings {
  bool on[kTaskKindCount] = {false, false};
  DurationMs after_ms = 60 * 1000;        // an attempt must have run at least so long
  std::int64_t lag_millionths = 200'000;  // and its progress be so far below the average
  friend bool operator==(const SpeculationSettings&, const SpeculationSettings&) = default;
};

// A fault of a tracker is a job that succeeded and had come to avoid it. With `at_most` of them
// within `forget_after` a tracker leaves the pool, as long as most others are in it.
struct TrackerFaultSettings {
  std::optional<std::int64_t> at_most = 4;  // absent: never
  DurationMs forget_after_ms = 24LL * 3600 * 1000;
  friend bool operator==(const TrackerFaultSettings&, const TrackerFaultSettings&) = default;
};

// A queue that these settings no longer have, or have as an inner queue only: its jobs go on in
// another one. An inner queue stands for all the leaves it had.
struct RemovedQueue {
  std::string queue;    // dotted path
  std::string move_to;  // dotted path of a declared leaf
  friend bool operator==(const RemovedQueue&, const RemovedQueue&) = default;
};

// Jobs that are over for so long that the engine has forgotten them are records in the store.
struct HistorySettings {
  DurationMs keep_ms = 30LL * 24 * 3600 * 1000;  // since the end of the job
  std::int64_t at_most = 100'000;                // records
  friend bool operator==(const HistorySettings&, const HistorySettings&) = default;
};

// What the descriptions of jobs (splits, programs, files, texts) may hold in memory, in all and of
// one user; a submission that would go beyond is refused.
struct JobBytesSettings {
  std::int64_t in_all = 4LL << 30;
  std::int64_t per_user = 1LL << 30;
  friend bool operator==(const JobBytesSettings&, const JobBytesSettings&) = default;
};

// A file of all that the JobTracker decides, a line of JSON each; it keeps it, not the engine.
struct EventLogSettings {
  std::string path;
  std::int64_t rotate_bytes = 100'000'000;
  std::int64_t keep = 10;  // full files
  friend bool operator==(const EventLogSettings&, const EventLogSettings&) = default;
};

// Which settings count: whichever came last, by an edit of the file that the JobTracker follows or
// by command; the file's alone, no others are taken; those of commands, once there are some: an
// edit of the file is only told.
enum class SettingsFrom : std::uint8_t { kNewest, kFile, kApplied };
inline constexpr std::string_view kSettingsFromNames[] = {"newest", "file", "applied"};

struct Settings {
  std::string policy = "capacity";
  ResourceSettings resources;
  HeartbeatSettings heartbeat;
  SpeculationSettings speculation;
  TrackerFaultSettings tracker_faults;
  std::vector<QueueSettings>
      queues;  // top level; never empty once validated (`default` if none is declared)
  std::vector<RemovedQueue> removed_queues;
  std::vector<std::string>
      administrators;  // may do everything, besides each queue's own `administer`
  DurationMs finished_jobs_kept_ms = 24LL * 3600 * 1000;
  std::int64_t finished_jobs_at_most = 10'000;
  HistorySettings history;
  JobBytesSettings job_bytes;
  std::optional<EventLogSettings> event_log;  // absent: off
  SettingsFrom from = SettingsFrom::kNewest;
  std::map<std::string, std::shared_ptr<const PolicySettings>> policies;
  std::vector<std::string> notices;  // findings that are no errors but stay visible
  std::string text;                  // the YAML it came from, kept for the store and `conf diff`
  std::string source;                // file name, for messages
  std::string file_hash;             // of the followed file it was read from; empty: by command
};

// Which settings are in force: their number in the history of settings, and who applied them when.
struct SettingsStamp {
  std::uint64_t number = 0;  // 0: none were applied since there is such a history
  TimeMs at = 0;             // 0: not known
  std::string by;            // empty: the file that is followed was read
  friend bool operator==(const SettingsStamp&, const SettingsStamp&) = default;
};

}  // namespace weir
