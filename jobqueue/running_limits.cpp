#include "jobqueue/running_limits.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace weir {
namespace {

// How many jobs run in each group, and where another one would find no room.
class Tally {
 public:
  Tally(const ClusterState& state, const Policy& policy) : state_(state), policy_(policy) {}

  bool has_room(const Job& job) {
    for (const RunningGroup& group : groups_of(job)) {
      if (running_[group.name] >= group.limit) return false;
    }
    return true;
  }
  void take(const Job& job) {
    for (const RunningGroup& group : groups_of(job)) ++running_[group.name];
  }
  std::int64_t running(const RunningGroup& group) { return running_[group.name]; }

  const std::vector<RunningGroup>& groups_of(const Job& job) {
    groups_.clear();
    policy_.running_groups(job, groups_);
    const QueueTree::Node& queue = state_.tree().node(job.queue);
    if (const auto limit = queue.settings.max_running_jobs) {
      groups_.push_back({"queue " + queue.path, *limit});
    }
    if (const auto limit = queue.settings.max_running_jobs_per_user) {
      groups_.push_back({"user " + state_.user_name(job.user) + " in queue " + queue.path, *limit});
    }
    return groups_;
  }

 private:
  const ClusterState& state_;
  const Policy& policy_;
  std::map<std::string, std::int64_t> running_;
  std::vector<RunningGroup> groups_;
};

}  // namespace

bool keeps_place(const Job& job) {
  if (job.state != JobState::kRunning) return false;
  const TaskGroup& maps = job.tasks(TaskKind::kMap);
  return job.duty != Job::Duty::kNone ||
         (job.tasks(TaskKind::kReduce).alive() > 0 && maps.succeeded < maps.total);
}

bool runs_before(const Job& a, const Job& b) {
  return std::tie(a.priority, a.submitted_at, a.spec->name, a.id) <
         std::tie(b.priority, b.submitted_at, b.spec->name, b.id);
}

AdmissionPlan plan_admission(const ClusterState& state, const Policy& policy) {
  Tally tally(state, policy);
  std::vector<const Job*> jobs;
  for (const QueueId leaf : state.tree().leaves()) {
    for (const auto& [id, unused] : state.queue(leaf).unfinished) {
      const Job& job = state.job(id);
      if (!job.durable) continue;
      if (keeps_place(job)) {
        tally.take(job);
      } else {
        jobs.push_back(&job);
      }
    }
  }
  std::sort(jobs.begin(), jobs.end(),
            [](const Job* a, const Job* b) { return runs_before(*a, *b); });
  AdmissionPlan plan;
  for (const Job* job : jobs) {
    const bool may = tally.has_room(*job);
    if (may) tally.take(*job);
    if (may && job->state == JobState::kWaiting) plan.admit.push_back(job->id);
    if (!may && job->state == JobState::kRunning) plan.demote.push_back(job->id);
  }
  return plan;
}

std::vector<Reason> full_groups(const ClusterState& state, const Policy& policy, const Job& job) {
  Tally tally(state, policy);
  for (const QueueId leaf : state.tree().leaves()) {
    for (const auto& [id, unused] : state.queue(leaf).unfinished) {
      const Job& other = state.job(id);
      if (other.state == JobState::kRunning) tally.take(other);
    }
  }
  std::vector<Reason> reasons;
  const std::vector<RunningGroup> groups = tally.groups_of(job);
  for (const RunningGroup& group : groups) {
    const std::int64_t running = tally.running(group);
    if (running < group.limit) continue;
    reasons.push_back({"running_jobs_limit",
                       group.name + " runs " + std::to_string(running) + " of at most " +
                           std::to_string(group.limit) + " jobs at a time",
                       {{"running", running}, {"limit", group.limit}}});
  }
  return reasons;
}

}  // namespace weir
