#include <algorithm>

#include "jobqueue/policy/pools_facet.h"
#include "sim/figures.h"

namespace weir {
namespace {

std::optional<double> slots(Share share) {
  if (share < 0) return std::nullopt;
  return static_cast<double>(share) / static_cast<double>(kWholeSlot);
}

std::optional<double> known(std::int64_t figure) {
  if (figure < 0) return std::nullopt;
  return static_cast<double>(figure);
}

}  // namespace

std::optional<PoolFigures> find_pool(const Engine& engine, std::string_view name) {
  constexpr std::string_view kRoot = "root.";
  if (name.starts_with(kRoot)) name.remove_prefix(kRoot.size());
  std::vector<PoolFigures> pools = pool_figures(engine.policy(), engine.now());
  const auto find = [&](std::string_view path) -> std::optional<PoolFigures> {
    for (PoolFigures& pool : pools) {
      if (pool.pool == path) return std::move(pool);
    }
    return std::nullopt;
  };
  if (auto pool = find(name)) return pool;
  const auto queue = engine.state().tree().find(name);  // by its last part, perhaps
  return queue ? find(engine.state().tree().node(*queue).path) : std::nullopt;
}

std::optional<double> pool_figure(const PoolFigures& pool, Dimension dimension,
                                  std::string_view figure) {
  if (dimension.place() >= pool.of_dimension.size()) return std::nullopt;
  const QueueFigures& of = pool.of_dimension[dimension.place()];
  if (figure == "running") return of.running;
  if (figure == "pending") return of.pending;
  if (figure == "demand") return of.demand;
  if (figure == "share") return static_cast<double>(of.share) / kWholeSlot;
  if (figure == "min_share") return known(of.min_share);
  return std::nullopt;
}

std::optional<double> pool_figure(const PoolFigures& pool, TaskKind kind, std::string_view figure) {
  const QueueFigures& of = pool.of[index(kind)];
  if (figure == "running") return of.running;
  if (figure == "pending") return of.pending;
  if (figure == "demand") return of.demand;
  if (figure == "copying") return kind == TaskKind::kReduce ? known(pool.copying) : std::nullopt;
  if (figure == "share") return slots(of.share);
  if (figure == "min_share") return known(of.min_share);
  return std::nullopt;
}

PerDimension<std::int64_t> running_of(const Engine& engine, const Job& job) {
  PerDimension<std::int64_t> running;
  for (const TaskKind kind : job.kinds()) {
    for (const Dimension d : engine.state().space().dimensions())
      running[d] += job.need(kind)[d] * job.tasks(kind).running;
  }
  return running;
}

double dominant_part(const Engine& engine, const PerDimension<std::int64_t>& running) {
  double most = 0;
  for (const Dimension d : engine.state().space().dimensions()) {
    const std::int64_t total = engine.state().total()[d];
    if (total > 0)
      most = std::max(most, static_cast<double>(running[d]) / static_cast<double>(total));
  }
  return most;
}

std::optional<double> job_figure(const Engine& engine, const Job& job, Dimension dimension,
                                 std::string_view figure) {
  const std::int64_t running = running_of(engine, job)[dimension];
  std::int64_t pending = 0;
  for (const TaskKind kind : job.kinds())
    pending += job.need(kind)[dimension] * job.launchable(kind);
  if (figure == "running") return running;
  if (figure == "pending") return pending;
  if (figure == "demand") return job.state == JobState::kWaiting ? 0 : running + pending;
  if (figure != "share") return std::nullopt;
  const JobFigures figures = job_figures(engine.policy(), job.id, TaskKind::kMap);
  if (dimension.place() >= figures.of_dimension.size()) return std::nullopt;
  return static_cast<double>(figures.of_dimension[dimension.place()]) / kWholeSlot;
}

std::optional<double> queue_figure(const Engine& engine, QueueId queue, Dimension dimension,
                                   std::string_view figure) {
  const QueueFigures figures = engine.policy().figures(queue, dimension);
  if (figure == "running") return figures.running;
  if (figure == "pending") return figures.pending;
  if (figure == "demand") return figures.demand;
  if (figure == "claims" && engine.state().tree().leaf(queue))
    return engine.state().claims().owed(queue, dimension);
  if (engine.policy().name() != "capacity") return std::nullopt;
  if (figure == "guaranteed") return figures.guaranteed;
  if (figure == "allocated") return figures.allocated;
  return std::nullopt;
}

std::optional<double> job_figure(const Engine& engine, const Job& job, TaskKind kind,
                                 std::string_view figure) {
  const TaskGroup& tasks = job.tasks(kind);
  const std::int64_t running = tasks.running * job.width(kind);
  const bool splits = engine.state().splits(kind);
  const std::int64_t pending = (splits ? tasks.copied : job.launchable(kind)) * job.width(kind);
  if (figure == "speculative") return tasks.speculative.launched;
  if (figure == "speculative_won") return tasks.speculative.won;
  if (figure == "copying") return (tasks.copying + tasks.copied) * job.width(kind);
  if (figure == "running") return running;
  if (figure == "pending") return pending;
  if (figure == "demand") return job.state == JobState::kWaiting ? 0 : running + pending;
  const JobFigures of = job_figures(engine.policy(), job.id, kind);
  if (figure == "share") return slots(of.share);
  if (figure == "weight" && of.weight_millionths >= 0) return of.weight_millionths * 1e-6;
  if (figure == "deficit" && of.deficit_ms) return static_cast<double>(*of.deficit_ms) / 1000;
  return std::nullopt;
}

}  // namespace weir
