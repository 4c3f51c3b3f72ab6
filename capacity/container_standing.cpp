#include "capacity/container_standing.h"

#include <algorithm>
#include <utility>

#include "capacity/container_users.h"

namespace weir {

ContainerStanding::ContainerStanding(const ClusterState& state,
                                     CapacitySettings::RedistributeBy by)
    : state_(state),
      bounds_(state.tree(), state.space(), state.total()),
      index_(state, state.tree().size(),
             {.leaf_of = [](const Job& job) { return job.queue.index(); },
              .order_of = [&state](const Job& job) { return job_order(state, job); },
              .could_run = [this](const Job& job,
                                  const Resources& need) { return could_run(job.queue, need); }}),
      allocated_(state.tree().size()),
      is_changed_(state.tree().size(), false),
      versions_(state.tree().size(), 0) {
  for (const Dimension d : state.space().dimensions()) shares_.emplace_back(state.tree(), d, by);
  for (const QueueId leaf : state.tree().leaves()) index_.mark(leaf.index());
}

void ContainerStanding::resized() {
  resized_ = true;
  bounds_.resize(state_.total());
  index_.cluster_changed();
  for (const QueueId leaf : tree().leaves())  // what its users may have follows
    if (has_hard_limit(state_, leaf)) index_.mark(leaf.index());
}

void ContainerStanding::settle() {
  if (!resized_ && !index_.any_changed()) return;
  const Space& space = state_.space();
  if (resized_) {
    for (const Dimension d : space.dimensions()) shares_[d.place()].resize(state_.total()[d]);
    for (std::uint64_t& version : versions_) ++version;
    resized_ = false;
  }
  index_.take_changed(leaves_);
  for (const std::size_t place : leaves_) {
    const QueueId leaf(place);
    if (!tree().leaf(leaf)) continue;
    mark(leaf);
    const ContainerIndex::Leaf& here = index_.leaf(place);
    const Amounts pending =
        has_hard_limit(state_, leaf)
            ? pending_within_limits(state_, leaf, guaranteed(leaf), here.items)
            : here.pending;
    for (const Dimension d : space.dimensions()) {
      shares_[d.place()].set_leaf(leaf, {.running = state_.queue(leaf).running[d],
                                         .pending = pending[d],
                                         .dying = here.dying[d],
                                         .waiting_jobs = here.items.jobs()});
    }
  }
  for (const Dimension d : space.dimensions()) {
    QueueShares& shares = shares_[d.place()];
    shares.settle();
    shares.take_changed(queues_);
    for (const QueueId queue : queues_) {
      allocated_[queue.index()][d] = shares.line(queue).allocated;
      mark(queue);
    }
  }
}

void ContainerStanding::mark(QueueId queue) {
  ++versions_[queue.index()];
  if (is_changed_[queue.index()]) return;
  is_changed_[queue.index()] = true;
  changed_.push_back(queue);
}

void ContainerStanding::take_changed(std::vector<QueueId>& out) {
  out.assign(changed_.begin(), changed_.end());
  for (const QueueId queue : changed_) is_changed_[queue.index()] = false;
  changed_.clear();
}

// --- What it says of a task ---

bool ContainerStanding::within_maximum(QueueId queue, JobId job, const Resources& need) const {
  return !bounds_.has_maximum(queue) || within(state_.space(), taken_by_others(state_, queue, job),
                                               need, bounds_.maximum(queue));
}

bool ContainerStanding::is_short_here(QueueId queue, const Resources& need) const {
  return is_short(state_.space(), state_.queue(queue).running, need, allocated(queue));
}

bool ContainerStanding::short_on_the_way(QueueId leaf, const Resources& need) const {
  for (QueueId q = leaf; q != QueueTree::root(); q = tree().parent(q)) {
    if (!is_short_here(q, need)) return false;
  }
  return true;
}

int ContainerStanding::step_of(QueueId queue, const Resources& need) const {
  const Amounts& run = state_.queue(queue).running;
  if (within(state_.space(), run, need, guaranteed(queue))) return kWithinGuarantee;
  return within(state_.space(), run, need, allocated(queue)) ? kWithinAllocation : kBeyond;
}

Fraction ContainerStanding::key_of(QueueId queue, int step) const {
  return dominant(state_.space(), state_.queue(queue).running,
                  step == kWithinAllocation ? allocated(queue) : guaranteed(queue),
                  state_.total());
}

bool ContainerStanding::ends_being_short(QueueId queue, const Resources& other,
                                         const Resources& need) const {
  const Space& space = state_.space();
  for (QueueId q = queue; q != QueueTree::root(); q = tree().parent(q)) {
    if (!is_short(space, plus(space, state_.queue(q).running, other), need, allocated(q)))
      return true;
  }
  return false;
}

bool ContainerStanding::keeps_from_being_short(QueueId leaf, const Resources& other,
                                               const Resources& need) const {
  const Space& space = state_.space();
  const Amounts without = minus(space, state_.queue(leaf).running, other);
  return is_short(space, without, need, allocated(leaf)) &&
         short_on_the_way(tree().parent(leaf), need) && ends_being_short(leaf, other, need);
}

bool ContainerStanding::gang_within(const Job& job) const {
  if (!index_.wants(job.id, job.gang_kind())) return false;
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!within(state_.space(), state_.queue(q).running, job.need(job.gang_kind()), allocated(q)))
      return false;
  }
  return true;
}

std::optional<KeptRoom> ContainerStanding::kept_room(KeptRoom::Stands stands) const {
  return room_kept_by_queues(state_, bounds_, std::move(stands),
                             [this](const Job& a, const Job& b) {
                               return a.queue == b.queue &&
                                      job_order(state_, a) < job_order(state_, b);
                             });
}

bool ContainerStanding::short_of_maximum(QueueId queue, const Resources& need) const {
  return !bounds_.has_maximum(queue) ||
         (within(state_.space(), Amounts{}, need, bounds_.maximum(queue)) &&
          is_short(state_.space(), state_.queue(queue).running, need, bounds_.maximum(queue)));
}

}  // namespace weir
