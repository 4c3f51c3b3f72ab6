// Launches: none that must not be, and no slot idle that could be used.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "jobqueue/policy/pools_facet.h"
#include "sim/checker/limits.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {

void check_launch(const Step& step, const LaunchMoment& moment, Verdict& verdict) {
  const AttemptKey& attempt = moment.launch->attempt;
  const TaskKind kind = attempt.task.kind;
  const Job* job = step.state.find_job(attempt.task.job);
  const std::string what = attempt_name(attempt);
  const TrackerState& tracker = step.state.tracker(moment.launch->tracker);
  if (!in_pool(tracker)) {
    return verdict.breach(
        "launch-out-of-pool",
        fmt::format("{} is launched on tracker {}, which is to get nothing", what, tracker.name));
  }
  if (job == nullptr || !job->durable || job->state != JobState::kRunning ||
      job->duty != Job::Duty::kNone) {
    return verdict.breach("launch-ended-job",
                          fmt::format("{} is launched, but its job is {}", what,
                                      job == nullptr                  ? "unknown"
                                      : !job->durable                 ? "not taken yet"
                                      : job->duty != Job::Duty::kNone ? "being finished"
                                                                      : name(job->state)));
  }
  if (kind == TaskKind::kReduce && !slow_start_met(step.memory, *job)) {
    return verdict.breach(
        "launch-slow-start",
        fmt::format("{} is launched before enough maps of its job are done", what));
  }
  if (step.fair) return;  // judged with whose turn it was
  const JobCount* count = moment.before.find(kind, job->id);
  if (count == nullptr) return;
  if (!step.rules) {
    const auto lines = expect_maximums(moment.before, kind);
    if (const auto over = over_declared_maximum(moment.before, lines, job->queue, count->width)) {
      verdict.breach("maximum", what + " is launched: " + *over);
    }
    return;
  }
  const auto lines = expect(moment.before, kind, *step.rules, step.memory.not_lending);
  if (const auto over = over_maximum(moment.before, lines, job->queue, count->width)) {
    verdict.breach("maximum", what + " is launched: " + *over);
  }
  if (const auto over = over_hard_limit(moment.before, lines, *count, kind)) {
    verdict.breach("user-limit", what + " is launched: " + *over);
  }
}

// Free slots that nothing is kept for: those freed for a hold whose other victims are still dying,
// and all that gather for a reserved task, wait. A hold may have ended right after the launches.
std::int64_t free_slots(const Step& step, TaskKind kind, const Resources& held) {
  const TrackerState& tracker = *step.tracker;
  std::map<HoldId, Hold> holds;
  for (const Hold& hold : step.memory.holds) holds[hold.id] = hold;
  for (const Hold& hold : step.state.claims().holds()) holds[hold.id] = hold;
  std::int64_t free = tracker.total.slots(kind) - held.slots(kind);
  for (const auto& [id, hold] : holds) {
    if (hold.tracker != tracker.id || hold.kind != kind) continue;
    std::int64_t dying = 0;
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = step.state.attempt(slot);
      if (attempt.hold == id) dying += step.state.job(attempt.key.task.job).width(kind);
    }
    if (dying > 0) free -= std::max<std::int64_t>(0, hold.slots - dying);
  }
  for (const Reservation& reservation : step.state.claims().reservations()) {
    if (reservation.tracker == tracker.id && reservation.kind == kind) free -= reservation.slots;
  }
  return free;
}

}  // namespace

void check_launches(const Step& step, Verdict& verdict) {
  for (const Event& event : step.output.events) {
    const auto* refused = fact_as<Refused>(event.fact);
    if (refused != nullptr && refused->what == "policy" &&
        refused->error.code == ErrorCode::kInternal) {
      verdict.breach("policy-choice", refused->error.message);
    }
  }
  for (const LaunchMoment& moment : step.launches) check_launch(step, moment, verdict);
}

// What has a tracker reserved counts at its user's limit already.
bool makes_room_at_limit(const Step& step, TaskKind kind, const JobCount& job) {
  const QueueId leaf = job.job->queue;
  const UserLimit& limit = step.state.tree().node(leaf).settings.user_limit;
  std::int64_t slots = job.width;
  for (const Reservation& kept : step.state.claims().reservations()) {
    const Job* other = kept.kind == kind ? step.state.find_job(kept.job) : nullptr;
    if (other == nullptr || other == job.job || other->queue != leaf) continue;
    if (other->user == job.job->user) slots += kept.slots;
  }
  if (limit.mode != UserLimit::Mode::kHard || slots == job.width) return false;
  const ExpectedQueue& line = step.expected[index(kind)][leaf.index()];
  const auto& users = step.census.user_running[index(kind)];
  const auto own = users.find({leaf, job.job->user});
  if (own != users.end()) slots += own->second;
  return slots > user_limit(limit, line.guaranteed, std::max(line.guaranteed, line.allocated),
                            line.running, job.width, line.active_users);
}

// A wide task keeps its room below a maximum: one that has a tracker reserved, or the first in line
// that does not fit just now.
bool makes_room_for_wide(const Step& step, TaskKind kind, const JobCount& narrow) {
  const QueueTree& tree = step.state.tree();
  const auto& lines = step.expected[index(kind)];
  for (QueueId q = narrow.job->queue; q != QueueTree::root(); q = tree.node(q).parent) {
    const std::int64_t running = lines[q.index()].running;
    std::int64_t reserved = 0;
    for (const Reservation& kept : step.state.claims().reservations()) {
      const Job* job = step.state.find_job(kept.job);
      if (kept.kind != kind || job == nullptr || job == narrow.job) continue;
      if (tree.is_ancestor(q, job->queue)) reserved += kept.slots;
    }
    if (running + reserved + narrow.width > lines[q.index()].maximum) return true;
    for (const JobCount& wide : step.census.jobs(kind)) {
      if (wide.job == narrow.job || wide.width < 2 || wide.launchable == 0) continue;
      if (!tree.is_ancestor(q, wide.job->queue)) continue;
      const std::int64_t kept = running + reserved + wide.width;
      if (kept + narrow.width > lines[q.index()].maximum) return true;
    }
  }
  return false;
}

// Likewise under fifo: whichever is before it in the order, below a maximum that a queue declares,
// and would fit if the queue ran nothing.
bool makes_room_for_earlier(const Census& census, TaskKind kind,
                            const std::vector<ExpectedQueue>& lines, const JobCount& narrow) {
  const QueueTree& tree = census.state->tree();
  const auto place = [](const Job& job) {
    return std::tie(job.priority, job.submitted_at, job.id);
  };
  for (QueueId q = narrow.job->queue; q != QueueTree::root(); q = tree.node(q).parent) {
    const ExpectedQueue& line = lines[q.index()];
    if (!tree.node(q).settings.maximum_hundredths) continue;
    for (const JobCount& wide : census.jobs(kind)) {
      if (wide.width <= narrow.width || wide.launchable == 0 || wide.width > line.maximum) continue;
      if (!tree.is_ancestor(q, wide.job->queue) || place(*narrow.job) < place(*wide.job)) continue;
      if (line.running + wide.width + narrow.width > line.maximum) return true;
    }
  }
  return false;
}

void check_idle(const Step& step, Verdict& verdict) {
  if (step.heartbeat == nullptr || !step.heartbeat->asks_for_tasks || step.engine.recovering() ||
      !in_pool(*step.tracker)) {
    return;
  }
  // A policy with pools may rather wait: load caps, tasks a heartbeat, locality.
  if (step.engine.policy().pools() != nullptr) return;
  const Resources& held = step.census.trackers.at(step.tracker->id).held;
  for (const TaskKind kind : kTaskKinds) {
    // Slots gather for a reduce that has copied here before anything new is launched.
    if (kind == TaskKind::kReduce && step.tracker->copied > 0) continue;
    const std::int64_t free = free_slots(step, kind, held);
    const auto maximums =
        step.rules ? std::vector<ExpectedQueue>{} : expect_maximums(step.census, kind);
    for (const JobCount& job : step.census.jobs(kind)) {
      if (job.launchable == 0 || job.width > free) continue;
      const bool delayed = step.rules && step.rules->delays_maps && kind == TaskKind::kMap;
      if (delayed && job.job->has_locations) continue;
      if (!has_room(step.census, job.job->need(kind), *step.tracker, held) ||
          avoids(step.census, *job.job, *step.tracker) ||
          !has_task_for(step.census, job, kind, *step.tracker)) {
        continue;
      }
      if (step.rules) {
        const auto& lines = step.expected[index(kind)];
        if (over_maximum(step.census, lines, job.job->queue, job.width) ||
            over_hard_limit(step.census, lines, job, kind) ||
            makes_room_for_wide(step, kind, job) || makes_room_at_limit(step, kind, job)) {
          continue;
        }
      } else if (over_declared_maximum(step.census, maximums, job.job->queue, job.width) ||
                 makes_room_for_earlier(step.census, kind, maximums, job)) {
        continue;
      }
      verdict.breach("idle-slot",
                     fmt::format("tracker {} has {} {} slots free, but {} of queue {} has {} tasks "
                                 "of {} that could start there",
                                 step.tracker->name, free, name(kind), job_name(job.job->id),
                                 step.path(job.job->queue), job.launchable, job.width));
    }
  }
}

}  // namespace weir::check
