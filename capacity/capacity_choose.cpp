// Which task a free slot goes to: held and reserved slots, claims by deadline, then the order of
// queues, and within a leaf the order of jobs (capacity.md, "Which queue, which job").
#include <algorithm>

#include "capacity/capacity_arithmetic.h"
#include "capacity/capacity_policy.h"
#include "jobqueue/kept_slots.h"

namespace weir {

std::optional<Choice> CapacityPolicy::choose(const Offer& offer) {
  for (const TaskKind kind : kTaskKinds) {
    std::int64_t free = offer.free[index(kind)];
    if (free <= 0) continue;
    settle(kind);
    if (state_.tracker(offer.tracker).keeps > 0) {
      if (auto choice = choose_kept(kind, free, offer)) return choice;
    }
    if (free <= 0) continue;
    if (auto choice = choose_claimed(kind, free, offer)) return choice;
    if (auto choice = ask(QueueTree::root(), kind, free, INT64_MAX, offer)) return choice;
  }
  return std::nullopt;
}

// --- Slots that are kept for somebody ---

// Takes what stays kept off `free`. A claimant may go up to its guarantee and what it keeps, and no
// user limit stands in his way.
std::optional<Choice> CapacityPolicy::choose_kept(TaskKind kind, std::int64_t& free,
                                                  const Offer& offer) {
  const auto take_held = [&](const Hold& hold, std::int64_t slots) {
    const QueueShares& shares = classes_[index(kind)].shares;
    const QueueLine& line = shares.line(hold.queue);
    std::int64_t room = std::min(slots, line.kept() - line.facts.running);
    for (QueueId q = hold.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
      room = std::min(room, shares.line(q).maximum - shares.line(q).facts.running);
    }
    auto choice = ask_leaf(hold.queue, kind, slots, room, offer, true);
    if (choice && choice->what == Choice::What::kLaunch) ++rules_[kServedHold];
    return choice;
  };
  return weir::choose_kept(
      state_, offer, kind, free, take_held,
      [&](const Reservation& kept) { return may_run(state_.job(kept.job), kind); },
      [&](const Reservation& kept) { return state_.pick_task(kept.job, kind, offer.tracker); });
}

bool CapacityPolicy::may_run(const Job& job, TaskKind kind) const {
  return job.launchable(kind) > 0 && within_limits(job, kind);
}

bool CapacityPolicy::within_limits(const Job& job, TaskKind kind) const {
  const std::int64_t need = width(job.id, kind);
  const SlotClass& c = classes_[index(kind)];
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (c.shares.line(q).facts.running + need > c.shares.line(q).maximum) return false;
  }
  if (state_.tree().node(job.queue).settings.user_limit.mode != UserLimit::Mode::kHard) return true;
  const std::int64_t running = c.leaves[job.queue.index()].jobs.user_running(job.user);
  return running + need <= user_limit(job.queue, kind, need);
}

// --- Claims: steps 1 and 2 ---

// Claims are served by deadline, so those that are due come first. The slot goes to the claimant,
// else its family is passed.
std::optional<Choice> CapacityPolicy::choose_claimed(TaskKind kind, std::int64_t free,
                                                     const Offer& offer) {
  const auto& due = state_.claims().by_deadline(kind);
  if (due.empty()) return std::nullopt;
  const SlotClass& c = classes_[index(kind)];
  ++claim_round_;
  for (const auto& [deadline, leaf, id] : due) {
    if (asked_[leaf.index()] == claim_round_) continue;
    asked_[leaf.index()] = claim_round_;
    if (c.shares.line(leaf).facts.pending == 0) continue;
    std::int64_t room = INT64_MAX;
    for (QueueId q = leaf; room > 0 && q != QueueTree::root(); q = state_.tree().parent(q)) {
      room = std::min(room, c.shares.line(q).kept() - c.shares.line(q).facts.running);
    }
    if (room <= 0) continue;
    const bool overdue = deadline <= offer.now;
    auto choice = ask_leaf(leaf, kind, free, room, offer, overdue);
    if (!choice) continue;
    ++rules_[overdue ? kServedOverdueClaim : kServedClaim];
    return choice;
  }
  return std::nullopt;
}

// --- The order of queues: steps 3 to 5 ---

std::optional<Choice> CapacityPolicy::ask(QueueId queue, TaskKind kind, std::int64_t free,
                                          std::int64_t room, const Offer& offer) {
  if (state_.tree().leaf(queue)) return ask_leaf(queue, kind, free, room, offer, false);
  const SlotClass& c = classes_[index(kind)];
  std::optional<Choice> choice;
  c.order.offer(queue, [&](QueueId child, ServiceStep step) {
    const QueueLine& line = c.shares.line(child);
    const std::int64_t bound = step == ServiceStep::kBelowMaximum ? line.maximum : line.allocated;
    choice = ask(child, kind, free, std::min(room, bound - line.facts.running), offer);
    if (choice && line.under_one_slot) ++rules_[kTurnsTaken];
    return choice.has_value();
  });
  return choice;
}

// --- Within a leaf ---

std::optional<Choice> CapacityPolicy::ask_leaf(QueueId leaf, TaskKind kind, std::int64_t free,
                                               std::int64_t room, const Offer& offer, bool urgent) {
  const LeafJobs& jobs = leaf_of(leaf, kind).jobs;
  std::optional<Choice> choice;
  bool someone_at_limit = false;
  const auto at_limit = [&](const LeafJobs::Bucket& bucket) {
    return bucket.user_running + bucket.width > user_limit(leaf, kind, bucket.width);
  };
  // A bucket whose tasks are wider than what is free may still reserve a tracker for its first job.
  const auto has_room = [&](const LeafJobs::Bucket& bucket) {
    if (bucket.width <= free) return bucket.width <= room;
    ++rules_[kWidePassed];
    if (bucket.width > room) return false;
    choice = reserve_tracker(state_, bucket.first.id, kind);
    return choice.has_value();
  };
  const auto pick = [&](JobId job) {
    if (!choice) choice = pick_task(job, kind, offer.tracker, urgent);
    return choice.has_value();
  };
  const auto within_limit = [&](const LeafJobs::Bucket& bucket) {
    if (!at_limit(bucket)) return has_room(bucket);
    someone_at_limit = true;
    return false;
  };
  jobs.visit(within_limit, pick);
  if (choice || !someone_at_limit) {
    if (choice && choice->what == Choice::What::kReserve) ++rules_[kReserved];
    return choice;
  }
  if (leaf_of(leaf, kind).user_limit.mode == UserLimit::Mode::kHard) {
    ++rules_[kHardLimitHeld];
    return std::nullopt;
  }
  // Soft limits give way before a slot leaves the queue or stays empty.
  jobs.visit([&](const LeafJobs::Bucket& bucket) { return at_limit(bucket) && has_room(bucket); },
             pick);
  if (choice) ++rules_[choice->what == Choice::What::kReserve ? kReserved : kSoftLimitPassed];
  return choice;
}

// --- Second attempts of stragglers ---

// What a leaf is owed is for its pending tasks: a second attempt must not pass for one of them.
bool CapacityPolicy::may_speculate(JobId id, TaskKind kind, const Offer&) {
  settle(kind);
  const Job& job = state_.job(id);
  return state_.claims().owed(job.queue, kind) == 0 && within_limits(job, kind);
}

// By RUN / GC of the queues where the ways to the two part, then in the leaf's order of jobs.
bool CapacityPolicy::comes_before(JobId a, JobId b, TaskKind kind) const {
  settle(kind);
  const Job& one = state_.job(a);
  const Job& other = state_.job(b);
  if (one.queue == other.queue) return job_order(state_, one) < job_order(state_, other);
  const QueueTree& tree = state_.tree();
  QueueId left = one.queue;
  QueueId right = other.queue;
  while (!tree.is_ancestor(tree.parent(left), right)) left = tree.parent(left);
  while (!tree.is_ancestor(tree.parent(right), left)) right = tree.parent(right);
  const QueueLine& l = classes_[index(kind)].shares.line(left);
  const QueueLine& r = classes_[index(kind)].shares.line(right);
  if ((l.guaranteed == 0) != (r.guaranteed == 0)) return r.guaranteed == 0;
  const Int128 lhs = Int128(l.facts.running) * std::max<std::int64_t>(r.guaranteed, 1);
  const Int128 rhs = Int128(r.facts.running) * std::max<std::int64_t>(l.guaranteed, 1);
  return lhs != rhs ? lhs < rhs : left < right;
}

// Delay scheduling: the job's next task, not further from its input than it may run by now.
std::optional<Choice> CapacityPolicy::pick_task(JobId job, TaskKind kind, TrackerId tracker,
                                                bool urgent) {
  if (kind == TaskKind::kReduce || !delay_.on()) return state_.pick_task(job, kind, tracker);
  const auto choice = state_.pick_task(job, kind, tracker, delay_.allowed(job, urgent));
  if (choice) {
    delay_.launched(job, choice->locality, choice->located);
  } else {
    delay_.passed(job);
  }
  return choice;
}

void CapacityPolicy::begin_offer(const Offer& offer) {
  if (delay_.on()) delay_.begin(offer.now);
}

void CapacityPolicy::end_offer(const Offer& offer) {
  if (delay_.on()) delay_.end(offer.now);
}

std::int64_t CapacityPolicy::user_limit(QueueId leaf, TaskKind kind, std::int64_t width) const {
  const QueueLine& line = classes_[index(kind)].shares.line(leaf);
  const Leaf& here = leaf_of(leaf, kind);
  return user_limit_slots(here.user_limit, {.guaranteed = line.guaranteed,
                                            .allocated = line.allocated,
                                            .running = line.facts.running,
                                            .need = width,
                                            .active_users = here.jobs.active_users()});
}

}  // namespace weir
