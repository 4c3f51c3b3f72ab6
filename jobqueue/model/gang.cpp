#include "jobqueue/model/gang.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/labels.h"

namespace weir {

constexpr std::int64_t kTasksAtMost = 1'000'000;  // one that takes nothing fits so often

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

std::int64_t fit_empty(const ClusterState& state, const Resources& need,
                       const TaskGroupSpec& group, bool ever) {
  std::map<std::string_view, std::int64_t> fit;  // by the label that they are spread by
  for (const TrackerState& tracker : state.trackers()) {
    if ((!ever && !tracker.counts()) || !meets(tracker, state, group.require)) continue;
    const Resources& total = ever ? tracker.largest : tracker.total;
    std::int64_t here = kTasksAtMost;
    for (std::size_t i = 0; i < kDimensionCount; ++i) {
      if (need.amount[i] > 0) here = std::min(here, total.amount[i] / need.amount[i]);
    }
    if (group.ports > 0) here = std::min<std::int64_t>(here, tracker.port_count / group.ports);
    const std::string_view value = group.spread ? label_of(tracker, state, group.spread->by) : "";
    if (here > 0) fit[value] += here;
  }
  std::int64_t least = kTasksAtMost;
  for (const auto& [value, tasks] : fit) least = std::min(least, tasks);
  const std::int64_t most = group.spread ? least + group.spread->max_skew : kTasksAtMost;
  std::int64_t all = 0;
  for (const auto& [value, tasks] : fit) all += group.spread ? std::min(tasks, most) : tasks;
  return all;
}

bool fits_empty(const ClusterState& state, const Job& job) {
  return std::all_of(job.kinds().begin(), job.kinds().end(), [&](TaskKind kind) {
    const TaskGroupSpec& group = job.spec->task_groups[group_number(kind)];
    return group.gang == 0 ||
           fit_empty(state, job.need(kind), group, false) >= std::int64_t{group.gang};
  });
}

}  // namespace weir
