#include "sim/samples.h"

#include "jobqueue/policy/pools_facet.h"
#include "sim/figures.h"
#include "sim/sim_engine.h"

namespace weir {

void SampleLog::on_step(const Engine& engine, const Input& input, const Output&) {
  if (!std::holds_alternative<Tick>(input.body)) return;
  if (engine.policy().pools() != nullptr) return write_pools(engine);
  const QueueTree& tree = engine.state().tree();
  for (std::size_t i = QueueTree::root().index() + 1; i < tree.size(); ++i) {
    const QueueId queue(i);
    for (const TaskKind kind : kTaskKinds) {
      write(engine, tree.node(queue).path, kind,
            [&](std::string_view figure) { return queue_figure(engine, queue, kind, figure); });
    }
  }
}

void SampleLog::write_pools(const Engine& engine) {
  for (const PoolFigures& pool : pool_figures(engine.policy(), engine.now())) {
    for (const TaskKind kind : kTaskKinds) {
      write(engine, pool.pool, kind,
            [&](std::string_view figure) { return pool_figure(pool, kind, figure); });
    }
  }
}

template <class FigureOf>
void SampleLog::write(const Engine& engine, const std::string& queue, TaskKind kind,
                      FigureOf figure_of) {
  line_.begin()
      .add("t", engine.now() - SimEngine::kStart)
      .add("queue", queue)
      .add("class", name(kind));
  for (const std::string_view figure : kFigureNames) {
    if (const auto value = figure_of(figure)) {
      line_.add_number(figure, *value);
    } else {
      line_.add_null(figure);
    }
  }
  line_.end();
}

}  // namespace weir
