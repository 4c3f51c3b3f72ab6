#include "jobqueue/model/cluster_state.h"

#include <algorithm>

#include "jobqueue/model/check.h"
#include "jobqueue/model/job_type.h"
#include "jobqueue/model/life_cycles.h"

namespace weir {

ClusterState::ClusterState(std::shared_ptr<const Settings> settings, QueueTree tree,
                           std::uint32_t epoch)
    : settings_(std::move(settings)),
      tree_(std::move(tree)),
      space_(settings_->resources),
      epoch_(epoch),
      queues_(tree_.size()),
      reserved_(tree_.size()),
      claims_(tree_.size(), space_.dimensions().size()) {
  for (std::size_t i = 0; i < tree_.size(); ++i)
    queues_[i].stopped = tree_.nodes()[i].settings.stopped;
}

DurationMs ClusterState::heartbeat_interval_ms() const {
  const HeartbeatSettings& beat = settings_->heartbeat;
  if (beat.interval_ms) return *beat.interval_ms;
  return std::max<DurationMs>(beat.floor_ms, DurationMs{live_trackers()} * 1000 / beat.per_second);
}

const Job* ClusterState::find_job(JobId id) const {
  Job* const* job = id.valid() ? job_index_.find(id.index()) : nullptr;
  return job != nullptr ? *job : nullptr;
}

const Job& ClusterState::job(JobId id) const {
  const Job* job = find_job(id);
  WEIR_CHECK(job != nullptr, "job() of an unknown job");
  return *job;
}

Job& ClusterState::mutable_job(JobId id) {
  return const_cast<Job&>(std::as_const(*this).job(id));
}

AttemptSlot ClusterState::find_attempt(const AttemptKey& key) const {
  const Job* job = find_job(key.task.job);
  if (job == nullptr || !job->has(key.task.kind)) return {};
  const auto& tasks = job->tasks(key.task.kind).tasks;
  if (key.task.index >= tasks.size()) return {};
  AttemptSlot found;
  each_attempt(tasks[key.task.index], [&](AttemptSlot slot) {
    if (attempt(slot).key == key) found = slot;
  });
  return found;
}

std::size_t ClusterState::place_of(const TrackerState& tracker, const AttemptKey& key) const {
  constexpr std::size_t kFew = 64;  // more are found by way of their job
  if (tracker.held.size() <= kFew) {
    for (std::size_t i = 0; i < tracker.held.size(); ++i) {
      if (tracker.held[i].key == key) return i;
    }
    return kNoPlace;
  }
  const AttemptSlot slot = find_attempt(key);
  if (!slot.valid() || attempt(slot).tracker != tracker.id) return kNoPlace;
  return attempt(slot).tracker_place;
}

Job& ClusterState::add_job(std::unique_ptr<Job> job) {
  Job& added = *job;
  WEIR_CHECK(added.type != nullptr, "a job is of a type");
  added.groups = static_cast<std::uint8_t>(added.spec->task_groups.size());
  if (has_gang(*added.spec)) added.gang = std::make_unique<Gang>();
  added.further.resize(added.items().size() * (added.groups > 0 ? 1 : 0));
  const bool waits = added.type->needs_containers() && !space_.containers();
  for (const TaskKind kind : added.kinds()) {
    added.tasks(kind).open =
        !waits && added.type->open_at_once(kind) && !added.waits_for_gang(kind);
  }
  if (added.gang != nullptr) added.tasks(added.gang_kind()).open = !waits;
  for (const TaskKind kind : kTaskKinds)
    added.speculates[index(kind)] = speculates(*added.spec, kind);
  size_groups(added);
  added.limited = added.spec->time_limit_ms > 0;
  added.service = added.spec->service;
  WEIR_CHECK(find_job(added.id) == nullptr, "a job id is used once");
  life::kJob.check(life::kOutside, stage_of(added));
  job_index_.take(added.id.index()) = &added;
  jobs_.emplace(added.id, std::move(job));
  QueueState& queue = queues_[added.queue.index()];
  if (!is_over(added.state)) {
    queue.unfinished.insert(added.id);
    count_job(added, 1);
  }
  return added;
}

// Of its queue, and of its user there; one that is over is not counted.
void ClusterState::count_job(const Job& job, std::int32_t by) {
  if (is_over(job.state)) return;
  QueueState& queue = queues_[job.queue.index()];
  UserInQueue& user = queue.users[job.user];
  const auto add = [by](std::uint32_t& number) { number += static_cast<std::uint32_t>(by); };
  if (job.state == JobState::kWaiting) {
    add(queue.jobs_waiting), add(user.jobs_waiting), add(waiting_jobs_);
  } else {
    const bool had_jobs = user.jobs_running > 0, lingered = user.lingers();
    add(queue.jobs_running), add(user.jobs_running);
    queue.users_with_jobs += unsigned{user.jobs_running > 0} - unsigned{had_jobs};
    queue.users_lingering += unsigned{user.lingers()} - unsigned{lingered};
  }
  count_pending(job, by);
}

// A job in state RUNNING of which no task has started yet is counted as pending as well.
void ClusterState::count_pending(const Job& job, std::int32_t by) {
  if (!job.pending()) return;
  QueueState& queue = queues_[job.queue.index()];
  queue.jobs_pending += static_cast<std::uint32_t>(by);
  queue.users[job.user].jobs_pending += static_cast<std::uint32_t>(by);
}

void ClusterState::set_durable(Job& job) {
  life::kJob.change(job, [&] { job.durable = true; });
}

void ClusterState::release(Job& job) {
  if (!job.held) return;
  life::kJob.change(job, [&] { job.held = false; });
}

void ClusterState::forget_job(JobId id) {
  Job& job = mutable_job(id);
  WEIR_CHECK(job.live_attempts == 0, "a job with live attempts is forgotten");
  life::kJob.check(stage_of(job), life::kOutside);
  if (!is_over(job.state)) {  // refused by the store: it never was
    set_job_state(job, JobState::kKilled);
  }
  release_sizes(job);
  gangs_waiting_.erase(id);
  job_index_.give_up(id.index());
  jobs_.erase(id);
}

void ClusterState::set_job_state(Job& job, JobState state) {
  if (job.state == state) return;
  count_job(job, -1);
  life::kJob.change(job, [&] { job.state = state; });
  count_job(job, 1);
  if (!is_over(state)) return;
  QueueState& queue = queues_[job.queue.index()];
  queue.unfinished.erase(job.id);
  if (queue.users[job.user].gone()) queue.users.erase(job.user);
  gangs_waiting_.erase(job.id);
}

void ClusterState::add_running(QueueId leaf, UserId user, const Size& size, std::int64_t tasks) {
  QueueState& queue = queues_[leaf.index()];
  UserInQueue& in_queue = queue.users[user];
  const bool lingered = in_queue.lingers();
  for (std::size_t i = size.begin; i < size.end; ++i) {
    const Dimension d = Dimension::at(i);
    const std::int64_t amount = tasks * size.need[d];
    if (amount == 0 || !space_.counts(d)) continue;
    for (QueueId q = leaf; q.valid(); q = tree_.parent(q)) queues_[q.index()].running[d] += amount;
    in_queue.running[d] += amount;
    WEIR_CHECK(in_queue.running[d] >= 0, "what runs is never negative");
  }
  queue.users_lingering += unsigned{in_queue.lingers()} - unsigned{lingered};
  if (in_queue.gone()) queue.users.erase(user);
}

// --- Sizes ---

void ClusterState::size_groups(Job& job) {
  std::size_t place = 0;
  for (const TaskKind kind : job.kinds()) {
    TaskGroup& group = job.tasks(kind);
    Resources need = is_group(kind) ? Resources{} : job.spec->need[index(kind)];
    if (space_.containers()) {
      need = place < job.containers.size() ? job.containers[place] : Resources{};
    }
    const Size* before = group.size;
    group.size = sizes_.intern(need);
    sizes_.release(before);
    ++place;
  }
  if (job.groups == 0) return;
  for (const TaskKind kind : kTaskKinds) {  // of which it has none
    if (job.tasks(kind).size == nullptr) job.tasks(kind).size = sizes_.intern({});
  }
  if (job.gang == nullptr) return;
  TaskGroup& item = job.tasks(job.gang_kind());
  if (item.size == nullptr) item.size = sizes_.intern({}, true);
  follow_gang(job);
}

void ClusterState::release_sizes(Job& job) {
  for (const TaskKind kind : job.items()) sizes_.release(job.tasks(kind).size);
  if (job.groups == 0) return;
  for (const TaskKind kind : kTaskKinds) sizes_.release(job.tasks(kind).size);
}

void ClusterState::set_containers(Job& job, std::vector<Resources> containers) {
  job.containers = std::move(containers);
  size_groups(job);
}

void ClusterState::set_queue(Job& job, QueueId queue) {
  if (job.queue == queue) return;
  std::vector<std::int64_t> moved;  // tasks of each kind
  for (const TaskKind kind : job.kinds()) {
    moved.push_back(0);
    for (const Task& task : job.tasks(kind).tasks) {
      each_attempt(task, [&](AttemptSlot slot) {
        Attempt& attempt = mutable_attempt(slot);
        attempt.queue = queue;
        if (!attempt.dying() && attempt.has_slots()) ++moved.back();
      });
    }
    add_running(job.queue, job.user, job.size(kind), -moved.back());
  }
  QueueState& from = queues_[job.queue.index()];
  QueueState& to = queues_[queue.index()];
  if (!is_over(job.state)) {
    count_job(job, -1);
    if (from.users[job.user].gone()) from.users.erase(job.user);
    from.unfinished.erase(job.id);
    to.unfinished.insert(job.id);
  }
  job.queue = queue;
  count_job(job, 1);
  std::size_t place = 0;
  for (const TaskKind kind : job.kinds())
    add_running(queue, job.user, job.size(kind), moved[place++]);
}

void ClusterState::expand_tasks(Job& job) {
  for (const TaskKind kind : job.kinds()) {
    TaskGroup& group = job.tasks(kind);
    group.total = job.spec->tasks(kind);
    if (group.total > 0) life::kTask.check(life::kOutside, Task::State::kPending);
    group.tasks.resize(group.total);
    group.fresh.fill(group.total);
    group.retries.reset(group.total);
  }
  follow_gang(job);
}

void ClusterState::drop_tasks(Job& job) {
  for (const TaskKind kind : job.kinds()) {
    TaskGroup& group = job.tasks(kind);
    for (const Task& task : group.tasks) life::kTask.check(task.state, life::kOutside);
    group.tasks = std::vector<Task>();  // `= {}` would keep its room
    group.fresh.reset(0);
    group.retries.reset(0);
    group.aged.reset();
  }
}

void ClusterState::set_tracker_live(TrackerState& tracker, TrackerState::State state) {
  trackers_.change(tracker, [&] {
    tracker.state = state;
    if (tracker.live()) tracker.forgotten = false;
  });
}

void ClusterState::set_tracker_total(TrackerState& tracker, const Resources& total) {
  trackers_.change(tracker, [&] { tracker.total = space_.with_named(total, tracker.named); });
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    tracker.largest.amount[i] = std::max(tracker.largest.amount[i], tracker.total.amount[i]);
  }
}

void ClusterState::set_tracker_named(TrackerState& tracker,
                                     std::map<std::string, std::int64_t> named) {
  tracker.named = std::move(named);
  set_tracker_total(tracker, tracker.total);
}

void ClusterState::set_tracker_accepts(TrackerState& tracker, bool accepts_tasks) {
  trackers_.change(tracker, [&] { tracker.accepts_tasks = accepts_tasks; });
}

void ClusterState::set_tracker_order(TrackerState& tracker, TrackerOrder order) {
  trackers_.change(tracker, [&] { tracker.order = order; });
}

void ClusterState::set_tracker_faulty(TrackerState& tracker, bool faulty) {
  trackers_.change(tracker, [&] { tracker.faulty = faulty; });
}

void ClusterState::set_tracker_forgotten(TrackerState& tracker) {
  trackers_.change(tracker, [&] { tracker.forgotten = true; });
}

void ClusterState::reopen_task(Job& job, TaskKind kind, std::uint32_t index) {
  TaskGroup& group = job.tasks(kind);
  Task& task = group.tasks[index];
  change_task(job, kind, index, [&] {
    if (task.state == Task::State::kSucceeded) --group.succeeded;
    life::kTask.check(task.state, Task::State::kPending);
    task.state = Task::State::kPending;
    task.where = TrackerId{};
    const bool failed =
        task.failures > 0 || (job.has_failures && job.failed_on.contains({kind, index}));
    (failed ? group.retries : group.fresh).insert(index);
  });
  if (kind == TaskKind::kMap && job.has_locations) job.locality.rewind(index);
}

void ClusterState::rest_task(Job& job, TaskKind kind, std::uint32_t index) {
  TaskGroup& group = job.tasks(kind);
  change_task(job, kind, index, [&] {
    group.fresh.erase(index);
    group.retries.erase(index);
  });
}

void ClusterState::wake_task(Job& job, TaskKind kind, std::uint32_t index) {
  TaskGroup& group = job.tasks(kind);
  if (group.tasks[index].state != Task::State::kPending) return;
  change_task(job, kind, index, [&] {
    (group.tasks[index].failures > 0 ? group.retries : group.fresh).insert(index);
  });
}

bool ClusterState::serves(TrackerId tracker, const TaskKey& map) const {
  const Job* job = find_job(map.job);
  if (job == nullptr || is_over(job->state)) return false;
  const Task& task = job->tasks(map.kind).tasks[map.index];
  return task.state == Task::State::kSucceeded && task.where == tracker;
}

void ClusterState::mark_succeeded(Job& job, TaskKind kind, std::uint32_t index,
                                  std::uint32_t attempt, TrackerId where) {
  TaskGroup& group = job.tasks(kind);
  Task& task = group.tasks[index];
  WEIR_CHECK(task.state != Task::State::kSucceeded, "a task succeeds once");
  change_task(job, kind, index, [&] {
    group.fresh.erase(index);
    group.retries.erase(index);
    life::kTask.check(task.state, Task::State::kSucceeded);
    task.state = Task::State::kSucceeded;
    task.done_attempt = attempt;
    task.where = where;
    ++group.succeeded;
  });
  if (where.valid() && job.type->keeps_output(*job.spec, kind)) {
    auto& outputs = trackers_.at(where).map_outputs;
    if (outputs.size() == outputs.capacity()) {  // before it grows: what is stale goes
      std::erase_if(outputs, [&](const TaskKey& key) { return !serves(where, key); });
    }
    outputs.push_back({job.id, kind, index});
  }
}

void ClusterState::stop_by_command(QueueId queue, bool stopped) {
  QueueState& state = queues_[queue.index()];
  state.stopped_by_command = stopped;
  state.stopped = stopped || tree_.node(queue).settings.stopped;
}

bool priorities_count(const ClusterState& state, QueueId queue) {
  return state.tree().node(queue).settings.priorities;
}

JobOrder job_order(const ClusterState& state, const Job& job) {
  const Priority priority = priorities_count(state, job.queue) ? job.priority : Priority::kNormal;
  return {priority, job.submitted_at, job.id};
}

}  // namespace weir
