// The harness under the capacity policy where containers count; settings may bring slots back.
#pragma once

#include <memory>
#include <string>

#include "capacity/capacity_harness.h"
#include "capacity/container_capacity.h"
#include "tracker/published/render.h"

namespace weir::test {

inline PolicyFactory capacity_of_both() {
  return [](std::string_view, const ClusterState& state,
            PolicyMemory& memory) -> std::unique_ptr<Policy> {
    if (state.space().containers()) return std::make_unique<ContainerCapacity>(state, memory);
    return std::make_unique<CapacityPolicy>(state, memory);
  };
}

struct ContainerHarness : Harness {
  explicit ContainerHarness(PolicyFactory factory = capacity_of_both(),
                            const std::string& policy = "capacity")
      : Harness(std::move(factory), policy) {
    settings().resources.mode = ResourceSettings::Mode::kContainers;
    settings().resources.named = {"gpu"};
  }

  void join(const std::string& name) {
    tracker(name).incarnation = 7;
    RegisterTracker registration;
    registration.name = name;
    registration.incarnation = 7;
    registration.host = name;
    registration.total = Resources{{4, 0, 4096, 8}};
    registration.named = {{"gpu", 4}};
    step(registration);
  }

  // So many tasks of one core.
  void ask(const std::string& queue, const std::string& user, std::uint32_t count,
           std::int64_t memory_mb, std::int64_t gpus = 0) {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "app";
    spec->user = user;
    spec->queue = queue;
    spec->reduces = 0;
    TaskGroupSpec& group = spec->task_groups.emplace_back();
    group.name = "main";
    group.count = count;
    group.command = "true";
    group.asked = {memory_mb, 1, {}};
    if (gpus > 0) group.asked.named["gpu"] = gpus;
    step(SubmitJob{{user, {}}, std::move(spec)});
  }

  void change(const std::function<void(Settings&)>& how) {
    auto next = std::make_shared<Settings>(state().settings());
    how(*next);
    for (const Reply& reply : step(ApplySettings{{"root", {}}, next})) {
      const auto* refused = std::get_if<Error>(&reply.body);
      EXPECT_EQ(refused, nullptr) << refused->message;
    }
  }

  QueueView shown(const std::string& path, const Past& past = Past()) {
    for (QueueView& queue : render_queues(engine(), WallClock(), past)) {
      if (queue.name == path) return queue;
    }
    ADD_FAILURE() << "no queue " << path;
    return {};
  }
};

}  // namespace weir::test
