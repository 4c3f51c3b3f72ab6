// What readers see of pools where containers count: of a queue's pool the figures of the queue.
#include <gtest/gtest.h>

#include "fair/container_fair.h"
#include "tracker/published/container_harness.h"
#include "tracker/published/policy_outlook.h"

namespace weir::test {
namespace {

constexpr std::size_t kMemory = 0, kVcores = 1;

PolicyFactory fair() {
  return [](std::string_view, const ClusterState& state, PolicyMemory& memory) {
    return std::make_unique<ContainerFair>(state, memory);
  };
}

// One tracker of 4096 MB and 8 cores; p.a may run 3072 MB as a queue and 2 cores as a pool.
struct PoolViews : testing::Test {
  PoolViews() : h(fair(), "fair") {
    QueueSettings a = queue("a");
    a.maximum_hundredths = 75'00;
    h.add_queue(with_children(queue("p"), {a, queue("b")}));
    PoolSettings p, pool;
    p.name = "p";
    pool.name = "a";
    pool.maximum[Dimension(Dimension::kVcores).value()] = 2;
    pool.minimum[Dimension(Dimension::kMemoryMb).value()] = 1024;
    pool.lend = QueueBound{};
    pool.lend->of[kMemory] = {Guarantee::Unit::kPercent, 25'00};
    p.pools = {pool};
    auto section = std::make_shared<FairSettings>();
    section->pools = {p};
    h.settings().policies["fair"] = section;
    h.join("tt1");
    h.ask("p.a", "ann", 9, 1024);
  }
  OutlookView::Figures pool(const std::string& path, std::size_t place) {
    for (const OutlookView::Share& share : ruling_outlook(h.engine()).shares) {
      if (share.name == path) return share.amounts.at(place).figures;
    }
    ADD_FAILURE() << "no pool " << path;
    return {};
  }
  ContainerHarness h;
};

TEST_F(PoolViews, AQueueAndItsPoolWantTheSame) {
  for (const std::int64_t running : {0, 2}) {
    for (const char* path : {"p", "p.a"}) {
      const QueueView queue = h.shown(path);
      EXPECT_EQ(queue.amounts[kMemory].figures.pending, 3072 - 1024 * running) << path;
      EXPECT_EQ(queue.amounts[kVcores].figures.pending, 2 - running) << path;
      EXPECT_EQ(pool(path, kMemory).pending, 3072 - 1024 * running) << path;
      EXPECT_EQ(pool(path, kVcores).pending, 2 - running) << path;
      EXPECT_EQ(pool(path, kMemory).demand, 3072) << path;
      EXPECT_EQ(pool(path, kVcores).demand, 2) << path;
    }
    h.heartbeat("tt1");
  }
}

TEST_F(PoolViews, AQueueShowsWhatItsPoolKeeps) {
  EXPECT_EQ(h.shown("p.a").amounts[kMemory].kept, 768);
  EXPECT_EQ(h.shown("p.a").amounts[kVcores].kept, 0);
  EXPECT_EQ(h.shown("p.b").amounts[kMemory].kept.value_or(0), 0);
}

TEST(PoolReasons, SayWhatThePoolRunsAndIsDueOfWhatDecides) {
  ContainerHarness h(fair(), "fair");
  h.add_queue(queue("a")).add_queue(queue("b"));
  h.join("tt1");
  h.ask("a", "ann", 9, 1024);
  h.heartbeat("tt1");
  h.ask("b", "bob", 9, 1024);
  const auto why = [&h](std::uint32_t job) {
    const TaskKind kind = *h.state().job(JobId(job)).kinds().begin();
    return h.engine().policy().explain(JobId(job), kind, h.now).back();
  };
  EXPECT_EQ(why(1).code, "pool_at_share");
  EXPECT_EQ(why(1).message, "pool a runs 4096 MB, its fair share is 2048");
  EXPECT_EQ(why(2).code, "pool_below_share");
  EXPECT_EQ(why(2).message,
            "pool b runs no memory_mb of its fair share of 2048 and comes before pools that run "
            "more for their weight");
}

}  // namespace
}  // namespace weir::test
