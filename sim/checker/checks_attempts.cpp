// The attempts of each task: one, or two if the second was launched because the first lags behind
// the others of its kind, each on a tracker of its own, and none once the task is done.
#include <fmt/format.h>

#include "sim/checker/step.h"

namespace weir::check {
namespace {

struct AliveAttempts {
  std::int64_t count = 0;
  std::int64_t speculative = 0;
  std::set<TrackerId> trackers;
};

void check_task(const Step& step, const TaskKey& key, const AliveAttempts& alive,
                Verdict& verdict) {
  if (alive.count - alive.speculative > 1) {
    verdict.breach("double-run",
                   fmt::format("{} has {} live attempts", task_name(key), alive.count));
  }
  if (alive.count > 2) {
    verdict.breach("speculative-excess", fmt::format("{} has {} attempts that are not to die",
                                                     task_name(key), alive.count));
  }
  if (std::cmp_less(alive.trackers.size(), alive.count)) {
    verdict.breach("speculative-tracker",
                   fmt::format("{} attempts of {} run on {} trackers", alive.count, task_name(key),
                               alive.trackers.size()));
  }
  const Job* job = step.state.find_job(key.job);
  if (job == nullptr || key.index >= job->tasks(key.kind).tasks.size()) return;
  if (job->tasks(key.kind).tasks[key.index].state == Task::State::kSucceeded) {
    verdict.breach("speculative-loser",
                   fmt::format("{} is done, but an attempt of it goes on", task_name(key)));
  }
}

// Progress in millionths of all tasks of the kind, of each that of its foremost attempt.
std::int64_t sum_of_progress(const Step& step, const TaskGroup& group) {
  std::int64_t sum = 0;
  for (const Task& task : group.tasks) {
    std::int64_t foremost = task.state == Task::State::kSucceeded ? 1'000'000 : 0;
    if (task.state == Task::State::kRunning) {
      step.state.each_attempt(task, [&](AttemptSlot slot) {
        const Attempt& attempt = step.state.attempt(slot);
        if (attempt.dying()) return;
        foremost = std::max<std::int64_t>(foremost, attempt.progress_millionths);
      });
    }
    sum += foremost;
  }
  return sum;
}

// A heartbeat reports first and launches afterwards: what it left is what the launch was judged by.
void check_second(const Step& step, const AttemptLaunched& launch, Verdict& verdict) {
  const TaskKey& key = launch.attempt.task;
  const Job* job = step.state.find_job(key.job);
  if (job == nullptr) return;
  const TaskGroup& group = job->tasks(key.kind);
  const SpeculationSettings& rule = step.state.settings().speculation;
  const std::string what = attempt_name(launch.attempt) + " is launched: ";
  if (!step.state.speculates(*job->spec, key.kind)) {
    return verdict.breach("speculative-early", what + "its job has no second attempts");
  }
  if (group.pending() > 0) {
    return verdict.breach("speculative-early",
                          fmt::format("{}{} {}s of its job wait for their first", what,
                                      group.pending(), name(key.kind)));
  }
  const std::int64_t sum = sum_of_progress(step, group);
  const auto tasks = static_cast<std::int64_t>(group.tasks.size());
  step.state.each_attempt(group.tasks[key.index], [&](AttemptSlot slot) {
    const Attempt& other = step.state.attempt(slot);
    if (other.dying() || other.key == launch.attempt) return;
    const DurationMs ran = step.engine.now() - other.launched_at;
    const bool behind = (other.progress_millionths + rule.lag_millionths) * tasks <= sum;
    if (ran >= rule.after_ms && behind && other.state != Attempt::State::kCommitPending) return;
    verdict.breach("speculative-early",
                   fmt::format("{}{} has run for {} ms (after {}), is at {} millionths of {} on "
                               "average",
                               what, attempt_name(other.key), ran, rule.after_ms,
                               other.progress_millionths, sum / tasks));
  });
}

}  // namespace

void check_attempts(const Step& step, Verdict& verdict) {
  std::map<TaskKey, AliveAttempts> tasks;
  for (const TrackerState& tracker : step.state.trackers()) {
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = step.state.attempt(slot);
      if (attempt.dying()) continue;
      AliveAttempts& alive = tasks[attempt.key.task];
      ++alive.count;
      alive.speculative += attempt.speculative ? 1 : 0;
      alive.trackers.insert(attempt.tracker);
    }
  }
  for (const auto& [key, alive] : tasks) check_task(step, key, alive, verdict);
  for (const LaunchMoment& moment : step.launches) {
    if (moment.launch->speculative) check_second(step, *moment.launch, verdict);
  }
}

}  // namespace weir::check
