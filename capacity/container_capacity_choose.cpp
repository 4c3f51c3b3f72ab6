// Which task the capacity policy gives next, where containers count: the best head, and what
// reservations, claims and what is held for claimants change in that.
#include "capacity/container_capacity.h"
#include "capacity/container_claims.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {

std::optional<Choice> ContainerCapacity::choose(const Offer& offer, bool by_walking) {
  standing_.settle();
  const TrackerState& tracker = state_.tracker(offer.tracker);
  const std::optional<KeptRoom> room = kept_room();
  const KeptRoom* kept = room ? &*room : nullptr;
  if (tracker.keeps > 0) {
    if (auto held = choose_held(tracker, kept)) return held;
    if (const Reservation* reserved = reservation_on(state_, tracker.id))
      return choose_reserved(*reserved, tracker, kept, by_walking);
  }
  const ReserveHere reserve(state_, tracker);
  const Reach reach{.tracker = tracker,
                    .used = used_on(state_, tracker),
                    .reserve = &reserve,
                    .kept = kept};
  auto head = by_walking ? heads_.walked(reach) : heads_.best(reach);
  if (reserve.notes_turn() && (by_walking || heads_.any_might_have_turn(reserve))) {
    if (const auto turn = reserves_next(reserve.without_limit(), reach, by_walking))
      return turn;
  }
  if (!head) return std::nullopt;
  if (head->reserves && !head->lacks_amount && reserve.notes_larger()) {
    Reach full = reach;
    full.used = tracker.total;  // nothing starts
    const ReserveHere larger = reserve.for_larger_than(head->size->need);
    if (const auto turn = reserves_next(larger, full, by_walking)) return turn;
    head = who_reserves(*head, full, by_walking);
  }
  const auto turn = heads_.turn_of_passed(*head, reach, by_walking);
  return turn ? turn : task_of(*head, reach);
}

// Who would reserve the tracker, but that smaller ones leave it to a larger one that has the turn.
// Those of its own leaf come before it in strict order, for as long as there are any.
ContainerCapacity::Head ContainerCapacity::who_reserves(const Head& head, Reach reach,
                                                        bool by_walking) {
  const ReserveHere& reserve = *reach.reserve;
  const auto leaves_it = [&](const Head& to_whom) {
    const QueueId leaf = state_.job(to_whom.job).queue;
    return reserve.is_left_by(to_whom.size->need, state_.tree().node(leaf).path) &&
           leaf != state_.job(state_.reserve_turn()->job).queue;
  };
  Head first = head;
  while (leaves_it(first)) {
    const ReserveHere larger = reserve.for_larger_alone(first.size->need);
    reach.reserve = &larger;
    const auto next = by_walking ? heads_.walked(reach) : heads_.best(reach);
    if (!next || !next->reserves || next->lacks_amount) return head;
    first = *next;
  }
  return first;
}

// Who would have the tracker reserved, as that says.
std::optional<Choice> ContainerCapacity::reserves_next(const ReserveHere& reserve, Reach reach,
                                                       bool by_walking) {
  reach.reserve = &reserve;
  const auto head = by_walking ? heads_.walked(reach) : heads_.best(reach);
  return head && head->reserves ? reserve.turn_for(task_of(*head, reach)) : std::nullopt;
}

std::optional<Choice> ContainerCapacity::task_of(const Head& head, const Reach& reach) const {
  if (head.waits) return std::nullopt;
  if (head.size->gang) return heads_.choice_of_gang(state_.job(head.job), reach);
  if (!head.reserves)
    return launch_of(state_.pick_task(head.job, head.kind, reach.tracker.id));
  if (head.lacks_amount)
    return Choice{.task = {head.job, head.kind, 0}, .what = Choice::What::kWaitForAmount};
  const auto task = reach.reserve->task(state_.job(head.job), head.kind);
  return task ? std::optional(reserve_of(*task, reach.tracker.id)) : std::nullopt;
}

// The tracker waits for that task; what ends before it gets its room may start besides.
std::optional<Choice> ContainerCapacity::choose_reserved(const Reservation& reserved,
                                                         const TrackerState& tracker,
                                                         const KeptRoom* kept, bool by_walking) {
  if (const std::string_view why = over(reserved, kept); !why.empty())
    return release_of(reserved, why);
  const Job& job = state_.job(reserved.job);
  const Resources& need = job.need(reserved.kind);
  const Reach reach{.tracker = tracker,
                    .used = used_on(state_, tracker),
                    .kept = kept,
                    .aside = job.id};
  const auto first = by_walking ? heads_.walked(reach) : heads_.best(reach);
  // What the same queue is owed besides does not take the room that its first task waits for.
  const auto is_behind = [&](const Head& head) {
    return head.job != job.id && state_.job(head.job).queue == job.queue &&
           ItemOrder{job_order(state_, job), reserved.kind} <
               ItemOrder{job_order(state_, state_.job(head.job)), head.kind};
  };
  if (first && first->overdue(state_.now()) && !is_behind(*first)) return task_of(*first, reach);
  const bool has_room = state_.fits_in(need, tracker, reach.used);
  bool may = has_room && leaves(kept, job.queue.index(), need);
  const bool gang = job.waits_for_gang(reserved.kind);
  const Resources& bounded = gang ? job.need(job.gang_kind()) : need;
  for (QueueId q = job.queue; may && q != QueueTree::root(); q = state_.tree().parent(q))
    may = standing_.within_maximum(q, job.id, bounded);
  if (may && gang) return heads_.choice_of_gang(job, reach);
  if (may) {
    if (auto choice = launch_of(state_.pick_task(job.id, reserved.kind, tracker.id))) return choice;
  }
  const auto ends_by = has_room ? std::nullopt : room_by(state_, tracker, need);
  if (!ends_by) return std::nullopt;
  Reach besides = reach;
  besides.ends_by = ends_by;
  const auto head = heads_.walked(besides);
  return head ? task_of(*head, besides) : std::nullopt;
}

std::string_view ContainerCapacity::over(const Reservation& reserved,
                                         const KeptRoom* kept) const {
  if (const auto why = reservation_over(state_, reserved, kept); !why.empty()) return why;
  const auto within = [this](const Job& job) { return users_.gang_within(job); };
  if (gives_way(state_, reserved, kept, within)) return "gives_way";
  const Job& job = state_.job(reserved.job);
  if (const auto why = why_it_may_not_wait(job, job.need(reserved.kind)); !why.empty()) return why;
  const bool ends_a_wait = !job.waits_for_gang(reserved.kind) &&
                           heads_.waiters().ends_a_wait(job, reserved.kind);
  return ends_a_wait ? "gives_way" : "";
}

std::optional<KeptRoom> ContainerCapacity::kept_room() const {
  return standing_.kept_room([this](const Job& job, TaskKind kind) {
    return why_it_may_not_wait(job, job.need(kind)).empty();
  });
}

std::string_view ContainerCapacity::why_it_may_not_wait(const Job& job,
                                                        const Resources& need) const {
  if (!standing_.short_on_the_way(job.queue, need)) return "share";
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!standing_.short_of_maximum(q, need)) return "maximum";
  }
  return users_.over_limit(job.queue, job.user, need) ? "limit" : "";
}

// Room that a kill has freed is offered to its claimant, and is anybody's if that wants it no more.
// As long as others keep so much of what is free in all, it stays here for the claimant.
std::optional<Choice> ContainerCapacity::choose_held(const TrackerState& tracker,
                                                     const KeptRoom* kept) const {
  for (const Hold& hold : state_.claims().holds()) {
    if (hold.tracker != tracker.id || !hold.complete()) continue;
    Resources used = used_on(state_, tracker);
    used -= hold.kept_room();
    std::optional<Choice> choice;
    const Job* claimant = state_.find_job(hold.job);
    if (claimant != nullptr && claimant->waits_for_gang(hold.kind)) {
      bool may = true;
      for (QueueId q = claimant->queue; may && q != QueueTree::root(); q = state_.tree().parent(q))
        may = standing_.within_maximum(q, claimant->id, claimant->need(claimant->gang_kind()));
      if (auto choice = take_for_gang(state_, hold, kept, may)) return choice;
      continue;
    }
    bool stays = false;
    each_owed(state_, standing_.items(hold.queue), hold.queue,
              standing_.guaranteed(hold.queue), [&](const OwedItem& item) {
                if (item.size->gang) return false;  // it has rooms of its own
                if (!state_.fits_in(item.size->need, tracker, used)) return false;
                bool may = true;
                for (QueueId q = hold.queue; may && q != QueueTree::root();
                     q = state_.tree().parent(q))
                  may = standing_.within_maximum(q, item.job, item.size->need);
                if (may) choice = launch_of(state_.pick_task(item.job, item.kind, tracker.id));
                stays = choice && !leaves(kept, hold.queue.index(), item.size->need);
                if (stays) choice = kept->choice_to_wait(state_.job(item.job), item.kind);
                return choice || stays;
              });
    if (stays && choice) return choice;
    if (stays) continue;
    if (!choice) return Choice{.what = Choice::What::kEndHold, .hold = hold.id};
    choice->hold = hold.id;
    return choice;
  }
  return std::nullopt;
}

}  // namespace weir
