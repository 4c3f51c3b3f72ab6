// Which task the capacity policy gives next, where containers count: heads of queues, their steps
// and keys, and what reservations, claims and what is held for claimants change in these.
#include <algorithm>

#include "capacity/container_capacity.h"
#include "capacity/container_claims.h"
#include "jobqueue/policy/user_limit.h"

namespace weir {

std::optional<Choice> ContainerCapacity::choose(const Offer& offer) {
  settle();
  const TrackerState& tracker = state_.tracker(offer.tracker);
  if (tracker.keeps > 0) {
    if (auto held = choose_held(tracker)) return held;
    if (const Reservation* kept = reservation_on(state_, tracker.id))
      return choose_reserved(*kept, offer);
  }
  const ReserveHere reserve(state_, tracker);
  const auto head = head_of(
      QueueTree::root(),
      {.tracker = tracker, .used = used_on(state_, tracker), .reserve = &reserve});
  if (!head || head->waits) return std::nullopt;
  return head->reserves ? reserve_of(head->pick.task, tracker.id) : launch_of(head->pick);
}

// The tracker waits for that task; what ends before it gets its room may start besides.
std::optional<Choice> ContainerCapacity::choose_reserved(const Reservation& kept,
                                                         const Offer& offer) const {
  if (const std::string_view why = over(kept); !why.empty()) return release_of(kept, why);
  const TrackerState& tracker = state_.tracker(offer.tracker);
  const Job& job = state_.job(kept.job);
  const Resources& need = job.need(kept.kind);
  const Resources used = used_on(state_, tracker);
  const auto overdue =
      head_of(QueueTree::root(), {.tracker = tracker, .used = used, .overdue = true});
  if (overdue && overdue->step == kOverdueClaim) return launch_of(overdue->pick);
  const bool has_room = state_.fits_in(need, tracker, used);
  bool may = has_room && leaves_what_is_kept(job.queue, need);
  for (QueueId q = job.queue; may && q != QueueTree::root(); q = state_.tree().parent(q))
    may = within_maximum(q, job.id, need);
  if (may) {
    if (auto choice = launch_of(state_.pick_task(job.id, kept.kind, tracker.id))) return choice;
  }
  const auto ends_by = has_room ? std::nullopt : room_by(state_, tracker, need);
  if (!ends_by) return std::nullopt;
  const auto head =
      head_of(QueueTree::root(), {.tracker = tracker, .used = used, .ends_by = ends_by});
  return head ? std::optional(launch_of(head->pick)) : std::nullopt;
}

std::string_view ContainerCapacity::over(const Reservation& kept) const {
  if (const std::string_view why = reservation_over(state_, kept); !why.empty()) return why;
  const Job& job = state_.job(kept.job);
  const Resources& need = job.need(kept.kind);
  if (!short_on_the_way(job.queue, need)) return "share";
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    const bool is_full = bounds_.has_maximum(q) &&
                         !is_short(state_.space(), state_.queue(q).running, need,
                                   bounds_.maximum(q));
    if (is_full) return "maximum";
  }
  return over_user_limit(job.queue, job.user, need) ? "limit" : "";
}

bool ContainerCapacity::short_on_the_way(QueueId leaf, const Resources& need) const {
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!is_short(state_.space(), state_.queue(q).running, need, allocated(q))) return false;
  }
  return true;
}

bool ContainerCapacity::before(const Head& a, const Head& b) {
  return a.step <= kClaim ? a.deadline < b.deadline : a.key < b.key;
}

// The child with the best head; ties in file order, which is the order of ids.
std::optional<ContainerCapacity::Head> ContainerCapacity::head_of(QueueId queue,
                                                                  const Reach& reach) const {
  std::optional<Head> best;
  if (state_.tree().leaf(queue)) {
    best = head_of_leaf(queue, reach);
  } else {
    for (const QueueId child : state_.tree().node(queue).children) {
      const auto head = head_of(child, reach);
      if (!head) continue;
      const bool better = !best || head->step < best->step ||
                          (head->step == best->step && before(*head, *best));
      if (better) best = head;
    }
  }
  if (!best || !place(queue, *best)) return std::nullopt;
  return best;
}

bool ContainerCapacity::within_maximum(QueueId queue, JobId job, const Resources& need) const {
  return !bounds_.has_maximum(queue) || within(state_.space(), taken_by_others(state_, queue, job),
                                               need, bounds_.maximum(queue));
}

std::optional<ContainerCapacity::Elsewhere> ContainerCapacity::elsewhere(QueueId leaf,
                                                                         const Job& job,
                                                                         TaskKind kind) const {
  const Resources& need = job.need(kind);
  bool bounded = false, waits = false;
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!bounds_.has_maximum(q)) continue;
    if (!is_short(state_.space(), state_.queue(q).running, need, bounds_.maximum(q)))
      return std::nullopt;
    bounded = true;
    waits = waits || !within_maximum(q, job.id, need);
  }
  if (!bounded || !short_on_the_way(leaf, need) || !finds_room(state_, job, kind))
    return std::nullopt;
  return waits ? Elsewhere::kWaits : Elsewhere::kStarts;
}

bool ContainerCapacity::leaves_room_for(const Resources& other, QueueId leaf, JobId job,
                                        const Resources& need) const {
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!bounds_.has_maximum(q)) continue;
    Amounts taken = taken_by_others(state_, q, job);
    for (const Dimension d : state_.space().dimensions()) taken[d] += other[d];
    if (!within(state_.space(), taken, need, bounds_.maximum(q))) return false;
  }
  return true;
}

bool ContainerCapacity::place(QueueId queue, Head& head) const {
  if (queue == QueueTree::root()) return true;
  const Space& space = state_.space();
  const Resources& need = head.size->need;
  const Amounts& run = state_.queue(queue).running;
  if (head.reserves) {
    if (bounds_.has_maximum(queue) && !is_short(space, run, need, bounds_.maximum(queue)))
      return false;
  } else if (!within_maximum(queue, head.pick.task.job, need)) {
    return false;
  }
  // A claim lifts a family only while that is short itself.
  if (head.step <= kClaim && is_short(space, run, need, bounds_.guaranteed(queue))) return true;
  const Amounts mine = allocated(queue);
  const bool in_guarantee = within(space, run, need, bounds_.guaranteed(queue));
  head.step = in_guarantee                          ? kWithinGuarantee
              : within(space, run, need, mine) ? kWithinAllocation
                                               : kBeyond;
  head.key = dominant(space, run, head.step == kWithinAllocation ? mine : bounds_.guaranteed(queue),
                      state_.total());
  return true;
}

bool ContainerCapacity::Reach::starts(const ContainerItems::Bucket& bucket,
                                      const ClusterState& state) const {
  if (!state.fits_in(bucket.size->need, tracker, used)) return false;
  return !ends_by || (bucket.time_limit_ms > 0 && state.now() + bucket.time_limit_ms <= *ends_by);
}

std::optional<ContainerCapacity::Head> ContainerCapacity::head_of_leaf(QueueId leaf,
                                                                       const Reach& reach) const {
  const ContainerItems& items = index_.leaf(leaf.index()).items;
  std::optional<Head> head = head_of_claim(leaf, reach);
  if (head || reach.overdue) return head;
  bool someone_at_limit = false, bounded = false;
  const Resources* before = nullptr;  // of the first that starts elsewhere
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q))
    bounded = bounded || bounds_.has_maximum(q);
  const auto may_reserve = [&](const ContainerItems::Bucket& bucket) {
    return reach.reserve != nullptr && reach.reserve->may(bucket) &&
           short_on_the_way(leaf, bucket.size->need);
  };
  const auto pick = [&](const ItemOrder& item, const ContainerItems::Bucket& bucket) {
    const Job& job = state_.job(item.job.id);
    const Amounts reserved = reserved_by_others(leaf, job.user, job.id);
    if (!reserved.all_zero() && over_user_limit(leaf, job.user, bucket.size->need, reserved))
      return false;
    if (reach.starts(bucket, state_)) {
      if (before != nullptr && !leaves_room_for(*before, leaf, job.id, bucket.size->need))
        return false;
      if (const auto task = state_.pick_task(job.id, item.kind, reach.tracker.id))
        head = Head{.pick = *task, .size = bucket.size};
    } else if (const auto where = elsewhere(leaf, job, item.kind)) {
      if (*where == Elsewhere::kWaits)
        head = Head{.pick = {.task = {job.id, item.kind}}, .size = bucket.size, .waits = true};
      if (before == nullptr) before = &bucket.size->need;
    } else if (may_reserve(bucket)) {
      if (const auto task = reach.reserve->task(job, item.kind))
        head = Head{.pick = {.task = *task}, .size = bucket.size, .reserves = true};
    }
    return head.has_value();
  };
  items.visit(
      [&](const ContainerItems::Bucket& bucket) {
        const Resources& need = bucket.size->need;
        const bool over = over_user_limit(leaf, bucket.user, need);
        someone_at_limit = someone_at_limit || over;
        if (over || !leaves_what_is_kept(leaf, need)) return false;
        return reach.starts(bucket, state_) || may_reserve(bucket) ||
               (bounded && state_.trackers_with_room(need) > 0);
      },
      pick);
  const UserLimit::Mode mode = state_.tree().node(leaf).settings.user_limit.mode;
  if (head || !someone_at_limit || mode == UserLimit::Mode::kHard) return head;
  // Soft limits give way before room leaves the queue or stays empty.
  items.visit(
      [&](const ContainerItems::Bucket& bucket) {
        const Resources& need = bucket.size->need;
        return over_user_limit(leaf, bucket.user, need) && reach.starts(bucket, state_) &&
               leaves_what_is_kept(leaf, need);
      },
      [&](const ItemOrder& item, const ContainerItems::Bucket& bucket) {
        if (const auto task = state_.pick_task(item.job.id, item.kind, reach.tracker.id))
          head = Head{.pick = *task, .size = bucket.size};
        return head.has_value();
      });
  return head;
}

// While claims are open the leaf gives what it is owed first, and for its claims nothing else.
std::optional<ContainerCapacity::Head> ContainerCapacity::head_of_claim(QueueId leaf,
                                                                        const Reach& reach) const {
  std::optional<TimeMs> deadline;
  for (const Dimension d : state_.space().dimensions()) {
    const auto& claims = state_.claims().claims(leaf, d);
    if (!claims.empty()) deadline = std::min(deadline.value_or(kNever), claims.front().deadline);
  }
  if (!deadline || reach.ends_by) return std::nullopt;
  const bool overdue = *deadline <= state_.now();
  if (reach.overdue && !overdue) return std::nullopt;
  std::optional<Head> head;
  each_owed(state_, index_.leaf(leaf.index()).items, leaf, bounds_.guaranteed(leaf),
            [&](const OwedItem& item) {
              const Resources& need = item.size->need;
              const UserId user = state_.job(item.job).user;
              if (!state_.fits_in(need, reach.tracker, reach.used)) return false;
              if (over_user_limit(leaf, user, need) || !leaves_what_is_kept(leaf, need))
                return false;
              if (const auto task = state_.pick_task(item.job, item.kind, reach.tracker.id)) {
                head = Head{.pick = *task,
                            .size = item.size,
                            .step = overdue ? kOverdueClaim : kClaim,
                            .deadline = *deadline};
              }
              return head.has_value();
            });
  return head;
}

// Room that a kill has freed is offered to its claimant, and is anybody's if that wants it no more.
std::optional<Choice> ContainerCapacity::choose_held(const TrackerState& tracker) const {
  for (const Hold& hold : state_.claims().holds()) {
    if (hold.tracker != tracker.id || !hold.complete()) continue;
    Resources used = used_on(state_, tracker);
    used -= hold.kept_room();
    std::optional<Choice> choice;
    each_owed(state_, index_.leaf(hold.queue.index()).items, hold.queue,
              bounds_.guaranteed(hold.queue), [&](const OwedItem& item) {
                if (!state_.fits_in(item.size->need, tracker, used)) return false;
                bool may = true;
                for (QueueId q = hold.queue; may && q != QueueTree::root();
                     q = state_.tree().parent(q))
                  may = within_maximum(q, item.job, item.size->need);
                if (may) choice = launch_of(state_.pick_task(item.job, item.kind, tracker.id));
                return choice.has_value();
              });
    if (!choice) return Choice{.what = Choice::What::kEndHold, .hold = hold.id};
    choice->hold = hold.id;
    return choice;
  }
  return std::nullopt;
}

// In the leaf.
Amounts ContainerCapacity::reserved_by_others(QueueId leaf, UserId user, JobId job) const {
  Amounts reserved;
  if (state_.reserved(leaf).all_zero()) return reserved;
  for (const Reservation& kept : state_.claims().reservations()) {
    if (kept.job == job || kept.queue != leaf || state_.job(kept.job).user != user) continue;
    const Resources& need = state_.job(kept.job).need(kept.kind);
    for (const Dimension d : state_.space().dimensions()) reserved[d] += need[d];
  }
  return reserved;
}

// In any dimension of which the task takes something.
bool ContainerCapacity::over_user_limit(QueueId leaf, UserId user, const Resources& task,
                                        const Amounts& reserved) const {
  if (!limits_users(leaf)) return false;
  for (const Dimension d : state_.space().dimensions()) {
    if (task[d] == 0) continue;
    const UserPart part = user_part(leaf, user, d, task[d]);
    if (part.has + reserved[d] + task[d] > part.allowed) return true;
  }
  return false;
}

bool ContainerCapacity::above_user_limit(QueueId leaf, UserId user) const {
  if (!limits_users(leaf)) return false;
  for (const Dimension d : state_.space().dimensions()) {
    const UserPart part = user_part(leaf, user, d, 0);
    if (part.has > part.allowed) return true;
  }
  return false;
}

bool ContainerCapacity::limits_users(QueueId leaf) const {
  const UserLimit& limit = state_.tree().node(leaf).settings.user_limit;
  return limit.minimum_hundredths < kWholeInHundredths || limit.factor_millionths;
}

// What the user runs in the leaf, and up to what he may with a task that takes so much.
ContainerCapacity::UserPart ContainerCapacity::user_part(QueueId leaf, UserId id, Dimension d,
                                                         std::int64_t need) const {
  const QueueState& queue = state_.queue(leaf);
  std::int64_t active = 0;
  for (const auto& [other, held] : queue.users)
    active += held.jobs_running > 0 || held.running[d] > 0 ? 1 : 0;
  const QueueLine& line = shares_[d.place()].line(leaf);
  const auto user = queue.users.find(id);
  return {.has = user == queue.users.end() ? 0 : user->second.running[d],
          .allowed = user_limit_slots(state_.tree().node(leaf).settings.user_limit,
                                      {.guaranteed = line.guaranteed,
                                       .allocated = line.allocated,
                                       .running = line.facts.running,
                                       .need = need,
                                       .active_users = active})};
}

}  // namespace weir
