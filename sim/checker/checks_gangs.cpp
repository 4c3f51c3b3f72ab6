// Gangs: none runs by halves. A member is launched only once its gang has started, and then all of
// them are; room is held for one gang at a time, within what trackers offer and below what its
// queues may have.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/checker/checks_containers.h"

namespace weir::check {
namespace {

// The lowest of each group that are not done, as many as start together: counted here by itself.
std::set<TaskKey> members_of(const Job& job) {
  std::set<TaskKey> members;
  for (std::size_t g = 0; g < job.spec->task_groups.size(); ++g) {
    const TaskKind kind = group_kind(g);
    const auto& tasks = job.tasks(kind).tasks;
    std::size_t left = job.spec->task_groups[g].gang;
    for (std::uint32_t i = 0; i < tasks.size(); ++i) {
      if (left == 0) break;
      if (tasks[i].state == Task::State::kSucceeded) continue;
      members.insert({job.id, kind, i});
      --left;
    }
  }
  return members;
}

void check_started(const Job& job, Verdict& verdict) {
  for (const TaskKey& member : job.gang->members) {
    const Task& task = job.tasks(member.kind).tasks[member.index];
    const bool gone = task.state == Task::State::kPending;
    if (!gone || job.spec->task_groups[group_number(member.kind)].replace) continue;
    verdict.breach("gang-whole", fmt::format("the gang of {} has started, and {} does not run",
                                             job_name(job.id), task_name(member)));
  }
}

void check_rooms(const ClusterState& state, const Assembly& gang, Verdict& verdict) {
  const Job& job = state.job(gang.job);
  const std::set<TaskKey> members = members_of(job);
  std::set<TaskKey> seen;
  for (const GangRoom& room : gang.rooms) {
    const TrackerState& tracker = state.tracker(room.tracker);
    if (!members.contains(room.task) || !seen.insert(room.task).second) {
      verdict.breach("gang-room", fmt::format("room is held for {}, which is no member, or "
                                              "has some",
                                              task_name(room.task)));
    }
    if (!tracker.in_pool()) {
      verdict.breach("gang-room", fmt::format("room is held for {} on tracker {}, which takes "
                                              "no tasks",
                                              task_name(room.task), tracker.name));
    }
  }
  if (job.gang == nullptr || job.gang->started) {
    verdict.breach("gang-room", fmt::format("room is held for the gang of {}, which has started",
                                            job_name(job.id)));
  }
}

}  // namespace

std::vector<TaskKey> members_without_room(const ClusterState& state, const Job& job) {
  std::set<TaskKey> waiting;
  for (const TaskKey& member : members_of(job)) {
    if (job.tasks(member.kind).tasks[member.index].state == Task::State::kPending)
      waiting.insert(member);
  }
  const Assembly* gang = state.assembly();
  if (gang != nullptr && gang->job == job.id) {
    for (const GangRoom& room : gang->rooms) waiting.erase(room.task);
  }
  return {waiting.begin(), waiting.end()};
}

void check_gangs(const Engine& engine, const Input& input, const Output& output, Verdict& verdict) {
  const ClusterState& state = engine.state();
  for (const auto& [id, job] : state.jobs()) {
    if (job->gang != nullptr && job->gang->started && !is_over(job->state))
      check_started(*job, verdict);
  }
  if (const Assembly* gang = state.assembly()) check_rooms(state, *gang, verdict);
  std::set<JobId> started;
  for (const Event& event : output.events) {
    if (const auto* start = fact_as<GangStarted>(event.fact)) started.insert(start->job);
    if (const auto* held = fact_as<GangHeld>(event.fact)) {
      const TrackerState& tracker = state.tracker(held->tracker);
      for (const Dimension d : state.space().dimensions()) {
        if (tracker.used[d] <= tracker.total[d]) continue;
        verdict.breach("held", fmt::format("tracker {} holds {} for a gang, but has {}",
                                           tracker.name, state.space().text(tracker.used),
                                           state.space().text(tracker.total)));
      }
    }
    const auto* launch = fact_as<AttemptLaunched>(event.fact);
    if (launch == nullptr) continue;
    // After a restart what trackers report is taken on as it comes, though the gang may have ended
    // by the time the last of them is heard.
    if (was_reported(std::get_if<Heartbeat>(&input.body), launch->attempt)) continue;
    const Job* job = state.find_job(launch->attempt.task.job);
    if (job == nullptr || is_over(job->state) || !job->waits_for_gang(launch->attempt.task.kind))
      continue;
    const bool dies = state.find_attempt(launch->attempt).valid() &&
                      state.attempt(state.find_attempt(launch->attempt)).dying();
    if (dies || started.contains(job->id)) continue;
    verdict.breach("gang-whole", fmt::format("{} is launched before its gang has started",
                                             attempt_name(launch->attempt)));
  }
}

}  // namespace weir::check
