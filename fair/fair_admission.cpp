// Which pool a job may come into, and how many jobs run at a time: pools and users.
#include "fair/fair_policy.h"
#include "fair/pool_names.h"
#include "jobqueue/model/access_rights.h"

namespace weir {
namespace {

// The queue of that name, or the nearest one above it: a pool in a queue's pool lives on its share.
QueueId queue_of_pool(const QueueTree& queues, std::string_view pool) {
  while (true) {
    if (const auto queue = queues.find_path(pool)) return *queue;
    const auto dot = pool.rfind('.');
    if (dot == std::string_view::npos) return QueueId{};
    pool = pool.substr(0, dot);
  }
}

void list_declared(const std::vector<PoolSettings>& pools, const std::string& above,
                   std::string& out) {
  for (const PoolSettings& pool : pools) {
    const std::string path = above + pool.name;
    if (pool.pools.empty()) out += (out.empty() ? "" : ", ") + path;
    list_declared(pool.pools, path + ".", out);
  }
}

}  // namespace

// Nobody takes another's minimum share by naming his pool.
Status FairPolicy::check_pool(const Caller& caller, const std::string& path,
                              QueueId own_queue) const {
  const QueueId queue = queue_of_pool(state_.tree(), path);
  if (queue.valid() && queue != own_queue) {
    const Status may = check_submit_right(state_, caller, queue);
    if (!may) {
      return Error{ErrorCode::kNotPermitted,
                   "pool " + path + " is queue " + state_.tree().node(queue).path +
                       "'s: " + may.error().message,
                   may.error().hint};
    }
  }
  if (auto fits = tree_.check(path); !fits) return fits;
  if (settings_->undeclared_pools_allowed || tree_.declared(path)) return Ok{};
  std::string declared;
  list_declared(settings_->pools, "", declared);
  return Error{ErrorCode::kBadRequest,
               "pool " + path + " is not declared, and undeclared pools are refused",
               "declared: " + (declared.empty() ? "none" : declared)};
}

Status FairPolicy::check_submission(const Caller& caller, const JobSpec& spec, QueueId leaf) const {
  const auto path =
      pool_name_of(spec, state_.tree().node(leaf).path, "", settings_->pool_name_property);
  if (!path) return path.error();
  return check_pool(caller, *path, leaf);
}

std::optional<Result<Destination>> FairPolicy::check_move(const Caller& caller, const Job& job,
                                                          const std::string& name) const {
  const auto path = parse_pool_name(name);
  if (!path) return path.error();
  const JobEntry* entry = find_entry(job.id);
  if (entry != nullptr && tree_.node(entry->pool).path == *path) {
    return Error{ErrorCode::kBadRequest, job_name(job.id) + " is in pool " + *path + " already",
                 "name another pool"};
  }
  if (auto may = check_pool(caller, *path, QueueId{}); !may) return may.error();
  return Destination{"", *path};
}

// As if the new settings ruled: where every unfinished job would be.
std::vector<std::string> FairPolicy::settings_findings(const Settings& settings) const {
  const auto section = settings.policies.find("fair");
  const FairSettings* fair = nullptr;
  if (section != settings.policies.end()) {
    fair = dynamic_cast<const FairSettings*>(section->second.get());
  }
  const FairSettings defaults;
  if (fair == nullptr) fair = &defaults;
  std::vector<std::string> findings;
  PoolTree tree(*fair);
  std::vector<PoolId> made;
  for (const auto& [id, job] : state_.jobs()) {
    if (is_over(job->state)) continue;
    const auto path = pool_name_of(*job->spec, state_.tree().node(job->queue).path, job->pool,
                                   fair->pool_name_property);
    if (!path) continue;
    if (const auto fits = tree.check(*path); !fits) {
      if (displaced_.contains(id)) continue;  // it is not there now either
      findings.push_back(job_name(id) + " is in pool " + *path + ": " + fits.error().message);
      continue;
    }
    tree.enter(*path, made);
  }
  return findings;
}

void FairPolicy::running_groups(const Job& job, std::vector<RunningGroup>& groups) const {
  if (const JobEntry* entry = find_entry(job.id)) {
    for (PoolId p = entry->pool; p != PoolTree::root(); p = tree_.node(p).parent) {
      const PoolTree::Node& node = tree_.node(p);
      if (const auto limit = node.settings->max_running_jobs) {
        groups.push_back({"pool " + node.path, *limit});
      }
    }
  }
  const auto own = settings_->user_max_running_jobs.find(job.spec->user);
  if (own != settings_->user_max_running_jobs.end()) {
    groups.push_back({"user " + job.spec->user, own->second});
  } else if (settings_->default_user_max_running_jobs) {
    groups.push_back({"user " + job.spec->user, *settings_->default_user_max_running_jobs});
  }
}

void FairPolicy::take_regrouped(std::vector<JobId>& jobs) {
  jobs.insert(jobs.end(), regrouped_.begin(), regrouped_.end());
  regrouped_.clear();
}

}  // namespace weir
