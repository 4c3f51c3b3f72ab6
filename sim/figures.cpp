#include "sim/figures.h"

namespace weir {

std::optional<double> queue_figure(const Engine& engine, QueueId queue, TaskKind kind,
                                   std::string_view figure) {
  const QueueFigures figures = engine.policy().figures(queue, kind);
  if (figure == "running") return figures.running;
  if (figure == "pending") return figures.pending;
  if (figure == "demand") return figures.demand;
  if (engine.policy().name() != "capacity") return std::nullopt;
  if (figure == "guaranteed") return figures.guaranteed;
  if (figure == "allocated") return figures.allocated;
  return std::nullopt;
}

std::optional<double> job_figure(const Engine&, const Job& job, TaskKind kind,
                                 std::string_view figure) {
  const std::int64_t running = job.tasks(kind).running * job.width(kind);
  const std::int64_t pending = job.launchable(kind) * job.width(kind);
  if (figure == "running") return running;
  if (figure == "pending") return pending;
  if (figure == "demand") return running + pending;
  return std::nullopt;
}

}  // namespace weir
