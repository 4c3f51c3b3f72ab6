// Which task the fair policy gives next where containers count: the best head, and what
// reservations and what is held for pools change in that.
#include "fair/container_fair.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {

std::optional<Choice> ContainerFair::choose(const Offer& offer, bool by_walking) {
  amounts_.settle();
  const TrackerState& tracker = state_.tracker(offer.tracker);
  const std::optional<KeptRoom> room = kept_room();
  const KeptRoom* kept = room ? &*room : nullptr;
  heads_.passed().clear();
  if (tracker.keeps > 0) {
    if (auto held = choose_held(tracker, kept)) return held;
    if (const Reservation* reserved = reservation_on(state_, tracker.id))
      return choose_reserved(*reserved, tracker, kept);
  }
  if (!settings_->assign_multiple && offer.launched[0] > 0) return std::nullopt;
  const ReserveHere reserve(state_, tracker);
  const Reach reach{.tracker = tracker,
                    .used = used_on(state_, tracker),
                    .reserve = &reserve,
                    .kept = kept};
  auto head = by_walking ? heads_.walked(PoolTree::root(), reach) : heads_.best(reach);
  const std::vector<JobId> passed = heads_.passed();
  std::optional<Choice> turn;
  if (reserve.notes_turn() && (by_walking || heads_.any_might_have_turn(reserve)))
    turn = reserves_next(reserve.without_limit(), reach, by_walking);
  if (!turn && head && head->reserves && !head->lacks_amount && reserve.notes_larger()) {
    Reach full = reach;
    full.used = tracker.total;  // nothing starts
    turn = reserves_next(reserve.for_larger_than(head->size->need), full, by_walking);
    if (!turn) head = who_reserves(*head, full, by_walking);
  }
  if (!turn && head) turn = heads_.turn_of_passed(*head, reach, by_walking);
  heads_.passed() = passed;
  if (!turn) return head ? task_of(*head, reach) : std::nullopt;
  heads_.passed().clear();  // they are asked once more
  return turn;
}

// Who would have the tracker reserved, as that says.
std::optional<Choice> ContainerFair::reserves_next(const ReserveHere& reserve, Reach reach,
                                                   bool by_walking) {
  reach.reserve = &reserve;
  const auto head = by_walking ? heads_.walked(PoolTree::root(), reach) : heads_.best(reach);
  return head && head->reserves ? reserve.turn_for(task_of(*head, reach)) : std::nullopt;
}

// Who would reserve the tracker, but that smaller ones leave it to a larger one that has the turn.
// Where its own leaf is in order those before it come first, for as long as there are any.
ContainerFair::Head ContainerFair::who_reserves(const Head& head, Reach reach, bool by_walking) {
  const ReserveHere& reserve = *reach.reserve;
  const auto leaves_it = [&](const Head& to_whom) {
    const PoolId leaf = find(to_whom.job)->pool;
    if (!reserve.is_left_by(to_whom.size->need, tree_.node(leaf).path)) return false;
    const JobLine* whose_turn = find(state_.reserve_turn()->job);
    return whose_turn != nullptr && (whose_turn->pool != leaf || !standing_.in_order(leaf));
  };
  Head first = head;
  while (leaves_it(first)) {
    const ReserveHere larger = reserve.for_larger_alone(first.size->need);
    reach.reserve = &larger;
    const auto next =
        by_walking ? heads_.walked(PoolTree::root(), reach) : heads_.best(reach);
    if (!next || !next->reserves || next->lacks_amount) return head;
    first = *next;
  }
  return first;
}

// Jobs that were passed over have waited since, whoever came after them.
std::optional<Choice> ContainerFair::choose(const Offer& offer) {
  const auto choice = choose(offer, false);
  for (const JobId job : heads_.passed()) delay_.passed(job);
  if (choice && choice->what == Choice::What::kLaunch && choice->task.kind == TaskKind::kMap)
    delay_.launched(choice->task.job, choice->locality, choice->located);
  return choice;
}

std::optional<Choice> ContainerFair::task_of(const Head& head, const Reach& reach) const {
  if (head.waits) return std::nullopt;
  if (head.size->gang) return heads_.choice_of_gang(state_.job(head.job), reach);
  if (!head.reserves) {
    const Locality near = heads_.allowed(*find(head.job), head.kind, reach);
    return launch_of(state_.pick_task(head.job, head.kind, reach.tracker.id, near));
  }
  if (head.lacks_amount)
    return Choice{.task = {head.job, head.kind, 0}, .what = Choice::What::kWaitForAmount};
  const auto task = reach.reserve->task(state_.job(head.job), head.kind);
  return task ? std::optional(reserve_of(*task, reach.tracker.id)) : std::nullopt;
}

// Room that a kill has freed is offered to its pool, and is anybody's if that wants it no more. As
// long as others keep so much of what is free in all, it stays here for the pool.
std::optional<Choice> ContainerFair::choose_held(const TrackerState& tracker,
                                                 const KeptRoom* kept) const {
  for (const Hold& hold : state_.claims().holds()) {
    if (hold.tracker != tracker.id || !hold.complete()) continue;
    const PoolId pool = tree_.find(hold.pool);
    Resources used = used_on(state_, tracker);
    used -= hold.kept_room();
    std::optional<Head> head;
    const Job* claimant = state_.find_job(hold.job);
    if (claimant != nullptr && claimant->waits_for_gang(hold.kind)) {
      const JobLine* line = find(claimant->id);
      const Resources& sum = claimant->need(claimant->gang_kind());
      const bool may =
          line != nullptr && standing_.within_pools(*line, sum) &&
                       standing_.within_queues(*claimant, sum);
      if (auto choice = take_for_gang(state_, hold, kept, may)) return choice;
      continue;
    }
    if (!hold.pool.empty() && pool.valid())
      head = heads_.walked(pool, {.tracker = tracker, .used = used, .for_hold = true});
    std::optional<Choice> choice;
    if (head && !head->waits && standing_.within_pools(*find(head->job), head->size->need))
      choice = launch_of(state_.pick_task(head->job, head->kind, tracker.id));
    if (choice && !leaves(kept, find(head->job)->pool.index(), head->size->need)) {
      choice = kept->choice_to_wait(state_.job(head->job), head->kind);
      if (choice) return choice;
      continue;
    }
    if (!choice) return Choice{.what = Choice::What::kEndHold, .hold = hold.id};
    choice->hold = hold.id;
    return choice;
  }
  return std::nullopt;
}

// The tracker waits for that task; what ends before it gets its room may start besides.
std::optional<Choice> ContainerFair::choose_reserved(const Reservation& reserved,
                                                     const TrackerState& tracker,
                                                     const KeptRoom* kept) const {
  if (const std::string_view why = over(reserved, kept); !why.empty())
    return release_of(reserved, why);
  const Job& job = state_.job(reserved.job);
  const Resources& need = job.need(reserved.kind);
  const Resources used = used_on(state_, tracker);
  if (state_.fits_in(need, tracker, used)) {
    const JobLine& line = *find(job.id);
    const bool gang = job.waits_for_gang(reserved.kind);
    const Resources& bounded = gang ? job.need(job.gang_kind()) : need;
    if (!standing_.within_pools(line, bounded) || !standing_.within_queues(job, bounded) ||
        !leaves(kept, line.pool.index(), need))
      return std::nullopt;
    if (gang)
      return heads_.choice_of_gang(job, {.tracker = tracker, .used = used, .kept = kept});
    return launch_of(state_.pick_task(job.id, reserved.kind, tracker.id));
  }
  const auto ends_by = room_by(state_, tracker, need);
  if (!ends_by) return std::nullopt;
  const Reach besides{.tracker = tracker,
                      .used = used,
                      .ends_by = ends_by,
                      .kept = kept,
                      .aside = job.id};
  const auto head = heads_.walked(PoolTree::root(), besides);
  return head ? task_of(*head, besides) : std::nullopt;
}

std::optional<KeptRoom> ContainerFair::kept_room() const {
  return standing_.kept_room([this](const Job& job, TaskKind kind) {
    const JobLine* line = find(job.id);
    const Resources& need = job.need(kind);
    return line != nullptr && standing_.short_on_the_way(*line, need) &&
           standing_.short_of_maximums(*line, need);
  });
}

std::string_view ContainerFair::over(const Reservation& reserved, const KeptRoom* kept) const {
  if (const auto why = reservation_over(state_, reserved, kept); !why.empty()) return why;
  const JobLine* line = find(reserved.job);
  if (line == nullptr) return "over";
  const Resources& need = state_.job(reserved.job).need(reserved.kind);
  if (!standing_.short_on_the_way(*line, need)) return "share";
  const auto within = [this](const Job& job) { return standing_.gang_within(job); };
  if (gives_way(state_, reserved, kept, within)) return "gives_way";
  if (!standing_.short_of_maximums(*line, need)) return "maximum";
  const bool ends_a_wait = !state_.job(reserved.job).waits_for_gang(reserved.kind) &&
                           heads_.waiters().ends_a_wait(*line, need);
  return ends_a_wait ? "gives_way" : "";
}

}  // namespace weir
