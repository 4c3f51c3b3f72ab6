// What the fair policy must say, by fair.md alone: which pools there are and which jobs are in
// them, what each runs, wants and has a right to, and in which order they are asked. Recomputed
// whole from a census by the definitions, in exact rationals. Shares no code with the policies.
// Plain values, any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/checker/census.h"
#include "sim/checker/exact.h"
#include "sim/checker/fair_rules.h"

namespace weir::check {

// The pool of every unfinished job.
using JobPools = std::map<JobId, std::string>;
JobPools place_jobs(const ClusterState& state, const FairRules& rules);

struct PoolJob {
  const JobCount* count = nullptr;
  bool runnable = false;     // not over a limit
  std::int64_t running = 0;  // slots, from here on
  std::int64_t demand = 0;
  Rational weight;
  Rational share;
};

struct PoolLine {
  const PoolRules* rules = nullptr;
  std::vector<std::string> children;  // paths, in the order of their names
  std::vector<PoolJob> jobs;          // of a leaf, by id
  std::int64_t running = 0;           // also of jobs over a limit
  std::int64_t wanted = 0;            // before the maximum
  std::int64_t demand = 0;
  std::int64_t minimum = 0;
  Rational share;
  Rational scaled_minimum;  // min(minimum, demand), cut where siblings' total more than there is
  std::int64_t floor() const { return minimum < demand ? minimum : demand; }
  bool needy() const { return running < floor(); }
};

// All pools of one class of slots, by path; the root's is "".
struct Pools {
  Pools(const Census& census, TaskKind kind, const FairRules& rules, const JobPools& where,
        TimeMs now);

  void deal_shares();  // of pools and of jobs
  const PoolLine& line(const std::string& path) const { return lines.at(path); }
  const PoolJob* find(JobId job) const;
  // Siblings and jobs of a leaf in the order in which they are asked.
  std::vector<std::string> in_order(const std::string& parent) const;
  std::vector<const PoolJob*> jobs_in_order(const std::string& leaf) const;
  // Slots that all pools want, with what jobs over a limit run.
  std::int64_t cluster_demand() const;

  std::map<std::string, PoolLine> lines;
  std::map<JobId, std::string> pool_of;
  TaskKind kind;
  std::int64_t total = 0;
};

// The path one up; "" above the top.
std::string parent_of(const std::string& pool);
// Whether the pool is that one or in it.
bool within(const std::string& above, const std::string& pool);

// A claimant of a share.
struct Claimant {
  std::int64_t demand = 0;  // not above its maximum
  std::int64_t minimum = 0;
  Rational weight;
};
// r such that the sum of min(demand, max(r * weight, minimum)) is min(total, sum of demands);
// minimums that add up to more than the total are cut in proportion.
std::vector<Rational> shares_of(const Rational& total, const std::vector<Claimant>& claimants);

}  // namespace weir::check
