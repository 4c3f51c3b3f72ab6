#include "capacity/container_waiters.h"

#include <algorithm>

#include "jobqueue/policy/container_reservations.h"

namespace weir {

// --- What others of its leaf leave to it ---

// Of what the queue is allocated the room that a task waits for is taken, for those behind it: else
// they would fill the queue elsewhere, and the tracker is kept no longer than that is short.
ContainerWaiters::InLeaf::InLeaf(const ContainerWaiters& all, QueueId leaf)
    : space_(all.state_.space()) {
  const bool any_keeps = all.standing_.bounds().any_keeps();
  const ClusterState::ReserveTurn* turn = all.state_.reserve_turn();
  if (const Job* job = turn == nullptr ? nullptr : all.state_.find_job(turn->job)) {
    if (job->queue == leaf && !job->waits_for_gang(turn->kind)) add(all, *job, turn->kind, true);
  }
  if (!any_keeps && all.state_.reserved(leaf).all_zero()) return;
  all.state_.claims().reservations().each_in(leaf, [&](const Reservation& kept) {
    add(all, all.state_.job(kept.job), kept.kind);
  });
  if (!any_keeps) return;
  for (const ClusterState::AmountWait& wait : all.state_.amount_waits()) {
    const Job* job = all.state_.find_job(wait.job);
    if (job != nullptr && job->queue == leaf && is_wanted(all.state_, *job, wait.kind))
      add(all, *job, wait.kind);
  }
}

void ContainerWaiters::InLeaf::add(const ContainerWaiters& all, const Job& job, TaskKind kind,
                                  bool has_turn) {
  const Resources& need = job.need(kind);
  const Amounts& run = all.state_.queue(job.queue).running;
  const Amounts& allocated = all.standing_.allocated(job.queue);
  if (!has_turn && !is_short(space_, run, need, allocated)) return;
  One& one = all_.emplace_back();
  one.item = {job_order(all.state_, job), kind};
  for (const Dimension d : space_.dimensions()) {
    one.left[d] = need[d] > 0 ? allocated[d] - run[d] - need[d] : INT64_MAX;
    one.beyond[d] = need[d] > 0 ? run[d] - allocated[d] : INT64_MIN;
  }
}

bool ContainerWaiters::InLeaf::is_in_the_way(const ItemOrder& item, const Resources& need) const {
  return std::any_of(all_.begin(), all_.end(), [&](const One& one) {
    const auto& dimensions = space_.dimensions();
    return one.item < item && one.item.job.id != item.job.id &&
           std::any_of(dimensions.begin(), dimensions.end(),
                       [&](Dimension d) { return need[d] > 0 && need[d] > one.left[d]; }) &&
           std::all_of(dimensions.begin(), dimensions.end(),
                       [&](Dimension d) { return need[d] > one.beyond[d]; });
  });
}

// --- What other leaves leave to it ---

QueueId ContainerWaiters::child_towards(QueueId queue, QueueId leaf) const {
  QueueId child = leaf;
  while (state_.tree().parent(child) != queue) child = state_.tree().parent(child);
  return child;
}

bool ContainerWaiters::comes_before(QueueId a, const Resources& of_a, QueueId b,
                                    const Resources& of_b) const {
  const int first = standing_.step_of(a, of_a), second = standing_.step_of(b, of_b);
  if (first != second) return first < second;
  const Fraction key = standing_.key_of(a, first), other = standing_.key_of(b, second);
  return key < other || (!(other < key) && a < b);
}

// A turn may come before its leaf is short; a reservation ends when that is not. What is above the
// queue does not matter: so all that this depends on marks the queue.
ContainerWaiters::Waiters ContainerWaiters::below(QueueId queue) const {
  Waiters all;
  const QueueTree& tree = state_.tree();
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  const bool any_reserved = !state_.reserved(queue).all_zero();
  if (queue == QueueTree::root() || (turn == nullptr && !any_reserved)) return all;
  const auto enter = [&](const Job* job, TaskKind kind, bool has_turn) {
    if (job == nullptr || !job->has(kind) || !tree.is_ancestor(queue, job->queue)) return;
    if (job->waits_for_gang(kind)) kind = job->gang_kind();
    const Resources& need = job->need(kind);
    bool is_short = standing_.is_short_here(queue, need);
    for (QueueId q = job->queue; q != queue; q = tree.parent(q))
      is_short = is_short && (has_turn || standing_.is_short_here(q, need));
    if (is_short) all.push_back({job->queue, {job_order(state_, *job), kind}, &need});
  };
  if (turn != nullptr) enter(state_.find_job(turn->job), turn->kind, true);
  if (!any_reserved) return all;
  for (const Reservation& kept : state_.claims().reservations())
    enter(state_.find_job(kept.job), kept.kind, false);
  return all;
}

bool ContainerWaiters::ends_wait(QueueId queue, const Waiter& waiter, const Job& job,
                                 TaskKind kind) const {
  if (job.id == waiter.item.job.id) return false;
  const Resources& need = job.need(kind);
  const Amounts with = plus(state_.space(), state_.queue(queue).running, need);
  if (is_short(state_.space(), with, *waiter.need, standing_.allocated(queue))) return false;
  if (job.queue == waiter.leaf) return waiter.item < ItemOrder{job_order(state_, job), kind};
  // Which of them the queue above both would ask first.
  const QueueTree& tree = state_.tree();
  QueueId child = job.queue;
  while (!tree.is_ancestor(tree.parent(child), waiter.leaf)) child = tree.parent(child);
  return comes_before(child_towards(tree.parent(child), waiter.leaf), *waiter.need, child, need);
}

bool ContainerWaiters::ends_a_wait(const Job& job, TaskKind kind) const {
  const QueueTree& tree = state_.tree();
  for (QueueId q = tree.parent(job.queue); q != QueueTree::root(); q = tree.parent(q)) {
    for (const Waiter& waiter : below(q)) {
      if (is_larger(state_.space(), *waiter.need, job.need(kind)) &&
          ends_wait(q, waiter, job, kind))
        return true;
    }
  }
  return false;
}

}  // namespace weir
