// The figures of pools and jobs under the fair policy: which pools there are, what they run and
// want, and their fair shares.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "jobqueue/policy/pools_facet.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {

// A share as the policy says it may be off by so many slots (fair.md: 0.01).
bool near(Share said, const Rational& expected) {
  const Rational off = Rational(said, kWholeSlot) - expected;
  return off <= Rational(1, 100) && off >= Rational(-1, 100);
}

double shown(const Rational& value) {
  return value.convert_to<double>();
}

void check_pool(const PoolFigures& figures, const Pools& pools, Verdict& verdict) {
  const PoolLine& line = pools.line(figures.pool);
  const QueueFigures& said = figures.of[index(pools.kind)];
  const std::int64_t maximum = line.rules->maximum[index(pools.kind)].value_or(-1);
  const std::string who = fmt::format("pool {} ({})", figures.pool, name(pools.kind));
  if (said.running != line.running || said.demand != line.demand ||
      said.min_share != line.minimum || said.maximum != maximum) {
    verdict.breach("pool-figures",
                   fmt::format("{}: RUN {}, demand {}, minimum {}, maximum {}, recomputed {}, {}, "
                               "{} and {}",
                               who, said.running, said.demand, said.min_share, said.maximum,
                               line.running, line.demand, line.minimum, maximum));
  }
  if (!near(said.share, line.share)) {
    verdict.breach("pool-share",
                   fmt::format("{}: its fair share is {:.6f}, recomputed {:.6f} (demand {}, "
                               "minimum {}, weight {}, {} slots in all)",
                               who, static_cast<double>(said.share) / kWholeSlot, shown(line.share),
                               line.demand, line.minimum,
                               static_cast<double>(line.rules->weight) / 1e6, pools.total));
  }
}

// Nobody has declared it and no job is in it.
void check_empty(const PoolFigures& figures, TaskKind kind, Verdict& verdict) {
  const QueueFigures& said = figures.of[index(kind)];
  const std::string what = fmt::format("pool {} ({}) is empty, but has ", figures.pool, name(kind));
  if (said.running != 0 || said.demand != 0) {
    verdict.breach("pool-figures",
                   what + fmt::format("RUN {}, demand {}", said.running, said.demand));
  }
  if (said.share != 0) {
    verdict.breach("pool-share",
                   what + fmt::format("a share of {:.6f}",
                                      static_cast<double>(said.share) / kWholeSlot));
  }
}

// By name: also `default` and those of leaf queues while they are empty, with those above them.
std::set<std::string> pools_shown(const Step& step, const Pools& pools) {
  std::set<std::string> shown{"default"};
  for (const auto& [path, line] : pools.lines) shown.insert(path);
  for (const QueueId leaf : step.state.tree().leaves()) {
    for (std::string p = step.path(leaf); !p.empty(); p = parent_of(p)) shown.insert(p);
  }
  shown.erase("");
  return shown;
}

void check_jobs(const Step& step, const Pools& pools, Verdict& verdict) {
  for (const auto& [path, line] : pools.lines) {
    for (const PoolJob& job : line.jobs) {
      const JobId id = job.count->job->id;
      // Jobs of FIFO pools have no share of their own, unless deficits need one.
      const bool none = !job.runnable || (line.rules->fifo && !step.fair->deficit);
      const Rational share = none ? Rational(0) : job.share;
      const JobFigures said = job_figures(step.engine.policy(), id, pools.kind);
      if (near(said.share, share)) continue;
      verdict.breach("job-share",
                     fmt::format("{} ({}) in pool {}: its fair share is {:.6f}, recomputed {:.6f} "
                                 "(demand {}, weight {:.6f}, the pool's share {:.6f})",
                                 job_name(id), name(pools.kind), path,
                                 static_cast<double>(said.share) / kWholeSlot, shown(share),
                                 job.demand, shown(job.weight), shown(line.share)));
    }
  }
}

}  // namespace

void check_pools(const Step& step, Verdict& verdict) {
  if (!step.fair) return;
  const std::vector<PoolFigures> all = pool_figures(step.engine.policy(), step.engine.now());
  for (const TaskKind kind : kTaskKinds) {
    Pools pools(step.census, kind, *step.fair, step.where, step.engine.now());
    pools.deal_shares();
    std::string known, expected;
    for (const PoolFigures& figures : all) known += figures.pool + " ";
    for (const std::string& path : pools_shown(step, pools)) expected += path + " ";
    if (known != expected) {
      return verdict.breach("pool-figures",
                            fmt::format("the pools are {}recomputed {}", known + "; ", expected));
    }
    for (const PoolFigures& figures : all) {
      if (pools.lines.contains(figures.pool)) {
        check_pool(figures, pools, verdict);
      } else {
        check_empty(figures, kind, verdict);
      }
    }
    if (verdict.clean()) check_jobs(step, pools, verdict);
  }
}

}  // namespace weir::check
