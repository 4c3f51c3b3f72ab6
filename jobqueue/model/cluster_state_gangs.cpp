// Gangs, and the rooms of the one that is being assembled. A gang that could start is one task of a
// group of its own (Job::items()), whose size is the sum of the members that do not run; the groups
// that it is of are closed until it has started.
#include <algorithm>

#include "jobqueue/model/cluster_state.h"

namespace weir {

void ClusterState::follow_gang(Job& job) {
  if (job.gang == nullptr) return;
  TaskGroup& item = job.tasks(job.gang_kind());
  Resources sum;
  bool waits = !job.gang->started && space_.containers();
  bool any = false;
  for (const TaskKey& member : waits ? gang_members(job) : std::vector<TaskKey>{}) {
    const Task& task = job.tasks(member.kind).tasks[member.index];
    bool dies = false;
    each_attempt(task, [&](AttemptSlot slot) { dies = dies || attempt(slot).dying(); });
    waits = waits && !dies;  // what it had is not free yet, and it may still succeed
    if (task.state == Task::State::kRunning) continue;
    const TaskGroup& group = job.tasks(member.kind);
    const bool rests = group.fresh.at_or_after(member.index) != member.index &&
                       group.retries.at_or_after(member.index) != member.index;
    waits = waits && !rests;
    sum += job.need(member.kind);
    any = true;
  }
  waits = waits && any;
  if (waits) {
    const Size* before = item.size;
    item.size = sizes_.intern(sum, true);
    sizes_.release(before);
  }
  item.total = 1;
  item.fresh.reset(1);
  if (waits) item.fresh.fill(1);
  if (waits && !is_over(job.state)) {
    gangs_waiting_.insert(job.id);
  } else {
    gangs_waiting_.erase(job.id);
  }
}

void ClusterState::open_gang(Job& job, bool started) {
  job.gang->started = started;
  job.gang->members = started ? gang_members(job) : std::vector<TaskKey>{};
  if (!started) job.gang->ports.clear();
  for (const TaskKind kind : job.kinds()) {
    if (job.spec->task_groups[group_number(kind)].gang > 0) job.tasks(kind).open = started;
  }
  follow_gang(job);
}

void ClusterState::begin_assembly(const Job& job, bool beyond) {
  assembly_ = Assembly{
      .job = job.id, .queue = job.queue, .beyond = beyond, .since = now_, .rooms = {}};
}

void ClusterState::hold_room(const GangRoom& room) {
  assembly_->rooms.push_back(room);
  count_room(room, 1);
}

void ClusterState::free_room(std::size_t place) {
  const GangRoom room = assembly_->rooms[place];
  assembly_->rooms.erase(assembly_->rooms.begin() + static_cast<std::ptrdiff_t>(place));
  count_room(room, -1);
}

void ClusterState::count_room(const GangRoom& room, int sign) {
  const Job& job = this->job(room.task.job);
  TrackerState& tracker = mutable_tracker(room.tracker);
  trackers_.use(tracker, job.need(room.task.kind), sign);
  const std::uint32_t ports = job.spec->task_groups[group_number(room.task.kind)].ports;
  tracker.ports_used += static_cast<std::uint32_t>(sign) * ports;
  count_kept(assembly_->queue, job.need(room.task.kind), sign);
}

}  // namespace weir
