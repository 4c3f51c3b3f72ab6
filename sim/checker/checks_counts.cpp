// What the engine counts along, counted one by one: slots, jobs, tasks, attempts.
#include <fmt/format.h>

#include <algorithm>

#include "jobqueue/policy/pools_facet.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {

// Unsigned counters that went below 0 are huge.
bool below_zero(std::uint32_t counter) {
  return static_cast<std::int32_t>(counter) < 0;
}

bool any_negative(const QueueCounters& counters) {
  const auto below = [](std::int64_t ms) { return ms < 0; };
  const auto any = [&](const SlotTime& sum) { return sum.any(below); };
  return any(counters.used_ms) || any(counters.lent_ms) || any(counters.borrowed_ms) ||
         any(counters.lost_ms);
}

void check_not_negative(const Step& step, Verdict& verdict) {
  const auto want = [&](bool negative, const std::string& what) {
    if (negative) verdict.breach("negative-counter", what + " is negative");
  };
  for (std::size_t q = 0; q < step.state.tree().size(); ++q) {
    const QueueState& queue = step.state.queue(QueueId(q));
    const std::string who = "queue " + step.path(QueueId(q)) + ": ";
    for (const TaskKind kind : kTaskKinds) {
      want(queue.running[kind] < 0,
           fmt::format("{}RUN ({}) of {}", who, name(kind), queue.running[kind]));
    }
    want(below_zero(queue.jobs_waiting), who + "the number of waiting jobs");
    want(below_zero(queue.jobs_running), who + "the number of running jobs");
    want(any_negative(queue.counters), who + "a sum of slot-time");
    for (const auto& [user, has] : queue.users) {
      const std::string& whose = step.state.user_name(user);
      for (const TaskKind kind : kTaskKinds) {
        want(has.running[kind] < 0,
             fmt::format("{}{} slots of user {}", who, name(kind), whose));
      }
      want(below_zero(has.jobs_waiting), who + "waiting jobs of user " + whose);
      want(below_zero(has.jobs_running), who + "running jobs of user " + whose);
    }
  }
  for (const TrackerState& tracker : step.state.trackers()) {
    want(tracker.used.any_negative(), "what tracker " + tracker.name + " uses");
    want(tracker.total.any_negative(), "what tracker " + tracker.name + " has");
  }
  for (const auto& [id, job] : step.state.jobs()) {
    want(below_zero(job->live_attempts), job_name(id) + ": the number of live attempts");
    for (const TaskKind kind : kTaskKinds) {
      const TaskGroup& group = job->tasks(kind);
      want(below_zero(group.running), job_name(id) + ": the number of running tasks");
      want(below_zero(group.copying), job_name(id) + ": the number of copying reduces");
      want(below_zero(group.copied), job_name(id) + ": the number of reduces that have copied");
      want(group.running_progress_millionths < 0, job_name(id) + ": the progress of its tasks");
    }
  }
}

// A tracker that came back smaller may hold more than it has; it gets nothing more.
bool over_full(const Step& step, const TrackerState& tracker, const TrackerCount& count) {
  for (std::size_t d = 0; d < kDimensionCount; ++d) {
    const std::int64_t held = count.held.amount[d];
    if (held <= tracker.total.amount[d] || step.census.total.amount[d] == 0) continue;
    for (const LaunchMoment& moment : step.launches) {
      const TaskKey& task = moment.launch->attempt.task;
      const bool here = moment.launch->tracker == tracker.id;
      const Job* job = step.state.find_job(task.job);
      const bool takes = job != nullptr && job->need(task.kind).amount[d] > 0 &&
                         !(moment.launch->to_copy && d == index(TaskKind::kReduce));
      if (here && takes) return true;
    }
    const auto before = step.memory.tracker_held.find(tracker.id);
    if (before == step.memory.tracker_held.end() || !step.memory.every_step) continue;
    if (held > before->second.amount[d] && !step.adopted) return true;
  }
  return false;
}

void check_trackers(const Step& step, Verdict& verdict) {
  if (step.state.total() != step.census.total) {
    verdict.breach("cluster-total",
                   fmt::format("the cluster is said to have {}, its trackers have {}",
                               to_string(step.state.total()), to_string(step.census.total)));
  }
  for (const TrackerState& tracker : step.state.trackers()) {
    const TrackerCount& count = step.census.trackers.at(tracker.id);
    if (over_full(step, tracker, count)) {
      verdict.breach("held", fmt::format("tracker {} holds {}, but has {}", tracker.name,
                                         to_string(count.held), to_string(tracker.total)));
    }
    if (tracker.used != count.held || std::cmp_not_equal(tracker.attempts.size(), count.attempts)) {
      verdict.breach(
          "tracker-used",
          fmt::format("tracker {} is said to use {}, its {} attempts need {}", tracker.name,
                      to_string(tracker.used), count.attempts, to_string(count.held)));
    }
  }
}

// A tracker may have become smaller; then it gets no more to copy.
bool too_many_copies(const Step& step, const TrackerState& tracker, const TrackerCount& count) {
  const std::int64_t places =
      step.state.copy_factor() * tracker.total.slots(TaskKind::kReduce);
  if (count.copy_slots <= places) return false;
  return std::any_of(step.launches.begin(), step.launches.end(), [&](const LaunchMoment& moment) {
    return moment.launch->tracker == tracker.id && moment.launch->to_copy;
  });
}

void check_copies(const Step& step, Verdict& verdict) {
  for (const TrackerState& tracker : step.state.trackers()) {
    const TrackerCount& count = step.census.trackers.at(tracker.id);
    if (tracker.copy_slots != count.copy_slots ||
        std::cmp_not_equal(tracker.copied, count.waiting)) {
      verdict.breach("copies", fmt::format("tracker {} is said to hold {} slots of reduces that "
                                           "copy, {} of them waiting, counted {} and {}",
                                           tracker.name, tracker.copy_slots, tracker.copied,
                                           count.copy_slots, count.waiting));
    }
    if (too_many_copies(step, tracker, count)) {
      verdict.breach("copies",
                     fmt::format("tracker {} holds {} slots of reduces that copy, {} for "
                                 "each of its {} are its limit",
                                 tracker.name, count.copy_slots, step.state.copy_factor(),
                                 tracker.total.slots(TaskKind::kReduce)));
    }
  }
  for (const JobCount& count : step.census.jobs(TaskKind::kReduce)) {
    const TaskGroup& group = count.job->tasks(TaskKind::kReduce);
    if (std::cmp_equal(group.copying, count.copying) && std::cmp_equal(group.copied, count.copied))
      continue;
    verdict.breach("copies", fmt::format("{}: {} reduces copy and {} have copied, counted {} and "
                                         "{}",
                                         job_name(count.job->id), group.copying, group.copied,
                                         count.copying, count.copied));
  }
}

struct JobsOf {
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t pending = 0;  // of these
};

void check_tasks(const ClusterState& state, const Job& job, Verdict& verdict) {
  std::int64_t live = 0;
  for (const TaskKind kind : kTaskKinds) {
    const TaskGroup& group = job.tasks(kind);
    std::int64_t pending = 0, succeeded = 0;
    for (const Task& task : group.tasks) {
      state.each_attempt(task, [&](AttemptSlot) { ++live; });
      if (task.state == Task::State::kSucceeded) ++succeeded;
      if (task.state == Task::State::kPending) ++pending;
    }
    if (is_over(job.state)) continue;
    if (pending != group.pending() || succeeded != group.succeeded) {
      verdict.breach("job-counts", fmt::format("{}: {} {}s pending and {} done, counted {} and {}",
                                               job_name(job.id), group.pending(), name(kind),
                                               group.succeeded, pending, succeeded));
    }
  }
  if (live != job.live_attempts) {
    verdict.breach("job-counts", fmt::format("{}: {} live attempts, counted {}", job_name(job.id),
                                             job.live_attempts, live));
  }
}

void check_jobs(const Step& step, Verdict& verdict) {
  std::map<QueueId, JobsOf> by_queue;
  std::map<std::pair<QueueId, UserId>, JobsOf> by_user;
  std::map<QueueId, std::set<JobId>> unfinished;
  for (const auto& [id, job] : step.state.jobs()) {
    check_tasks(step.state, *job, verdict);
    if (is_over(job->state)) continue;
    unfinished[job->queue].insert(id);
    const bool waiting = job->state == JobState::kWaiting;
    ++(waiting ? by_queue[job->queue].waiting : by_queue[job->queue].running);
    JobsOf& own = by_user[{job->queue, job->user}];
    ++(waiting ? own.waiting : own.running);
    if (job->pending()) ++by_queue[job->queue].pending, ++own.pending;
  }
  for (const QueueId leaf : step.state.tree().leaves()) {
    const QueueState& queue = step.state.queue(leaf);
    const JobsOf& jobs = by_queue[leaf];
    std::set<JobId> listed;
    for (const JobId id : queue.unfinished) listed.insert(id);
    if (jobs.waiting != queue.jobs_waiting || jobs.running != queue.jobs_running ||
        jobs.pending != queue.jobs_pending || listed != unfinished[leaf]) {
      verdict.breach(
          "job-counts",
          fmt::format("queue {}: {} waiting, {} running ({} pending), {} unfinished jobs, counted "
                      "{}, {} ({}) and {}",
                      step.path(leaf), queue.jobs_waiting, queue.jobs_running, queue.jobs_pending,
                      listed.size(), jobs.waiting, jobs.running, jobs.pending,
                      unfinished[leaf].size()));
    }
    // Whoever has a job or a slot has a record, and the record is right.
    std::set<UserId> users;
    for (const auto& [user, has] : queue.users) users.insert(user);
    for (const auto& [key, has] : by_user) {
      if (key.first == leaf) users.insert(key.second);
    }
    for (const TaskKind kind : kTaskKinds) {
      for (const auto& [key, slots] : step.census.user_running[index(kind)]) {
        if (key.first == leaf && slots > 0) users.insert(key.second);
      }
    }
    for (const UserId user : users) {
      const auto found = queue.users.find(user);
      const UserInQueue has = found == queue.users.end() ? UserInQueue{} : found->second;
      const JobsOf& own = by_user[{leaf, user}];
      bool right = own.waiting == has.jobs_waiting && own.running == has.jobs_running &&
                   own.pending == has.jobs_pending;
      for (const TaskKind kind : kTaskKinds) {
        const auto slots = step.census.user_running[index(kind)].find({leaf, user});
        const auto end = step.census.user_running[index(kind)].end();
        right = right && (slots == end ? 0 : slots->second) == has.running[kind];
      }
      if (right) continue;
      verdict.breach("user-sums",
                     fmt::format("queue {}, user {}: {} waiting and {} running jobs, {} map and {} "
                                 "reduce slots are not what they are counted one by one",
                                 step.path(leaf), step.state.user_name(user), has.jobs_waiting,
                                 has.jobs_running, has.running[TaskKind::kMap],
                                 has.running[TaskKind::kReduce]));
    }
  }
}

// Each user is right by now: so are the numbers of them.
void check_numbers_of_users(const Step& step, Verdict& verdict) {
  for (const QueueId leaf : step.state.tree().leaves()) {
    const QueueState& queue = step.state.queue(leaf);
    std::uint32_t with_jobs = 0, lingering = 0;
    for (const auto& [id, user] : queue.users) {
      with_jobs += user.jobs_running > 0 ? 1 : 0;
      lingering += user.lingers() ? 1 : 0;
    }
    if (queue.users_with_jobs == with_jobs && queue.users_lingering == lingering) continue;
    verdict.breach("user-sums",
                   fmt::format("queue {}: {} users with running jobs and {} without whose tasks "
                               "run, counted {} and {}",
                               step.path(leaf), queue.users_with_jobs, queue.users_lingering,
                               with_jobs, lingering));
  }
}

void check_running(const Step& step, Verdict& verdict) {
  const QueueTree& tree = step.state.tree();
  for (const TaskKind kind : kTaskKinds) {
    std::vector<std::int64_t> counted(tree.size(), 0);
    for (const auto& [leaf, slots] : step.census.running[index(kind)]) {
      for (QueueId q = leaf; q.valid(); q = tree.node(q).parent) counted[q.index()] += slots;
    }
    for (std::size_t q = 0; q < tree.size(); ++q) {
      const std::int64_t said = step.state.queue(QueueId(q)).running[kind];
      const std::int64_t figure = step.engine.policy().figures(QueueId(q), kind).running;
      if (said == counted[q] && figure == counted[q]) continue;
      verdict.breach("running",
                     fmt::format("queue {} runs {} {} slots (policy: {}), counted one by one {}",
                                 tree.nodes()[q].path, said, name(kind), figure, counted[q]));
    }
  }
}

}  // namespace

void check_counts(const Step& step, Verdict& verdict) {
  check_not_negative(step, verdict);
  if (verdict.clean()) check_trackers(step, verdict);
  if (verdict.clean()) check_copies(step, verdict);
  if (verdict.clean()) check_jobs(step, verdict);
  if (verdict.clean()) check_numbers_of_users(step, verdict);
  if (verdict.clean()) check_running(step, verdict);
}

}  // namespace weir::check
