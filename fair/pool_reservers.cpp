#include "fair/pool_reservers.h"

namespace weir {

void PoolReservers::read(JobId job, const JobLine* line) {
  if (const auto found = leaf_of_.find(job); found != leaf_of_.end()) {
    std::vector<Mover>& all = by_leaf_[found->second.index()];
    std::erase_if(all, [&](const Mover& mover) { return mover.job == job; });
    if (all.empty()) std::erase(leaves_, found->second);
    leaf_of_.erase(found);
  }
  const Reservation* kept = reservation_of(state_, job);
  if (kept == nullptr || line == nullptr || line->place == JobLine::kNoPlace) return;
  if (by_leaf_.size() <= line->pool.index()) by_leaf_.resize(line->pool.index() + 1);
  std::vector<Mover>& all = by_leaf_[line->pool.index()];
  if (all.empty()) leaves_.push_back(line->pool);
  all.push_back({reserver_of(state_, *kept), line->place});
  leaf_of_.emplace(job, line->pool);
}

PoolReservers::Jobs PoolReservers::jobs_in(PoolId leaf) const {
  Jobs jobs;
  for (const Mover& mover : in(leaf)) jobs.push_back(mover.job);
  return jobs;
}

}  // namespace weir
