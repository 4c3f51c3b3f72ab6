// What is kept by those who do not lend, along a tree of queues or pools.
#include "jobqueue/policy/kept_room.h"

#include <gtest/gtest.h>

#include "fifo/container_fifo.h"
#include "support/harness.h"

namespace weir::test {
namespace {

constexpr std::size_t kParent = 1, kA = 2, kB = 3, kC = 4;

struct KeptRoomOfATree : testing::Test {
  KeptRoomOfATree() {
    h.settings().resources.mode = ResourceSettings::Mode::kContainers;
    h.add_queue(queue("c"));
    RegisterTracker registration;
    registration.name = registration.host = "tt1";
    registration.incarnation = h.tracker("tt1").incarnation = 7;
    registration.total = Resources{{0, 0, 4096, 4}};
    h.step(registration);
  }
  static KeptAmounts::Keeper keeper(std::size_t above, std::int64_t keep, std::int64_t running) {
    KeptAmounts::Keeper one{.above = above};
    one.keep[Dimension::kVcores] = keep;
    one.running[Dimension::kVcores] = running;
    return one;
  }
  // A parent that keeps 3 (or so much) of 4 vcores and runs 1, with a child that keeps 2 and runs
  // that one, and one that keeps nothing; beside them c, which keeps 1.
  KeptRoom room(std::int64_t keep = 3) {
    KeptAmounts amounts(h.state(),
                        {{},
                         keeper(0, keep, 1),
                         keeper(kParent, 2, 1),
                         keeper(kParent, 0, 0),
                         keeper(0, 1, 0)},
                        {kA, kB, kParent, kC}, [](const Job&) { return kC; });
    return {std::move(amounts), h.state(), [](const Job&, TaskKind) { return true; },
            [](const Job&, const Job&) { return false; }};
  }
  std::int64_t for_others(std::size_t leaf) { return room().for_others(leaf)[Dimension::kVcores]; }
  static Resources vcores(std::int64_t count) { return Resources{{0, 0, 0, count}}; }

  Harness h{[](std::string_view, const ClusterState& state, PolicyMemory&) {
              return std::unique_ptr<Policy>(std::make_unique<ContainerFifo>(state));
            },
            "fifo"};
};

TEST_F(KeptRoomOfATree, IsWhatSiblingsOnTheWayDoNotRunOfWhatTheyKeep) {
  EXPECT_EQ(for_others(kC), 2);  // the parent's, in which the child's is
  EXPECT_EQ(for_others(kA), 1);
  EXPECT_EQ(for_others(kB), 2);  // the child's and c's
  EXPECT_TRUE(room().leaves(kC, vcores(2)));
  EXPECT_FALSE(room().leaves(kC, vcores(3)));
  EXPECT_TRUE(room().leaves(kC, {}));
}

TEST_F(KeptRoomOfATree, LeavesLessWhenNothingRuns) {
  EXPECT_TRUE(room().could_leave(kC, vcores(1)));
  EXPECT_FALSE(room().could_leave(kC, vcores(2)));
  EXPECT_TRUE(room().could_leave(kA, vcores(3)));
  EXPECT_FALSE(room().could_leave(kB, vcores(2)));
}

TEST_F(KeptRoomOfATree, NobodyBeginsToWaitForWhatIsNeverLeft) {
  h.submit({.queue = "c", .maps = 1});
  const Job& job = h.state().job(JobId(1));
  EXPECT_TRUE(room().choice_to_wait(job, TaskKind::kMap));
  EXPECT_FALSE(room(4).choice_to_wait(job, TaskKind::kMap));
}

}  // namespace
}  // namespace weir::test
