#include "capacity/container_capacity.h"

#include <algorithm>

#include "jobqueue/policy/container_reasons.h"

namespace weir {

ContainerCapacity::ContainerCapacity(const ClusterState& state, PolicyMemory&)
    : state_(state),
      settings_(capacity_settings(state.settings())),
      bounds_(state.tree(), state.space()),
      launched_(state.tree().size()),
      index_(state, state.tree().size(),
             {.leaf_of = [](const Job& job) { return job.queue.index(); },
              .order_of = [&state](const Job& job) { return job_order(state, job); }}) {
  for (const Dimension d : state.space().dimensions())
    shares_.emplace_back(state.tree(), d, settings_.redistribute_by);
  for (const QueueId leaf : state.tree().leaves()) index_.mark(leaf.index());
}

// --- What has changed ---

void ContainerCapacity::on_job_changed(JobId job, QueueId old_queue) {
  index_.change(job);
  index_.mark(old_queue.index());  // what it runs has moved with it
  index_.mark(state_.job(job).queue.index());
}

void ContainerCapacity::on_launched(AttemptSlot slot) {
  on_released(slot);
  const Attempt& attempt = state_.attempt(slot);
  const Resources& need = state_.job(attempt.key.task.job).need(attempt.key.task.kind);
  Amounts& launched = launched_[attempt.queue.index()];
  for (const Dimension d : state_.space().dimensions()) launched[d] += need[d];
}

void ContainerCapacity::on_released(AttemptSlot slot) {
  const Attempt& attempt = state_.attempt(slot);
  index_.read(attempt.key.task.job, attempt.key.task.kind);
  index_.mark(attempt.queue.index());
}

void ContainerCapacity::on_cluster_changed() {
  resized_ = true;
  index_.cluster_changed();
}

void ContainerCapacity::settle() const {
  const Space& space = state_.space();
  index_.take_changed(changed_);
  for (const std::size_t place : changed_) {
    const QueueId leaf(place);
    if (!state_.tree().leaf(leaf)) continue;
    const ContainerIndex::Leaf& here = index_.leaf(place);
    for (const Dimension d : space.dimensions()) {
      shares_[d.place()].set_leaf(leaf, {.running = state_.queue(leaf).running[d],
                                         .pending = here.pending[d],
                                         .dying = here.dying[d],
                                         .waiting_jobs = here.items.jobs()});
    }
  }
  if (resized_) {
    bounds_.resize(state_.total());
    for (const Dimension d : space.dimensions()) shares_[d.place()].resize(state_.total()[d]);
    resized_ = false;
  }
  for (QueueShares& shares : shares_) shares.settle();
}

Amounts ContainerCapacity::allocated(QueueId queue) const {
  Amounts out;
  for (const Dimension d : state_.space().dimensions())
    out[d] = shares_[d.place()].line(queue).allocated;
  return out;
}

// --- Guarantees that are not lent ---

Amounts ContainerCapacity::kept_idle(QueueId queue) const {
  Amounts idle;
  for (const QueueId child : state_.tree().node(queue).children) idle += kept_idle(child);
  const Amounts& run = state_.queue(queue).running;
  for (const Dimension d : state_.space().dimensions())
    idle[d] = std::max(idle[d], bounds_.keep(queue)[d] - run[d]);
  return idle;
}

// What is free in the whole cluster must be as much as other queues keep and do not use.
bool ContainerCapacity::leaves_what_is_kept(QueueId leaf, const Resources& need) const {
  if (!bounds_.any_keeps()) return true;
  const QueueTree& tree = state_.tree();
  Amounts kept;
  for (QueueId q = leaf; q != QueueTree::root(); q = tree.parent(q)) {
    for (const QueueId sibling : tree.node(tree.parent(q)).children) {
      if (sibling != q) kept += kept_idle(sibling);
    }
  }
  for (const Dimension d : state_.space().dimensions()) {
    if (need[d] > 0 && state_.total()[d] - state_.held()[d] - need[d] < kept[d]) return false;
  }
  return true;
}

// --- What it says ---

QueueFigures ContainerCapacity::figures(QueueId queue, Dimension dimension) const {
  settle();
  const QueueLine& line = shares_[dimension.place()].line(queue);
  return {.guaranteed = line.guaranteed,
          .allocated = line.allocated,
          .running = line.facts.running,
          .pending = line.facts.pending,
          .demand = std::min(line.maximum, line.facts.wanted()),
          .maximum = line.maximum,
          .kept = bounds_.keep(queue)[dimension],
          .priorities = priorities_count(state_, queue)};
}

std::vector<Reason> ContainerCapacity::explain(JobId id, TaskKind kind, TimeMs) const {
  settle();
  const Job& job = state_.job(id);
  const Resources& need = job.need(kind);
  const Space& space = state_.space();
  std::vector<Reason> reasons;
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    const Amounts& run = state_.queue(q).running;
    for (const Dimension d : space.dimensions()) {
      if (!bounds_.has_maximum(q) || need[d] == 0 || run[d] + need[d] <= bounds_.maximum(q)[d])
        continue;
      reasons.push_back({"queue_at_maximum",
                         "queue " + state_.tree().node(q).path + " runs " +
                             std::to_string(run[d]) + " of its maximum of " +
                             std::to_string(bounds_.maximum(q)[d]) + " " +
                             std::string(space.name(d)),
                         {{"running", run[d]}, {"maximum", bounds_.maximum(q)[d]}}});
    }
  }
  if (!leaves_what_is_kept(job.queue, need)) {
    reasons.push_back({"kept",
                       "what is free is kept for queues that do not lend their guarantees",
                       {}});
  }
  const std::vector<Reason> room = reasons_of_room(state_, job, kind);
  reasons.insert(reasons.end(), room.begin(), room.end());
  return reasons;
}

}  // namespace weir
