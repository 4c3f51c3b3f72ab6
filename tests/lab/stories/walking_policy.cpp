#include "walking_policy.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "fair/deficit_order.h"
#include "sim/checker/limits.h"

namespace weir::test {

using check::Census;
using check::PoolJob;
using check::PoolLine;
using check::Pools;
using check::Rational;

// --- A heartbeat ---

void WalkingPolicy::begin_offer(const Offer& offer) {
  for (auto& [job, wait] : waits_) {
    if (wait.passed_at) wait.waited += offer.now - *wait.passed_at;
    wait.passed_at.reset();
  }
  passed_.clear();
  launched_.clear();
}

void WalkingPolicy::end_offer(const Offer& offer) {
  for (const JobId job : passed_) {
    if (!launched_.contains(job)) waits_[job].passed_at = offer.now;
  }
}

std::optional<Choice> WalkingPolicy::choose(const Offer& offer) {
  const Census census(state_, [](const Job& job) { return job.tasks(TaskKind::kReduce).open; });
  const TrackerState& tracker = state_.tracker(offer.tracker);
  std::array<std::int64_t, kTaskKindCount> running{};
  for (const AttemptSlot slot : tracker.attempts) {
    const Attempt& attempt = state_.attempt(slot);
    if (!attempt.dying()) ++running[index(attempt.key.task.kind)];
  }
  const auto open = [&](TaskKind kind) {
    const std::size_t k = index(kind);
    if (offer.free[k] <= 0) return false;
    if (!rules_.assign_multiple && offer.launched[0] + offer.launched[1] > 0) return false;
    if (rules_.per_heartbeat[k] && offer.launched[k] >= *rules_.per_heartbeat[k]) return false;
    if (!rules_.load_cap || census.total.slots(kind) == 0) return true;
    const Pools pools(census, kind, rules_, check::place_jobs(state_, rules_), offer.now);
    const Rational part = Rational(rules_.load_max_diff, 1'000'000) +
                          Rational(pools.cluster_demand(), census.total.slots(kind));
    const std::int64_t all = tracker.total.slots(kind);
    return running[k] < (part >= 1 ? all : check::ceil_of(part * all));
  };
  // That of which the tracker runs less; if nobody wants it, the other.
  const bool maps_first = running[0] <= running[1];
  const TaskKind first = maps_first ? TaskKind::kMap : TaskKind::kReduce;
  const TaskKind second = maps_first ? TaskKind::kReduce : TaskKind::kMap;
  for (const TaskKind kind : {first, second}) {
    if (!open(kind)) continue;
    if (auto choice = walk(offer, kind, census)) return choice;
  }
  return std::nullopt;
}

std::optional<Choice> WalkingPolicy::walk(const Offer& offer, TaskKind kind, const Census& census) {
  const Pools pools(census, kind, rules_, check::place_jobs(state_, rules_), offer.now);
  for (const PoolJob* job : rules_.deficit ? by_deficit(pools) : all_in_order(pools, "")) {
    if (!job->runnable || job->count->launchable == 0) continue;
    if (!under_maximums(pools, *job, census)) continue;
    if (auto choice = ask(*job, offer, kind)) return choice;
  }
  return std::nullopt;
}

std::vector<const PoolJob*> WalkingPolicy::all_in_order(const Pools& pools,
                                                        const std::string& pool) const {
  std::vector<const PoolJob*> all;
  for (const std::string& child : pools.in_order(pool)) {
    for (const PoolJob* job : all_in_order(pools, child)) all.push_back(job);
  }
  for (const PoolJob* job : pools.jobs_in_order(pool)) all.push_back(job);
  return all;
}

// Below what their pool's minimum guarantees them first, then whoever is owed most.
std::vector<const PoolJob*> WalkingPolicy::by_deficit(const Pools& pools) const {
  using Key = std::tuple<bool, Int128, TimeMs, std::string, JobId>;
  std::vector<std::pair<Key, const PoolJob*>> line;
  for (const auto& [path, pool] : pools.lines) {
    std::vector<check::Claimant> claimants;
    for (const PoolJob& job : pool.jobs) claimants.push_back({job.demand, 0, job.weight});
    const auto guarantees = check::shares_of(pool.minimum, claimants);
    for (std::size_t i = 0; i < pool.jobs.size(); ++i) {
      const PoolJob& job = pool.jobs[i];
      const Job& of = *job.count->job;
      const Int128 deficit = memory_.of(of.id).account[index(pools.kind)].deficit;
      const bool guaranteed = job.running + Rational(1, 1'000'000) >= guarantees[i];
      const Int128 owed = to_rank(deficit);
      line.push_back({{guaranteed, -owed, of.submitted_at, of.spec->name, of.id}, &job});
    }
  }
  std::sort(line.begin(), line.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<const PoolJob*> all;
  for (const auto& [key, job] : line) all.push_back(job);
  return all;
}

bool WalkingPolicy::under_maximums(const Pools& pools, const PoolJob& job,
                                   const Census& census) const {
  const Job& of = *job.count->job;
  for (std::string p = pools.pool_of.at(of.id); !p.empty(); p = check::parent_of(p)) {
    const PoolLine& line = pools.line(p);
    const auto maximum = line.rules->maximum[index(pools.kind)];
    if (maximum && line.running + 1 > *maximum) return false;
  }
  bool limited = false;
  const QueueTree& tree = state_.tree();
  for (QueueId q = of.queue; q != QueueTree::root(); q = tree.node(q).parent) {
    limited = limited || tree.node(q).settings.maximum_hundredths.has_value();
  }
  return !limited ||
         !check::over_maximum(census, check::expect_maximums(census, pools.kind), of.queue, 1);
}

// --- One job ---

std::optional<Choice> WalkingPolicy::ask(const PoolJob& entry, const Offer& offer, TaskKind kind) {
  const Job& job = *entry.count->job;
  if (kind == TaskKind::kReduce) {
    const auto& reduces = job.tasks(kind).tasks;
    for (std::uint32_t i = 0; i < reduces.size(); ++i) {
      if (reduces[i].state == Task::State::kPending) {
        return Choice{{job.id, kind, i}};
      }
    }
    return std::nullopt;
  }
  const bool waits = delay_.mode != LocalityDelaySettings::Mode::kOff && has_locations(job);
  const auto found = nearest(job, state_.tracker(offer.tracker), allowed(job, offer.now));
  if (!found) {
    if (waits) passed_.insert(job.id);
    return std::nullopt;
  }
  if (waits) {
    Wait& wait = waits_[job.id];
    if (found->located) wait.level = found->level;
    wait.waited = 0;
    launched_.insert(job.id);
  }
  return Choice{{job.id, kind, found->map}, found->level, found->located};
}

bool WalkingPolicy::has_locations(const Job& job) const {
  const auto& splits = job.spec->splits;
  return std::any_of(splits.begin(), splits.end(), [&](const Split& split) {
    return std::any_of(split.hosts.begin(), split.hosts.end(), [&](const std::string& host) {
      return state_.find_tracker(host) != nullptr;
    });
  });
}

// The nearest pending map, lowest index first; where a map without a location runs is all the same.
std::optional<WalkingPolicy::Found> WalkingPolicy::nearest(const Job& job,
                                                           const TrackerState& tracker,
                                                           Locality allowed) const {
  std::optional<Found> best;
  const auto& maps = job.tasks(TaskKind::kMap).tasks;
  for (std::uint32_t i = 0; i < maps.size(); ++i) {
    if (maps[i].state != Task::State::kPending) continue;
    Found found{i, Locality::kAny, false};
    for (const std::string& host : job.spec->splits[i].hosts) {
      const TrackerState* replica = state_.find_tracker(host);
      if (replica == nullptr) continue;
      found.located = true;
      if (replica->rack == tracker.rack) found.level = std::min(found.level, Locality::kRack);
      if (replica->id == tracker.id) found.level = Locality::kNode;
    }
    if (found.located && found.level > allowed) continue;
    if (!best || found.level < best->level) best = found;
  }
  return best;
}

Locality WalkingPolicy::allowed(const Job& job, TimeMs now) const {
  using Mode = LocalityDelaySettings::Mode;
  if (delay_.mode == Mode::kOff) return Locality::kAny;
  if (starved(std::string(pool_of(*inner_, job.id)), now)) return Locality::kAny;
  const auto known = waits_.find(job.id);
  const Wait wait = known == waits_.end() ? Wait{} : known->second;
  DurationMs node = delay_.node_ms, rack = delay_.rack_ms;
  if (delay_.mode == Mode::kAuto) {
    const DurationMs beats = state_.heartbeat_interval_ms() * 3 / 2;
    node = rack = std::min<DurationMs>(15000, std::max<DurationMs>(1000, beats));
  }
  if (wait.level == Locality::kNode) {
    if (wait.waited >= node + rack) return Locality::kAny;
    return wait.waited >= node ? Locality::kRack : Locality::kNode;
  }
  if (wait.level == Locality::kAny || wait.waited >= rack) return Locality::kAny;
  return Locality::kRack;
}

// Beyond a timeout, itself or a pool above it, by what the last update wrote down.
bool WalkingPolicy::starved(const std::string& pool, TimeMs now) const {
  const auto beyond = [&](TimeMs stamp, DurationMs timeout) {
    return stamp != kNever && timeout != kNever && now - stamp > timeout;
  };
  for (std::string p = pool; !p.empty(); p = check::parent_of(p)) {
    const auto stamps = memory_.pools.find(p);
    if (stamps == memory_.pools.end()) continue;
    const check::PoolRules& rules = rules_.of(p);
    if (beyond(stamps->second.at_min_share[0], rules.min_timeout) ||
        beyond(stamps->second.at_half_share[0], rules.fair_timeout)) {
      return true;
    }
  }
  return false;
}

}  // namespace weir::test
