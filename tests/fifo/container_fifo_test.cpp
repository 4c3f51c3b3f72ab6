// Fifo where containers count: what pends in each queue, however its jobs come, move and go; and
// what a task is told that finds no room.
#include "fifo/container_fifo.h"

#include <gtest/gtest.h>

#include "support/harness.h"

namespace weir::test {
namespace {

struct ContainerFifoFigures : testing::Test {
  ContainerFifoFigures() {
    h.settings().resources.mode = ResourceSettings::Mode::kContainers;
    QueueSettings parent = queue("p");
    parent.queues = {queue("a"), queue("b")};
    h.add_queue(parent).add_queue(queue("c"));
    join("tt1", 4096);
  }
  // With four cores.
  void join(const std::string& name, std::int64_t memory_mb) {
    RegisterTracker registration;
    registration.name = registration.host = name;
    registration.incarnation = h.tracker(name).incarnation = 7;
    registration.total = Resources{{0, 0, memory_mb, 4}};
    h.step(registration);
  }
  void ask(std::int64_t memory_mb, std::int64_t vcores) {
    auto spec = std::make_shared<JobSpec>();
    spec->queue = "c";
    spec->task_groups = {{.name = "main", .count = 1, .command = "true"}};
    spec->task_groups[0].asked = {memory_mb, vcores, {}};
    h.step(SubmitJob{{"ann", {}}, std::move(spec)});
  }
  std::int64_t pending(const std::string& path, Dimension d = Dimension::kVcores) {
    return h.engine().policy().figures(*h.state().tree().find_path(path), d).pending;
  }

  Harness h{[](std::string_view, const ClusterState& state, PolicyMemory&) {
              return std::unique_ptr<Policy>(std::make_unique<ContainerFifo>(state));
            },
            "fifo"};
};

TEST_F(ContainerFifoFigures, AParentHasWhatItsChildrenHave) {
  h.submit({.queue = "a", .maps = 3});
  h.submit({.queue = "b", .maps = 2});
  h.submit({.queue = "c", .maps = 1});
  EXPECT_EQ(pending("p.a"), 3);
  EXPECT_EQ(pending("p.b"), 2);
  EXPECT_EQ(pending("p"), 4);  // no more than the cluster has
  EXPECT_EQ(pending("c"), 1);
  EXPECT_EQ(pending("p.b", Dimension::kMemoryMb), 2048);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J1/m2 J2/m0");
  EXPECT_EQ(pending("p.a"), 0);
  EXPECT_EQ(pending("p.b"), 1);
  EXPECT_EQ(pending("c"), 1);
}

TEST_F(ContainerFifoFigures, AJobThatMovesTakesItAlong) {
  h.submit({.queue = "a", .maps = 2});
  h.step(MoveJob{{"root", {}}, JobId(1), "c"});
  EXPECT_EQ(pending("p"), 0);
  EXPECT_EQ(pending("c"), 2);
  h.step(KillJob{{"root", {}}, JobId(1)});
  EXPECT_EQ(pending("c"), 0);
}

TEST_F(ContainerFifoFigures, OfScatteredRoomTheTrackerThatComesNearestIsNamed) {
  join("tt2", 2048);
  ask(1024, 4);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");  // leaves 3072 MB and no core
  ask(1536, 1);
  EXPECT_EQ(h.heartbeat("tt2"), "J2/t0");  // leaves 512 MB and three cores
  ask(1024, 1);
  const auto reasons = h.engine().policy().explain(JobId(3), group_kind(0), h.now);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].code, "fragmented");
  EXPECT_EQ(reasons[0].message,
            "3584 MB, 3 vcores are free in all, but 1024 MB, 1 vcore on no tracker that it may "
            "have: tt2 comes nearest and lacks 512 MB");
}

}  // namespace
}  // namespace weir::test
