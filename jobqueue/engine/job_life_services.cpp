// Services: a task of theirs that has ended, well or not, starts again after a pause, which doubles
// with each end that comes soon, over restarts of the JobTracker too.
#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"
#include "jobqueue/model/counted.h"

namespace weir {

constexpr DurationMs kFirstPauseMs = 1000, kLongestPauseMs = 300'000;
constexpr DurationMs kRanWellMs = 600'000;  // then the next pause is the first again

namespace {

std::string says_that_it_rests(const Job& job, const TaskKey& task) {
  return task_title(job, task) + " has ended, and starts again after ";
}

}  // namespace

void JobLife::rest(Job& job, const TaskKey& task, DurationMs ran) {
  DurationMs& pause = pauses_[task];
  pause = pause == 0 || ran >= kRanWellMs ? kFirstPauseMs : std::min(2 * pause, kLongestPauseMs);
  emit(TaskRested{task, pause, now_ + pause});
  state_.reopen_task(job, task.kind, task.index);
  state_.rest_task(job, task.kind, task.index);
  resting_.emplace(now_ + pause, task);
  job.status_line = says_that_it_rests(job, task) + short_duration(pause);
  pending_changed(job, task.kind);
}

void JobLife::restore_rest(Job& job, const JobSnapshot::Rest& rest) {
  pauses_[rest.task] = rest.pause_ms;
  if (rest.until <= now_) return;
  state_.rest_task(job, rest.task.kind, rest.task.index);
  resting_.emplace(rest.until, rest.task);
}

void JobLife::wake_rested() {
  while (!resting_.empty() && resting_.begin()->first <= now_) {
    const TaskKey task = resting_.begin()->second;
    resting_.erase(resting_.begin());
    const Job* found = state_.find_job(task.job);
    if (found == nullptr || is_over(found->state)) continue;
    Job& job = state_.mutable_job(task.job);
    state_.wake_task(job, task.kind, task.index);
    if (job.status_line.starts_with(says_that_it_rests(job, task))) job.status_line.clear();
    pending_changed(job, task.kind);
    touch(job);
  }
}

std::optional<Reason> JobLife::why_it_rests(const Job& job) const {
  std::int64_t tasks = 0;
  TimeMs first = 0;
  for (const auto& [wakes, task] : resting_) {
    if (task.job == job.id && tasks++ == 0) first = wakes;
  }
  if (tasks == 0) return std::nullopt;
  const DurationMs left = std::max<DurationMs>(0, first - now_);
  const std::string next = tasks == 1 ? " has ended, and starts again after "
                                      : " have ended; the first starts again after ";
  return Reason{"resting",
                counted(tasks, "task") + next + short_duration(left),
                {{"tasks", tasks}, {"milliseconds_left", left}}};
}

void JobLife::forget_rests(const Job& job) {
  const auto first = pauses_.lower_bound(TaskKey{job.id, TaskKind::kMap, 0});
  auto last = first;
  while (last != pauses_.end() && last->first.job == job.id) ++last;
  pauses_.erase(first, last);
}

}  // namespace weir
