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
  bool put(const GangGroup& group, const Placed& placed) {
    return group.spec->spread ? put_evenly(group, placed) : put_first_fit(group);
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

  // As if one after the other went where the label's value has the fewest: those with room are
  // filled up to one level, of which some lack the last task.
  bool put_evenly(const GangGroup& group, const Placed& placed) {
    struct Value {
      std::int64_t has = 0, room = 0, more = 0;
      void fill_to(std::int64_t level) { more = std::clamp<std::int64_t>(level - has, 0, room); }
    };
    std::map<std::string_view, Value> values;
    for (const auto& [value, tasks] : placed) values[value].has = tasks;
    std::vector<std::int64_t> fit(places_.size());
    std::int64_t room = 0, high = 0, low = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      fit[i] = std::min(fit_on(i, group), group.members);
      if (fit[i] > 0) values[value_of(i, group)].room += fit[i];
      room += fit[i];
    }
    if (room < group.members) return false;
    const auto filled_to = [&](std::int64_t level) {
      std::int64_t all = 0;
      for (auto& [name, value] : values) {
        value.fill_to(level);
        all += value.more;
      }
      return all;
    };
    for (const auto& [name, value] : values) high = std::max(high, value.has + value.room);
    while (low < high) {
      const std::int64_t level = low + (high - low) / 2;
      filled_to(level) < group.members ? low = level + 1 : high = level;
    }
    std::int64_t too_many = filled_to(low) - group.members;
    std::int64_t least = INT64_MAX, most = 0;
    for (auto& [name, value] : values) {
      if (too_many > 0 && value.more > 0 && value.has + value.more == low) --value.more, --too_many;
      least = std::min(least, value.has + value.more);
      if (value.more > 0) most = std::max(most, value.has + value.more);
    }
    if (group.members > 0 && most - least > group.spec->spread->max_skew) return false;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (fit[i] == 0) continue;
      Value& value = values[value_of(i, group)];
      const std::int64_t here = std::min(fit[i], value.more);
      take(i, group, here);
      value.more -= here;
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
    return cluster.put(groups[i], values[i]);
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
