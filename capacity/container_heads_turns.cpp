// What large tasks of a leaf wait for, and those behind them leave to them: else small ones that
// start where there is no room for a large one would keep the leaf at what it is allocated, and it
// is never short for that when a tracker reports that would do.
#include <algorithm>

#include "capacity/container_heads.h"
#include "jobqueue/policy/container_items.h"

namespace weir {

// Of what the queue is allocated the room that a task waits for is taken, for those behind it: else
// they would fill the queue elsewhere, and the tracker is kept no longer than that is short.
ContainerHeads::Waiting::Waiting(const ContainerHeads& heads, QueueId leaf)
    : space_(heads.state_.space()) {
  const bool any_keeps = heads.standing_.bounds().any_keeps();
  const ClusterState::ReserveTurn* turn = heads.state_.reserve_turn();
  if (const Job* job = turn == nullptr ? nullptr : heads.state_.find_job(turn->job)) {
    if (job->queue == leaf && !job->waits_for_gang(turn->kind)) add(heads, *job, turn->kind, true);
  }
  if (!any_keeps && heads.state_.reserved(leaf).all_zero()) return;
  for (const Reservation& kept : heads.state_.claims().reservations()) {
    if (kept.queue == leaf) add(heads, heads.state_.job(kept.job), kept.kind);
  }
  if (!any_keeps) return;
  for (const ClusterState::AmountWait& wait : heads.state_.amount_waits()) {
    const Job* job = heads.state_.find_job(wait.job);
    if (job != nullptr && job->queue == leaf && is_wanted(heads.state_, *job, wait.kind))
      add(heads, *job, wait.kind);
  }
}

void ContainerHeads::Waiting::add(const ContainerHeads& heads, const Job& job, TaskKind kind,
                                  bool has_turn) {
  const Resources& need = job.need(kind);
  const Amounts& run = heads.state_.queue(job.queue).running;
  const Amounts& allocated = heads.standing_.allocated(job.queue);
  if (!has_turn && !is_short(space_, run, need, allocated)) return;
  One& one = all_.emplace_back();
  one.item = {job_order(heads.state_, job), kind};
  for (const Dimension d : space_.dimensions()) {
    one.left[d] = need[d] > 0 ? allocated[d] - run[d] - need[d] : INT64_MAX;
    one.beyond[d] = need[d] > 0 ? run[d] - allocated[d] : INT64_MIN;
  }
}

bool ContainerHeads::Waiting::is_in_the_way(const ItemOrder& item, const Resources& need) const {
  return std::any_of(all_.begin(), all_.end(), [&](const One& one) {
    const auto& dimensions = space_.dimensions();
    return one.item < item && one.item.job.id != item.job.id &&
           std::any_of(dimensions.begin(), dimensions.end(),
                       [&](Dimension d) { return need[d] > 0 && need[d] > one.left[d]; }) &&
           std::all_of(dimensions.begin(), dimensions.end(),
                       [&](Dimension d) { return need[d] > one.beyond[d]; });
  });
}

std::optional<Choice> ContainerHeads::turn_of_passed(const Head& head, const Reach& reach) const {
  if (head.lacks_amount || head.waits || head.size->gang || head.step == kClaim)
    return std::nullopt;
  const Job& first = state_.job(head.job);
  const ItemOrder order{job_order(state_, first), head.kind};
  const QueueId leaf = first.queue;
  std::optional<Choice> turn;
  standing_.items(leaf).visit(
      [&](const Bucket& bucket) {
        if (!(*bucket.items.begin() < order)) return true;  // there it ends
        const Resources& need = bucket.size->need;
        return !bucket.size->gang &&
               !state_.fits_in(need, reach.tracker, reach.used) &&
               standing_.keeps_from_being_short(leaf, head.size->need, need) &&
               !users_.over_limit(leaf, bucket.user, need);
      },
      [&](const ItemOrder& item, const Bucket& bucket) {
        if (!(item < order)) return true;
        const Job& job = state_.job(item.job.id);
        const Amounts others = users_.reserved_by_others(leaf, job.user, job.id);
        if (users_.over_limit(leaf, job.user, bucket.size->need, others)) return false;
        for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
          if (!standing_.short_of_maximum(q, bucket.size->need)) return false;
        }
        if (reach.reserve->has_turn_elsewhere(job, item.kind)) turn = turn_of(job.id, item.kind);
        return turn.has_value();
      });
  return turn;
}

}  // namespace weir
