#include "fair/pool_kills.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weir {

PoolKills::PoolKills(const ClusterState& state, TaskKind kind, TimeMs now, bool log_only,
                     Figures figures)
    : state_(state), kind_(kind), now_(now), log_only_(log_only), figures_(std::move(figures)) {
  for (const Hold& hold : state.claims().holds()) {
    if (hold.kind != kind) continue;
    promised_[hold.tracker].slots(kind) += hold.kept();
    const PoolId pool = figures_.tree.find(hold.pool);
    if (!pool.valid()) continue;
    for (PoolId p = pool; p.valid(); p = figures_.tree.node(p).parent) got_[p] += hold.slots;
    if (state.find_job(hold.job) != nullptr) promise(pool, hold.job, hold.tracker);
  }
  for (const Reservation& reservation : state.claims().reservations()) {
    if (reservation.kind != kind) continue;
    promised_[reservation.tracker].slots(kind) +=
        std::min(reservation.slots, state.free_slots(state.tracker(reservation.tracker), kind));
  }
}

void PoolKills::plan(std::vector<KillOrder>& kills) {
  figures_.tree.visit_children_first(PoolTree::root(), [&](PoolId pool) {
    if (const Due due = figures_.due(pool); due.slots > 0) serve(pool, due, kills);
  });
}

void PoolKills::serve(PoolId needy, const Due& due, std::vector<KillOrder>& kills) {
  std::int64_t need = due.slots - of(got_, needy);
  if (need > 0) need -= take_free(needy, need);
  if (need <= 0) return;
  if (!collected_) collect();
  std::map<TrackerId, Pile> piles;
  for (std::size_t i = 0; i < candidates_.size() && need > 0; ++i) {
    const Candidate& candidate = candidates_[i];
    if (candidate.taken || figures_.tree.contains(needy, candidate.pool)) continue;
    const TrackerId tracker = state_.attempt(candidate.slot).tracker;
    Pile& gathered = piles[tracker];
    Pile pile;  // those gathered that may still die: others have been taken meanwhile
    for (const std::size_t other : gathered.victims) {
      if (may_die(candidates_[other], needy, pile)) add(pile, other);
    }
    if (!may_die(candidate, needy, pile)) {
      // What was gathered may leave its pool too poor for a wide task that would do by itself.
      Pile alone;
      gathered = std::exchange(pile, {});
      if (gathered.victims.empty() || !may_die(candidate, needy, alone)) continue;
      add(alone, i);
      if (!could_start(needy, need, tracker, alone)) continue;
    }
    add(pile, i);
    if (const auto job = could_start(needy, need, tracker, pile)) {
      KillOrder order = commit(needy, due.reason, pile, tracker, *job);
      need -= order.slots;
      kills.push_back(std::move(order));
      pile = {};
    }
    gathered = std::move(pile);
  }
}

// Free slots that the pool could use now, up to `wanted`.
std::int64_t PoolKills::take_free(PoolId needy, std::int64_t wanted) {
  if (state_.free_slots(kind_) == 0) return 0;
  std::int64_t taken = 0;
  for (const TrackerState& tracker : state_.trackers()) {
    if (state_.free_slots(tracker, kind_) == 0) continue;
    while (taken < wanted) {
      const auto job = could_start(needy, wanted - taken, tracker.id, {});
      if (!job) break;
      const std::int64_t width = width_of(*job);
      promised_[tracker.id] += state_.job(*job).need(kind_);
      promise(needy, *job, tracker.id);
      for (PoolId p = needy; p.valid(); p = figures_.tree.node(p).parent) got_[p] += width;
      taken += width;
    }
    if (taken >= wanted) break;
  }
  return taken;
}

// --- Victims ---

void PoolKills::collect() {
  collected_ = true;
  for (std::size_t i = 0; i < state_.attempts().size(); ++i) {
    const Attempt& attempt = state_.attempts()[i];
    if (!attempt.live || attempt.dying() || attempt.key.task.kind != kind_) continue;
    if (!attempt.has_slots()) continue;
    const TrackerState& tracker = state_.tracker(attempt.tracker);
    if (!tracker.in_pool()) continue;  // its slots are nobody's to have
    const PoolId pool = figures_.pool_of(attempt.key.task.job);
    if (!pool.valid()) continue;
    const Standings::Line& line = figures_.standings.line(pool);
    if (!reaches(line.running - slots_of(AttemptSlot(i)), line.share)) continue;
    candidates_.push_back({AttemptSlot(i), pool});
  }
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
    const Attempt& x = state_.attempt(a.slot);
    const Attempt& y = state_.attempt(b.slot);
    return std::tie(y.launched_at, y.launch_order) < std::tie(x.launched_at, x.launch_order);
  });
}

// No pool on the way up to the common one falls below its share, nor the job below its own.
bool PoolKills::may_die(const Candidate& candidate, PoolId needy, const Pile& pile) const {
  if (candidate.taken) return false;
  const std::int64_t slots = slots_of(candidate.slot);
  for (PoolId p = candidate.pool; !figures_.tree.contains(p, needy);
       p = figures_.tree.node(p).parent) {
    const Standings::Line& line = figures_.standings.line(p);
    const std::int64_t left = line.running - of(killed_, p) - slots_in(pile, p) - slots;
    if (!reaches(left, line.share)) return false;
  }
  const JobId job = state_.attempt(candidate.slot).key.task.job;
  std::int64_t left =
      state_.job(job).tasks(kind_).running * width_of(job) - of(job_killed_, job) - slots;
  for (const std::size_t other : pile.victims) {
    const AttemptSlot slot = candidates_[other].slot;
    if (state_.attempt(slot).key.task.job == job) left -= slots_of(slot);
  }
  return reaches(left, figures_.job_share(job)) && within_budget(candidate, pile);
}

bool PoolKills::within_budget(const Candidate& candidate, const Pile& pile) const {
  const PoolTree::Node& node = figures_.tree.node(candidate.pool);
  if (!node.settings->kill_budget) return true;
  std::int64_t lost = state_.claims().lost_slot_ms(node.path, now_) + of(lost_, candidate.pool);
  lost += cost(candidate.slot);
  for (const std::size_t other : pile.victims) {
    if (candidates_[other].pool == candidate.pool) lost += cost(candidates_[other].slot);
  }
  if (lost <= *node.settings->kill_budget * 1000) return true;
  ++spared_;
  return false;
}

void PoolKills::add(Pile& pile, std::size_t candidate) const {
  pile.victims.push_back(candidate);
  pile.freed += state_.job(state_.attempt(candidates_[candidate].slot).key.task.job).need(kind_);
}

KillOrder PoolKills::commit(PoolId needy, KillReason reason, const Pile& pile, TrackerId tracker,
                            JobId job) {
  KillOrder order{.reason = reason,
                  .for_pool = figures_.tree.node(needy).path,
                  .kind = kind_,
                  .job = job,
                  .slots = width_of(job),
                  .log_only = log_only_};
  for (const std::size_t i : pile.victims) {
    Candidate& victim = candidates_[i];
    victim.taken = true;
    const Attempt& attempt = state_.attempt(victim.slot);
    const std::int64_t slots = slots_of(victim.slot);
    order.victims.push_back(victim.slot);
    lost_[victim.pool] += cost(victim.slot);
    job_killed_[attempt.key.task.job] += slots;
    for (PoolId p = victim.pool; p.valid(); p = figures_.tree.node(p).parent) killed_[p] += slots;
    for (QueueId q = attempt.queue; q.valid(); q = state_.tree().node(q).parent) {
      in_queue_[q] -= slots;
    }
  }
  promise(needy, job, tracker);
  for (PoolId p = needy; p.valid(); p = figures_.tree.node(p).parent) got_[p] += order.slots;
  promised_[tracker] += state_.job(job).need(kind_);
  promised_[tracker] -= pile.freed;
  return order;
}

// --- Who could start ---

void PoolKills::promise(PoolId needy, JobId job, TrackerId tracker) {
  ++planned_[job];
  ++planned_there_[{job, tracker}];
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
        if (has_task_for(job, tracker, freed) && has_room(job, pile)) found = job;
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
    if (figures_.tree.contains(pool, candidates_[i].pool)) slots += slots_of(candidates_[i].slot);
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
