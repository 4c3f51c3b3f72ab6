// Tasks with several attempts, and which tasks are behind: kept current at each change, so that a
// heartbeat finds a straggler without looking for one. A task that speculates waits in the list of
// young attempts until it has run for `after`, then stands in its group's ordered set of aged ones
// while it has one attempt; a job stands among those with stragglers while the last in that order
// is far enough below the average and nothing of the kind is left to launch.
#include <algorithm>

#include "jobqueue/model/cluster_state.h"

namespace weir {

AttemptSlot ClusterState::attempt_on(const Task& task, TrackerId tracker) const {
  AttemptSlot found;
  each_attempt(task, [&](AttemptSlot slot) {
    if (attempt(slot).tracker == tracker) found = slot;
  });
  return found;
}

std::uint32_t ClusterState::alive_attempts(const Task& task) const {
  std::uint32_t alive = 0;
  each_attempt(task, [&](AttemptSlot slot) { alive += attempt(slot).dying() ? 0 : 1; });
  return alive;
}

void ClusterState::link_attempt(Task& task, AttemptSlot slot) {
  AttemptSlot last;
  each_attempt(task, [&](AttemptSlot other) {
    last = other;
    mutable_attempt(other).paired = true;
  });
  (last.valid() ? mutable_attempt(last).next : task.attempt) = slot;
  mutable_attempt(slot).paired = last.valid();
}

void ClusterState::unlink_attempt(Task& task, AttemptSlot slot) {
  const AttemptSlot next = attempt(slot).next;
  AttemptSlot before;
  each_attempt(task, [&](AttemptSlot other) {
    if (attempt(other).next == slot) before = other;
  });
  (before.valid() ? mutable_attempt(before).next : task.attempt) = next;
  if (!task.attempt.valid()) return;
  Attempt& first = mutable_attempt(task.attempt);
  if (!first.next.valid()) first.paired = false;
}

ClusterState::TaskStanding ClusterState::standing(const Task& task) const {
  TaskStanding standing;
  if (task.state != Task::State::kRunning || !task.attempt.valid()) return standing;
  std::uint32_t alive = 0;
  each_attempt(task, [&](AttemptSlot slot) {
    const Attempt& one = attempt(slot);
    if (one.dying()) return;
    ++alive;
    standing.progress = std::max<std::int64_t>(standing.progress, one.progress_millionths);
    standing.alone_and_aged.reset();
    if (alive == 1 && one.aged) standing.alone_and_aged = one.progress_millionths;
  });
  standing.returning = alive == 0;
  return standing;
}

void ClusterState::set_aged(TaskGroup& group, std::uint32_t index, const TaskStanding& before,
                            const TaskStanding& after) {
  if (group.aged == nullptr) group.aged = std::make_unique<AgedTasks>();
  if (before.alone_and_aged) group.aged->erase({*before.alone_and_aged, index});
  if (after.alone_and_aged) group.aged->emplace(*after.alone_and_aged, index);
  if (group.aged->empty()) group.aged.reset();
}

// Tasks that are done count as they are: the average is over all tasks of the kind, since all are
// launched when it is asked for.
bool ClusterState::falls_behind(const TaskGroup& group, std::int64_t progress) const {
  const std::int64_t sum =
      std::int64_t{group.succeeded} * 1'000'000 + group.running_progress_millionths;
  return (progress + settings_->speculation.lag_millionths) * group.total <= sum;
}

void ClusterState::review_stragglers(Job& job, TaskKind kind) {
  const TaskGroup& group = job.tasks(kind);
  const bool behind = job.speculates_in(kind) && group.aged != nullptr &&
                      group.pending() == 0 && falls_behind(group, group.aged->begin()->first);
  std::set<JobId>& jobs = with_stragglers_[index(kind)];
  if (behind) {
    jobs.insert(job.id);
  } else {
    jobs.erase(job.id);
  }
}

void ClusterState::age_attempts() {
  const DurationMs after = settings_->speculation.after_ms;
  for (AttemptSlot slot = young_.first(); slot.valid(); slot = young_.first()) {
    Attempt& attempt = mutable_attempt(slot);
    if (now_ - attempt.launched_at < after) return;
    young_.erase(slot);
    const TaskKey& key = attempt.key.task;
    change_task(mutable_job(key.job), key.kind, key.index, [&] { attempt.aged = true; });
  }
}

std::optional<TaskPick> ClusterState::pick_straggler(JobId id, TaskKind kind,
                                                   TrackerId tracker_id) const {
  const Job& job = this->job(id);
  const TaskGroup& group = job.tasks(kind);
  const TrackerState& tracker = trackers_.at(tracker_id);
  if (!job.schedulable() || !job.speculates_in(kind) || group.aged == nullptr ||
      group.pending() > 0 || !may_launch(job, kind, tracker) || avoided(job, tracker_id)) {
    return std::nullopt;
  }
  for (const auto& [progress, i] : *group.aged) {
    if (!falls_behind(group, progress)) break;
    const Task& task = group.tasks[i];
    if (!may_try_beside(job, kind, i) || attempt_on(task, tracker_id).valid()) continue;
    const auto failed = job.failed_on.find({kind, i});
    if (failed != job.failed_on.end() && std::find(failed->second.begin(), failed->second.end(),
                                                   tracker_id) != failed->second.end()) {
      continue;
    }
    TaskPick choice{{id, kind, i}, Locality::kAny};
    if (kind != TaskKind::kMap) return choice;
    refresh_locations(id);
    if (job.has_locations) {
      choice.locality = job.locality.of(i, tracker_id, tracker.rack);
      choice.located = job.locality.located(i);
    }
    return choice;
  }
  return std::nullopt;
}

// Not while its output is about to be published: it is as good as done.
bool ClusterState::may_try_beside(const Job& job, TaskKind kind, std::uint32_t index) const {
  const Task& task = job.tasks(kind).tasks[index];
  if (task.commit_granted) return false;
  bool may = true;
  each_attempt(task, [&](AttemptSlot slot) {
    if (attempt(slot).state == Attempt::State::kCommitPending) may = false;
  });
  return may;
}

std::uint32_t ClusterState::stragglers(const Job& job, TaskKind kind) const {
  const TaskGroup& group = job.tasks(kind);
  std::uint32_t count = 0;
  if (is_group(kind) || !with_stragglers_[index(kind)].contains(job.id)) return count;
  for (const auto& [progress, i] : *group.aged) {
    if (!falls_behind(group, progress)) break;
    if (may_try_beside(job, kind, i)) ++count;
  }
  return count;
}

bool ClusterState::speculates(const JobSpec& spec, TaskKind kind) const {
  if (is_group(kind)) return false;
  return speculation_asked(spec, kind).value_or(settings_->speculation.on[index(kind)]);
}

// What runs is watched from its launch on, whatever the settings were then.
void ClusterState::follow_speculation() {
  std::vector<AttemptSlot> running;
  for (std::size_t i = 0; i < attempts_.size(); ++i) {
    Attempt& attempt = attempts_[i];
    if (!attempt.live) continue;
    running.emplace_back(i);
    young_.erase(running.back());
    if (!attempt.aged) continue;
    const TaskKey& key = attempt.key.task;
    change_task(mutable_job(key.job), key.kind, key.index, [&] { attempt.aged = false; });
  }
  for (const auto& [id, job] : jobs_) {
    for (const TaskKind kind : kTaskKinds)
      job->speculates[index(kind)] = speculates(*job->spec, kind);
  }
  std::sort(running.begin(), running.end(), [this](AttemptSlot a, AttemptSlot b) {
    return attempt(a).launch_order < attempt(b).launch_order;
  });
  for (const AttemptSlot slot : running) {
    const TaskKey& key = attempt(slot).key.task;
    if (job(key.job).speculates_in(key.kind)) young_.arrive(slot);
  }
  age_attempts();
}

}  // namespace weir
