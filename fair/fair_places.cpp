// Jobs come into pools and leave them (pool_places.h); which they may come into (pool_admission.h).
#include "fair/fair_policy.h"

namespace weir {

// This job wants another pool, perhaps, or has gone.
void FairPolicy::place_again(JobId first) {
  const auto moves = places_.again(first);
  for (const auto& [id, path] : moves) {
    leave(*find_entry(id));
    leave_pool(find_entry(id)->pool);
  }
  for (const auto& [id, path] : moves) {
    find_entry(id)->pool = enter_pool(path);
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
  return admission().findings(settings, [this](JobId id) { return places_.displaced(id); });
}

void FairPolicy::running_groups(const Job& job, std::vector<RunningGroup>& groups) const {
  const JobEntry* entry = find_entry(job.id);
  admission().running_groups(job, entry == nullptr ? std::nullopt : std::optional(entry->pool),
                             groups);
}

void FairPolicy::take_regrouped(std::vector<JobId>& jobs) {
  if (regrouped_.empty()) return;
  jobs.insert(jobs.end(), regrouped_.begin(), regrouped_.end());
  regrouped_.clear();
}

}  // namespace weir
