#include "jobqueue/engine/job_queue_manager.h"

#include <algorithm>

#include "jobqueue/model/access_rights.h"

namespace weir {
namespace {

Error limit_error(const std::string& queue, const char* limit, std::int64_t have,
                  std::int64_t allowed, const std::string& of) {
  return Error{
      ErrorCode::kLimitReached,
      "queue " + queue + ": " + limit + " is reached: " + std::to_string(have) + " of " +
          std::to_string(allowed) + " " + of,
      "wait for jobs to end, or ask an administrator of the queue to raise " + std::string(limit)};
}

}  // namespace

Result<QueueId> JobQueueManager::find_leaf(const std::string& name) const {
  const QueueTree& tree = state_.tree();
  auto found = tree.find(name);
  if (!found) return found.error();
  const QueueTree::Node& node = tree.node(*found);
  if (node.leaf()) return *found;
  std::string children;
  for (const QueueId child : node.children)
    children += (children.empty() ? "" : ", ") + tree.node(child).path;
  return Error{ErrorCode::kQueueNotLeaf,
               "queue " + node.path + " has queues of its own and takes no jobs",
               "submit to one of: " + children};
}

Status JobQueueManager::check_open(QueueId leaf) const {
  const QueueTree& tree = state_.tree();
  for (QueueId q = leaf; q != QueueTree::root(); q = tree.parent(q)) {
    if (!state_.queue(q).stopped) continue;
    return Error{ErrorCode::kQueueStopped,
                 "queue " + tree.node(q).path + " is stopped and takes no new jobs",
                 "wait until it is started again, or use another queue"};
  }
  return Ok{};
}

Status JobQueueManager::check_limits(const std::string& user, const JobSpec& spec,
                                     QueueId leaf) const {
  const QueueTree::Node& node = state_.tree().node(leaf);
  const QueueSettings& limits = node.settings;
  const QueueState& queue = state_.queue(leaf);
  const std::int64_t tasks = spec.all_tasks();
  if (limits.max_tasks_per_job && tasks > *limits.max_tasks_per_job) {
    Error error = limit_error(node.path, "max_tasks_per_job", tasks, *limits.max_tasks_per_job,
                              "tasks in this job");
    error.hint =
        "submit it with fewer, larger splits or fewer reduces, or ask an administrator of "
        "the queue to raise max_tasks_per_job";
    return error;
  }
  const std::int64_t jobs = std::int64_t{queue.jobs_waiting} + queue.jobs_running;
  if (limits.max_jobs && jobs >= *limits.max_jobs) {
    return limit_error(node.path, "max_jobs", jobs, *limits.max_jobs, "waiting and running jobs");
  }
  if (!limits.max_jobs_per_user) return Ok{};
  std::int64_t own = 0;
  for (const auto& [id, counts] : queue.users) {
    if (state_.user_name(id) == user) own = std::int64_t{counts.jobs_waiting} + counts.jobs_running;
  }
  if (own >= *limits.max_jobs_per_user) {
    return limit_error(node.path, "max_jobs_per_user", own, *limits.max_jobs_per_user,
                       "jobs of user " + user);
  }
  return Ok{};
}

Result<QueueId> JobQueueManager::check_move(const Caller& caller, const Job& job,
                                            const std::string& queue) const {
  auto leaf = find_leaf(queue);
  if (!leaf) return leaf.error();
  if (auto open = check_open(*leaf); !open) return open.error();
  if (auto may = check_submit_right(state_, caller, *leaf); !may) return may.error();
  if (*leaf == job.queue) {
    return Error{ErrorCode::kBadRequest,
                 job_name(job.id) + " is in queue " + state_.tree().node(*leaf).path + " already",
                 "name another queue"};
  }
  if (auto limits = check_limits(job.spec->user, *job.spec, *leaf); !limits) return limits.error();
  return *leaf;
}

std::vector<std::string> JobQueueManager::removal_findings(const Settings& settings,
                                                           const QueueTree& tree) const {
  struct Arriving {
    std::int64_t jobs = 0;
    std::int64_t most_tasks = 0;
    std::map<UserId, std::int64_t> of_user;
    std::string from;
  };
  std::map<QueueId, Arriving> arriving;  // by queue of the new tree
  std::map<QueueId, Arriving> staying;
  for (const QueueId leaf : state_.tree().leaves()) {
    const QueueState& queue = state_.queue(leaf);
    const std::string& path = state_.tree().node(leaf).path;
    const QueueId to = queue_after(settings, tree, path);
    if (queue.unfinished.empty() || !to.valid()) continue;
    const bool moves = tree.node(to).path != path;
    Arriving& there = (moves ? arriving : staying)[to];
    if (moves) there.from += (there.from.empty() ? "" : ", ") + path;
    for (const JobId id : queue.unfinished) {
      const Job& job = state_.job(id);
      ++there.jobs;
      ++there.of_user[job.user];
      there.most_tasks = std::max(there.most_tasks, job.spec->all_tasks());
    }
  }
  std::vector<std::string> findings;
  for (auto& [to, jobs] : arriving) {
    const QueueTree::Node& node = tree.node(to);
    const auto refuse = [&, from = jobs.from](const std::string& why) {
      findings.push_back("the jobs of removed queue " + from + " cannot move to " + node.path +
                         ": " + why);
    };
    for (QueueId q = to; q != QueueTree::root(); q = tree.parent(q)) {
      const auto now = state_.tree().find_path(tree.node(q).path);
      const bool by_command = now && state_.queue(*now).stopped_by_command;
      if (!by_command && !tree.node(q).settings.stopped) continue;
      refuse("queue " + tree.node(q).path + " is stopped, allowed: a queue that takes jobs");
      break;
    }
    const auto over = [&](const char* limit, std::optional<std::int64_t> allowed, std::int64_t have,
                          const std::string& of) {
      if (!allowed || have <= *allowed) return;
      refuse("it would have " + std::to_string(have) + " " + of + ", allowed: " + limit + " " +
             std::to_string(*allowed));
    };
    Arriving& there = staying[to];
    over("max_jobs", node.settings.max_jobs, there.jobs + jobs.jobs, "jobs");
    over("max_tasks_per_job", node.settings.max_tasks_per_job, jobs.most_tasks,
         "tasks in one of them");
    for (const auto& [user, count] : jobs.of_user) {
      over("max_jobs_per_user", node.settings.max_jobs_per_user, there.of_user[user] + count,
           "jobs of user " + state_.user_name(user));
    }
  }
  return findings;
}

std::optional<Reason> JobQueueManager::running_limit(const Job& job) const {
  const QueueTree::Node& node = state_.tree().node(job.queue);
  const QueueState& queue = state_.queue(job.queue);
  const auto over = [&](const char* limit, std::int64_t running, std::int64_t allowed,
                        const std::string& whose) {
    return Reason{"running_jobs_limit",
                  "queue " + node.path + " runs " + std::to_string(running) + " of at most " +
                      std::to_string(allowed) + " jobs" + whose + " at a time (" + limit + ")",
                  {{"running", running}, {"limit", allowed}}};
  };
  if (const auto limit = node.settings.max_running_jobs; limit && queue.jobs_running >= *limit) {
    return over("max_running_jobs", queue.jobs_running, *limit, "");
  }
  if (const auto limit = node.settings.max_running_jobs_per_user) {
    const auto user = queue.users.find(job.user);
    const std::int64_t running = user == queue.users.end() ? 0 : user->second.jobs_running;
    if (running >= *limit) {
      return over("max_running_jobs_per_user", running, *limit,
                  " of user " + state_.user_name(job.user));
    }
  }
  return std::nullopt;
}

}  // namespace weir
