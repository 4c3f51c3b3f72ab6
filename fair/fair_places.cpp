// Which pool a job is in: the one that it wants, unless that cannot be because another job is in
// the way (x holds jobs, so there is no x.y). Jobs are placed in the order of their ids, each by
// those before it, so a job is in the way of later ones only. Who is displaced gets its pool as
// soon as it can.
#include "fair/fair_policy.h"
#include "fair/pool_names.h"

namespace weir {

// Of the pool that the job wants, and those where it may be instead.
template <class May>
std::string FairPolicy::first_that(const Job& job, May may) const {
  std::string path = wanted_pool(job);
  for (int tries = 0; !may(path); ++tries) {
    path = tries == 0 ? std::string(kDefaultPool) : "unplaced_" + std::to_string(tries);
  }
  return path;
}

// No job before this one holds a pool above or below.
bool FairPolicy::was_free_for(JobId job, const std::string& path) const {
  if (const PoolId pool = tree_.find(path); pool.valid()) {
    for (const auto& [name, child] : tree_.node(pool).children) {
      if (tree_.node(child).declared) return false;
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
void FairPolicy::stand_in_way(JobId job, const std::string& path, std::set<JobId>& asked) const {
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

// All who have a place came before it.
std::string FairPolicy::last_place(const Job& job) const {
  return first_that(job, [this](const std::string& path) { return tree_.check(path).ok(); });
}

void FairPolicy::place_last(JobEntry& entry, const Job& job) {
  const std::string path = last_place(job);
  entry.pool = enter_pool(path);
  held_by_[path].insert(job.id);
  if (path != wanted_pool(job)) displaced_.insert(job.id);
}

void FairPolicy::give_up_place(JobId job) {
  const PoolId pool = jobs_[job.index()]->pool;
  const auto held = held_by_.find(tree_.node(pool).path);
  held->second.erase(job);
  if (held->second.empty()) held_by_.erase(held);
  displaced_.erase(job);
  leave_pool(pool);
}

// This job wants another pool, perhaps, or has gone. Asked again, in their order: it, those later
// ones that are displaced, and those that are in the way of one that moves.
void FairPolicy::place_again(JobId first) {
  std::set<JobId> asked(displaced_.upper_bound(first), displaced_.end());
  if (find_entry(first) != nullptr) asked.insert(first);
  std::vector<std::pair<JobId, std::string>> moves;
  while (!asked.empty()) {
    const JobId id = asked.extract(asked.begin()).value();
    const Job& job = state_.job(id);
    std::string path =
        first_that(job, [&](const std::string& name) { return was_free_for(id, name); });
    if (path == wanted_pool(job)) {
      displaced_.erase(id);
    } else {
      displaced_.insert(id);
    }
    const std::string& old = tree_.node(jobs_[id.index()]->pool).path;
    if (path == old) continue;
    const auto held = held_by_.find(old);
    held->second.erase(id);
    if (held->second.empty()) held_by_.erase(held);
    held_by_[path].insert(id);
    asked.insert(displaced_.upper_bound(id), displaced_.end());
    stand_in_way(id, path, asked);
    moves.emplace_back(id, std::move(path));
  }
  for (const auto& [id, path] : moves) {
    leave(*jobs_[id.index()]);
    leave_pool(jobs_[id.index()]->pool);
  }
  for (const auto& [id, path] : moves) {
    jobs_[id.index()]->pool = enter_pool(path);
    if (limits_jobs_) regrouped_.push_back(id);
    sync(id);
  }
}

PoolId FairPolicy::enter_pool(const std::string& path) {
  std::vector<PoolId> made;
  const PoolId pool = tree_.enter(path, made);
  for (const PoolId fresh : made) {
    for (Standings& standings : standings_) standings.add_pool(fresh);
    if (copies_) copies_->add_pool(fresh);
  }
  return pool;
}

void FairPolicy::leave_pool(PoolId pool) {
  settle();
  std::vector<PoolTree::Gone> gone;
  tree_.leave(pool, gone);
  for (const PoolTree::Gone& pair : gone) {
    for (Standings& standings : standings_) standings.remove_pool(pair.pool, pair.parent);
    if (copies_) copies_->remove_pool(pair.pool, pair.parent);
    for (auto& stale : guarantees_stale_) stale.erase(pair.pool);
  }
}

// --- Which pool a job may come into (pool_admission.h) ---

Status FairPolicy::check_submission(const Caller& caller, const JobSpec& spec, QueueId leaf) const {
  return admission().check_submission(caller, spec, leaf);
}

std::optional<Result<Destination>> FairPolicy::check_move(const Caller& caller, const Job& job,
                                                          const std::string& name) const {
  const JobEntry* entry = find_entry(job.id);
  return admission().check_move(caller, job, entry == nullptr ? "" : tree_.node(entry->pool).path,
                                name);
}

std::vector<std::string> FairPolicy::settings_findings(const Settings& settings) const {
  return admission().findings(settings, [this](JobId id) { return displaced_.contains(id); });
}

void FairPolicy::running_groups(const Job& job, std::vector<RunningGroup>& groups) const {
  const JobEntry* entry = find_entry(job.id);
  admission().running_groups(job, entry == nullptr ? std::nullopt : std::optional(entry->pool),
                             groups);
}

void FairPolicy::take_regrouped(std::vector<JobId>& jobs) {
  jobs.insert(jobs.end(), regrouped_.begin(), regrouped_.end());
  regrouped_.clear();
}

}  // namespace weir
