// Which task a free slot goes to: held and reserved slots, claims by deadline, then the order of
// queues, and within a leaf the order of jobs (capacity.md, "Which queue, which job").
#include <algorithm>
#include <utility>

#include "capacity/capacity_arithmetic.h"
#include "capacity/capacity_policy.h"
#include "jobqueue/policy/kept_slots.h"
#include "jobqueue/policy/user_limit.h"

namespace weir {

std::optional<Choice> CapacityPolicy::choose(const Offer& offer) {
  for (const TaskKind kind : kTaskKinds) {
    const std::int64_t free = offer.free[index(kind)];
    if (free <= 0) continue;
    settle(kind);
    const bool any = classes_[index(kind)].shares.line(QueueTree::root()).facts.pending > 0;
    if (!any && state_.tracker(offer.tracker).keeps == 0) continue;
    if (auto choice = choose_of(kind, free, offer)) return choice;
  }
  return std::nullopt;
}

std::optional<Choice> CapacityPolicy::choose_of(TaskKind kind, std::int64_t free,
                                                const Offer& offer) {
  if (state_.tracker(offer.tracker).keeps > 0) {
    if (auto choice = choose_held(kind, free, offer)) return choice;
    if (free <= 0) return std::nullopt;
    if (const Reservation* kept = reservation_on(state_, offer.tracker, kind)) {
      if (auto choice = choose_claimed(kind, free, offer, true)) return choice;
      return choose_reserved(*kept, free, offer);  // and nothing else starts here
    }
  }
  if (auto choice = choose_claimed(kind, free, offer, false)) return choice;
  return choose_in_order(kind, free, offer);
}

// --- Slots that are kept for somebody ---

// Takes what stays kept off `free`. A claimant may go up to its guarantee and what it keeps, and no
// user limit stands in his way.
std::optional<Choice> CapacityPolicy::choose_held(TaskKind kind, std::int64_t& free,
                                                  const Offer& offer) {
  const auto take_held = [&](const Hold& hold, std::int64_t slots) {
    const QueueShares& shares = classes_[index(kind)].shares;
    const QueueLine& line = shares.line(hold.queue);
    Room room{.step = std::min(slots, line.kept() - line.facts.running), .urgent = true};
    for (QueueId q = hold.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
      room.maximum =
          std::min(room.maximum, shares.line(q).maximum - shares.line(q).facts.running);
    }
    auto choice = ask_leaf(hold.queue, kind, slots, room, offer);
    if (choice && choice->what == Choice::What::kLaunch) ++rules_[kServedHold];
    return choice;
  };
  return weir::choose_held(state_, offer, kind, free, take_held);
}

std::optional<Choice> CapacityPolicy::choose_reserved(const Reservation& kept, std::int64_t free,
                                                      const Offer& offer) {
  return weir::choose_reserved(
      kept, free, keeps_reservation(kept),
      [&] { return launch_of(state_.pick_task(kept.job, kept.kind, offer.tracker)); });
}

// A reservation lasts while its task may run and its queue is below its allocation. One that ends
// is taken off at the end of the input, and counts nowhere before.
bool CapacityPolicy::keeps_reservation(const Reservation& kept) const {
  const Job* job = state_.find_job(kept.job);
  if (job == nullptr || !state_.may_run_on(*job, kept.kind, state_.tracker(kept.tracker)))
    return false;
  const QueueLine& line = classes_[index(kept.kind)].shares.line(job->queue);
  return may_run(*job, kept.kind) && line.facts.running < line.allocated;
}

std::int64_t CapacityPolicy::reserved_in(QueueId queue, TaskKind kind) const {
  std::int64_t slots = 0;
  for (const Reservation& kept : state_.claims().reservations()) {
    if (kept.kind != kind || !keeps_reservation(kept)) continue;
    if (state_.tree().is_ancestor(queue, state_.job(kept.job).queue)) slots += kept.slots;
  }
  return slots;
}

std::int64_t CapacityPolicy::reserved_by(JobId job, TaskKind kind) const {
  for (const Reservation& kept : state_.claims().reservations()) {
    if (kept.job == job && kept.kind == kind) return kept.slots;
  }
  return 0;
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
                                                     const Offer& offer, bool overdue_only) {
  const auto& due = state_.claims().by_deadline(kind);
  if (due.empty()) return std::nullopt;
  const SlotClass& c = classes_[index(kind)];
  ++claim_round_;
  for (const auto& [deadline, leaf, id] : due) {
    const bool overdue = deadline <= offer.now;
    if (overdue_only && !overdue) return std::nullopt;
    if (asked_[leaf.index()] == claim_round_) continue;
    asked_[leaf.index()] = claim_round_;
    if (c.shares.line(leaf).facts.pending == 0) continue;
    Room room{.shared = true, .urgent = overdue};
    for (QueueId q = leaf; room.step > 0 && q != QueueTree::root(); q = state_.tree().parent(q)) {
      const QueueLine& line = c.shares.line(q);
      room.step = std::min(room.step, line.kept() - line.facts.running);
      room.maximum =
          std::min(room.maximum, line.maximum - line.facts.running - reserved_in(q, kind));
    }
    if (room.step <= 0) continue;
    auto choice = ask_leaf(leaf, kind, free, room, offer);
    if (!choice) continue;
    ++rules_[overdue ? kServedOverdueClaim : kServedClaim];
    return choice;
  }
  return std::nullopt;
}

// --- The order of queues: steps 3 to 5 ---

// A leaf whose first job avoids this tracker stands here for the first that does not.
std::optional<Choice> CapacityPolicy::choose_in_order(TaskKind kind, std::int64_t free,
                                                      const Offer& offer) {
  SlotClass& c = classes_[index(kind)];
  std::vector<std::pair<QueueId, std::int64_t>> before;
  for (const QueueId leaf : c.picky) {
    std::int64_t width = 0;
    const auto within_limit = [&](const LeafJobs::Bucket& bucket) {
      return !over_user_limit(leaf, kind, bucket);
    };
    leaf_of(leaf, kind).jobs.visit(within_limit, [&](JobId job) {
      if (!state_.avoided(state_.job(job), offer.tracker)) width = this->width(job, kind);
      return width > 0;
    });
    if (width == 0 || width == c.first_width[leaf.index()]) continue;
    before.emplace_back(leaf, c.first_width[leaf.index()]);
    stand_again(leaf, kind, width);
  }
  auto choice = ask(QueueTree::root(), kind, free, {}, offer);
  for (const auto& [leaf, width] : before) stand_again(leaf, kind, width);
  return choice;
}

std::optional<Choice> CapacityPolicy::ask(QueueId queue, TaskKind kind, std::int64_t free,
                                          const Room& room, const Offer& offer) {
  if (state_.tree().leaf(queue)) return ask_leaf(queue, kind, free, room, offer);
  const SlotClass& c = classes_[index(kind)];
  std::optional<Choice> choice;
  c.order.offer(queue, [&](QueueId child, ServiceStep step) {
    const QueueLine& line = c.shares.line(child);
    const std::int64_t bound = step == ServiceStep::kBelowMaximum ? line.maximum : line.allocated;
    const std::int64_t running = line.facts.running;
    choice = ask(child, kind, free,
                 {.step = std::min(room.step, bound - running),
                  .maximum =
                      std::min(room.maximum, line.maximum - running - reserved_in(child, kind))},
                 offer);
    if (choice && line.under_one_slot) ++rules_[kTurnsTaken];
    return choice.has_value();
  });
  return choice;
}

// --- Within a leaf ---

bool CapacityPolicy::over_user_limit(QueueId leaf, TaskKind kind,
                                     const LeafJobs::Bucket& bucket) const {
  std::int64_t running = bucket.user_running;
  for (const Reservation& kept : state_.claims().reservations()) {
    if (kept.kind != kind || !keeps_reservation(kept)) continue;
    const Job& job = state_.job(kept.job);
    const bool same = job.queue == leaf && job.user == bucket.user;
    if (same && job.id != bucket.first.id) running += kept.slots;
  }
  return running + bucket.width > user_limit(leaf, kind, bucket.width);
}

std::optional<Choice> CapacityPolicy::ask_leaf(QueueId leaf, TaskKind kind, std::int64_t free,
                                               Room room, const Offer& offer) {
  const LeafJobs& jobs = leaf_of(leaf, kind).jobs;
  const QueueLine& line = classes_[index(kind)].shares.line(leaf);
  room.shared = room.shared && line.facts.wide_jobs > 0;
  OwedList owed(room.step, std::min(line.guaranteed, line.maximum));
  const std::int64_t widest = line.facts.wide_jobs > 0 ? widest_ever(leaf, kind) : 1;
  std::optional<Choice> choice;
  bool someone_at_limit = false;
  bool first = true;
  // The first task, if it is wider than what is free, may reserve a tracker.
  const auto has_room = [&](const LeafJobs::Bucket& bucket) {
    if (bucket.width > widest) return false;  // for ever: it holds nobody up
    const bool is_first = std::exchange(first, false);
    const std::int64_t own = reserved_by(bucket.first.id, kind);
    if (room.shared && bucket.width > owed.left()) return true;  // the list may end with it
    if (bucket.width > room.step || bucket.width > room.maximum + own) return false;
    if (bucket.width <= free) return true;
    ++rules_[kWidePassed];
    if (is_first && line.facts.running < line.allocated) {
      choice = reserve_tracker(state_, bucket.first.id, kind);
    }
    // Its turn may come with another tracker's heartbeat: what is behind it leaves it its room.
    if (is_first && own == 0 && !choice) room.maximum -= bucket.width;
    return choice.has_value() || room.shared;
  };
  const auto pick = [&](JobId job) {
    if (choice) return true;
    if (!room.shared) {
      choice = pick_task(job, kind, offer.tracker, room.urgent);
      return choice.has_value();
    }
    const std::int64_t width = this->width(job, kind);
    const std::int64_t tasks = owed.take(width, state_.job(job).launchable(kind));
    if (tasks > 0 && width <= free) choice = pick_task(job, kind, offer.tracker, room.urgent);
    return choice.has_value() || owed.ended();
  };
  const auto within_limit = [&](const LeafJobs::Bucket& bucket) {
    if (!over_user_limit(leaf, kind, bucket)) return has_room(bucket);
    someone_at_limit = true;
    return false;
  };
  jobs.visit(within_limit, pick);
  if (choice || !someone_at_limit || (room.shared && owed.ended())) {
    if (choice && choice->what == Choice::What::kReserve) ++rules_[kReserved];
    return choice;
  }
  if (leaf_of(leaf, kind).user_limit.mode == UserLimit::Mode::kHard) {
    ++rules_[kHardLimitHeld];
    return std::nullopt;
  }
  // Soft limits give way before a slot leaves the queue or stays empty.
  jobs.visit(
      [&](const LeafJobs::Bucket& bucket) {
        return over_user_limit(leaf, kind, bucket) && has_room(bucket);
      },
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
  if (kind == TaskKind::kReduce || !delay_.on()) {
    return launch_of(state_.pick_task(job, kind, tracker));
  }
  const auto choice = launch_of(state_.pick_task(job, kind, tracker, delay_.allowed(job, urgent)));
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
