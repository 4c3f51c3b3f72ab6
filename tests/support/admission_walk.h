// Who may run under limits of groups, as running_limits.h says it: the walk itself, over all
// unfinished jobs; and of a queue alone who is next, by a look at all its jobs.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "jobqueue/engine/running_limits.h"

namespace weir::test {

class AdmissionWalk {
 public:
  AdmissionWalk(const ClusterState& state, const Policy& policy) : state_(state), policy_(policy) {}

  AdmissionPlan plan() {
    std::vector<const Job*> jobs;
    for (const auto& [id, job] : state_.jobs()) {
      if (!job->durable || is_over(job->state)) continue;
      if (keeps_place(*job)) {
        take(*job);
      } else {
        jobs.push_back(job.get());
      }
    }
    std::sort(jobs.begin(), jobs.end(),
              [](const Job* a, const Job* b) { return runs_before(*a, *b); });
    AdmissionPlan plan;
    for (const Job* job : jobs) {
      const bool may = has_room(*job);
      if (may) take(*job);
      if (may && job->state == JobState::kWaiting) plan.admit.push_back(job->id);
      if (!may && job->state == JobState::kRunning) plan.demote.push_back(job->id);
    }
    return plan;
  }

 private:
  std::vector<RunningGroup> groups_of(const Job& job) const {
    std::vector<RunningGroup> groups;
    running_groups(policy_, job, groups);
    const QueueTree::Node& queue = state_.tree().node(job.queue);
    if (const auto limit = queue.settings.max_running_jobs) {
      groups.push_back({"queue " + queue.path, *limit});
    }
    if (const auto limit = queue.settings.max_running_jobs_per_user) {
      groups.push_back({"user " + state_.user_name(job.user) + " in queue " + queue.path, *limit});
    }
    return groups;
  }
  bool has_room(const Job& job) {
    const std::vector<RunningGroup> groups = groups_of(job);
    return std::all_of(groups.begin(), groups.end(), [this](const RunningGroup& group) {
      return running_[group.name] < group.limit;
    });
  }
  void take(const Job& job) {
    for (const RunningGroup& group : groups_of(job)) ++running_[group.name];
  }

  const ClusterState& state_;
  const Policy& policy_;
  std::map<std::string, std::int64_t> running_;
};

class QueueTurns {
 public:
  explicit QueueTurns(const ClusterState& state) : state_(state) {}

  AdmissionPlan turn(QueueId leaf) const {
    const QueueSettings& limits = state_.tree().node(leaf).settings;
    std::vector<const Job*> waiting, running;
    std::map<UserId, std::int64_t> of_user;
    for (const auto& [id, job] : state_.jobs()) {
      if (!job->durable || is_over(job->state) || job->queue != leaf) continue;
      (job->state == JobState::kWaiting ? waiting : running).push_back(job.get());
      if (job->state == JobState::kRunning) ++of_user[job->user];
    }
    const auto in_order = [this](const Job* a, const Job* b) { return before(*a, *b); };
    std::sort(waiting.begin(), waiting.end(), in_order);
    std::sort(running.begin(), running.end(), in_order);
    for (const Job* job : waiting) {
      const bool he_is_full = limits.max_running_jobs_per_user &&
                              of_user[job->user] >= *limits.max_running_jobs_per_user;
      const auto most = limits.max_running_jobs;
      const bool full = most && static_cast<std::int64_t>(running.size()) >= *most;
      if (!full && !he_is_full) return {{}, {job->id}};
      for (auto last = running.rbegin(); last != running.rend() && before(*job, **last); ++last) {
        const bool his = (*last)->user == job->user;
        if (!keeps_place(**last) && (his || !he_is_full)) return {{(*last)->id}, {job->id}};
      }
    }
    return {};
  }

 private:
  bool before(const Job& a, const Job& b) const {
    return job_order(state_, a) < job_order(state_, b);
  }
  const ClusterState& state_;
};

}  // namespace weir::test
