#include "jobqueue/policy/free_rooms.h"

#include <algorithm>
#include <map>

#include "jobqueue/policy/container_reservations.h"

namespace weir {

FreeRooms::FreeRooms(const ClusterState& state, const KeptRoom* kept) : state_(state) {
  if (kept != nullptr) kept_ = kept->amounts().planned();
  const auto& trackers = state.trackers();
  rooms_.resize(trackers.size());
  open_.resize(trackers.size());
  for (std::size_t i = 0; i < trackers.size(); ++i) {
    const TrackerState& tracker = trackers[i];
    for (const Dimension d : state.space().dimensions())
      rooms_[i][d] = tracker.total[d] - tracker.used[d];
    open_[i] = tracker.in_pool();
  }
  for (const Hold& hold : state.claims().holds()) rooms_[hold.tracker.index()] -= hold.kept_room();
  for (const Reservation& kept : state.claims().reservations())
    open_[kept.tracker.index()] = false;
}

bool FreeRooms::has(const Resources& room, const Size& size) {
  for (std::size_t d = size.begin; d < size.end; ++d) {
    if (size.need.amount[d] > 0 && size.need.amount[d] > room.amount[d]) return false;
  }
  return true;
}

std::int64_t FreeRooms::take(TrackerId tracker, const Size& size, std::int64_t tasks) {
  Resources& room = rooms_[tracker.index()];
  std::int64_t fit = tasks;
  for (std::size_t d = size.begin; d < size.end; ++d) {
    if (size.need.amount[d] > 0)
      fit = std::min(fit, std::max<std::int64_t>(0, room.amount[d]) / size.need.amount[d]);
  }
  for (std::size_t d = size.begin; d < size.end; ++d) room.amount[d] -= fit * size.need.amount[d];
  return fit;
}

std::optional<TrackerId> FreeRooms::first(const Size& size, std::size_t from) {
  if (size.number >= none_before_.size()) none_before_.resize(size.number + 1, 0);
  std::size_t& none_before = none_before_[size.number];
  for (std::size_t tracker = std::max(from, none_before); tracker < rooms_.size(); ++tracker) {
    if (open_[tracker] && has(rooms_[tracker], size)) return TrackerId(tracker);
    if (tracker == none_before) ++none_before;
  }
  return std::nullopt;
}

std::int64_t FreeRooms::put(const Job& job, TaskKind kind, std::int64_t tasks) {
  if (job.is_gang(kind)) return tasks > 0 && put_gang(job) ? 1 : 0;
  const Size& size = job.size(kind);
  const std::size_t leaf = kept_ ? kept_->leaf_of(job) : 0;
  if (kept_) tasks = kept_->leaves(leaf, size.need, tasks);
  const Reservation* own = reservation_of(state_, job.id);
  std::int64_t placed = 0;
  const auto put_on = [&](TrackerId id) {
    if (state_.avoided(job, id)) return;
    if (job.picky(kind) && !state_.allows(job, kind, state_.tracker(id))) return;
    placed += take(id, size, tasks - placed);
  };
  std::size_t from = 0;
  while (placed < tasks) {
    const auto next = first(size, from);
    if (own != nullptr && (!next || own->tracker < *next)) {
      if (state_.tracker(own->tracker).in_pool()) put_on(own->tracker);
      own = nullptr;
      continue;
    }
    if (!next) break;
    put_on(*next);
    from = next->index() + 1;
  }
  if (kept_) kept_->take(leaf, size.need, placed);
  return placed;
}

// What is put down to find out is taken up again. Room that kills have made for it is its own.
bool FreeRooms::put_gang(const Job& job) {
  const std::vector<Resources> rooms = rooms_;
  const std::vector<std::size_t> none_before = none_before_;
  const std::optional<KeptAmounts> kept = kept_;
  for (const Hold& hold : state_.claims().holds()) {
    if (hold.job != job.id || !job.waits_for_gang(hold.kind)) continue;
    rooms_[hold.tracker.index()] += hold.kept_room();
    if (kept_) kept_->give(kept_->leaf_of(job), hold.kept_room());
    none_before_.clear();
  }
  std::map<TaskKind, std::int64_t> members;
  for (const TaskKey& member : gang_without_room(state_, job)) ++members[member.kind];
  for (const auto& [kind, tasks] : members) {
    if (put(job, kind, tasks) == tasks) continue;
    rooms_ = rooms;
    none_before_ = none_before;
    kept_ = kept;
    return false;
  }
  return true;
}

}  // namespace weir
