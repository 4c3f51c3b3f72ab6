// Slots that kills free for pools: what is freed is held, no more than the pool lacks, and somebody
// could use it.
#include <fmt/format.h>

#include <algorithm>

#include "sim/checker/limits.h"
#include "sim/checker/pool_needs.h"

namespace weir::check {
namespace {

// Whether a reduce waits on the tracker that could take the slots.
bool waits_there(const Step& step, const Hold& hold, const TrackerState& tracker,
                 const Resources& held) {
  const TaskKind kind = TaskKind::kReduce;
  return held.slots(kind) + hold.slots <= tracker.total.slots(kind) &&
         std::any_of(tracker.attempts.begin(), tracker.attempts.end(), [&](AttemptSlot slot) {
           const Attempt& attempt = step.state.attempt(slot);
           const JobId job = attempt.key.task.job;
           return attempt.copy == CopyStage::kCopied && !attempt.dying() &&
                  step.where.contains(job) && within(hold.pool, step.where.at(job)) &&
                  step.state.job(job).width(kind) <= hold.slots;
         });
}

}  // namespace

void check_pool_holds(const Step& step, const Pools& pools, const PoolMemory& memory,
                      Verdict& verdict) {
  const auto& holds = step.state.claims().holds();
  for (const Hold& hold : holds) {
    if (hold.kind != pools.kind || hold.pool.empty() || step.memory.pending(hold.id)) continue;
    const Due due = due_of(pools, hold.pool, memory, step.engine.now());
    std::int64_t coming = 0;  // before
    for (const Hold& other : holds) {
      const bool counts = other.kind == hold.kind && other.id < hold.id;
      if (counts && within(hold.pool, other.pool)) coming += other.slots;
    }
    if (coming >= due.slots()) {
      verdict.breach("pool-kill-excess",
                     fmt::format("{} {} slots more are held for pool {}, which lacks {} and has {} "
                                 "on their way",
                                 hold.slots, name(hold.kind), hold.pool, due.slots(), coming));
    }
    const TrackerState& tracker = step.state.tracker(hold.tracker);
    Resources held = step.census.trackers.at(hold.tracker).held;
    std::int64_t freed = 0;
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = step.state.attempt(slot);
      if (!attempt.dying() || !attempt.has_slots()) continue;
      const Job& job = step.state.job(attempt.key.task.job);
      held -= job.need(attempt.key.task.kind);
      if (attempt.hold == hold.id) freed += job.width(hold.kind);
    }
    const JobCount* starts = step.census.find(hold.kind, hold.job);
    if (starts != nullptr && hold.slots != std::max(freed, starts->width)) {
      verdict.breach("pool-kill-excess",
                     fmt::format("{} {} slots are held for pool {}, of {} that are freed for a "
                                 "task of {}",
                                 hold.slots, name(hold.kind), hold.pool, freed, starts->width));
    }
    const auto& jobs = step.census.jobs(hold.kind);
    const bool useful = std::any_of(jobs.begin(), jobs.end(), [&](const JobCount& job) {
      return within(hold.pool, step.where.at(job.job->id)) && job.launchable > 0 &&
             job.width <= hold.slots &&
             has_room(step.census, job.job->need(hold.kind), tracker, held) &&
             !avoids(step.census, *job.job, tracker) &&
             has_task_for(step.census, job, hold.kind, tracker);
    });
    const bool splits = step.fair->splits && hold.kind == TaskKind::kReduce;
    if ((splits ? waits_there(step, hold, tracker, held) : useful) && in_pool(tracker)) continue;
    verdict.breach("pool-kill-useless",
                   fmt::format("{} {} slots are freed on tracker {} for pool {}, which has no task "
                               "that could start there",
                               hold.slots, name(hold.kind), tracker.name, hold.pool));
  }
}

}  // namespace weir::check
