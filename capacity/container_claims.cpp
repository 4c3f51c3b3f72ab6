#include "capacity/container_claims.h"

#include <algorithm>
#include <map>

#include "capacity/container_users.h"

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
  const bool hard = has_hard_limit(state, leaf);
  std::map<UserId, Amounts> taken_by;  // where a limit forbids more
  items.visit(
      [&](const ContainerItems::Bucket& bucket) {  // what could never be within it is passed
        return tasks_within(space, {}, bucket.size->need, bound) > 0;
      },
      [&](const ItemOrder& item, const ContainerItems::Bucket& bucket) {
        const Resources& need = bucket.size->need;
        std::int64_t wanted = state.job(item.job.id).launchable(item.kind);
        if (hard) {
          wanted = std::min(wanted, tasks_within_limit(state, leaf, bound, bucket.user, need,
                                                       taken_by[bucket.user]));
        }
        const std::int64_t tasks = std::min(wanted, tasks_within(space, taken, need, bound));
        for (const Dimension d : space.dimensions()) {
          taken[d] += tasks * need[d];
          if (hard) taken_by[bucket.user][d] += tasks * need[d];
        }
        const bool enough =
            tasks > 0 && use({item.job.id, item.kind, bucket.size, tasks});
        return enough || tasks < wanted;
      });
}

const std::vector<OwedItem>& OwedLists::of(QueueId leaf) {
  List& list = lists_[leaf.index()];
  if (list.version == standing_.version(leaf)) return list.items;
  list.version = standing_.version(leaf);
  list.items.clear();
  each_owed(state_, standing_.items(leaf), leaf, standing_.guaranteed(leaf),
            [&list](const OwedItem& item) {
              list.items.push_back(item);
              return false;
            });
  return list.items;
}

void OwedPass::place(QueueId leaf, const std::vector<OwedItem>& items) {
  Leaf& here = leaves_.emplace_back();
  here.queue = leaf;
  for (const OwedItem& item : items) {
    const std::int64_t left = item.tasks - rooms_.put(state_.job(item.job), item.kind, item.tasks);
    if (left == 0) continue;
    here.left.push_back({item.job, item.kind, item.size, left});
    for (const Dimension d : state_.space().dimensions())
      here.owed[d] += left * item.size->need[d];
  }
}

}  // namespace weir
