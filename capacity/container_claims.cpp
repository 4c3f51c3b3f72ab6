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
  const Job& job = state_.job(item.job);
  const Reservation* own = reservation_of(state_, item.job);
  std::int64_t placed = 0;
  const auto put_on = [&](TrackerId id) {
    if (state_.avoided(job, id)) return;
    if (job.picky(item.kind) && !state_.allows(job, item.kind, state_.tracker(id))) return;
    placed += rooms_.take(id, *item.size, tasks - placed);
  };
  std::size_t from = 0;
  while (placed < tasks) {
    const auto next = rooms_.first(*item.size, from);
    if (own != nullptr && (!next || own->tracker < *next)) {
      if (state_.tracker(own->tracker).in_pool()) put_on(own->tracker);
      own = nullptr;
      continue;
    }
    if (!next) break;
    put_on(*next);
    from = next->index() + 1;
  }
  return placed;
}

}  // namespace weir
