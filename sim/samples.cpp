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
    for (const Dimension d : engine.state().space().dimensions()) {
      write(engine, tree.node(queue).path, d,
            [&](std::string_view figure) { return queue_figure(engine, queue, d, figure); });
    }
  }
}

void SampleLog::write_pools(const Engine& engine) {
  for (const PoolFigures& pool : pool_figures(engine.policy(), engine.now())) {
    for (const Dimension d : engine.state().space().dimensions()) {
      write(engine, pool.pool, d, [&](std::string_view figure) {
        return d.is_slots() ? pool_figure(pool, d.kind(), figure) : pool_figure(pool, d, figure);
      });
    }
  }
}

template <class FigureOf>
void SampleLog::write(const Engine& engine, const std::string& queue, Dimension dimension,
                      FigureOf figure_of) {
  line_.begin()
      .add("t", engine.now() - SimEngine::kStart)
      .add("queue", queue)
      .add("class", engine.state().space().name(dimension));
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
