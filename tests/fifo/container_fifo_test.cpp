// Fifo where containers count: what pends in each queue, however its jobs come, move and go.
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
    RegisterTracker registration;
    registration.name = registration.host = "tt1";
    registration.incarnation = h.tracker("tt1").incarnation = 7;
    registration.total = Resources{{0, 0, 4096, 4}};
    h.step(registration);
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

}  // namespace
}  // namespace weir::test
