// A policy that passes every question and every change on to another: what stands between engine
// and policy overrides what it is there for. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobqueue/policy/policy.h"

namespace weir {

class PassingPolicy : public Policy {
 public:
  explicit PassingPolicy(std::unique_ptr<Policy> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  void begin_offer(const Offer& offer) override { inner_->begin_offer(offer); }
  void end_offer(const Offer& offer) override { inner_->end_offer(offer); }
  std::optional<Choice> choose(const Offer& offer) override { return inner_->choose(offer); }
  std::int64_t copy_factor() const override { return inner_->copy_factor(); }
  std::optional<Choice> choose_compute(const Offer& offer) override {
    return inner_->choose_compute(offer);
  }
  bool may_speculate(JobId job, TaskKind kind, const Offer& offer) override {
    return inner_->may_speculate(job, kind, offer);
  }
  bool comes_before(JobId a, JobId b, TaskKind kind) const override {
    return inner_->comes_before(a, b, kind);
  }
  void on_copied(AttemptSlot attempt) override { inner_->on_copied(attempt); }
  void on_slots_granted(AttemptSlot attempt) override { inner_->on_slots_granted(attempt); }

  void on_job_listed(JobId job) override { inner_->on_job_listed(job); }
  void on_job_added(JobId job) override { inner_->on_job_added(job); }
  void on_job_removed(JobId job) override { inner_->on_job_removed(job); }
  void on_job_changed(JobId job, QueueId old) override { inner_->on_job_changed(job, old); }
  void on_pending_changed(JobId job, TaskKind kind) override {
    inner_->on_pending_changed(job, kind);
  }
  void on_launched(AttemptSlot attempt) override { inner_->on_launched(attempt); }
  void on_released(AttemptSlot attempt) override { inner_->on_released(attempt); }
  void on_cluster_changed() override { inner_->on_cluster_changed(); }
  void on_lending_changed(QueueId queue, TaskKind kind) override {
    inner_->on_lending_changed(queue, kind);
  }

  void prefetch(const Attempt& attempt, int step) const override {
    inner_->prefetch(attempt, step);
  }

  bool keeps_claims() const override { return inner_->keeps_claims(); }
  void review(TimeMs now, bool tick, std::vector<ClaimStep>& out) override {
    inner_->review(now, tick, out);
  }
  void claim(std::vector<ClaimStep>& out) override { inner_->claim(out); }
  Preemption tick(TimeMs now) override { return inner_->tick(now); }
  DurationMs tick_interval_ms() const override { return inner_->tick_interval_ms(); }
  bool keeps_accounts() const override { return inner_->keeps_accounts(); }

  bool has_pools() const override { return inner_->has_pools(); }
  std::string_view pool_of(JobId job) const override { return inner_->pool_of(job); }
  Status check_submission(const Caller& caller, const JobSpec& spec, QueueId leaf) const override {
    return inner_->check_submission(caller, spec, leaf);
  }
  std::optional<Result<Destination>> check_move(const Caller& caller, const Job& job,
                                                const std::string& name) const override {
    return inner_->check_move(caller, job, name);
  }
  std::vector<std::string> settings_findings(const Settings& settings) const override {
    return inner_->settings_findings(settings);
  }
  bool limits_running_jobs() const override { return inner_->limits_running_jobs(); }
  void running_groups(const Job& job, std::vector<RunningGroup>& groups) const override {
    inner_->running_groups(job, groups);
  }
  void take_regrouped(std::vector<JobId>& jobs) override { inner_->take_regrouped(jobs); }
  std::vector<PoolFigures> pools(TimeMs now) const override { return inner_->pools(now); }
  JobFigures job_figures(JobId job, TaskKind kind) const override {
    return inner_->job_figures(job, kind);
  }

  QueueFigures figures(QueueId queue, TaskKind kind) const override {
    return inner_->figures(queue, kind);
  }
  bool priority_counts(QueueId leaf) const override { return inner_->priority_counts(leaf); }
  std::int64_t user_limit(QueueId leaf, TaskKind kind) const override {
    return inner_->user_limit(leaf, kind);
  }
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override {
    return inner_->explain(job, kind, now);
  }
  RuleCounts rule_counts() const override { return inner_->rule_counts(); }

 protected:
  std::unique_ptr<Policy> inner_;
};

}  // namespace weir
