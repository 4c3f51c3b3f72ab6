#include "jobqueue/policy/container_reservations.h"

#include <algorithm>
#include <vector>

#include "jobqueue/model/share.h"
#include "jobqueue/policy/kept_room.h"

namespace weir {
namespace {

// By services, and as room for members of a gang: what does not end by itself.
Resources held_for_good(const ClusterState& state, const TrackerState& tracker) {
  Resources held;
  if (const Assembly* gang = state.assembly()) {
    for (const GangRoom& room : gang->rooms) {
      if (room.tracker == tracker.id) held += state.job(gang->job).need(room.task.kind);
    }
  }
  if (tracker.services == 0) return held;
  for (const HeldAttempt& attempt : tracker.held) {
    const Job& job = state.job(attempt.key.task.job);
    if (job.service) held += job.need(attempt.key.task.kind);
  }
  return held;
}

// Whether one of the job's tasks that wait may run there once there is room.
bool has_task_for(const ClusterState& state, const Job& job, TaskKind kind,
                  const TrackerState& tracker) {
  if (!job.has_failures) return true;
  if (!job.waits_for_gang(kind)) return state.may_run_on(job, kind, tracker);
  const std::vector<TaskKey> waiting = gang_without_room(state, job);
  return std::any_of(waiting.begin(), waiting.end(), [&](const TaskKey& member) {
    return member.kind == kind && !state.to_run_elsewhere(job, member, tracker.id);
  });
}

bool is_a_place(const ClusterState& state, const Job& job, TaskKind kind,
                const TrackerState& tracker) {
  return tracker.in_pool() && !state.avoided(job, tracker.id) &&
         state.fits_in(job.need(kind), tracker, {}) &&
         (!job.picky(kind) || state.allows(job, kind, tracker)) &&
         state.fits_in(job.need(kind), tracker, held_for_good(state, tracker));
}

std::size_t at_most_reserved(const ClusterState& state) {
  const auto part = state.settings().resources.reservations_hundredths;
  const std::int64_t trackers = state.live_trackers();
  return static_cast<std::size_t>(std::max<std::int64_t>(1, trackers * part / 10'000));
}

}  // namespace

Lack lack_in(const Resources& total, const Resources& used, const Size& size) {
  const Resources& need = size.need;
  Lack most{0, 1};
  for (std::size_t i = size.begin; i < size.end; ++i) {
    if (need.amount[i] == 0) continue;
    const std::int64_t free = total.amount[i] - used.amount[i];
    most = std::max(most, Lack{std::max<std::int64_t>(0, need.amount[i] - free), need.amount[i]});
  }
  return most;
}

const Reservation* reservation_on(const ClusterState& state, TrackerId tracker) {
  return state.claims().reservations().on(tracker);
}

const Reservation* reservation_of(const ClusterState& state, JobId job) {
  return state.claims().reservations().of(job);
}

Resources used_on(const ClusterState& state, const TrackerState& tracker) {
  Resources used = tracker.used;
  if (tracker.keeps == 0) return used;
  for (const Hold& hold : state.claims().holds()) {
    if (hold.tracker == tracker.id) used += hold.kept_room();
  }
  return used;
}

Amounts taken_by_others(const ClusterState& state, QueueId queue, JobId job) {
  Amounts taken = state.queue(queue).running;
  if (state.reserved(queue).all_zero()) return taken;
  taken += state.reserved(queue);
  const auto is_own = [&](const Resources& kept) {
    for (const Dimension d : state.space().dimensions()) taken[d] -= kept[d];
  };
  if (const Reservation* own = reservation_of(state, job)) is_own(state.job(job).need(own->kind));
  if (const Assembly* assembly = state.assembly_of(job)) {
    for (const GangRoom& room : assembly->rooms) is_own(state.job(job).need(room.task.kind));
  }
  return taken;
}

bool finds_room(const ClusterState& state, const Job& job, TaskKind kind) {
  if (job.is_gang(kind)) return false;
  const Resources& need = job.need(kind);
  if (state.trackers_with_room(need) == 0) return false;
  if (!job.picky(kind) && !job.has_failures) return true;
  return std::any_of(state.trackers().begin(), state.trackers().end(),
                     [&](const TrackerState& tracker) {
                       return RoomIndex::has_room(tracker, need) &&
                              (!job.picky(kind) || state.allows(job, kind, tracker)) &&
                              has_task_for(state, job, kind, tracker);
                     });
}

Places places_for(const ClusterState& state, const Job& job, TaskKind kind) {
  Places found = Places::kNone;
  for (const TrackerState& tracker : state.trackers()) {
    if (!is_a_place(state, job, kind, tracker)) continue;
    if (tracker.keeps == 0) return Places::kOpen;
    found = Places::kReserved;
  }
  return found;
}

bool ReserveHere::could(const Resources& need, bool picky) const {
  if (larger_than_ != nullptr && !is_larger(state_.space(), need, *larger_than_)) return false;
  if (!tracker_.in_pool() || tracker_.keeps > 0 || !state_.fits_in(need, tracker_, {}))
    return false;
  if (!picky && state_.trackers_with_room(need) > 0) return false;
  if (!services_) services_ = held_for_good(state_, tracker_);
  return state_.fits_in(need, tracker_, *services_);
}

JobId ReserveHere::gives_way(const Job& job, TaskKind kind) const {
  if (!after_ || !is_full() || reservation_of(state_, job.id) != nullptr) return {};
  const Reservation* last = nullptr;
  for (const Reservation& other : state_.claims().reservations()) {
    if (!after_(other, job, kind)) continue;
    if (last == nullptr || after_(other, state_.job(last->job), last->kind)) last = &other;
  }
  return last == nullptr ? JobId{} : last->job;
}

const Resources* need_of_turn(const ClusterState& state) {
  const ClusterState::ReserveTurn* turn = state.reserve_turn();
  const Job* job = turn == nullptr ? nullptr : state.find_job(turn->job);
  return job == nullptr ? nullptr : &job->need(turn->kind);
}

bool all_reserved(const ClusterState& state) {
  return state.claims().reservations().size() >= at_most_reserved(state);
}

ReserveHere ReserveHere::of_those_without() const {
  ReserveHere other(state_, tracker_);
  other.moves_ = false;
  other.services_ = services_;
  return other;
}

ReserveHere ReserveHere::without_limit() const {
  ReserveHere other = of_those_without();
  other.limited_ = false;
  other.larger_than_ = need_of_turn(state_);
  return other;
}

ReserveHere ReserveHere::for_larger_than(const Resources& need) const {
  ReserveHere other = of_those_without();
  other.larger_than_ = may_have_turn(need) ? &need : need_of_turn(state_);
  return other;
}

bool ReserveHere::is_left_by(const Resources& need, std::string_view leaf) const {
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  const Resources* larger = need_of_turn(state_);
  return larger != nullptr && turn->had.contains(leaf) &&
         is_larger(state_.space(), *larger, need);
}

ReserveHere ReserveHere::for_larger_alone(const Resources& need) const {
  ReserveHere other = of_those_without();
  other.larger_than_ = &need;
  return other;
}

bool ReserveHere::notes_turn() const {
  return tracker_.keeps == 0 && is_full();
}

bool ReserveHere::may_have_turn(const Resources& need) const {
  const Resources* next = need_of_turn(state_);
  return next == nullptr || is_larger(state_.space(), need, *next);
}

std::optional<Choice> ReserveHere::turn_for(const std::optional<Choice>& choice) const {
  if (!choice || choice->what != Choice::What::kReserve) return std::nullopt;
  const TaskKey& task = choice->task;
  if (!may_have_turn(state_.job(task.job).need(task.kind))) return std::nullopt;
  return turn_of(task.job, task.kind);
}

bool ReserveHere::has_turn_elsewhere(const Job& job, TaskKind kind) const {
  if (!may_have_turn(job.need(kind)) || reservation_of(state_, job.id) != nullptr) return false;
  if (could_have(job, kind)) return is_full();
  return !finds_room(state_, job, kind) && has_a_place(state_, job, kind);
}

bool ReserveHere::could_have(const Job& job, TaskKind kind) const {
  return could(job.need(kind), job.picky(kind)) && !state_.avoided(job, tracker_.id) &&
         (!job.picky(kind) || state_.allows(job, kind, tracker_));
}

bool ReserveHere::is_full() const {
  if (!limited_) return false;
  if (!left_) left_ = is_left_for_another();
  return state_.claims().reservations().size() + (*left_ ? 1 : 0) >= at_most_reserved(state_);
}

// It could not be had here by the job whose turn it is.
bool ReserveHere::is_left_for_another() const {
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  const Job* job = turn == nullptr ? nullptr : state_.find_job(turn->job);
  if (job == nullptr || !job->schedulable() || reservation_of(state_, job->id) != nullptr)
    return false;
  TaskKind kind = turn->kind;
  if (job->waits_for_gang(kind)) {
    const std::vector<TaskKey> waiting = gang_without_room(state_, *job);
    if (waiting.empty()) return false;
    kind = waiting.front().kind;
  }
  return !could_have(*job, kind);
}

bool ReserveHere::may(const ContainerItems::Bucket& bucket) const {
  if (bucket.size->gang) return false;  // gang_search.h
  if (!could(bucket.size->need, bucket.picky)) return false;
  if (!is_full() || moves_here(*bucket.size)) return true;
  if (!after_) return false;
  const ItemOrder& first = *bucket.items.begin();
  return gives_way(state_.job(first.job.id), first.kind).valid();
}

const Lack& ReserveHere::lack_here(const Size& size) const {
  if (lacking_ != &size) lack_ = lack_on(tracker_, size);
  lacking_ = &size;
  return lack_;
}

bool ReserveHere::moves_here(const Size& size, TrackerId from, const Lack& least) const {
  if (!moves_) return false;
  const Lack& here = lack_here(size);
  return here < least && here < lack_on(state_.tracker(from), size);
}

// So that nobody looks through all jobs of the size for the few that have a reservation.
bool ReserveHere::moves_here(const Size& size) const {
  if (!moves_) return false;
  const Lack& here = lack_here(size);
  bool moves = false;
  state_.claims().reservations().find_of(size, [&](const Reservation& kept) {
    moves = here < kept.least && here < lack_on(state_.tracker(kept.tracker), size);
    return moves || !(here < kept.least);  // nor do those that lack less
  });
  return moves;
}

bool ReserveHere::may_keep(const Job& job, TaskKind kind) const {
  if (const Reservation* kept = reservation_of(state_, job.id)) {
    if (kept->kind != kind || !moves_here(job.size(kind), kept->tracker, kept->least)) return false;
  } else if (is_full() && !gives_way(job, kind).valid()) {
    return false;
  }
  return !job.picky(kind) || state_.allows(job, kind, tracker_);
}

std::optional<TaskKey> ReserveHere::member(const Job& job) const {
  const std::vector<TaskKey> waiting = gang_without_room(state_, job);
  if (waiting.empty()) return std::nullopt;
  const TaskKind kind = waiting.front().kind;
  if (!could(job.need(kind), job.picky(kind)) || !may_keep(job, kind)) return std::nullopt;
  if (state_.avoided(job, tracker_.id) || finds_room(state_, job, kind)) return std::nullopt;
  const auto member = std::find_if(waiting.begin(), waiting.end(), [&](const TaskKey& each) {
    return each.kind == kind && !state_.to_run_elsewhere(job, each, tracker_.id);
  });
  return member == waiting.end() ? std::nullopt : std::optional(*member);
}

std::optional<TaskKey> ReserveHere::task(const Job& job, TaskKind kind) const {
  if (!may_keep(job, kind)) return std::nullopt;
  if (!state_.could_start(job.id, kind, tracker_.id, tracker_.used)) return std::nullopt;
  if (finds_room(state_, job, kind)) return std::nullopt;
  const TaskGroup& group = job.tasks(kind);
  const auto first = group.retries.first() ? group.retries.first() : group.fresh.first();
  return TaskKey{job.id, kind, first.value_or(0)};
}

bool is_wanted(const ClusterState& state, const Job& job, TaskKind kind) {
  if (!job.waits_for_gang(kind)) return job.launchable(kind) > 0;
  if (state.assembly_of(job.id) == nullptr || job.launchable(job.gang_kind()) == 0) return false;
  const std::vector<TaskKey> waiting = gang_without_room(state, job);
  return !waiting.empty() && waiting.front().kind == kind;
}

std::string_view reservation_over(const ClusterState& state, const Reservation& kept,
                                  const KeptRoom* room) {
  const Job* job = state.find_job(kept.job);
  if (job == nullptr || !job->schedulable()) return "over";
  if (!is_wanted(state, *job, kept.kind)) return "unwanted";
  const TrackerState& tracker = state.tracker(kept.tracker);
  const bool allowed = !job->picky(kept.kind) || state.allows(*job, kept.kind, tracker);
  const bool fit = tracker.in_pool() && allowed && !state.avoided(*job, tracker.id) &&
                   state.fits_in(job->need(kept.kind), tracker, held_for_good(state, tracker)) &&
                   has_task_for(state, *job, kept.kind, tracker);
  if (!fit) return "tracker";
  const bool could =
      room == nullptr || room->could_leave(room->leaf_of(*job), job->need(kept.kind));
  return could ? "" : "share";
}

std::optional<TimeMs> room_by(const ClusterState& state, const TrackerState& tracker,
                              const Resources& need) {
  struct End {
    TimeMs at;
    const Resources* frees;
  };
  std::vector<End> ends;
  for (const AttemptSlot slot : tracker.attempts) {
    const Attempt& attempt = state.attempt(slot);
    const TaskKey& task = attempt.key.task;
    const Job& job = state.job(task.job);
    const DurationMs limit = job.time_limit_ms(task.kind);
    if (attempt.dying()) {
      ends.push_back({state.now(), &job.need(task.kind)});
    } else if (limit > 0) {
      ends.push_back({attempt.launched_at + limit, &job.need(task.kind)});
    }
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.at < b.at; });
  Resources used = tracker.used;
  for (const End& end : ends) {
    used -= *end.frees;
    if (state.fits_in(need, tracker, used)) return end.at;
  }
  return std::nullopt;
}

}  // namespace weir
