#include "fair/task_selector.h"

namespace weir {
namespace {

class DefaultTaskSelector : public TaskSelector {
 public:
  std::optional<Choice> pick(const ClusterState& state, JobId job, TaskKind kind, TrackerId tracker,
                             Locality allowed) const override {
    return launch_of(state.pick_task(job, kind, tracker, allowed));
  }
};

}  // namespace

std::unique_ptr<TaskSelector> make_task_selector(const FairSettings& settings) {
  if (settings.task_selector == "default") return std::make_unique<DefaultTaskSelector>();
  return nullptr;
}

std::vector<std::string> task_selector_names() {
  return {"default"};
}

}  // namespace weir
