// What a claim says that is due and for which nobody dies, where containers count (containers.md
// 9.2): nowhere could as much be freed, or not on one tracker. What became of kills, and what a
// task says that its queue has too little for.
#include <gtest/gtest.h>

#include "capacity/container_capacity.h"
#include "support/harness.h"

namespace weir::test {
namespace {

struct ContainerBlocks : testing::Test {
  ContainerBlocks() {
    h.settings().resources.mode = ResourceSettings::Mode::kContainers;
    h.add_queue(owner("a", 0)).add_queue(owner("q", 50)).add_queue(owner("b", 50));
  }
  static QueueSettings owner(const std::string& name, std::int64_t percent) {
    QueueSettings settings = queue(name, percent);
    for (Guarantee& g : settings.guaranteed) g = {Guarantee::Unit::kPercent, percent * 100};
    for (auto& after : settings.reclaim_after_ms) after = 60'000;
    return settings;
  }
  void connect(const std::string& name, std::int64_t memory_mb) {
    RegisterTracker registration;
    registration.name = registration.host = name;
    registration.incarnation = h.tracker(name).incarnation = 7;
    registration.total = Resources{{0, 0, memory_mb, 8}};
    h.step(registration);
  }
  void run(const std::string& of, std::uint32_t maps, const std::string& tracker) {
    h.submit({.queue = of, .maps = maps});
    h.heartbeat(tracker);
  }
  // What b's claim says a minute after it wants a task of 2 GB.
  ClaimBlock after_a_minute() {
    h.submit({.queue = "b", .maps = 1, .slots_per_map = 2});
    h.advance(1'000);
    h.advance(62'000);
    EXPECT_TRUE(h.events<KillOrdered>().empty());
    const auto& claims =
        h.state().claims().claims(*h.state().tree().find_path("b"), Dimension::kMemoryMb);
    EXPECT_EQ(claims.size(), 1u);
    return claims.empty() ? ClaimBlock::kNone : claims.front().block;
  }

  Harness h{[](std::string_view, const ClusterState& state, PolicyMemory& memory) {
              return std::unique_ptr<Policy>(std::make_unique<ContainerCapacity>(state, memory));
            },
            "capacity"};
};

TEST_F(ContainerBlocks, SomeOnEachTrackerIsFragmented) {
  connect("tt1", 2048);
  connect("tt2", 2048);
  for (const char* tracker : {"tt1", "tt2"}) {
    run("q", 1, tracker);
    run("a", 1, tracker);
  }
  EXPECT_EQ(after_a_minute(), ClaimBlock::kFragmented);
}

TEST_F(ContainerBlocks, TooLittleInAllIsUnservable) {
  connect("tt1", 1024);  // the task fits on tt2 alone
  connect("tt2", 3072);
  run("a", 1, "tt1");
  run("q", 2, "tt2");
  run("a", 1, "tt2");
  EXPECT_EQ(after_a_minute(), ClaimBlock::kUnservable);
}

// Of a gang whose room is complete with the last of its victims only, which ends later.
TEST_F(ContainerBlocks, KillsAreUsedWhereMembersOfAGangStart) {
  connect("tt1", 8192);
  run("q", 8, "tt1");
  auto gang = std::make_shared<JobSpec>();
  gang->name = gang->user = "g";
  gang->queue = "b";
  gang->reduces = 0;
  for (const std::uint32_t members : {1u, 2u}) {
    TaskGroupSpec& group = gang->task_groups.emplace_back();
    group.name = members == 1 ? "ps" : "w";
    group.count = group.gang = members;
    group.command = "true";
    group.asked = {512 * members, 1, {}};
  }
  h.step(SubmitJob{{"g", {}}, gang});
  h.advance(1'000);
  h.advance(62'000);
  const auto ran = h.tracker("tt1").held;
  EXPECT_EQ(h.heartbeat("tt1"), "");
  const auto killed = h.tracker("tt1").last.kill;
  ASSERT_EQ(killed.size(), 3u);
  h.tracker("tt1").held[killed[2]] = ran.at(killed[2]);  // it still runs
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.heartbeat("tt1"), "J2/t0 J2/t0 J2/t1");
  ASSERT_EQ(h.state().claims().records().size(), 3u);
  for (const KillRecord& record : h.state().claims().records())
    EXPECT_EQ(record.outcome, KillRecord::Outcome::kUsed);
}

// All that its queue has would not do: that is what it says, too.
TEST_F(ContainerBlocks, ATaskLargerThanTheAllocationSaysWhatItNeeds) {
  connect("tt1", 4096);
  run("q", 4, "tt1");
  h.submit({.queue = "b", .maps = 1, .slots_per_map = 3});
  const auto reasons = h.engine().policy().explain(JobId(2), TaskKind::kMap, h.now);
  ASSERT_FALSE(reasons.empty());
  EXPECT_EQ(reasons.front().code, "queue_at_capacity");
  EXPECT_EQ(reasons.front().message,
            "queue b runs no memory_mb of its allocated 2048 MB (guaranteed 2048 MB); the task "
            "needs 3072 MB");
}

}  // namespace
}  // namespace weir::test
