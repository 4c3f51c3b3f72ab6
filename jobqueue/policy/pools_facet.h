// Of a policy that divides the cluster among other things than queues: pools, by dotted path.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/policy/policy.h"

namespace weir {

struct PoolFigures {
  std::string pool;
  std::string parent;  // dotted path; empty at the top
  bool declared = false;
  std::string_view mode = "fair";  // how its children share, or in a leaf its jobs: drf, fair, fifo
  std::int64_t weight_millionths = 0;
  std::uint32_t jobs_running = 0, jobs_waiting = 0;  // of a leaf; waiting: over a limit
  std::array<QueueFigures, kTaskKindCount> of{};
  std::vector<QueueFigures> of_dimension = {};  // where containers count, by place
  std::int64_t copying = -1;  // places to copy in that its reduces take; -1: there are none
  // How long below the minimum share, and below half of the fair share; 0: it is not. Where
  // containers count the whole pool is, and the first says it.
  std::array<DurationMs, kTaskKindCount> below_min_share_ms{}, below_half_share_ms{};
  // Slots that it was due at the last check and that nobody could be killed for.
  std::array<std::int64_t, kTaskKindCount> unmet{};
};
// A job's figures in one class. -1: the ruling policy has no such figure.
struct JobFigures {
  Share share = -1;
  std::int64_t weight_millionths = -1;
  std::vector<Share> of_dimension = {};    // shares where containers count, by place
  std::optional<std::int64_t> deficit_ms;  // slot-milliseconds
  // Delay scheduling of a job whose input lies somewhere: how far from it the next map may run by
  // now, and after how long further out (0: it need not wait).
  struct LocalityDelay {
    Locality allowed = Locality::kNode;
    DurationMs left_ms = 0;
  };
  std::optional<LocalityDelay> locality;  // of maps
};

// Where a policy with pools puts a job that is moved: into another queue, if `queue` says one, and
// into a pool that is not the one its queue and properties would give, if `pool` does.
struct Destination {
  std::string queue;
  std::string pool;
};
// A group of jobs of which only so many run at a time: those of a pool, of a user.
struct RunningGroup {
  std::string name;  // "pool production", "user alice"
  std::int64_t limit = 0;
};

class Pools {
 public:
  virtual ~Pools() = default;
  // A job has come, running or waiting and perhaps not durable yet; or has moved; or is over, or is
  // forgotten as if it had never been. Comes before the other calls about the same change.
  virtual void on_job_listed(JobId) {}
  // The pool of a job, also of one that has just ended; empty: its queue is what counts.
  virtual std::string_view pool_of(JobId) const { return {}; }
  // Whether a job like that may come into that leaf: its pool may be none that it may use.
  virtual Status check_submission(const Caller&, const JobSpec&, QueueId /*leaf*/) const {
    return Ok{};
  }
  // Where a job goes that is moved to `name`; nothing: to the queue of that name.
  virtual std::optional<Result<Destination>> check_move(const Caller&, const Job&,
                                                        const std::string& /*name*/) const {
    return std::nullopt;
  }
  // What new settings, valid by themselves, would break for the jobs there are.
  virtual std::vector<std::string> settings_findings(const Settings&) const { return {}; }
  // Limits on running jobs besides those of the queues: in which groups a job counts.
  virtual bool limits_running_jobs() const { return false; }
  virtual void running_groups(const Job&, std::vector<RunningGroup>&) const {}
  // Appends the jobs whose groups have become others since it was last asked, besides those that
  // have just been moved.
  virtual void take_regrouped(std::vector<JobId>&) {}
  virtual std::vector<PoolFigures> pool_figures(TimeMs /*now*/) const { return {}; }
  virtual JobFigures job_figures(JobId, TaskKind) const { return {}; }
};

// The same of whatever policy rules: nothing, if it has no pools.
inline std::string_view pool_of(const Policy& policy, JobId job) {
  const Pools* pools = policy.pools();
  return pools == nullptr ? std::string_view() : pools->pool_of(job);
}
inline void running_groups(const Policy& policy, const Job& job,
                           std::vector<RunningGroup>& groups) {
  if (const Pools* pools = policy.pools()) pools->running_groups(job, groups);
}
inline std::vector<PoolFigures> pool_figures(const Policy& policy, TimeMs now) {
  const Pools* pools = policy.pools();
  return pools == nullptr ? std::vector<PoolFigures>() : pools->pool_figures(now);
}
inline JobFigures job_figures(const Policy& policy, JobId job, TaskKind kind) {
  const Pools* pools = policy.pools();
  return pools == nullptr ? JobFigures() : pools->job_figures(job, kind);
}

}  // namespace weir
