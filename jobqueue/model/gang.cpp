#include "jobqueue/model/gang.h"

#include <algorithm>

#include "jobqueue/model/cluster_state.h"

namespace weir {

bool Gang::has(const TaskKey& task) const {
  return std::binary_search(members.begin(), members.end(), task);
}

bool has_gang(const JobSpec& spec) {
  return std::any_of(spec.task_groups.begin(), spec.task_groups.end(),
                     [](const TaskGroupSpec& group) { return group.gang > 0; });
}

std::vector<TaskKey> gang_members(const Job& job) {
  std::vector<TaskKey> members;
  for (const TaskKind kind : job.kinds()) {
    std::uint32_t left = job.spec->task_groups[group_number(kind)].gang;
    const std::vector<Task>& tasks = job.tasks(kind).tasks;
    for (std::uint32_t i = 0; i < tasks.size() && left > 0; ++i) {
      if (tasks[i].state == Task::State::kSucceeded) continue;
      members.push_back({job.id, kind, i});
      --left;
    }
  }
  return members;
}

AttemptSlot running_member(const ClusterState& state, const Job& job, const TaskKey& member) {
  AttemptSlot found;
  state.each_attempt(job.tasks(member.kind).tasks[member.index], [&](AttemptSlot slot) {
    if (!state.attempt(slot).dying()) found = slot;
  });
  return found;
}

bool has_succeeded(const Job& job, const TaskKey& member) {
  return job.tasks(member.kind).tasks[member.index].state == Task::State::kSucceeded;
}

// Each tracker asks several times a second: while a gang starts, the first line answers.
bool all_have_ports(const ClusterState& state, const Job& job) {
  const Gang& gang = *job.gang;
  std::size_t done = 0;
  for (const TaskKind kind : job.kinds()) done += job.tasks(kind).succeeded;
  if (gang.ports.size() + done < gang.members.size()) return false;
  return std::all_of(gang.members.begin(), gang.members.end(), [&](const TaskKey& member) {
    if (has_succeeded(job, member)) return true;
    const AttemptSlot slot = running_member(state, job, member);
    return slot.valid() && gang.ports.contains(state.attempt(slot).key);
  });
}

// At each offer to a gang that waits: it is looked at once, however many rooms it has.
std::vector<TaskKey> gang_without_room(const ClusterState& state, const Job& job) {
  std::vector<TaskKey> members = gang_members(job);
  if (members.empty()) return members;
  std::vector<std::vector<bool>> have_room(job.groups);
  for (const TaskKind kind : job.kinds())
    have_room[group_number(kind)].resize(job.tasks(kind).tasks.size());
  if (const Assembly* assembly = state.assembly_of(job.id)) {
    for (const GangRoom& room : assembly->rooms)
      have_room[group_number(room.task.kind)][room.task.index] = true;
  }
  std::erase_if(members, [&](const TaskKey& member) {
    return job.tasks(member.kind).tasks[member.index].state == Task::State::kRunning ||
           have_room[group_number(member.kind)][member.index];
  });
  return members;
}

Resources sum_of(const Job& job, const std::vector<TaskKey>& tasks) {
  std::vector<std::int64_t> of(job.groups);
  for (const TaskKey& task : tasks) ++of[group_number(task.kind)];
  Resources sum;
  for (const TaskKind kind : job.kinds()) {
    const Resources& need = job.need(kind);
    for (std::size_t i = 0; i < kDimensionCount; ++i)
      sum.amount[i] += of[group_number(kind)] * need.amount[i];
  }
  return sum;
}

}  // namespace weir
