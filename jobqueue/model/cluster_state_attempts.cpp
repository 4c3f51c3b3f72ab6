// The life of attempts: launched, reporting progress, ordered to die, gone; and what each of these
// does to the sums of its job, queue, user and tracker.
#include <algorithm>

#include "jobqueue/model/check.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/life_cycles.h"

namespace weir {

// The first one starts the job; a restart may find an earlier one later.
void ClusterState::note_launch(Job& job, TimeMs at) {
  if (job.started_at != 0 && at >= job.started_at) return;
  if (job.started_at == 0) count_pending(job, -1);
  life::kJob.change(job, [&] { job.started_at = std::max<TimeMs>(at, 1); });
}

AttemptSlot ClusterState::launch(const TaskKey& key, std::uint32_t number, TrackerId tracker_id,
                                 TimeMs now, bool to_copy, bool beside) {
  Job& job = mutable_job(key.job);
  TaskGroup& group = job.tasks(key.kind);
  Task& task = group.tasks[key.index];
  life::kTask.check(task.state, Task::State::kRunning);
  WEIR_CHECK((task.state == Task::State::kRunning) == beside, "a second attempt is asked for");
  AttemptSlot slot;
  if (free_attempts_.empty()) {
    slot = AttemptSlot(attempts_.size());
    attempts_.emplace_back();
  } else {
    slot = free_attempts_.back();
    free_attempts_.pop_back();
  }
  TrackerState& tracker = trackers_.at(tracker_id);
  Attempt& attempt = attempts_[slot.index()];
  attempt = Attempt{};
  attempt.key = {key, number};
  attempt.tracker = tracker_id;
  attempt.queue = job.queue;
  attempt.user = job.user;
  attempt.preempted = task.preempted;
  attempt.launched_at = now;
  if (to_copy) attempt.copy = CopyStage::kCopying;
  attempt.launch_order = ++launches_;
  attempt.tracker_place = static_cast<std::uint32_t>(tracker.attempts.size());
  attempt.live = true;
  life::kAttempt.check(life::kOutside, attempt.state);
  if (to_copy) life::kCopy.check(life::kOutside, attempt.copy);
  tracker.attempts.push_back(slot);
  tracker.held.push_back({.key = attempt.key, .copy = attempt.copy});
  if (job.service) ++tracker.services;
  hold(tracker, attempt, 1);
  attempt.speculative = beside;
  change_task(job, key.kind, key.index, [&] {
    group.fresh.erase(key.index);
    group.retries.erase(key.index);
    task.state = Task::State::kRunning;
    link_attempt(task, slot);
  });
  if (beside) ++group.speculative.launched;
  if (job.speculates_in(key.kind)) young_.arrive(slot);
  ++job.live_attempts;
  note_launch(job, now);
  if (to_copy) {
    count_copy(attempt, 1);
    return slot;
  }
  ++group.running;
  add_running(job.queue, job.user, job.size(key.kind), 1);
  const std::size_t slots = is_group(key.kind) ? 0 : index(key.kind);
  for (QueueId q = job.queue; q.valid(); q = tree_.parent(q)) {
    queues_[q.index()].last_launch[slots] = launches_;
  }
  return slot;
}

void ClusterState::set_progress(Attempt& attempt, std::int32_t millionths) {
  millionths = std::clamp(millionths, 0, 1000000);
  if (attempt.dying()) return void(attempt.progress_millionths = millionths);
  const TaskKey& key = attempt.key.task;
  Job& job = mutable_job(key.job);
  if (attempt.paired || attempt.aged) {
    return change_task(job, key.kind, key.index, [&] { attempt.progress_millionths = millionths; });
  }
  TaskGroup& group = job.tasks(key.kind);
  group.running_progress_millionths += millionths - attempt.progress_millionths;
  attempt.progress_millionths = millionths;
  if (job.speculates_in(key.kind) && group.aged != nullptr) review_stragglers(job, key.kind);
}

void ClusterState::leave_run(Attempt& attempt) {
  Job& job = mutable_job(attempt.key.task.job);
  const TaskKind kind = attempt.key.task.kind;
  TaskGroup& group = job.tasks(kind);
  if (!attempt.has_slots()) return count_copy(attempt, -1);
  --group.running;
  add_running(attempt.queue, attempt.user, job.size(kind), -1);
}

void ClusterState::set_attempt_state(Attempt& attempt, Attempt::State state) {
  life::kAttempt.check(attempt.state, state);
  attempt.state = state;
  trackers_.at(attempt.tracker).held[attempt.tracker_place].state = state;
}

void ClusterState::order_kill(Attempt& attempt, KillReason reason) {
  if (attempt.dying()) {
    attempt.finish_counts = attempt.finish_counts && is_preemption(reason);
    return;
  }
  const TaskKey& key = attempt.key.task;
  leave_run(attempt);
  change_task(mutable_job(key.job), key.kind, key.index,
              [&] { set_attempt_state(attempt, Attempt::State::kDying); });
  attempt.kill_reason = reason;
  attempt.finish_counts = is_preemption(reason);
}

void ClusterState::end_attempt(AttemptSlot slot, AttemptState end) {
  Attempt& attempt = attempts_[slot.index()];
  WEIR_CHECK(attempt.live, "an attempt ends once");
  if (!attempt.dying()) leave_run(attempt);
  life::kAttempt.check(attempt.state, end);
  TrackerState& tracker = trackers_.at(attempt.tracker);
  Job& job = mutable_job(attempt.key.task.job);
  hold(tracker, attempt, -1);
  if (job.service) --tracker.services;
  if (!tracker.units.empty()) tracker.units.release(attempt.key);
  const AttemptSlot last = tracker.attempts.back();
  tracker.attempts[attempt.tracker_place] = last;
  tracker.held[attempt.tracker_place] = tracker.held.back();
  tracker.held.pop_back();
  attempts_[last.index()].tracker_place = attempt.tracker_place;
  tracker.attempts.pop_back();
  const TaskKey& key = attempt.key.task;
  change_task(job, key.kind, key.index,
              [&] { unlink_attempt(job.tasks(key.kind).tasks[key.index], slot); });
  young_.erase(slot);
  --job.live_attempts;
  attempt.state = end;
  attempt.live = false;
  free_attempts_.push_back(slot);
}

}  // namespace weir
