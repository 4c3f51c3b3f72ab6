// Services: a task of theirs that has ended, well or not, starts again after a pause, which doubles
// with each end that comes soon. What rests is soft: after a restart of the JobTracker it starts at
// once.
#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"

namespace weir {

constexpr DurationMs kFirstPauseMs = 1000, kLongestPauseMs = 300'000;
constexpr DurationMs kRanWellMs = 600'000;  // then the next pause is the first again

void JobLife::rest(Job& job, const TaskKey& task, DurationMs ran) {
  DurationMs& pause = pauses_[task];
  pause = pause == 0 || ran >= kRanWellMs ? kFirstPauseMs : std::min(2 * pause, kLongestPauseMs);
  state_.reopen_task(job, task.kind, task.index);
  state_.rest_task(job, task.kind, task.index);
  resting_.emplace(now_ + pause, task);
  job.status_line =
      task_title(job, task) + " has ended, and starts again after " + short_duration(pause);
  pending_changed(job, task.kind);
}

void JobLife::wake_rested() {
  while (!resting_.empty() && resting_.begin()->first <= now_) {
    const TaskKey task = resting_.begin()->second;
    resting_.erase(resting_.begin());
    const Job* found = state_.find_job(task.job);
    if (found == nullptr || is_over(found->state)) continue;
    Job& job = state_.mutable_job(task.job);
    state_.wake_task(job, task.kind, task.index);
    pending_changed(job, task.kind);
    touch(job);
  }
}

void JobLife::forget_rests(const Job& job) {
  const auto first = pauses_.lower_bound(TaskKey{job.id, TaskKind::kMap, 0});
  auto last = first;
  while (last != pauses_.end() && last->first.job == job.id) ++last;
  pauses_.erase(first, last);
}

}  // namespace weir
