#include "fifo/fifo_policy.h"

#include <algorithm>
#include <string>

namespace weir {
namespace {

// Here a priority counts across all queues, whatever each of them says about its own jobs.
JobOrder cluster_order(const Job& job) {
  return {job.priority, job.submitted_at, job.id};
}

}  // namespace

FifoPolicy::FifoPolicy(const ClusterState& state, const Settings&) : state_(state) {
  for (auto& pending : pending_) pending.assign(state.tree().size(), 0);
  for (const auto& [id, job] : state.jobs()) {
    if (job->schedulable()) on_job_added(id);
  }
}

std::optional<Choice> FifoPolicy::choose(const Offer& offer) {
  for (const TaskKind kind : kTaskKinds) {
    if (offer.free[index(kind)] <= 0) continue;
    for (const JobOrder& next : waiting_[index(kind)]) {
      if (auto choice = state_.pick_task(next.id, kind, offer.tracker)) return choice;
    }
  }
  return std::nullopt;
}

bool FifoPolicy::comes_before(JobId a, JobId b, TaskKind) const {
  return cluster_order(state_.job(a)) < cluster_order(state_.job(b));
}

void FifoPolicy::on_job_added(JobId id) {
  const Job& job = state_.job(id);
  jobs_.try_emplace(id, Entry{cluster_order(job), job.queue});
  for (const TaskKind kind : kTaskKinds) read(id, kind);
}

void FifoPolicy::on_job_removed(JobId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  for (const TaskKind kind : kTaskKinds) set_slots(found->second, kind, 0);
  jobs_.erase(found);
}

void FifoPolicy::on_job_changed(JobId id, QueueId) {
  if (!jobs_.contains(id)) return;
  on_job_removed(id);
  on_job_added(id);
}

void FifoPolicy::on_pending_changed(JobId job, TaskKind kind) {
  read(job, kind);
}

void FifoPolicy::on_launched(AttemptSlot slot) {
  const TaskKey& task = state_.attempt(slot).key.task;
  read(task.job, task.kind);
}

void FifoPolicy::read(JobId id, TaskKind kind) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  const Job& job = state_.job(id);
  set_slots(found->second, kind, job.launchable(kind) * std::max<std::int64_t>(job.width(kind), 1));
}

void FifoPolicy::set_slots(Entry& entry, TaskKind kind, std::int64_t slots) {
  std::int64_t& counted = entry.slots[index(kind)];
  if (counted == slots) return;
  if (slots == 0) waiting_[index(kind)].erase(entry.order);
  if (counted == 0) waiting_[index(kind)].insert(entry.order);
  for (QueueId q = entry.leaf; q.valid(); q = state_.tree().parent(q)) {
    pending_[index(kind)][q.index()] += slots - counted;
  }
  counted = slots;
}

QueueFigures FifoPolicy::figures(QueueId queue, TaskKind kind) const {
  const std::int64_t running = state_.queue(queue).running_slots[index(kind)];
  return {.guaranteed = 0,
          .allocated = running,
          .running = running,
          .pending = pending_[index(kind)][queue.index()],
          .demand = running + pending_[index(kind)][queue.index()]};
}

std::vector<Reason> FifoPolicy::explain(JobId id, TaskKind kind, TimeMs) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second.slots[index(kind)] == 0) return {};
  const auto& waiting = waiting_[index(kind)];
  const auto before = std::distance(waiting.begin(), waiting.lower_bound(found->second.order));
  if (before == 0) return {};
  return {{"jobs_before",
           std::to_string(before) + (before == 1 ? " job is" : " jobs are") + " before it",
           {{"jobs_before", before}}}};
}

}  // namespace weir
