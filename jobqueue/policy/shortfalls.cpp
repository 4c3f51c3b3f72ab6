#include "jobqueue/policy/shortfalls.h"

#include <algorithm>

#include "jobqueue/policy/leaf_need.h"

namespace weir {

Shortfalls::Shortfalls(const ClusterState& state) : state_(state), placeable_(state) {
  for (const Dimension d : state.space().dimensions())
    bounds_[d.place()].shares = exact_shares(state.tree(), d);
}

const Shortfalls::Bounds& Shortfalls::bounds(Dimension dimension) {
  Bounds& known = bounds_[dimension.place()];
  if (const std::int64_t total = state_.total()[dimension]; known.total != total) {
    known.total = total;
    known.guaranteed = guaranteed_slots(state_.tree(), known.shares, total);
    known.maximum = maximum_slots(state_.tree(), total, known.guaranteed);
  }
  return known;
}

std::int64_t Shortfalls::of_containers(QueueId leaf, Dimension dimension) {
  const std::int64_t running = state_.queue(leaf).running[dimension];
  std::int64_t wanted = 0;
  placeable_.refresh();
  for (const JobId id : state_.queue(leaf).unfinished) {
    const Job& job = state_.job(id);
    if (!job.schedulable()) continue;
    for (const TaskKind kind : job.items()) {
      const std::int64_t tasks = std::int64_t{job.launchable(kind)} + job.tasks(kind).dying;
      if (tasks > 0 && placeable_(job, kind)) wanted += tasks * job.need(kind)[dimension];
    }
  }
  const std::int64_t guaranteed = bounds(dimension).guaranteed[leaf.index()];
  return std::max<std::int64_t>(0, std::min(guaranteed, running + wanted) - running);
}

std::int64_t Shortfalls::shortfall(QueueId leaf, Dimension dimension) {
  if (!dimension.is_slots()) return of_containers(leaf, dimension);
  const TaskKind kind = dimension.kind();
  const Bounds& here = bounds(kind);
  if (here.total < here.shares[leaf.index()].one_slot_from) return 0;
  placeable_.refresh();
  LeafJobs jobs;
  DyingTasks dying;
  for (const auto& [user, held] : state_.queue(leaf).users) {
    jobs.set_user_running(user, held.running[kind]);
  }
  for (const JobId id : state_.queue(leaf).unfinished) {
    const Job& job = state_.job(id);
    if (!job.schedulable()) continue;
    const std::int64_t width = std::max<std::int64_t>(job.width(kind), 1);
    const std::uint32_t launchable = job.launchable(kind);
    if (launchable > 0 && placeable_(job, kind)) {
      jobs.set_tasks(job_order(state_, job), job.user, width, 0, launchable);
    }
    if (job.tasks(kind).dying > 0)
      dying[job_order(state_, job)] = {.width = width, .tasks = job.tasks(kind).dying};
  }
  const QueueSettings& settings = state_.tree().node(leaf).settings;
  const std::int64_t running = state_.queue(leaf).running[kind];
  const LeafNeed need{.jobs = jobs,
                      .dying = dying,
                      .user_limit = settings.user_limit,
                      .has_maximum = settings.maximum_hundredths.has_value(),
                      .guaranteed = here.guaranteed[leaf.index()],
                      .maximum = here.maximum[leaf.index()],
                      .running = running};
  const std::int64_t demand =
      std::min(need.maximum, running + need.pending() + need.dying_slots());
  return need.owed(std::min(need.guaranteed, demand) - running, [&](JobId id) {
    const Job& job = state_.job(id);
    return WantedOfJob{.order = job_order(state_, job),
                       .user = job.user,
                       .width = std::max<std::int64_t>(job.width(kind), 1),
                       .tasks = job.launchable(kind)};
  });
}

}  // namespace weir
