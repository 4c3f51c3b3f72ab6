// Where containers count: reduces that stand in the way of the maps that they wait for.
#include <gmock/gmock.h>

#include "fifo/container_fifo.h"
#include "fifo/fifo_policy.h"
#include "support/harness.h"

namespace weir::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::unique_ptr<Policy> fifo(std::string_view, const ClusterState& state, PolicyMemory&) {
  if (state.space().containers()) return std::make_unique<ContainerFifo>(state);
  return std::make_unique<FifoPolicy>(state);
}

struct OwnMapsTest : testing::Test {
  OwnMapsTest() { h.settings().resources.mode = ResourceSettings::Mode::kContainers; }

  void add_tracker(const std::string& name, std::int64_t vcores) {
    RegisterTracker registration;
    registration.name = name;
    registration.incarnation = ++incarnations_;
    registration.host = name;
    registration.total = Resources{{0, 0, 65'536, vcores}};
    h.tracker(name).incarnation = incarnations_;
    h.step(registration);
  }
  // Maps run on tt1 and are done; then it is given nothing more.
  void run_maps(std::uint32_t vcores, std::uint32_t maps) {
    add_tracker("tt1", vcores);
    std::string launched;
    for (std::uint32_t i = 0; i < maps; ++i)
      launched += (i == 0 ? "J1/m" : " J1/m") + std::to_string(i);
    ASSERT_EQ(h.heartbeat("tt1"), launched);
    for (std::uint32_t i = 0; i < maps; ++i) h.finish("J1/m" + std::to_string(i));
    h.step(OrderTrackers{{"root", {}}, {"tt1"}, TrackerOrder::kDrain});
    ASSERT_EQ(h.heartbeat("tt1"), "");
  }
  void lose_their_outputs() {
    h.tracker("tt1").held.clear();
    h.tracker("tt1").sequence = 0;
    add_tracker("tt1", 1);
  }
  std::vector<std::string> killed() {
    std::vector<std::string> names;
    for (const KillOrdered& kill : h.events<KillOrdered>()) {
      if (kill.reason == KillReason::kOwnMaps) names.push_back(task_name(kill.attempt.task));
    }
    return names;
  }
  const Job& job() { return h.state().job(JobId(1)); }

  Harness h{fifo, "fifo"};
  std::int64_t incarnations_ = 0;
};

TEST_F(OwnMapsTest, AfterAMinuteTheNewestGoesAndTheMapComesFirst) {
  h.submit({.maps = 1, .reduces = 2});
  run_maps(1, 1);
  add_tracker("tt2", 2);
  ASSERT_EQ(h.heartbeat("tt2"), "J1/r0 J1/r1");
  lose_their_outputs();
  h.advance(59'000);
  EXPECT_THAT(killed(), IsEmpty());
  h.advance(2'000);
  EXPECT_THAT(killed(), ElementsAre("task_0001_r_000001"));
  EXPECT_FALSE(job().tasks(TaskKind::kReduce).open);
  h.heartbeat("tt2");  // it is told
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
  EXPECT_TRUE(job().tasks(TaskKind::kReduce).open);
  h.finish("J1/m0");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/r1");
  h.advance(200'000);
  EXPECT_EQ(killed().size(), 1u);  // nothing waits any more
}

TEST_F(OwnMapsTest, AMapThatStartsLetsTheOthersWaitFromThenOn) {
  h.submit({.maps = 3, .reduces = 1});
  run_maps(2, 2);
  add_tracker("tt2", 2);
  ASSERT_EQ(h.heartbeat("tt2"), "J1/m2 J1/r0");
  lose_their_outputs();
  h.advance(40'000);
  h.finish("J1/m2");
  ASSERT_EQ(h.heartbeat("tt2"), "J1/m0");
  h.advance(40'000);
  EXPECT_THAT(killed(), IsEmpty());
  h.advance(21'000);
  EXPECT_THAT(killed(), ElementsAre("task_0001_r_000000"));
}

// The map is not tried again where it has failed, so nothing makes room for it there.
TEST_F(OwnMapsTest, AMapThatFailedThereMakesNoRoomThere) {
  h.submit({.maps = 1, .reduces = 2});
  run_maps(1, 1);
  add_tracker("tt3", 1);
  ASSERT_EQ(h.heartbeat("tt3"), "J1/r0");
  add_tracker("tt2", 2);
  ASSERT_EQ(h.heartbeat("tt2"), "J1/r1");
  lose_their_outputs();
  ASSERT_EQ(h.heartbeat("tt2"), "J1/m0");
  h.fail("J1/m0");
  ASSERT_EQ(h.heartbeat("tt2"), "");
  h.advance(61'000);
  EXPECT_THAT(killed(), ElementsAre("task_0001_r_000000"));
}

// There is room, and its queue may not have it: with the reduce goes what stands against the map.
TEST_F(OwnMapsTest, AReduceMakesWayAlsoWhereALimitStandsAgainstTheMap) {
  QueueSettings bounded = queue("default", 20);
  bounded.maximum_hundredths = 2000;
  h.add_queue(bounded).add_queue(queue("other", 80));
  h.submit({.maps = 1, .reduces = 2});
  run_maps(5, 1);  // of which the queue may have one
  add_tracker("tt2", 10);
  ASSERT_EQ(h.heartbeat("tt2"), "J1/r0 J1/r1");
  lose_their_outputs();
  h.advance(50'000);
  ASSERT_EQ(h.heartbeat("tt2"), "");
  h.advance(11'000);
  EXPECT_THAT(killed(), ElementsAre("task_0001_r_000001"));
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");  // what dies counts no more
}

// Several small ones on one tracker go rather than one on each of several.
TEST_F(OwnMapsTest, EnoughForOneMapOnOneTracker) {
  h.settings().resources.map[Dimension::kVcores] = 3;
  h.submit({.maps = 1, .reduces = 6});
  run_maps(3, 1);
  add_tracker("tt2", 2);
  add_tracker("tt3", 4);
  ASSERT_EQ(h.heartbeat("tt2"), "J1/r0 J1/r1");
  ASSERT_EQ(h.heartbeat("tt3"), "J1/r2 J1/r3 J1/r4 J1/r5");
  lose_their_outputs();
  h.advance(61'000);
  EXPECT_THAT(killed(), ElementsAre("task_0001_r_000005", "task_0001_r_000004",
                                    "task_0001_r_000003"));
}

TEST_F(OwnMapsTest, WhereSlotsCountNobodyDies) {
  h.settings().resources.mode = ResourceSettings::Mode::kSlots;
  h.submit({.maps = 1, .reduces = 1});
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 1});
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  ASSERT_EQ(h.heartbeat("tt2"), "J1/r0");
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 0});  // it has lost the output
  h.advance(300'000);
  EXPECT_THAT(killed(), IsEmpty());
}

}  // namespace
}  // namespace weir::test
