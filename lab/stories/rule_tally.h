// How often each rule of the engine and of the policies has decided something in a run: from
// events, from what queues are owed, from the figures of pools, and from the policy's own counts. A
// property run that never came to a rule has not tested it. One tally may watch many engines, one
// after the other. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/observer.h"

namespace weir {

class RuleTally : public Observer {
 public:
  // Every rule that is counted, with what it stands for, in the order of the table.
  static const std::vector<std::pair<std::string_view, std::string_view>>& rules();

  void begin_run();  // another engine comes
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  std::uint64_t count(std::string_view rule) const;
  std::uint64_t steps() const { return steps_; }

 private:
  void hit(std::string_view rule, std::uint64_t times = 1);
  void count_events(const Output& output);
  void count_claims(const Engine& engine);
  void count_records(const ClaimBook& book);
  void count_policy(const Engine& engine);
  void count_pools(const Engine& engine);  // rule_tally_pools.cpp
  void count_waiting_jobs(const Engine& engine);
  void count_pool_figures(const Engine& engine);

  std::map<std::string, std::uint64_t, std::less<>> counts_;
  std::uint64_t steps_ = 0;
  // Of the present run.
  std::map<ClaimId, ClaimBlock> blocks_;  // of claims that are due
  std::map<std::pair<HoldId, AttemptKey>, KillRecord::Outcome> outcomes_;
  HoldId last_hold_ = 0;
  std::size_t reservations_ = 0;
  std::map<std::pair<std::string, TaskKind>, bool> waits_to_lend_;
  std::map<std::string, std::uint64_t, std::less<>> policy_counts_;  // of the ruling policy
  std::set<std::string> on_demand_;                                  // pools at the last tick
  TimeMs boosted_until_ = 0;  // boosts that ended before are counted
};

}  // namespace weir
