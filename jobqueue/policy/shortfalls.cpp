#include "jobqueue/policy/shortfalls.h"

#include <algorithm>

#include "jobqueue/policy/leaf_need.h"

namespace weir {

Shortfalls::Shortfalls(const ClusterState& state) : state_(state), placeable_(state) {
  for (const TaskKind kind : kTaskKinds) {
    bounds_[index(kind)].shares = exact_shares(state.tree(), kind);
  }
}

const Shortfalls::Bounds& Shortfalls::bounds(TaskKind kind) {
  Bounds& known = bounds_[index(kind)];
  if (const std::int64_t total = state_.total_slots(kind); known.total != total) {
    known.total = total;
    known.guaranteed = guaranteed_slots(state_.tree(), known.shares, total);
    known.maximum = maximum_slots(state_.tree(), total, known.guaranteed);
  }
  return known;
}

std::int64_t Shortfalls::shortfall(QueueId leaf, TaskKind kind) {
  const Bounds& here = bounds(kind);
  if (here.total < here.shares[leaf.index()].one_slot_from) return 0;
  placeable_.refresh();
  LeafJobs jobs;
  DyingTasks dying;
  for (const auto& [user, held] : state_.queue(leaf).users) {
    jobs.set_user_running(user, held.running_slots[index(kind)]);
  }
  for (const JobId id : state_.queue(leaf).unfinished) {
    const Job& job = state_.job(id);
    if (!job.schedulable()) continue;
    const std::int64_t width = std::max<std::int64_t>(job.width(kind), 1);
    const std::uint32_t launchable = job.launchable(kind);
    if (launchable > 0 && placeable_(job, kind)) {
      jobs.set_tasks(job_order(state_, job), job.user, width, 0, launchable);
    }
    if (job.tasks(kind).dying > 0) dying[width] += job.tasks(kind).dying;
  }
  const QueueSettings& settings = state_.tree().node(leaf).settings;
  const std::int64_t running = state_.queue(leaf).running_slots[index(kind)];
  const LeafNeed need{.jobs = jobs,
                      .dying = dying,
                      .user_limit = settings.user_limit,
                      .has_maximum = settings.maximum_hundredths.has_value(),
                      .guaranteed = here.guaranteed[leaf.index()],
                      .maximum = here.maximum[leaf.index()],
                      .running = running};
  const std::int64_t demand =
      std::min(need.maximum, running + need.pending() + need.dying_slots());
  return need.whole_tasks(std::min(need.guaranteed, demand) - running);
}

}  // namespace weir
