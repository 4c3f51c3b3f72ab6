#include "capacity/container_claims.h"

#include <algorithm>

#include "jobqueue/policy/container_reservations.h"

namespace weir {
namespace {

// How many more such tasks are within the bound.
std::int64_t tasks_within(const Space& space, const Amounts& taken, const Resources& need,
                          const Amounts& bound) {
  std::int64_t tasks = INT64_MAX;
  for (const Dimension d : space.dimensions()) {
    if (need[d] > 0)
      tasks = std::min(tasks, std::max<std::int64_t>(0, bound[d] - taken[d]) / need[d]);
  }
  return tasks;
}

}  // namespace

void each_owed(const ClusterState& state, const ContainerItems& items, QueueId leaf,
               const Amounts& bound, const std::function<bool(const OwedItem&)>& use) {
  const Space& space = state.space();
  Amounts taken = state.queue(leaf).running;
  items.visit(
      [&](const ContainerItems::Bucket& bucket) {  // what could never be within it is passed
        return tasks_within(space, {}, bucket.size->need, bound) > 0;
      },
      [&](const ItemOrder& item, const ContainerItems::Bucket& bucket) {
        const Resources& need = bucket.size->need;
        const std::int64_t wanted = state.job(item.job.id).launchable(item.kind);
        const std::int64_t tasks = std::min(wanted, tasks_within(space, taken, need, bound));
        for (const Dimension d : space.dimensions()) taken[d] += tasks * need[d];
        const bool enough =
            tasks > 0 && use({item.job.id, item.kind, bucket.size, tasks});
        return enough || tasks < wanted;
      });
}

void OwedPass::place(QueueId leaf, const ContainerItems& items, const Amounts& guaranteed) {
  Leaf& here = leaves_.emplace_back();
  here.queue = leaf;
  each_owed(state_, items, leaf, guaranteed, [&](const OwedItem& item) {
    const std::int64_t left = item.tasks - put(item, item.tasks);
    if (left > 0) {
      here.left.push_back({item.job, item.kind, item.size, left});
      for (const Dimension d : state_.space().dimensions())
        here.owed[d] += left * item.size->need[d];
    }
    return false;
  });
}

// First fit. A tracker that is reserved is free for the job that reserved it alone.
std::int64_t OwedPass::put(const OwedItem& item, std::int64_t tasks) {
  const Resources& need = item.size->need;
  const Reservation* own = reservation_of(state_, item.job);
  if (own == nullptr && state_.trackers_with_room(need) == 0) return 0;
  const Job& job = state_.job(item.job);
  std::int64_t placed = 0;
  for (const TrackerState& tracker : state_.trackers()) {
    if (placed == tasks) break;
    if (!tracker.in_pool() || state_.avoided(job, tracker.id)) continue;
    if (!state_.fits_in(need, tracker, tracker.used)) continue;
    if (job.picky(item.kind) && !state_.allows(job, item.kind, tracker)) continue;
    if (tracker.keeps > 0) {
      const Reservation* kept = reservation_on(state_, tracker.id);
      if (kept != nullptr && kept->job != item.job) continue;
    }
    room(tracker.id);
    Resources& free = room_[tracker.id];
    std::int64_t fit = tasks - placed;
    for (std::size_t i = 0; i < kDimensionCount; ++i) {
      if (need.amount[i] > 0)
        fit = std::min(fit, std::max<std::int64_t>(0, free.amount[i]) / need.amount[i]);
    }
    for (std::size_t i = 0; i < kDimensionCount; ++i) free.amount[i] -= fit * need.amount[i];
    placed += fit;
  }
  return placed;
}

const Resources& OwedPass::room(TrackerId id) {
  const auto [found, fresh] = room_.try_emplace(id);
  if (!fresh) return found->second;
  const TrackerState& tracker = state_.tracker(id);
  Resources& room = found->second;
  room = tracker.total;
  room -= tracker.used;
  if (tracker.keeps == 0) return room;
  for (const Hold& hold : state_.claims().holds()) {
    if (hold.tracker == id) room -= hold.kept_room();
  }
  return room;
}

}  // namespace weir
