// Stopping and starting a queue: whether it takes new jobs.
#include "jobqueue/engine/parts.h"
#include "jobqueue/model/access_rights.h"

namespace weir {

void Administration::on(const SetQueueState& input, Token token) {
  const auto queue = state_.tree().find(input.queue);
  if (!queue) return refuse(token, "queue", queue.error());
  if (const auto may = check_administrator(state_, input.caller, *queue); !may) {
    return refuse(token, "queue", may.error());
  }
  const QueueTree::Node& node = state_.tree().node(*queue);
  if (!input.stopped && node.settings.stopped) {
    return refuse(token, "queue",
                  Error{ErrorCode::kBadRequest,
                        "queue " + node.path + " is stopped by the settings (state: stopped)",
                        "change the settings to start it"});
  }
  parts_.promises.promise(token, QueueStateChanged{node.path, input.stopped});
}

ReplyBody Administration::apply(const QueueStateChanged& change) {
  if (const auto queue = state_.tree().find_path(change.queue)) {
    state_.stop_by_command(*queue, change.stopped);
  } else {
    forget_stop(change.queue);
  }
  changes_.queues = true;
  return Done{};
}

// The queue is gone. One that is declared by its name later is another one, and takes jobs.
void Administration::forget_stop(const std::string& path) {
  emit(QueueStateChanged{path, false});
}

}  // namespace weir
