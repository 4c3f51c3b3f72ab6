#include "sim/checker/pools.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "jobqueue/model/access_rights.h"

namespace weir::check {
namespace {

std::string said_by(const JobSpec& spec, const std::string& property) {
  const auto found = spec.conf.find(property);
  return found == spec.conf.end() ? "" : found->second;
}

// A dot in a name of a user or a group makes no nested pool.
std::string without_dots(const std::string& name) {
  std::string part;
  for (const char c : name) part += c == '.' ? std::string("_dot_") : std::string(1, c);
  return part;
}

std::string pool_named(std::string pool) {
  if (pool.starts_with("root.")) pool = pool.substr(5);
  return pool.empty() ? "default" : pool;
}

std::string pool_by_rule(const ClusterState& state, const Job& job, const std::string& by) {
  if (by == "queue") return state.tree().node(job.queue).path;
  if (by == "user") return pool_named(without_dots(job.spec->user));
  if (by != "group") return pool_named(said_by(*job.spec, by));
  return pool_named(job.spec->groups.empty() ? "" : without_dots(job.spec->groups.front()));
}

// A pool that is a queue, or in one, asks that queue's right, but of jobs of that queue.
bool has_right(const ClusterState& state, const Job& job, std::string pool) {
  for (; !pool.empty(); pool = parent_of(pool)) {
    const auto queue = state.tree().find_path(pool);
    if (!queue) continue;
    return *queue == job.queue ||
           check_submit_right(state, {job.spec->user, job.spec->groups}, *queue).ok();
  }
  return true;
}

std::string wanted_pool_of(const ClusterState& state, const Job& job, const FairRules& rules) {
  if (!job.pool.empty()) return pool_named(job.pool);
  const std::string said = said_by(*job.spec, "pool");
  const std::string by_rule = pool_by_rule(state, job, rules.pool_name_property);
  for (const std::string& pool : {said.empty() ? by_rule : pool_named(said), by_rule})
    if (has_right(state, job, pool)) return pool;
  return state.tree().node(job.queue).path;
}

}  // namespace

std::string parent_of(const std::string& pool) {
  const auto dot = pool.rfind('.');
  return dot == std::string::npos ? "" : pool.substr(0, dot);
}

bool within(const std::string& above, const std::string& pool) {
  return above.empty() || pool == above || pool.starts_with(above + ".");
}

// Jobs live in leaves: the first to come is right, whoever stands in its way is in `default`, or
// where nobody else is.
JobPools place_jobs(const ClusterState& state, const FairRules& rules) {
  std::set<std::string> inner;  // pools with children
  std::set<std::string> taken;  // pools with jobs
  const auto note_above = [&](std::string pool) {
    while (!(pool = parent_of(pool)).empty()) inner.insert(pool);
  };
  for (const auto& [path, unused] : rules.pools) note_above(path);
  const auto fits = [&](const std::string& pool) {
    if (inner.contains(pool)) return false;
    for (std::string p = parent_of(pool); !p.empty(); p = parent_of(p)) {
      if (taken.contains(p)) return false;
    }
    return true;
  };
  JobPools where;
  for (const auto& [id, job] : state.jobs()) {
    if (is_over(job->state)) continue;
    std::string pool = wanted_pool_of(state, *job, rules);
    for (int tries = 0; !fits(pool); ++tries) {
      pool = tries == 0 ? "default" : "unplaced_" + std::to_string(tries);
    }
    where[id] = pool;
    taken.insert(pool);
    note_above(pool);
  }
  return where;
}

std::vector<Rational> shares_of(const Rational& total, const std::vector<Claimant>& claimants) {
  std::vector<Rational> shares;
  Rational minimums = 0, demands = 0;
  for (const Claimant& c : claimants) {
    shares.emplace_back(std::min(c.minimum, c.demand));
    minimums += shares.back();
    demands += c.demand;
  }
  if (minimums > total) {
    for (Rational& share : shares) share = share * total / minimums;
    return shares;
  }
  // Whoever is under his minimum at the level to which the others would rise keeps the minimum and
  // is out; then whoever is above his demand. One at a time may be wrong about the other, so the
  // level is found among all the levels at which somebody's share changes its course.
  std::vector<Rational> levels{0};
  for (const Claimant& c : claimants) {
    levels.push_back(Rational(std::min(c.minimum, c.demand)) / c.weight);
    levels.push_back(Rational(c.demand) / c.weight);
  }
  std::sort(levels.begin(), levels.end());
  const auto share_at = [](const Claimant& c, const Rational& r) {
    const Rational least(std::min(c.minimum, c.demand)), most(c.demand);
    const Rational rising = r * c.weight;
    return rising < least ? least : rising > most ? most : rising;
  };
  const auto sum_at = [&](const Rational& r) {
    Rational sum = 0;
    for (const Claimant& c : claimants) sum += share_at(c, r);
    return sum;
  };
  const Rational goal = std::min(total, demands);
  // The sum grows with r, straight between two levels.
  std::size_t low = 0, high = levels.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (sum_at(levels[middle]) >= goal) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  Rational r = levels[low];
  if (low > 0) {
    const Rational before = sum_at(levels[low - 1]), after = sum_at(levels[low]);
    if (after > before) {
      r = levels[low - 1] + (levels[low] - levels[low - 1]) * (goal - before) / (after - before);
    }
  }
  for (std::size_t i = 0; i < claimants.size(); ++i) shares[i] = share_at(claimants[i], r);
  return shares;
}

namespace {

// Weights are whole billionths, like those of the policy: two jobs that weigh the same by them
// stand by their ties.
Rational whole_billionths(const Rational& weight) {
  return Rational(floor_of(weight * 1'000'000'000), std::int64_t{1'000'000'000});
}

// 4, 2, 1, 0.5, 0.25 by priority, by size, by youth.
Rational weight_of(const Job& job, std::int64_t demand, const FairRules& rules, TimeMs now) {
  const Rational least(1, 1'000'000'000);
  Rational weight(16, std::int64_t{4} << static_cast<int>(job.priority));
  if (rules.size_based) {
    const long double size = std::log2(1.0L + static_cast<long double>(demand));
    weight *= Rational(static_cast<std::int64_t>(size * 1e9L), std::int64_t{1'000'000'000});
    weight = std::max(whole_billionths(weight), least);
  }
  if (rules.boost_factor && now < job.submitted_at + rules.boost_ms) {
    weight = std::max(whole_billionths(weight * *rules.boost_factor / 1'000'000), least);
  }
  return weight;
}

}  // namespace

Pools::Pools(const Census& census, TaskKind which, const FairRules& rules, const JobPools& where,
             TimeMs now)
    : pool_of(where), kind(which), total(census.total.slots(which)) {
  lines[""].rules = &rules.undeclared;
  const auto make = [&](std::string pool) {
    for (; !pool.empty(); pool = parent_of(pool)) {
      PoolLine& line = lines[pool];
      line.rules = &rules.of(pool);
      line.minimum = line.rules->minimum[index(kind)];
    }
  };
  for (const auto& [path, unused] : rules.pools) make(path);
  for (const auto& [job, pool] : where) make(pool);
  for (const auto& [path, unused] : lines) {
    if (!path.empty()) lines[parent_of(path)].children.push_back(path);
  }
  for (const JobCount& count : census.jobs(kind)) {
    const Job& job = *count.job;
    PoolJob entry{.count = &count,
                  .runnable = count.runnable,
                  .running = count.running * count.width};
    const bool splits = rules.splits && kind == TaskKind::kReduce;
    const std::int64_t wanted = splits ? count.copied : count.pending() + count.returning;
    if (entry.runnable) entry.demand = entry.running + wanted * count.width;
    entry.weight = weight_of(job, entry.demand, rules, now);
    const std::string& pool = where.at(job.id);
    for (std::string p = pool;; p = parent_of(p)) {
      lines[p].running += entry.running;
      if (p.empty()) break;
    }
    lines[pool].wanted += entry.demand;
    lines[pool].jobs.push_back(std::move(entry));
  }
  // Children have longer paths than their parents, and stand after them.
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const auto& [path, of] = *line;
    const auto maximum = path.empty() ? std::nullopt : of.rules->maximum[index(kind)];
    line->second.demand = maximum ? std::min(*maximum, of.wanted) : of.wanted;
    if (!path.empty()) lines[parent_of(path)].wanted += line->second.demand;
  }
}

void Pools::deal_shares() {
  lines[""].share = total;
  for (auto& [path, line] : lines) {  // parents before their children
    std::vector<Claimant> claimants;
    for (const std::string& child : line.children) {
      const PoolLine& of = lines[child];
      claimants.push_back({of.demand, of.minimum, Rational(of.rules->weight, 1'000'000)});
    }
    std::vector<Rational> shares = shares_of(line.share, claimants);
    Rational minimums = 0;
    for (const Claimant& c : claimants) minimums += std::min(c.minimum, c.demand);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      PoolLine& child = lines[line.children[i]];
      child.share = shares[i];
      child.scaled_minimum = child.floor();
      if (minimums > line.share) child.scaled_minimum *= line.share / minimums;
    }
    claimants.clear();
    for (const PoolJob& job : line.jobs) claimants.push_back({job.demand, 0, job.weight});
    shares = shares_of(line.share, claimants);
    for (std::size_t i = 0; i < shares.size(); ++i) line.jobs[i].share = shares[i];
  }
}

const PoolJob* Pools::find(JobId id) const {
  const auto pool = pool_of.find(id);
  if (pool == pool_of.end()) return nullptr;
  for (const PoolJob& job : lines.at(pool->second).jobs) {
    if (job.count->job->id == id) return &job;
  }
  return nullptr;
}

// Below the minimum share first, by running / min(minimum, demand), then by running / weight, then
// by name.
std::vector<std::string> Pools::in_order(const std::string& parent) const {
  std::vector<std::tuple<bool, Rational, std::string>> order;
  for (const std::string& child : lines.at(parent).children) {
    const PoolLine& line = lines.at(child);
    const Rational by = line.needy() ? Rational(line.floor()) : Rational(line.rules->weight);
    order.emplace_back(!line.needy(), Rational(line.running) / by, child);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (auto& [above, ratio, child] : order) names.push_back(std::move(child));
  return names;
}

std::vector<const PoolJob*> Pools::jobs_in_order(const std::string& leaf) const {
  const PoolLine& line = lines.at(leaf);
  std::vector<const PoolJob*> order;
  for (const PoolJob& job : line.jobs) order.push_back(&job);
  std::sort(order.begin(), order.end(), [&](const PoolJob* a, const PoolJob* b) {
    const auto key = [&](const PoolJob& entry) {
      const Job& job = *entry.count->job;
      const Rational first = line.rules->fifo ? Rational(static_cast<int>(job.priority))
                                              : Rational(entry.running) / entry.weight;
      return std::tuple(first, job.submitted_at, job.spec->name, job.id);
    };
    return key(*a) < key(*b);
  });
  return order;
}

std::int64_t Pools::cluster_demand() const {
  std::int64_t demand = lines.at("").demand;
  for (const auto& [path, line] : lines) {
    for (const PoolJob& job : line.jobs) demand += job.runnable ? 0 : job.running;
  }
  return demand;
}

}  // namespace weir::check
