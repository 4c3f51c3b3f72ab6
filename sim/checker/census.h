// The cluster counted one by one: what every job runs, could launch and is to get back, what every
// tracker holds. Nothing here trusts a sum that the engine keeps; the states of single tasks,
// attempts and trackers are all it reads. A census can take launches back, so that the moment
// before each launch of a heartbeat can be judged. Plain values, any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/event.h"
#include "jobqueue/model/ids.h"

namespace weir::check {

// What a job has of one class.
struct JobCount {
  const Job* job = nullptr;
  std::int64_t width = 1;       // slots of one task
  std::int64_t running = 0;     // tasks in RUN
  std::int64_t copying = 0;     // reduces without slots: they copy,
  std::int64_t copied = 0;      // or have copied
  std::int64_t launchable = 0;  // pending tasks that could be launched now, if there were room
  std::int64_t returning = 0;   // ordered to die, wanted again: launchable once they are gone
  bool runnable = false;        // the job is admitted and not ending,
  bool may_launch = false;      // and slow-start is met
  bool placeable = false;       // some tracker is wide enough for a task, and not avoided
  std::int64_t pending() const { return placeable ? launchable : 0; }
};

struct TrackerCount {
  Resources held;  // running and dying
  std::int64_t attempts = 0;
  std::int64_t copy_slots = 0;  // of reduces without slots, dying ones too
  std::int64_t waiting = 0;     // those of them that have copied and do not die
};

// Whether a job's reduces may be launched (slow-start was met once).
using Eligible = std::function<bool(const Job&)>;

// Of jobs that were in another state than they are.
using StatesBefore = std::map<JobId, JobState>;

struct Census {
  Census(const ClusterState& state, const Eligible& eligible, const StatesBefore& before = {});

  const std::vector<JobCount>& jobs(TaskKind kind) const { return by_class[index(kind)]; }
  const JobCount* find(TaskKind kind, JobId job) const;
  // The task is pending again, as just before its launch.
  void take_back_launch(const AttemptLaunched& launch);
  // The attempt runs again, as just before it was ordered to die.
  void take_back_kill(const AttemptKey& attempt);

  bool runs_elsewhere(const AttemptKey& attempt) const;

  const ClusterState* state;
  Resources total;  // of the trackers in the pool
  std::int64_t live_trackers = 0;
  std::vector<JobCount> by_class[kTaskKindCount];  // all unfinished ones, by id
  std::map<TrackerId, TrackerCount> trackers;
  std::set<TaskKey> taken_back;  // by take_back_kill(), of tasks that nobody ran any more
  std::map<TaskKey, std::int64_t> attempts_of_task;         // not dying
  std::map<QueueId, std::int64_t> running[kTaskKindCount];  // leaves
  std::map<std::pair<QueueId, UserId>, std::int64_t> user_running[kTaskKindCount];
};

// Trackers in the pool: live, and taking tasks.
bool in_pool(const TrackerState& tracker);
// Whether the job passes the tracker over because it failed there too often.
bool avoids(const Census& census, const Job& job, const TrackerState& tracker);
// Whether the tracker has room for a task next to what it `held`, in every dimension that counts.
bool has_room(const Census& census, const Resources& need, const TrackerState& tracker,
              const Resources& held);

}  // namespace weir::check
