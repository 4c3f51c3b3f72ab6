// The tree of pools where containers count (containers.md, section 5): what each pool and job runs,
// wants and is due, in every dimension. Shares are dealt from the top down by dominant resource, or
// by memory alone, as each pool says of its children; they change when what is wanted does, not
// with a launch, nor with an end after which the task is wanted again, nor with one after which its
// job and its pools still want more than they have, in the same proportions. Jobs' shares are dealt
// when those of their pool are asked for. Derived state, on the engine's thread.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "fair/drf_shares.h"
#include "fair/fair_settings.h"
#include "fair/pool_tree.h"
#include "fair/weight_adjuster.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_bounds.h"

namespace weir {

// What a pool or a job stands for among its siblings.
struct ShareLine {
  Amounts running;
  Amounts demand;
  std::vector<Share> share;  // by place of the dimension
  std::vector<bool> full;    // of these, which are given out altogether among its siblings
  std::int64_t weight = 1;
};

// RUN / (w * T), the largest of the dimensions that count; within a minimum share RUN / M.
struct PoolPart {
  std::int64_t part = 0, of = 1, weight = 1;
  friend std::weak_ordering operator<=>(const PoolPart& a, const PoolPart& b) {
    if (a.of == b.of && a.weight == b.weight) return a.part <=> b.part;
    return Int128(a.part) * b.of * b.weight <=> Int128(b.part) * a.of * a.weight;
  }
  friend std::uint64_t coarse(const PoolPart& p) {
    return coarse_quotient(p.part, Int128(p.of) * p.weight);
  }
};

// Where a task puts its pool, or its job, among the siblings.
struct PoolRank {
  enum Step { kWithinMinimum = 1, kWithinShare, kBeyond };
  int step = kBeyond;
  PoolPart key;
  friend bool operator<(const PoolRank& a, const PoolRank& b) {
    return a.step != b.step ? a.step < b.step : a.key < b.key;
  }
};

// Orders ids as their names are ordered as text, where 10000 comes before 2000.
std::uint64_t order_as_text(JobId job);

// KEEP: of its minimum share what it does not lend.
std::int64_t kept_of(const PoolSettings& settings, Dimension d);

class PoolAmounts {
 public:
  // Jobs of a pool by (submit time, id as text).
  using Tie = std::pair<TimeMs, std::string>;
  struct JobLine : ShareLine {
    PoolId pool;
    JobId job;
    Priority priority = Priority::kNormal;
    Tie tie;
    std::uint64_t name_order = 0;  // order_as_text()
    static constexpr std::uint32_t kNoPlace = UINT32_MAX;
    std::uint32_t place = kNoPlace;  // in the orders of its leaf (pool_heads.h)
    QueueId queue;   // where
    Amounts queued;  // so much is counted as wanted
    bool runnable = false;
    bool wants_gang = false;  // it could start somewhere
    bool stands = false;  // it runs, or may
    Amounts dealt;        // what it wanted when its share was dealt
    bool otherwise = false;  // its share may be another by what it wants now
    // Of its groups that could start something.
    boost::container::small_vector<std::pair<const Size*, bool>, 2> sizes;  // picky ones marked
  };
  // Groups of a leaf that want tasks of one size.
  struct Wanted {
    std::uint32_t groups = 0, picky = 0;
  };

  // All of them outlive it.
  PoolAmounts(const ClusterState& state, const PoolTree& tree, const FairSettings& settings);

  // What the job runs and wants may have changed; `placeable(job, kind)`: some tracker could run
  // it.
  template <class Placeable>
  void read(JobLine& line, const Job& job, const Placeable& placeable);
  void leave(JobLine& line);
  void resize() { stale_ = resized_ = true; }
  void has_other_weights(PoolId leaf) { leaves_[leaf.index()].stale = stale_ = true; }
  // The pools of which anything may be otherwise since this was last asked, without repeats.
  void take_changed(std::vector<PoolId>& out);

  bool any_lends_less() const { return any_lends_less_; }
  const ShareLine& pool(PoolId id) const { return pools_[id.index()]; }
  bool same(const Amounts& a, const Amounts& b) const;
  // Those that stand, in their order.
  const std::map<Tie, JobLine*>& jobs(PoolId leaf) const { return leaves_[leaf.index()].jobs; }
  const boost::container::flat_map<const Size*, Wanted>& sizes(PoolId leaf) const {
    return leaves_[leaf.index()].sizes;
  }
  // How often shares have been dealt to the jobs of the leaf.
  std::uint64_t deals(PoolId leaf) const { return leaves_[leaf.index()].deals; }
  // Makes the lines of all pools that there are, and deals what is to be dealt anew: to pools,
  void settle();
  // and to the jobs of one, or of all.
  void settle_jobs(PoolId leaf);
  void settle_all();
  void made_pools();

  // --- pool_ranks.cpp; `running` is what the pool, or the job, is taken to run ---
  // No task of what it wants comes before that.
  PoolRank best_rank(PoolId pool) const;
  PoolRank best_rank(const JobLine& job) const;
  PoolRank rank(PoolId pool, const Amounts& running, const Resources& need) const;
  PoolRank rank(const JobLine& job, const Amounts& running, const Resources& need) const;
  bool within_minimum(PoolId pool, const Amounts& running, const Resources& need) const;
  bool within_share(const ShareLine& line, const Amounts& running, const Resources& need) const;
  bool short_of_share(const ShareLine& line, const Amounts& running, const Resources& need) const;
  bool short_of_share(const ShareLine& line, const Resources& need) const {
    return short_of_share(line, line.running, need);
  }

  static PoolSettings::Sharing sharing(const PoolTree::Node& node) {
    const auto said = node.settings->sharing;
    return said == PoolSettings::Sharing::kFifo && !node.leaf() ? PoolSettings::Sharing::kDrf
                                                                : said;
  }
  static Contested contested(const PoolTree::Node& node) {
    return sharing(node) == PoolSettings::Sharing::kFair ? Contested::kFirst : Contested::kAll;
  }

 private:
  void add(JobLine& line, const Amounts& running, const Amounts& demand);
  void set_demand(JobLine& line, const Amounts& demand);
  void note_dealt(JobLine& line);
  bool wants_the_same();
  bool is_dealt_alike(PoolId family, const ShareLine& line, const Amounts& dealt,
                      const Amounts& now) const;
  bool has_bounds(PoolId pool) const;
  void set_otherwise(JobLine& line, bool otherwise);
  void count_sizes(const JobLine& line, std::int32_t sign);
  PoolPart key_of(const ShareLine& line, const Amounts& running, PoolSettings::Sharing by) const;
  DrfClaimant claimant(std::int64_t weight, const Amounts& demand,
                       const PoolSettings* settings) const;
  std::vector<std::int64_t> totals() const;
  void gather(PoolId pool);
  void deal_to_pools(PoolId pool, const std::vector<Share>& divide);
  void deal_to_jobs(PoolId leaf, const std::vector<Share>& divide);
  void deal_in_order(PoolId leaf, const std::vector<Share>& divide);

  void mark(PoolId pool);
  AdjustedWeight weight_of(const JobLine& line) const;
  void follow_adjusted_weights();

  const ClusterState& state_;
  const PoolTree& tree_;
  bool size_based_weight_, any_lends_less_;
  std::unique_ptr<WeightAdjuster> adjuster_;
  TimeMs weights_until_ = kNever;  // then some job weighs otherwise
  std::vector<ShareLine> pools_;
  struct Leaf {
    std::map<Tie, JobLine*> jobs;
    Amounts demand;             // of all of them
    boost::container::flat_map<const Size*, Wanted> sizes;
    Amounts counted;            // likewise, as the demands of pools count it
    std::vector<Share> divide;  // what they divide
    std::int32_t otherwise = 0;  // jobs whose shares may be others by what they want now
    std::uint64_t deals = 0;
    TimeMs weights_until = kNever;
    bool stale = true;
    bool touched = false;
  };
  std::vector<Leaf> leaves_;  // by PoolId, as the pools
  std::vector<Amounts> dealt_;  // what they wanted when their shares were dealt,
  std::vector<Amounts> due_;    // and for how much: what they keep is theirs whatever they want
  std::vector<PoolId> touched_;  // leaves that may want something else than what was dealt for
  std::vector<PoolId> changed_;
  std::vector<bool> is_changed_;
  bool stale_ = true;    // who stands in them has changed,
  bool resized_ = true;  // or what there is, which pools and jobs, or their weights
};

template <class Placeable>
void PoolAmounts::read(JobLine& line, const Job& job, const Placeable& placeable) {
  Amounts running, demand;
  decltype(line.sizes) sizes;
  line.wants_gang = false;
  for (const TaskKind kind : job.items()) {
    const TaskGroup& group = job.tasks(kind);
    if (line.runnable && job.launchable(kind) > 0)
      sizes.push_back({group.size, job.picky(kind)});
    const std::uint32_t wanted =
        line.runnable && placeable(job, kind) ? job.launchable(kind) + group.dying : 0;
    if (wanted > 0 && job.is_gang(kind)) line.wants_gang = true;
    for (const Dimension d : state_.space().dimensions()) {
      const std::int64_t one = job.need(kind)[d];
      running[d] += one * group.running;
      if (line.runnable) demand[d] += one * (group.running + wanted);
    }
  }
  if (sizes != line.sizes) {
    count_sizes(line, -1);
    line.sizes = sizes;
    count_sizes(line, 1);
  }
  add(line, running, demand);
}

}  // namespace weir
