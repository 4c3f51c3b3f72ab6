#include "fifo/fifo_policy.h"

#include <algorithm>
#include <string>

#include "jobqueue/policy/kept_slots.h"
#include "jobqueue/policy/placeable.h"
#include "jobqueue/policy/slot_reasons.h"

namespace weir {
namespace {

// Here a priority counts across all queues, whatever each of them says about its own jobs.
JobOrder cluster_order(const Job& job) {
  return {job.priority, job.submitted_at, job.id};
}

std::int64_t task_width(const Job& job, TaskKind kind) {
  return std::max<std::int64_t>(job.width(kind), 1);
}

}  // namespace

FifoPolicy::FifoPolicy(const ClusterState& state)
    : state_(state), waiting_{WaitingJobs(state.tree()), WaitingJobs(state.tree())} {
  for (auto& pending : pending_) pending.assign(state.tree().size(), 0);
  for (const TaskKind kind : kTaskKinds) shares_[index(kind)] = exact_shares(state.tree(), kind);
  on_cluster_changed();
  for (const auto& [id, job] : state.jobs()) {
    if (job->schedulable()) on_job_added(id);
  }
}

std::optional<Choice> FifoPolicy::choose(const Offer& offer) {
  for (const TaskKind kind : kTaskKinds) {
    const std::int64_t free = offer.free[index(kind)];
    if (free <= 0) continue;
    if (auto choice = choose_of(kind, free, offer)) return choice;
  }
  return std::nullopt;
}

std::optional<Choice> FifoPolicy::choose_of(TaskKind kind, std::int64_t free, const Offer& offer) {
  WaitingJobs& waiting = waiting_[index(kind)];
  if (state_.tracker(offer.tracker).keeps > 0) {
    if (const Reservation* kept = reservation_on(state_, offer.tracker, kind)) {
      const Job* job = state_.find_job(kept->job);
      const bool lasts = job != nullptr && job->launchable(kind) > 0 &&
                         state_.may_run_on(*job, kind, state_.tracker(kept->tracker)) &&
                         kept->slots <= waiting.room(job->queue);
      return choose_reserved(*kept, free, lasts, [&] {  // and nothing else starts here
        return launch_of(state_.pick_task(kept->job, kind, offer.tracker));
      });
    }
  }
  // The first job in line whose tasks find room nowhere keeps a tracker: else narrower ones behind
  // it would refill each of them for ever.
  if (waiting.widest() > free) {
    if (const auto first = waiting.first(); first && first->second > free) {
      if (auto choice = reserve_tracker(state_, first->first, kind)) return choice;
    }
  }
  std::optional<Choice> choice;
  waiting.visit(free, [&](JobId job) {
    choice = launch_of(state_.pick_task(job, kind, offer.tracker));
    return choice.has_value();
  });
  return choice;
}

bool FifoPolicy::may_speculate(JobId id, TaskKind kind, const Offer&) {
  const Job& job = state_.job(id);
  return waiting_[index(kind)].has_room_beside(job.queue, task_width(job, kind));
}

bool FifoPolicy::comes_before(JobId a, JobId b, TaskKind) const {
  return cluster_order(state_.job(a)) < cluster_order(state_.job(b));
}

// --- What has changed ---

void FifoPolicy::on_job_added(JobId id) {
  const Job& job = state_.job(id);
  jobs_.try_emplace(id, Entry{cluster_order(job), job.queue});
  for (const TaskKind kind : kTaskKinds) read(id, kind);
}

void FifoPolicy::on_job_removed(JobId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  for (const TaskKind kind : kTaskKinds) {
    set_slots(found->second, kind, 0, task_width(state_.job(id), kind));
  }
  jobs_.erase(found);
}

// What the job runs has moved with it, also if it may launch nothing.
void FifoPolicy::on_job_changed(JobId id, QueueId old_queue) {
  for (const TaskKind kind : kTaskKinds) {
    follow_room(old_queue, kind);
    follow_room(state_.job(id).queue, kind);
  }
  if (!jobs_.contains(id)) return;
  on_job_removed(id);
  on_job_added(id);
}

void FifoPolicy::on_pending_changed(JobId job, TaskKind kind) {
  read(job, kind);
}

// What the job may still launch is said by on_pending_changed(), which follows.
void FifoPolicy::on_launched(AttemptSlot slot) {
  const Attempt& attempt = state_.attempt(slot);
  follow_room(attempt.queue, attempt.key.task.kind);
}

void FifoPolicy::on_released(AttemptSlot slot) {
  const Attempt& attempt = state_.attempt(slot);
  follow_room(attempt.queue, attempt.key.task.kind);
}

void FifoPolicy::on_cluster_changed() {
  for (const TaskKind kind : kTaskKinds) {
    const QueueTree& tree = state_.tree();
    const std::int64_t total = state_.total_slots(kind);
    maximum_[index(kind)] = 
        maximum_slots(tree, total, guaranteed_slots(tree, shares_[index(kind)], total));
    waiting_[index(kind)].follow_all(
        [&](QueueId queue) { return maximum_[index(kind)][queue.index()]; },
        [&](QueueId queue) { return state_.queue(queue).running[kind]; });
  }
}

void FifoPolicy::read(JobId id, TaskKind kind) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  const Job& job = state_.job(id);
  const std::int64_t width = task_width(job, kind);
  set_slots(found->second, kind, job.launchable(kind) * width, width);
}

void FifoPolicy::set_slots(Entry& entry, TaskKind kind, std::int64_t slots, std::int64_t width) {
  std::int64_t& counted = entry.slots[index(kind)];
  if (counted == slots) return;
  WaitingJobs& waiting = waiting_[index(kind)];
  if (slots == 0) waiting.erase(entry.order, entry.leaf, width);
  if (counted == 0) waiting.insert(entry.order, entry.leaf, width);
  for (QueueId q = entry.leaf; q.valid(); q = state_.tree().parent(q)) {
    pending_[index(kind)][q.index()] += slots - counted;
  }
  counted = slots;
}

void FifoPolicy::follow_room(QueueId queue, TaskKind kind) {
  waiting_[index(kind)].follow(
      queue, [&](QueueId limiting) { return state_.queue(limiting).running[kind]; });
}

// --- What it says ---

QueueFigures FifoPolicy::figures(QueueId queue, Dimension dimension) const {
  const TaskKind kind = dimension.kind();
  const std::int64_t running = state_.queue(queue).running[kind];
  const std::int64_t maximum = maximum_[index(kind)][queue.index()];
  const std::int64_t room = std::max<std::int64_t>(0, waiting_[index(kind)].room(queue));
  const std::int64_t pending = std::min(room, pending_[index(kind)][queue.index()]);
  return {.guaranteed = 0,
          .allocated = running,
          .running = running,
          .pending = pending,
          .demand = std::min(maximum, running + pending),
          .maximum = maximum};
}

std::vector<Reason> FifoPolicy::explain(JobId id, TaskKind kind, TimeMs) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second.slots[index(kind)] == 0) return {};
  const Entry& entry = found->second;
  const std::int64_t width = task_width(state_.job(id), kind);
  const WaitingJobs& waiting = waiting_[index(kind)];
  const QueueTree& tree = state_.tree();
  std::vector<Reason> reasons;
  if (const std::int64_t widest = waiting.widest_ever(entry.leaf); width > widest)
    return {wider_than_maximum("queue " + tree.node(entry.leaf).path, kind, width, widest)};
  for (QueueId q = waiting.limiter(entry.leaf); q != QueueTree::root();
       q = waiting.limiter(tree.parent(q))) {
    const std::int64_t running = state_.queue(q).running[kind];
    const std::int64_t maximum = maximum_[index(kind)][q.index()];
    if (running + width <= maximum || maximum >= state_.total_slots(kind)) continue;
    reasons.push_back({"queue_at_maximum",
                       "queue " + tree.node(q).path + " holds " + std::to_string(running) +
                           " of its maximum of " + std::to_string(maximum) + " " +
                           weir::name(kind) + (maximum == 1 ? " slot" : " slots"),
                       {{"running", running}, {"maximum", maximum}}});
  }
  const std::int64_t before = waiting.before(entry.order, entry.leaf, width);
  if (before == 0) return reasons;
  reasons.push_back(
      {"jobs_before",
       std::to_string(before) + (before == 1 ? " job is" : " jobs are") + " before it",
       {{"jobs_before", before}}});
  return reasons;
}

}  // namespace weir
