// FIFO with limits on the running jobs of groups, for tests of the mechanism: a job's pool, by its
// property, with all above it ("a.b" is in "a"), and its user.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fifo/fifo_policy.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir::test {

struct GroupRules {
  std::map<std::string, std::int64_t> limits;  // "pool a", "user bob"
  std::map<std::string, std::string> instead;  // pools whose jobs stand in others
  std::vector<JobId> regrouped;                // whom that has changed
  bool knows_listed_only = false;              // groups of jobs that it has been told of
};

class GroupedFifo : public FifoPolicy, public Pools {
 public:
  GroupedFifo(const ClusterState& state, GroupRules& rules)
      : FifoPolicy(state), state_(state), rules_(rules) {
    for (const auto& [id, job] : state.jobs()) listed_.insert(id);
  }
  std::string_view name() const override { return "grouped"; }
  void on_job_listed(JobId job) override {
    listed_.insert(job);
  }
  void on_job_added(JobId job) override {
    FifoPolicy::on_job_added(job);
    listed_.insert(job);
  }
  Pools* pools() override { return this; }
  bool limits_running_jobs() const override { return true; }
  void running_groups(const Job& job, std::vector<RunningGroup>& groups) const override {
    if (rules_.knows_listed_only && !listed_.contains(job.id)) return;
    const auto named = job.spec->conf.find("pool");
    if (named != job.spec->conf.end()) {
      const auto other = rules_.instead.find(named->second);
      std::string pool = other == rules_.instead.end() ? named->second : other->second;
      for (std::size_t dot = 0; dot != std::string::npos; pool = pool.substr(0, dot)) {
        add("pool " + pool, groups);
        dot = pool.rfind('.');
      }
    }
    add("user " + state_.user_name(job.user), groups);
  }
  void take_regrouped(std::vector<JobId>& jobs) override {
    jobs.insert(jobs.end(), rules_.regrouped.begin(), rules_.regrouped.end());
    rules_.regrouped.clear();
  }

 private:
  void add(const std::string& name, std::vector<RunningGroup>& groups) const {
    const auto limit = rules_.limits.find(name);
    if (limit != rules_.limits.end()) groups.push_back({name, limit->second});
  }

  const ClusterState& state_;
  GroupRules& rules_;
  std::set<JobId> listed_;
};

// Knows "grouped", and "fifo", which has no such limits.
inline PolicyFactory grouped_fifo(GroupRules& rules) {
  return [&rules](std::string_view name, const ClusterState& state,
                  PolicyMemory&) -> std::unique_ptr<Policy> {
    if (name == "fifo") return std::make_unique<FifoPolicy>(state);
    if (name != "grouped") return nullptr;
    return std::make_unique<GroupedFifo>(state, rules);
  };
}

}  // namespace weir::test
