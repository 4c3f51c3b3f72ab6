// Whose task could start on a tracker once somebody there is dead, among what is planned already.
#include <algorithm>

#include "fair/pool_kills.h"

namespace weir {

void PoolKills::promise(PoolId needy, JobId job, TrackerId tracker) {
  ++planned_[job];
  ++planned_there_[{job, tracker}];
  reserved_.plan(job, tracker);
  const std::int64_t slots = width_of(job);
  const PoolId leaf = figures_.pool_of(job);
  for (PoolId p = leaf.valid() ? leaf : needy; p.valid(); p = figures_.tree.node(p).parent) {
    gained_[p] += slots;
  }
  for (QueueId q = state_.job(job).queue; q.valid(); q = state_.tree().node(q).parent) {
    in_queue_[q] += slots;
  }
}

std::optional<JobId> PoolKills::could_start(PoolId pool, std::int64_t widest, TrackerId tracker,
                                            const Pile& pile) const {
  std::optional<JobId> found;
  if (!figures_.tree.node(pool).leaf()) {
    figures_.standings.visit(pool, [&](PoolId child) {
      found = could_start(child, widest, tracker, pile);
      return found.has_value();
    });
    return found;
  }
  Resources freed = pile.freed;
  if (const auto promised = promised_.find(tracker); promised != promised_.end()) {
    freed -= promised->second;
  }
  figures_.standings.jobs(pool).visit(
      [&](const PoolJobs::Bucket& bucket) { return bucket.width <= widest; },
      [&](JobId job) {
        Resources here = freed;
        here.slots(kind_) -= reserved_.kept_from(job, tracker);
        if (has_task_for(job, tracker, here) && has_room(job, pile)) found = job;
        return found.has_value();
      });
  return found;
}

bool PoolKills::has_task_for(JobId job, TrackerId id, const Resources& freed) const {
  if (!state_.splits(kind_)) {
    const auto planned = planned_.find(job);
    if (planned != planned_.end() && planned->second >= state_.job(job).launchable(kind_)) {
      return false;
    }
    return state_.could_start(job, kind_, id, freed);
  }
  const TrackerState& tracker = state_.tracker(id);
  const auto planned = planned_there_.find({job, id});
  const std::int64_t taken = planned == planned_there_.end() ? 0 : planned->second;
  const auto waiting =
      std::count_if(tracker.held.begin(), tracker.held.end(), [job](const HeldAttempt& held) {
        return held.key.task.job == job && held.copy == CopyStage::kCopied &&
               held.state != AttemptState::kDying;
      });
  const std::int64_t used = tracker.used.slots(kind_) - freed.slots(kind_);
  return tracker.in_pool() && taken < waiting && width_of(job) <= tracker.total.slots(kind_) - used;
}

// Under every maximum, once the pile is dead.
bool PoolKills::has_room(JobId id, const Pile& pile) const {
  const std::int64_t width = width_of(id);
  for (PoolId p = figures_.pool_of(id); p.valid(); p = figures_.tree.node(p).parent) {
    const Standings::Line& line = figures_.standings.line(p);
    if (line.maximum == INT64_MAX) continue;
    const std::int64_t running = line.running + of(gained_, p) - of(killed_, p) - slots_in(pile, p);
    if (running + width > line.maximum) return false;
  }
  const QueueTree& queues = state_.tree();
  const QueueId leaf = state_.job(id).queue;
  if (!figures_.queue_limited(leaf)) return true;
  for (QueueId q = leaf; q != QueueTree::root(); q = queues.node(q).parent) {
    std::int64_t room = figures_.room_in_queue(q) - of(in_queue_, q);
    for (const std::size_t other : pile.victims) {
      const AttemptSlot slot = candidates_[other].slot;
      if (queues.is_ancestor(q, state_.attempt(slot).queue)) room += slots_of(slot);
    }
    if (width > room) return false;
  }
  return true;
}

std::int64_t PoolKills::slots_in(const Pile& pile, PoolId pool) const {
  std::int64_t slots = 0;
  for (const std::size_t i : pile.victims) {
    if (figures_.tree.contains(pool, candidates_[i].pool)) slots += candidates_[i].slots;
  }
  return slots;
}

std::int64_t PoolKills::slots_of(AttemptSlot slot) const {
  return width_of(state_.attempt(slot).key.task.job);
}

std::int64_t PoolKills::width_of(JobId job) const {
  return std::max<std::int64_t>(state_.job(job).width(kind_), 1);
}

std::int64_t PoolKills::cost(AttemptSlot slot) const {
  return slots_of(slot) * state_.attempt(slot).in_slots_ms(now_);
}

}  // namespace weir
