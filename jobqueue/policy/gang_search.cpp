#include "jobqueue/policy/gang_search.h"

#include <algorithm>
#include <map>

#include "jobqueue/model/gang_fit.h"

namespace weir {
namespace {

// Puts members of one gang on trackers, one after the other.
class Places {
 public:
  // `free`: although it is reserved.
  Places(const ClusterState& state, const Job& job, TrackerId free)
      : state_(state), job_(job), free_(free) {}

  bool put(const TaskKey& member, const TrackerState& tracker) {
    if (!tracker.in_pool() || !tracker.within_offer() || state_.avoided(job_, tracker.id))
      return false;
    if (tracker.to_drop > 0) return false;  // what it is told to drop has its room until then
    if (state_.to_run_elsewhere(job_, member, tracker.id)) return false;
    const Reservation* kept = tracker.keeps > 0 ? reservation_on(state_, tracker.id) : nullptr;
    if (kept != nullptr && kept->job != job_.id && tracker.id != free_) return false;
    Resources used = used_on(state_, tracker);
    if (const auto taken = taken_.find(tracker.id); taken != taken_.end()) used += taken->second;
    const Resources& need = job_.need(member.kind);
    if (!state_.fits_in(need, tracker, used)) return false;
    if (job_.picky(member.kind) && !state_.allows(job_, member.kind, tracker, rooms_))
      return false;
    taken_[tracker.id] += need;
    rooms_.push_back({member, tracker.id});
    return true;
  }
  // Here, or on the first that will do.
  bool put_anywhere(const TaskKey& member, const TrackerState& here) {
    if (put(member, here)) return true;
    const auto& all = state_.trackers();
    // Room only goes, so who had none for one of the group has none for the next; unless these are
    // to be spread, or it has failed there.
    const bool own = job_.spec->task_groups[group_number(member.kind)].spread.has_value() ||
                     job_.failed_on.contains({member.kind, member.index});
    std::size_t elsewhere = 0;
    std::size_t& from = own ? elsewhere : from_[member.kind];
    for (std::size_t i = from; i < all.size(); ++i) {
      from = i;
      if (all[i].id != here.id && put(member, all[i])) return true;
    }
    return false;
  }
  void take_back() {
    taken_[rooms_.back().tracker] -= job_.need(rooms_.back().task.kind);
    rooms_.pop_back();
  }
  std::vector<GangRoom>& rooms() { return rooms_; }

 private:
  const ClusterState& state_;
  const Job& job_;
  const TrackerId free_;
  std::vector<GangRoom> rooms_;
  std::map<TrackerId, Resources> taken_;
  std::map<TaskKind, std::size_t> from_;
};

using Members = std::vector<TaskKey>;

Resources sum_of(const Job& job, const std::vector<GangRoom>& rooms) {
  Resources sum;
  for (const GangRoom& room : rooms) sum += job.need(room.task.kind);
  return sum;
}

// Of the whole cluster; that no single tracker has it may be.
bool enough_free(const ClusterState& state, const Resources& need) {
  return std::all_of(
      state.space().dimensions().begin(), state.space().dimensions().end(),
      [&](Dimension d) { return need[d] == 0 || state.total()[d] - state.held()[d] >= need[d]; });
}

// Of these, who have none.
std::optional<std::vector<GangRoom>> room_for_all(const ClusterState& state, const Job& job,
                                                  const Members& members,
                                                  const TrackerState& here, bool claimant) {
  if (members.empty()) return std::vector<GangRoom>{};
  if (!enough_free(state, sum_of(job, members))) return std::nullopt;
  Places places(state, job, claimant ? here.id : TrackerId{});
  const bool all = std::all_of(members.begin(), members.end(), [&](const TaskKey& member) {
    return places.put_anywhere(member, here);
  });
  const bool any_here =
      std::any_of(places.rooms().begin(), places.rooms().end(),
                  [&](const GangRoom& room) { return room.tracker == here.id; });
  if (all && any_here) return std::move(places.rooms());
  return std::nullopt;
}

// Where members are not all alike some may take what the others cannot do without.
bool may_block_others(const Job& job) {
  std::size_t groups = 0;
  bool alike = true;
  const Resources* need = nullptr;
  for (const TaskKind kind : job.kinds()) {
    const TaskGroupSpec& group = job.spec->task_groups[group_number(kind)];
    if (group.gang == 0) continue;
    ++groups;
    alike = alike && !job.picky(kind) && (need == nullptr || *need == job.need(kind));
    need = &job.need(kind);
  }
  return groups > 1 && !alike;
}

// Of the rooms from `first` on, which are of one group, gives back those that would leave no room
// for the members that have none, if nothing else ran.
void leave_room_for_rest(const ClusterState& state, const Job& job, std::size_t first,
                         Places& places) {
  const std::vector<GangRoom> rooms = places.rooms();
  std::size_t low = first, high = rooms.size();
  while (low < high) {
    const std::size_t kept = low + (high - low + 1) / 2;
    const bool leaves = leaves_room_for_rest(
        state, job, {rooms.begin(), rooms.begin() + static_cast<std::ptrdiff_t>(kept)});
    leaves ? low = kept : high = kept - 1;
  }
  while (places.rooms().size() > low) places.take_back();
}

// Likewise. Where one finds none, nor does another of its group. `sparing`: what one group takes
// leaves room for the others.
std::vector<GangRoom> fill(const ClusterState& state, const Job& job, const Members& members,
                           const TrackerState& here, bool claimant, std::uint32_t at_most,
                           bool sparing) {
  Places places(state, job, claimant ? here.id : TrackerId{});
  std::optional<TaskKind> refused;
  std::size_t first = 0;  // of the group's rooms
  for (std::size_t i = 0; i < members.size(); ++i) {
    const TaskKey& member = members[i];
    if (places.rooms().size() < at_most && member.kind != refused && !places.put(member, here) &&
        !job.failed_on.contains({member.kind, member.index}))
      refused = member.kind;
    if (i + 1 < members.size() && members[i + 1].kind == member.kind) continue;
    if (sparing) leave_room_for_rest(state, job, first, places);
    first = places.rooms().size();
  }
  return std::move(places.rooms());
}

std::vector<GangRoom> rooms_here(const ClusterState& state, const Job& job, const Members& members,
                                 const TrackerState& here, bool claimant, std::uint32_t at_most) {
  std::vector<GangRoom> rooms = fill(state, job, members, here, claimant, at_most, false);
  if (rooms.empty() || rooms.size() == members.size() || !may_block_others(job)) return rooms;
  if (leaves_room_for_rest(state, job, rooms)) return rooms;
  return fill(state, job, members, here, claimant, at_most, true);
}

}  // namespace

std::optional<std::vector<GangRoom>> gang_starts(const ClusterState& state, const Job& job,
                                                 const TrackerState& here, bool claimant) {
  return room_for_all(state, job, gang_without_room(state, job), here, claimant);
}

std::vector<GangRoom> gang_rooms_on(const ClusterState& state, const Job& job,
                                    const TrackerState& here, bool claimant,
                                    std::uint32_t at_most) {
  return rooms_here(state, job, gang_without_room(state, job), here, claimant, at_most);
}

bool GangSearch::may_assemble(const Job& job) const {
  const Assembly* assembly = state_.assembly();
  const bool is_own = assembly != nullptr && assembly->job == job.id;
  if (is_own && !assembly->beyond) return true;
  const bool is_within = this->is_within(job);
  // One that was beyond its share when it began may be within it by now.
  if (assembly != nullptr && !is_own)
    return is_within && assembly->beyond && !this->is_within(state_.job(assembly->job));
  if (is_within) return true;
  const auto& had_turn = state_.gangs_that_had_their_turn();
  const auto since = had_turn.find(job.id);
  // Those that cannot take theirs do not keep it from its next one for ever.
  const DurationMs at_most = state_.settings().resources.gang_hold_ms;
  if (since != had_turn.end() && state_.now() - since->second < at_most) return false;
  return std::none_of(state_.gangs_waiting().begin(), state_.gangs_waiting().end(), [&](JobId id) {
    const Job& waiting = state_.job(id);
    return waiting.launchable(waiting.gang_kind()) > 0 && this->is_within(waiting);
  });
}

bool could_leave(const KeptRoom* kept, const Job& job) {
  return kept == nullptr || kept->could_leave(kept->leaf_of(job), job.need(job.gang_kind()));
}

bool GangSearch::is_within(const Job& job) const { return within_(job) && could_leave(kept_, job); }

bool GangSearch::spares(const Job& job, const Resources& need, JobId aside) const {
  if (kept_ == nullptr) return true;
  const std::size_t leaf = kept_->leaf_of(job);
  return kept_->leaves(leaf, need) && kept_->in_the_way(leaf, need, job.id, aside) == nullptr;
}

std::optional<Choice> GangSearch::choice(const Job& job, bool may_reserve) const {
  const TaskKey gang{job.id, job.gang_kind(), 0};
  const Members waiting = gang_without_room(state_, job);
  if (spares(job, sum_of(job, waiting)) && room_for_all(state_, job, waiting, here_, false))
    return Choice{.task = gang};
  if (waiting.empty() || !may_assemble(job)) return std::nullopt;
  if (!could_leave(kept_, job)) return std::nullopt;  // it would hold rooms for ever
  const bool beyond = !is_within(job);
  const JobId gives_way = state_.assembly() == nullptr ? JobId{} : state_.assembly()->job;
  std::vector<GangRoom> rooms = rooms_here(state_, job, waiting, here_, false, UINT32_MAX);
  while (!rooms.empty() && !spares(job, sum_of(job, rooms), gives_way)) rooms.pop_back();
  if (!rooms.empty())
    return Choice{.task = gang,
                  .what = Choice::What::kAssemble,
                  .beyond = beyond,
                  .rooms = kept_ == nullptr ? UINT32_MAX
                                            : static_cast<std::uint32_t>(rooms.size())};
  if (!may_reserve || reserve_ == nullptr) return std::nullopt;
  const Resources& need = job.need(waiting.front().kind);
  std::optional<Choice> choice;
  if (kept_ != nullptr && !kept_->leaves(kept_->leaf_of(job), need)) {
    choice = kept_->choice_to_wait(job, waiting.front().kind, gives_way);
  } else if (const auto task = reserve_->member(job)) {
    choice = reserve_of(*task, here_.id);
    choice->gives_way = reserve_->gives_way(job, task->kind);
  }
  if (choice) choice->beyond = beyond;
  return choice;
}

bool gives_way(const ClusterState& state, const Reservation& reserved, const KeptRoom* room,
               GangSearch::Within within) {
  const Job& job = state.job(reserved.job);
  if (!job.waits_for_gang(reserved.kind)) return false;
  const GangSearch gangs(state, state.tracker(reserved.tracker), nullptr, room, std::move(within));
  return !gangs.may_assemble(job);
}

void leave_what_is_kept(const KeptRoom* kept, const Job& job, std::vector<GangRoom>& rooms) {
  Resources need = sum_of(job, rooms);
  while (!leaves(kept, kept == nullptr ? 0 : kept->leaf_of(job), need)) {
    need -= job.need(rooms.back().task.kind);
    rooms.pop_back();
  }
}

std::optional<Choice> take_for_gang(const ClusterState& state, const Hold& hold,
                                    const KeptRoom* kept, bool may) {
  const Job& job = state.job(hold.job);
  const Members waiting = gang_without_room(state, job);
  const Assembly* other = state.assembly();
  // The member it was made for may have taken other room: then it may be for another one.
  const TrackerState& tracker = state.tracker(hold.tracker);
  Resources used = used_on(state, tracker);
  used -= hold.kept_room();
  const auto is_for = [&](const TaskKey& member) {
    return member.kind == hold.kind ||
           (state.fits_in(job.need(member.kind), tracker, used) &&
            (!job.picky(member.kind) || state.allows(job, member.kind, tracker)));
  };
  const bool wants = job.launchable(job.gang_kind()) > 0 &&
                     (other == nullptr || other->job == job.id) &&
                     std::any_of(waiting.begin(), waiting.end(), is_for);
  if (!may || !wants) return Choice{.what = Choice::What::kEndHold, .hold = hold.id};
  Choice choice{.task = {job.id, job.gang_kind(), 0},
                .what = Choice::What::kAssemble,
                .hold = hold.id};
  if (leaves(kept, kept == nullptr ? 0 : kept->leaf_of(job), sum_of(job, waiting))) return choice;
  auto rooms = rooms_here(state, job, waiting, tracker, true, UINT32_MAX);
  leave_what_is_kept(kept, job, rooms);
  if (rooms.empty()) return kept->choice_to_wait(job, waiting.front().kind);
  choice.rooms = static_cast<std::uint32_t>(rooms.size());
  return choice;
}

namespace {

// Why the gang that collects room should do so no longer; empty: it should go on, as it does while
// it is within its share. One that has been beyond it all the time has a time of its own.
std::string_view assembly_over(const ClusterState& state, bool within) {
  const Assembly& assembly = *state.assembly();
  const Job* job = state.find_job(assembly.job);
  if (job == nullptr || job->gang == nullptr || job->launchable(job->gang_kind()) == 0)
    return "over";
  // What it would need is lost.
  if (!fits_empty(state, *job) || !leaves_room_for_rest(state, *job, {})) return "tracker";
  if (within) return "";
  if (!assembly.beyond) return "share";
  const DurationMs at_most = state.settings().resources.gang_hold_ms;
  return state.now() - assembly.since >= at_most ? "hold" : "";
}

}  // namespace

void end_what_is_over(const ClusterState& state, const KeptRoom* kept,
                      const std::function<std::string_view(const Reservation&)>& over,
                      const std::function<bool(const Job&)>& within, Preemption& plan) {
  if (kept != nullptr) {
    plan.wait_no_more = kept->no_more();
  } else {
    for (const ClusterState::AmountWait& wait : state.amount_waits())
      plan.wait_no_more.push_back(wait.job);
  }
  for (const Reservation& reserved : state.claims().reservations()) {
    if (const std::string_view why = over(reserved); !why.empty())
      plan.unreserve.push_back({reserved.job, why});
  }
  if (const Assembly* gang = state.assembly()) {
    const Job* job = state.find_job(gang->job);
    plan.give_up_rooms =
        assembly_over(state, job != nullptr && within(*job) && could_leave(kept, *job));
  }
}

}  // namespace weir
