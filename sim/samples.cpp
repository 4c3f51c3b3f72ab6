#include "sim/samples.h"

#include "sim/figures.h"
#include "sim/sim_engine.h"

namespace weir {

void SampleLog::on_step(const Engine& engine, const Input& input, const Output&) {
  if (!std::holds_alternative<Tick>(input.body)) return;
  const QueueTree& tree = engine.state().tree();
  for (std::size_t i = QueueTree::root().index() + 1; i < tree.size(); ++i) {
    const QueueId queue(i);
    for (const TaskKind kind : kTaskKinds) {
      line_.begin()
          .add("t", engine.now() - SimEngine::kStart)
          .add("queue", tree.node(queue).path)
          .add("class", name(kind));
      for (const std::string_view figure : kFigureNames) {
        if (const auto value = queue_figure(engine, queue, kind, figure)) {
          line_.add_number(figure, *value);
        } else {
          line_.add_null(figure);
        }
      }
      line_.end();
    }
  }
}

}  // namespace weir
