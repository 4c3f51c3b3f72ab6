// The harness under the capacity policy.
#pragma once

#include <memory>
#include <string>

#include "capacity/capacity_policy.h"
#include "support/harness.h"

namespace weir::test {

inline PolicyFactory capacity_only() {
  return [](std::string_view name, const ClusterState& state,
            PolicyMemory& memory) -> std::unique_ptr<Policy> {
    if (name != "capacity") return nullptr;
    return std::make_unique<CapacityPolicy>(state, memory);
  };
}

struct CapacityHarness : Harness {
  CapacityHarness() : Harness(capacity_only(), "capacity") {}

  // "GC AC RUN PEND" of a queue; of the whole cluster if the path is empty.
  std::string figures_text(const std::string& path, TaskKind kind = TaskKind::kMap) {
    const QueueId id = path.empty() ? QueueTree::root() : *state().tree().find_path(path);
    const QueueFigures f = engine().policy().figures(id, kind);
    return std::to_string(f.guaranteed) + " " + std::to_string(f.allocated) + " " +
           std::to_string(f.running) + " " + std::to_string(f.pending);
  }
  // The codes of why the job waits, "user_at_limit jobs_before".
  std::string why(std::uint32_t job, TaskKind kind = TaskKind::kMap) {
    std::string codes;
    for (const Reason& reason : engine().policy().explain(JobId(job), kind, now)) {
      codes += (codes.empty() ? "" : " ") + reason.code;
    }
    return codes;
  }
};

inline QueueSettings with_user_minimum(QueueSettings q, std::int64_t percent,
                                       UserLimit::Mode mode = UserLimit::Mode::kSoft) {
  q.user_limit.minimum_hundredths = percent * 100;
  q.user_limit.mode = mode;
  return q;
}

inline QueueSettings with_children(QueueSettings q, std::vector<QueueSettings> children) {
  q.queues = std::move(children);
  return q;
}

}  // namespace weir::test
