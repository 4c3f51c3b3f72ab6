#include "sim/checker/census.h"

#include <algorithm>

namespace weir::check {

bool in_pool(const TrackerState& tracker) {
  return tracker.state == TrackerState::State::kLive && tracker.accepts_tasks &&
         tracker.order == TrackerOrder::kNone && !tracker.faulty;
}

namespace {

// One that a restarted JobTracker waits for counts as the pool it was in when it was last heard of.
bool counts(const TrackerState& tracker) {
  return in_pool(tracker) || (tracker.state == TrackerState::State::kAwaited &&
                              tracker.order == TrackerOrder::kNone && !tracker.faulty);
}

}  // namespace

bool avoids(const Census& census, const Job& job, const TrackerState& tracker) {
  const auto often = [](const auto& failures) { return failures.second >= kTrackerFailuresPerJob; };
  const auto here = job.tracker_failures.find(tracker.id);
  if (here == job.tracker_failures.end() || !often(*here)) return false;
  const auto all = std::count_if(job.tracker_failures.begin(), job.tracker_failures.end(), often);
  return all * 4 <= census.live_trackers;  // a job that failed nearly everywhere avoids nobody
}

bool has_room(const Census& census, const Resources& need, const TrackerState& tracker,
              const Resources& held) {
  for (std::size_t d = 0; d < kDimensionCount; ++d) {
    const bool slots = d < kTaskKindCount;  // asked for even where the cluster has none
    if (need.amount[d] == 0 || (!slots && census.total.amount[d] == 0)) continue;
    if (held.amount[d] + need.amount[d] > tracker.total.amount[d]) return false;
  }
  return true;
}

namespace {

JobCount count_job(const Census& census, const Job& job, JobState job_state, TaskKind kind,
                   bool eligible) {
  const ClusterState& state = *census.state;
  JobCount count{.job = &job, .width = job.spec->need[index(kind)].slots(kind)};
  count.width = std::max<std::int64_t>(count.width, 1);
  count.runnable = job.durable && job_state == JobState::kRunning && job.duty == Job::Duty::kNone;
  count.may_launch = count.runnable && eligible;
  for (const Task& task : job.tasks(kind).tasks) {
    bool alive = false;
    state.each_attempt(task, [&](AttemptSlot slot) {
      const Attempt& attempt = state.attempt(slot);
      if (attempt.dying()) return;
      alive = true;
      if (!attempt.has_slots()) {
        ++(attempt.copy == CopyStage::kCopied ? count.copied : count.copying);
      } else {
        ++count.running;
      }
    });
    if (task.state == Task::State::kPending && count.may_launch) ++count.launchable;
    if (task.state == Task::State::kRunning && !alive && count.may_launch) ++count.returning;
  }
  for (const TrackerState& tracker : state.trackers()) {
    if (counts(tracker) && has_room(census, job.need(kind), tracker, Resources{}) &&
        !avoids(census, job, tracker)) {
      count.placeable = true;
    }
  }
  return count;
}

}  // namespace

Census::Census(const ClusterState& cluster, const Eligible& eligible, const StatesBefore& before)
    : state(&cluster) {
  for (const TrackerState& tracker : cluster.trackers()) {
    if (tracker.state == TrackerState::State::kLive) ++live_trackers;
    if (counts(tracker)) total += tracker.total;
    TrackerCount& count = trackers[tracker.id];
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = cluster.attempt(slot);
      const TaskKey& task = attempt.key.task;
      const Job* job = cluster.find_job(task.job);
      ++count.attempts;
      if (!attempt.dying()) ++attempts_of_task[task];
      if (job == nullptr) continue;
      Resources need = job->spec->need[index(task.kind)];
      if (!attempt.has_slots()) {
        count.copy_slots += need.slots(task.kind);
        need.slots(task.kind) = 0;
        if (attempt.copy == CopyStage::kCopied && !attempt.dying()) ++count.waiting;
      }
      count.held += need;
      if (attempt.dying() || !attempt.has_slots()) continue;
      running[index(task.kind)][job->queue] += need.slots(task.kind);
      user_running[index(task.kind)][{job->queue, job->user}] += need.slots(task.kind);
    }
  }
  for (const auto& [id, job] : cluster.jobs()) {
    if (is_over(job->state)) continue;
    const auto was = before.find(id);
    const JobState job_state = was == before.end() ? job->state : was->second;
    for (const TaskKind kind : kTaskKinds) {
      const bool may_start = kind == TaskKind::kMap || eligible(*job);
      by_class[index(kind)].push_back(count_job(*this, *job, job_state, kind, may_start));
    }
  }
}

const JobCount* Census::find(TaskKind kind, JobId id) const {
  for (const JobCount& count : by_class[index(kind)]) {
    if (count.job->id == id) return &count;
  }
  return nullptr;
}

void Census::take_back_launch(const AttemptLaunched& launch) {
  const TaskKey& task = launch.attempt.task;
  const TaskKind kind = task.kind;
  TrackerCount& tracker = trackers[launch.tracker];
  for (JobCount& count : by_class[index(kind)]) {
    if (count.job->id != task.job) continue;
    if (!launch.speculative) ++count.launchable;
    --tracker.attempts;
    --attempts_of_task[task];
    Resources need = count.job->need(kind);
    if (launch.to_copy) {
      --count.copying;
      tracker.copy_slots -= need.slots(kind);
      need.slots(kind) = 0;
      tracker.held -= need;
      continue;
    }
    --count.running;
    running[index(kind)][count.job->queue] -= count.width;
    user_running[index(kind)][{count.job->queue, count.job->user}] -= count.width;
    tracker.held -= need;
  }
}

// Whether the task goes on, or is done, without that attempt.
bool Census::runs_elsewhere(const AttemptKey& attempt) const {
  const Task& task =
      state->job(attempt.task.job).tasks(attempt.task.kind).tasks[attempt.task.index];
  return task.state != Task::State::kRunning || state->alive_attempts(task) > 0;
}

void Census::take_back_kill(const AttemptKey& attempt) {
  const TaskKind kind = attempt.task.kind;
  for (JobCount& count : by_class[index(kind)]) {
    if (count.job->id != attempt.task.job) continue;
    const bool wanted = !runs_elsewhere(attempt) && taken_back.insert(attempt.task).second;
    if (count.may_launch && wanted) --count.returning;
    ++count.running;
    running[index(kind)][count.job->queue] += count.width;
    user_running[index(kind)][{count.job->queue, count.job->user}] += count.width;
  }
}

}  // namespace weir::check
