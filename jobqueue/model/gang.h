// Gangs (containers.md, section 8): of each group that says so its first tasks start together or
// not at all. Until it has started a job's gang is one item of what the job wants, with the sum of
// its members as its size; one gang in the cluster at a time may collect room for its members until
// all of them have some. What was collected is soft: a restart, or another policy, begins again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/time.h"

namespace weir {

class ClusterState;
struct Job;
struct JobSpec;

// The gang of one job.
struct Gang {
  bool started = false;
  std::vector<TaskKey> members;  // in order; once it has: those that live and die together
  // Of attempts of members that their trackers have taken on: the ports that they have there.
  std::map<AttemptKey, std::vector<std::uint16_t>> ports;
  bool ports_awaited = false;  // some have said theirs, and the others not yet
  bool has(const TaskKey& task) const;
};

// Room on a tracker for a member that has not started.
struct GangRoom {
  TaskKey task;
  TrackerId tracker;
};

// The gang that collects room.
struct Assembly {
  JobId job;
  QueueId queue;        // the job's
  bool beyond = false;  // it would run more than its queues' shares: it gives way, and not for ever
  TimeMs since = 0;
  std::vector<GangRoom> rooms;
};

bool has_gang(const JobSpec& spec);
// The lowest indexes of each of its groups that have not succeeded, as many as start together.
std::vector<TaskKey> gang_members(const Job& job);
// The member's attempt that runs; invalid: it has succeeded, or nothing of it runs.
AttemptSlot running_member(const ClusterState& state, const Job& job, const TaskKey& member);
bool has_succeeded(const Job& job, const TaskKey& member);
// All members of a started gang that have not succeeded run, and their trackers have said which
// ports they have.
bool all_have_ports(const ClusterState& state, const Job& job);
// Of these, in order, who neither runs nor has room.
std::vector<TaskKey> gang_without_room(const ClusterState& state, const Job& job);
// What they need, in all.
Resources sum_of(const Job& job, const std::vector<TaskKey>& tasks);

}  // namespace weir
