// What of the rules of the fair policy can be seen from outside: which kills, who waits for which
// limit, which shares had to be cut, which pools come and go.
#include <algorithm>

#include "fair/fair_settings.h"
#include "jobqueue/engine/running_limits.h"
#include "jobqueue/policy/pools_facet.h"
#include "lab/stories/rule_tally.h"

namespace weir {
namespace {

const FairSettings* fair_settings_of(const Engine& engine) {
  const auto& sections = engine.state().settings().policies;
  const auto found = sections.find("fair");
  return found == sections.end() ? nullptr : dynamic_cast<const FairSettings*>(found->second.get());
}

// A full group of the waiting job in which the other has a place.
bool in_the_way(const Engine& engine, const Job& waiting, const Job& other) {
  std::vector<RunningGroup> wanted, taken;
  running_groups(engine.policy(), waiting, wanted);
  running_groups(engine.policy(), other, taken);
  return std::any_of(wanted.begin(), wanted.end(), [&](const RunningGroup& group) {
    return std::any_of(taken.begin(), taken.end(),
                       [&](const RunningGroup& of) { return of.name == group.name; });
  });
}

}  // namespace

void RuleTally::count_pools(const Engine& engine) {
  if (engine.policy().pools() == nullptr) {
    on_demand_.clear();
    boosted_until_ = 0;
    return;
  }
  count_waiting_jobs(engine);
  count_pool_figures(engine);
  const FairSettings* settings = fair_settings_of(engine);
  if (settings == nullptr || !settings->new_job_booster) return;
  const TimeMs now = engine.now();
  for (const auto& [id, job] : engine.state().jobs()) {
    const TimeMs until = job->submitted_at + settings->new_job_booster->duration_ms;
    if (job->state == JobState::kRunning && until > boosted_until_ && until <= now) {
      hit("booster_ended");
    }
  }
  boosted_until_ = now;
}

void RuleTally::count_waiting_jobs(const Engine& engine) {
  std::vector<const Job*> waiting, keeping;
  for (const auto& [id, job] : engine.state().jobs()) {
    if (job->durable && job->state == JobState::kWaiting) waiting.push_back(job.get());
    if (job->duty == Job::Duty::kNone && keeps_place(*job)) keeping.push_back(job.get());
  }
  std::vector<RunningGroup> groups;
  for (const Job* job : waiting) {
    groups.clear();
    running_groups(engine.policy(), *job, groups);
    for (const RunningGroup& group : groups) {
      hit(group.name.starts_with("pool ") ? "pool_limit_held" : "user_limit_held");
    }
    if (std::any_of(keeping.begin(), keeping.end(), [&](const Job* other) {
          return runs_before(*job, *other) && in_the_way(engine, *job, *other);
        })) {
      hit("place_kept");
    }
  }
}

void RuleTally::count_pool_figures(const Engine& engine) {
  const std::vector<PoolFigures> pools = pool_figures(engine.policy(), engine.now());
  std::set<std::string> on_demand;
  std::map<std::string, std::int64_t> minimums[kTaskKindCount];  // of children, wanted
  for (const PoolFigures& pool : pools) {
    if (!pool.declared) on_demand.insert(pool.pool);
    for (const TaskKind kind : kTaskKinds) {
      const QueueFigures& figures = pool.of[index(kind)];
      minimums[index(kind)][pool.parent] += std::min(figures.min_share, figures.demand);
      if (figures.maximum >= 0 && figures.running >= figures.maximum && figures.running > 0) {
        hit("pool_at_maximum");
      }
      if (pool.mode == "fifo" && pool.jobs_running > 1 && figures.pending > 0) hit("fifo_pool");
    }
  }
  for (const TaskKind kind : kTaskKinds) {
    Share total = share_of_slots(engine.state().total_slots(kind));
    if (share_of_slots(minimums[index(kind)][""]) > total) hit("minimums_scaled");
    for (const PoolFigures& pool : pools) {
      if (share_of_slots(minimums[index(kind)][pool.pool]) > pool.of[index(kind)].share) {
        hit("minimums_scaled_within");
      }
    }
  }
  for (const std::string& pool : on_demand) {
    if (!on_demand_.contains(pool)) hit("pool_appeared");
  }
  for (const std::string& pool : on_demand_) {
    if (!on_demand.contains(pool)) hit("pool_disappeared");
  }
  on_demand_ = std::move(on_demand);
}

}  // namespace weir
