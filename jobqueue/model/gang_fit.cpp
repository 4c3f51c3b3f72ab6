#include "jobqueue/model/gang_fit.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/labels.h"

namespace weir {
namespace {

constexpr std::int64_t kTasksAtMost = 1'000'000;  // one that takes nothing fits so often

std::int64_t times(const Resources& room, const Resources& need) {
  std::int64_t tasks = kTasksAtMost;
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    if (need.amount[i] > 0)
      tasks = std::min(tasks, std::max<std::int64_t>(0, room.amount[i]) / need.amount[i]);
  }
  return tasks;
}

const TaskGroupSpec& group_of(const Job& job, TaskKind kind) {
  return job.spec->task_groups[group_number(kind)];
}

// The trackers without what runs on them; groups are put there one after the other.
class EmptyCluster {
 public:
  EmptyCluster(const ClusterState& state, bool ever) : state_(state) {
    for (const TrackerState& tracker : state.trackers()) {
      const bool counts = ever || tracker.counts();
      places_.push_back({&tracker, ever ? tracker.largest : tracker.total,
                         counts ? tracker.port_count : 0, counts});
    }
  }

  std::int64_t fit_on(std::size_t place, const GangGroup& group) const {
    const Place& at = places_[place];
    if (!at.counts || !meets(*at.tracker, state_, group.spec->require)) return 0;
    const std::int64_t tasks = times(at.room, group.need);
    return group.spec->ports == 0 ? tasks : std::min(tasks, at.ports / group.spec->ports);
  }
  std::int64_t trackers_for(const GangGroup& group) const {
    std::int64_t trackers = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) trackers += fit_on(i, group) > 0 ? 1 : 0;
    return trackers;
  }

  void take(std::size_t place, const GangGroup& group, std::int64_t tasks) {
    for (std::size_t i = 0; i < kDimensionCount; ++i)
      places_[place].room.amount[i] -= tasks * group.need.amount[i];
    places_[place].ports -= tasks * group.spec->ports;
  }
  // `placed`: of a group that is spread, how many are on each value of its label already, for all
  // values of trackers that could run it.
  using Placed = std::map<std::string_view, std::int64_t>;
  bool put(const GangGroup& group, Placed placed) {
    return group.spec->spread ? put_evenly(group, std::move(placed)) : put_first_fit(group);
  }
  Placed values_for(const GangGroup& group) const {
    Placed values;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (fit_on(i, group) > 0) values.try_emplace(value_of(i, group), 0);
    }
    return values;
  }
  std::string_view value_of(std::size_t place, const GangGroup& group) const {
    return label_of(*places_[place].tracker, state_, group.spec->spread->by);
  }

 private:
  struct Place {
    const TrackerState* tracker;
    Resources room;
    std::int64_t ports;
    bool counts;
  };

  bool put_first_fit(const GangGroup& group) {
    std::int64_t left = group.members;
    for (std::size_t i = 0; i < places_.size() && left > 0; ++i) {
      const std::int64_t here = std::min(left, fit_on(i, group));
      take(i, group, here);
      left -= here;
    }
    return left == 0;
  }

  // One after the other where the label's value has the fewest.
  bool put_evenly(const GangGroup& group, Placed placed) {
    std::map<std::string_view, std::vector<std::size_t>> with_room;  // the last one is next
    for (std::size_t i = places_.size(); i-- > 0;) {
      if (fit_on(i, group) > 0) with_room[value_of(i, group)].push_back(i);
    }
    for (std::int64_t left = group.members; left > 0; --left) {
      auto best = with_room.end();
      std::int64_t least = INT64_MAX;
      for (const auto& [value, tasks] : placed) least = std::min(least, tasks);
      for (auto at = with_room.begin(); at != with_room.end(); ++at) {
        if (best == with_room.end() || placed[at->first] < placed[best->first]) best = at;
      }
      if (best == with_room.end()) return false;
      if (++placed[best->first] - least > group.spec->spread->max_skew) return false;
      const std::size_t place = best->second.back();
      take(place, group, 1);
      if (fit_on(place, group) > 0) continue;
      best->second.pop_back();
      if (best->second.empty()) with_room.erase(best);
    }
    return true;
  }

  const ClusterState& state_;
  std::vector<Place> places_;  // by TrackerId
};

// Members of one group that have room.
struct Placed {
  std::size_t group;  // in the list of groups
  TrackerId tracker;
};

bool fit_in_order(const ClusterState& state, const std::vector<GangGroup>& groups, bool ever,
                  const std::vector<Placed>& placed, const std::vector<std::size_t>& order) {
  EmptyCluster cluster(state, ever);
  std::vector<EmptyCluster::Placed> values(groups.size());
  for (const std::size_t i : order) {
    if (groups[i].spec->spread) values[i] = cluster.values_for(groups[i]);
  }
  for (const Placed& member : placed) {
    const GangGroup& group = groups[member.group];
    const std::size_t place = member.tracker.index();
    cluster.take(place, group, 1);
    if (group.spec->spread) ++values[member.group][cluster.value_of(place, group)];
  }
  return std::all_of(order.begin(), order.end(), [&](std::size_t i) {
    return cluster.put(groups[i], std::move(values[i]));
  });
}

// Of all there is, in millionths, in the dimension of which it takes the largest part.
std::int64_t part_of(const ClusterState& state, const Resources& need) {
  std::int64_t part = 0;
  for (const Dimension d : state.space().dimensions()) {
    if (state.total()[d] > 0) part = std::max(part, need[d] * 1'000'000 / state.total()[d]);
  }
  return part;
}

bool fit_beside(const ClusterState& state, const std::vector<GangGroup>& groups, bool ever,
                const std::vector<Placed>& placed) {
  std::vector<std::size_t> as_they_stand;
  for (std::size_t i = 0; i < groups.size(); ++i) as_they_stand.push_back(i);
  if (fit_in_order(state, groups, ever, placed, as_they_stand)) return true;
  if (groups.size() == 1) return false;
  std::vector<std::int64_t> part, trackers;
  const EmptyCluster cluster(state, ever);
  for (const GangGroup& group : groups) {
    part.push_back(part_of(state, group.need));
    trackers.push_back(cluster.trackers_for(group));
  }
  std::vector<std::size_t> largest = as_they_stand;
  std::stable_sort(largest.begin(), largest.end(),
                   [&](std::size_t a, std::size_t b) { return part[a] > part[b]; });
  if (fit_in_order(state, groups, ever, placed, largest)) return true;
  std::vector<std::size_t> rarest = largest;
  std::stable_sort(rarest.begin(), rarest.end(),
                   [&](std::size_t a, std::size_t b) { return trackers[a] < trackers[b]; });
  return fit_in_order(state, groups, ever, placed, rarest);
}

}  // namespace

std::int64_t fit_empty(const ClusterState& state, const Resources& need,
                       const TaskGroupSpec& group, bool ever) {
  const EmptyCluster cluster(state, ever);
  const GangGroup one{&group, need, 1};
  std::map<std::string_view, std::int64_t> fit;  // by the label that they are spread by
  for (std::size_t i = 0; i < state.trackers().size(); ++i) {
    if (const std::int64_t here = cluster.fit_on(i, one); here > 0)
      fit[group.spread ? cluster.value_of(i, one) : ""] += here;
  }
  std::int64_t least = kTasksAtMost;
  for (const auto& [value, tasks] : fit) least = std::min(least, tasks);
  const std::int64_t most = group.spread ? least + group.spread->max_skew : kTasksAtMost;
  std::int64_t all = 0;
  for (const auto& [value, tasks] : fit) all += group.spread ? std::min(tasks, most) : tasks;
  return all;
}

bool fit_together(const ClusterState& state, const std::vector<GangGroup>& groups, bool ever) {
  return fit_beside(state, groups, ever, {});
}

bool fits_empty(const ClusterState& state, const Job& job) {
  std::vector<GangGroup> groups;
  for (const TaskKind kind : job.kinds()) {
    const TaskGroupSpec& group = group_of(job, kind);
    if (group.gang > 0) groups.push_back({&group, job.need(kind), std::int64_t{group.gang}});
  }
  return fit_together(state, groups, false);
}

bool leaves_room_for_rest(const ClusterState& state, const Job& job,
                          const std::vector<GangRoom>& rooms) {
  std::vector<GangGroup> groups;
  for (const TaskKind kind : job.kinds())
    groups.push_back({&group_of(job, kind), job.need(kind), 0});
  for (const TaskKey& member : gang_without_room(state, job))
    ++groups[group_number(member.kind)].members;
  std::vector<Placed> placed;
  for (const GangRoom& room : rooms) {
    placed.push_back({group_number(room.task.kind), room.tracker});
    --groups[group_number(room.task.kind)].members;
  }
  if (const Assembly* own = state.assembly_of(job.id)) {
    for (const GangRoom& room : own->rooms)
      placed.push_back({group_number(room.task.kind), room.tracker});
  }
  return fit_beside(state, groups, false, placed);
}

}  // namespace weir
