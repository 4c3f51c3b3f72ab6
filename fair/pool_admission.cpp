#include "fair/pool_admission.h"

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
Status PoolAdmission::check_right(const Caller& caller, const std::string& path,
                                  QueueId own_queue) const {
  const QueueId queue = queue_of_pool(state.tree(), path);
  if (!queue.valid() || queue == own_queue) return Ok{};
  const Status may = check_submit_right(state, caller, queue);
  if (may) return Ok{};
  return Error{ErrorCode::kNotPermitted,
               "pool " + path + " is queue " + state.tree().node(queue).path +
                   "'s: " + may.error().message,
               may.error().hint};
}

std::string PoolAdmission::wanted_pool(const Job& job) const {
  const JobSpec& spec = *job.spec;
  const std::string& queue = state.tree().node(job.queue).path;
  const auto named = pool_name_of(spec, queue, job.pool, settings.pool_name_property);
  std::string path = named ? *named : std::string(kDefaultPool);
  if (!job.pool.empty()) return path;  // who moved it had the right
  const Caller owner{spec.user, spec.groups};
  if (check_right(owner, path, job.queue)) return path;
  const auto unnamed = unnamed_pool_of(spec, queue, settings.pool_name_property);
  return unnamed && check_right(owner, *unnamed, job.queue) ? *unnamed : queue;
}

Status PoolAdmission::check_pool(const Caller& caller, const std::string& path,
                                 QueueId own_queue) const {
  if (auto may = check_right(caller, path, own_queue); !may) return may;
  if (auto fits = tree.check(path); !fits) return fits;
  if (settings.undeclared_pools_allowed || tree.declared(path)) return Ok{};
  std::string declared;
  list_declared(settings.pools, "", declared);
  return Error{ErrorCode::kBadRequest,
               "pool " + path + " is not declared, and undeclared pools are refused",
               "declared: " + (declared.empty() ? "none" : declared)};
}

Status PoolAdmission::check_submission(const Caller& caller, const JobSpec& spec,
                                       QueueId leaf) const {
  const auto path =
      pool_name_of(spec, state.tree().node(leaf).path, "", settings.pool_name_property);
  if (!path) return path.error();
  if (names_its_pool(spec, settings.pool_name_property)) {
    if (auto named = check_pool_asked(*path); !named) return named;
  }
  return check_pool(caller, *path, leaf);
}

Result<Destination> PoolAdmission::check_move(const Caller& caller, const Job& job,
                                              std::string_view here,
                                              const std::string& name) const {
  const auto path = parse_pool_name(name);
  if (!path) return path.error();
  if (auto named = check_pool_asked(*path); !named) return named.error();
  if (here == *path) {
    return Error{ErrorCode::kBadRequest, job_name(job.id) + " is in pool " + *path + " already",
                 "name another pool"};
  }
  if (auto may = check_pool(caller, *path, QueueId{}); !may) return may.error();
  return Destination{"", *path};
}

std::vector<std::string> PoolAdmission::findings(
    const Settings& next, const std::function<bool(JobId)>& displaced) const {
  const auto section = next.policies.find("fair");
  const FairSettings* fair = nullptr;
  if (section != next.policies.end()) {
    fair = dynamic_cast<const FairSettings*>(section->second.get());
  }
  const FairSettings defaults;
  if (fair == nullptr) fair = &defaults;
  std::vector<std::string> findings;
  PoolTree after(*fair);
  std::vector<PoolId> made;
  for (const auto& [id, job] : state.jobs()) {
    if (is_over(job->state)) continue;
    const std::string path = PoolAdmission{state, after, *fair}.wanted_pool(*job);
    if (const auto fits = after.check(path); !fits) {
      if (displaced(id)) continue;
      findings.push_back(job_name(id) + " is in pool " + path + ": " + fits.error().message);
      continue;
    }
    after.enter(path, made);
  }
  return findings;
}

void PoolAdmission::running_groups(const Job& job, std::optional<PoolId> pool,
                                   std::vector<RunningGroup>& groups) const {
  if (pool) {
    for (PoolId p = *pool; p != PoolTree::root(); p = tree.node(p).parent) {
      const PoolTree::Node& node = tree.node(p);
      if (const auto limit = node.settings->max_running_jobs) {
        groups.push_back({"pool " + node.path, *limit});
      }
    }
  }
  const auto own = settings.user_max_running_jobs.find(job.spec->user);
  if (own != settings.user_max_running_jobs.end()) {
    groups.push_back({"user " + job.spec->user, own->second});
  } else if (settings.default_user_max_running_jobs) {
    groups.push_back({"user " + job.spec->user, *settings.default_user_max_running_jobs});
  }
}

}  // namespace weir
