// A policy that passes every question and every change on to another: what stands between engine
// and policy overrides what it is there for. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobqueue/policy/claims_facet.h"
#include "jobqueue/policy/copy_split_facet.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/pools_facet.h"
#include "jobqueue/policy/speculation_facet.h"

namespace weir {

class PassingPolicy : public Policy {
 public:
  explicit PassingPolicy(std::unique_ptr<Policy> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  void begin_offer(const Offer& offer) override { inner_->begin_offer(offer); }
  void end_offer(const Offer& offer) override { inner_->end_offer(offer); }
  std::optional<Choice> choose(const Offer& offer) override { return inner_->choose(offer); }
  void on_job_added(JobId job) override { inner_->on_job_added(job); }
  void on_job_removed(JobId job) override { inner_->on_job_removed(job); }
  void on_job_changed(JobId job, QueueId old) override { inner_->on_job_changed(job, old); }
  void on_pending_changed(JobId job, TaskKind kind) override {
    inner_->on_pending_changed(job, kind);
  }
  void on_launched(AttemptSlot attempt) override { inner_->on_launched(attempt); }
  void on_released(AttemptSlot attempt) override { inner_->on_released(attempt); }
  void on_cluster_changed() override { inner_->on_cluster_changed(); }
  void takes_over() override { inner_->takes_over(); }
  void prefetch(const Attempt& attempt, int step) const override {
    inner_->prefetch(attempt, step);
  }

  Preemption tick(TimeMs now) override { return inner_->tick(now); }
  DurationMs tick_interval_ms() const override { return inner_->tick_interval_ms(); }
  QueueFigures figures(QueueId queue, Dimension dimension) const override {
    return inner_->figures(queue, dimension);
  }
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override {
    return inner_->explain(job, kind, now);
  }
  RuleCounts rule_counts() const override { return inner_->rule_counts(); }

  Claims* claims() override { return inner_->claims(); }
  Pools* pools() override { return inner_->pools(); }
  CopySplit* copies() override { return inner_->copies(); }
  Speculation* speculation() override { return inner_->speculation(); }

 protected:
  std::unique_ptr<Policy> inner_;
};

// Likewise, of the pools of another policy.
class PassingPools : public Pools {
 public:
  explicit PassingPools(Pools* inner) : inner_pools_(*inner) {}

  void on_job_listed(JobId job) override { inner_pools_.on_job_listed(job); }
  std::string_view pool_of(JobId job) const override { return inner_pools_.pool_of(job); }
  Status check_submission(const Caller& caller, const JobSpec& spec, QueueId leaf) const override {
    return inner_pools_.check_submission(caller, spec, leaf);
  }
  std::optional<Result<Destination>> check_move(const Caller& caller, const Job& job,
                                                const std::string& name) const override {
    return inner_pools_.check_move(caller, job, name);
  }
  std::vector<std::string> settings_findings(const Settings& settings) const override {
    return inner_pools_.settings_findings(settings);
  }
  bool limits_running_jobs() const override { return inner_pools_.limits_running_jobs(); }
  void running_groups(const Job& job, std::vector<RunningGroup>& groups) const override {
    inner_pools_.running_groups(job, groups);
  }
  void take_regrouped(std::vector<JobId>& jobs) override { inner_pools_.take_regrouped(jobs); }
  std::vector<PoolFigures> pool_figures(TimeMs now) const override {
    return inner_pools_.pool_figures(now);
  }
  JobFigures job_figures(JobId job, TaskKind kind) const override {
    return inner_pools_.job_figures(job, kind);
  }

 protected:
  Pools& inner_pools_;
};

}  // namespace weir
