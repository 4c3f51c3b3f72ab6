#include "fair/pool_places.h"

#include "fair/pool_names.h"

namespace weir {

// Of the pool that the job wants, and those where it may be instead.
template <class May>
std::string PoolPlaces::first_that(const Job& job, May may) const {
  std::string path = rules_.wanted_pool(job);
  for (int tries = 0; !may(path); ++tries) {
    path = tries == 0 ? std::string(kDefaultPool) : "unplaced_" + std::to_string(tries);
  }
  return path;
}

// No job before this one holds a pool above or below.
bool PoolPlaces::was_free_for(JobId job, const std::string& path) const {
  if (const PoolId pool = rules_.tree.find(path); pool.valid()) {
    for (const auto& [name, child] : rules_.tree.node(pool).children) {
      if (rules_.tree.node(child).declared) return false;
    }
  }
  for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    const auto above = held_by_.find(std::string_view(path).substr(0, dot));
    if (above != held_by_.end() && *above->second.begin() < job) return false;
  }
  const std::string below = path + ".";
  for (auto at = held_by_.lower_bound(below); at != held_by_.end() && at->first.starts_with(below);
       ++at) {
    if (*at->second.begin() < job) return false;
  }
  return true;
}

// Of later jobs those that hold a pool above or below.
void PoolPlaces::stand_in_way(JobId job, const std::string& path, std::set<JobId>& asked) const {
  const auto ask = [&](const std::set<JobId>& jobs) {
    asked.insert(jobs.upper_bound(job), jobs.end());
  };
  for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    const auto above = held_by_.find(std::string_view(path).substr(0, dot));
    if (above != held_by_.end()) ask(above->second);
  }
  const std::string below = path + ".";
  for (auto at = held_by_.lower_bound(below); at != held_by_.end() && at->first.starts_with(below);
       ++at) {
    ask(at->second);
  }
}

std::string PoolPlaces::last_place(const Job& job) const {
  return first_that(job, [this](const std::string& path) { return rules_.tree.check(path).ok(); });
}

std::string PoolPlaces::take_last(const Job& job) {
  std::string path = last_place(job);
  held_by_[path].insert(job.id);
  if (path != rules_.wanted_pool(job)) displaced_.insert(job.id);
  return path;
}

void PoolPlaces::let_go(JobId job) {
  const auto held = held_by_.find(path_of(job));
  held->second.erase(job);
  if (held->second.empty()) held_by_.erase(held);
}

void PoolPlaces::give_up(JobId job) {
  let_go(job);
  displaced_.erase(job);
}

// Asked, in their order: the first, those later ones that are displaced, and those that are in the
// way of one that moves.
std::vector<std::pair<JobId, std::string>> PoolPlaces::again(JobId first) {
  std::set<JobId> asked(displaced_.upper_bound(first), displaced_.end());
  if (where_(first).valid()) asked.insert(first);
  std::vector<std::pair<JobId, std::string>> moves;
  while (!asked.empty()) {
    const JobId id = asked.extract(asked.begin()).value();
    const Job& job = rules_.state.job(id);
    std::string path =
        first_that(job, [&](const std::string& name) { return was_free_for(id, name); });
    if (path == rules_.wanted_pool(job)) {
      displaced_.erase(id);
    } else {
      displaced_.insert(id);
    }
    if (path == path_of(id)) continue;
    let_go(id);
    held_by_[path].insert(id);
    asked.insert(displaced_.upper_bound(id), displaced_.end());
    stand_in_way(id, path, asked);
    moves.emplace_back(id, std::move(path));
  }
  return moves;
}

}  // namespace weir
