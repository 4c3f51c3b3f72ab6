// What changed between two settings, a line each.
#include "conf/diff.h"

#include "conf/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/load.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Settings settings(const std::string& text) {
  return load_settings_text("f", text).value().settings;
}

TEST(Diff, NamesEveryChangedKey) {
  const Settings before = settings(
      "queues: [{name: research, guaranteed: 40%, max_jobs: 5, queues: [{name: vision}]}, {name: "
      "old, guaranteed: 60%}]");
  const Settings after = settings(
      "policy: fifo\n"
      "capacity: {interval: 2s}\n"
      "queues: [{name: research, guaranteed: 50%, reclaim_after: 1m, submit: [alice, '@r'], "
      "queues: [{name: vision, "
      "state: stopped}]}, {name: new, guaranteed: 50%}]");
  EXPECT_THAT(diff_settings(before, after),
              ElementsAre("policy: capacity -> fifo", "capacity.interval: 1s -> 2s",
                          "queues.research.guaranteed: 40% -> 50%",
                          "queues.research.reclaim_after.map: inherited -> 1m",
                          "queues.research.reclaim_after.reduce: inherited -> 1m",
                          "queues.research.max_jobs: 5 -> unlimited",
                          "queues.research.submit: everybody -> [alice, @r]",
                          "queues.research.vision.state: running -> stopped",
                          "queues.new: added (guaranteed 50%)", "queues.old: removed"));
}

TEST(Diff, ASpelledOutDefaultIsNoChange) {
  EXPECT_THAT(
      diff_settings(
          settings("queues: [{name: a}]"),
          settings(
              "capacity: {interval: 1s}\nheartbeat: {interval: auto}\nqueues: [{name: a, maximum: "
              "100%, max_jobs: unlimited, user_limit: {minimum: 100%}}]")),
      IsEmpty());
  Settings by_hand;
  by_hand.queues.emplace_back().name = "default";
  for (bool& on : by_hand.speculation.on) on = true;
  EXPECT_THAT(diff_settings(by_hand, settings("policy: capacity")), IsEmpty());
}

TEST(Diff, PercentagesAreToldAsTheyAreWritten) {
  const Settings before = settings("speculation: {lag: 20%}");
  EXPECT_THAT(diff_settings(before, settings("speculation: {lag: 25%}")),
              ElementsAre("speculation.lag: 20% -> 25%"));
}

TEST(Diff, Guarantees) {
  const auto text = [](Guarantee map, Guarantee reduce) {
    const Guarantee both[kPlaceCount] = {map, reduce};
    return format_guarantee(both, Space({}));
  };
  using Unit = Guarantee::Unit;
  EXPECT_EQ(text({Unit::kPercent, 4000}, {Unit::kPercent, 4000}), "40%");
  EXPECT_EQ(text({Unit::kPercent, 4000}, {Unit::kPercent, 3350}), "40% map / 33.5% reduce");
  EXPECT_EQ(text({Unit::kSlots, 40}, {Unit::kSlots, 20}), "40 map / 20 reduce slots");
  EXPECT_EQ(text({}, {}), "equal part");
}

TEST(Diff, AmountsOfContainersAreToldByDimension) {
  const std::string head =
      "policy: capacity\nresources: containers\ncontainers: {resources: [gpu]}\n";
  const auto with = [&](const std::string& a) {
    return settings(head + "queues: [{name: a, " + a + "}]");
  };
  const Settings plain = with("guaranteed: 100%");
  EXPECT_THAT(
      diff_settings(plain, with("guaranteed: {memory_mb: 4096, vcores: 2, gpu: 1}, maximum: "
                                "{vcores: 80%}, borrow: 20%, lend: never")),
      ElementsAre("queues.a.guaranteed: 100% -> {memory_mb: 4096, vcores: 2, gpu: 1}",
                  "queues.a.maximum: 100% -> {vcores: 80%}",
                  "queues.a.borrow: unlimited -> 20%", "queues.a.lend: all -> never"));
  EXPECT_THAT(diff_settings(plain, with("guaranteed: 100%, maximum: 100%, lend: all")), IsEmpty());
  EXPECT_THAT(diff_settings(plain, with("guaranteed: 100%, lend: {memory_mb: all, vcores: all}")),
              IsEmpty());
  EXPECT_THAT(diff_settings(plain, with("guaranteed: 100%, borrow: {gpu: never}, "
                                        "lend: {memory_mb: never, vcores: all, gpu: 50%}")),
              ElementsAre("queues.a.borrow: unlimited -> {gpu: 0%}",
                          "queues.a.lend: all -> {memory_mb: 0%, gpu: 50%}"));
  EXPECT_THAT(diff_settings(settings("policy: capacity"),
                            settings("policy: capacity\nresources: containers\n"
                                     "containers: {resources: [gpu], minimum: {memory_mb: 256}}")),
              ElementsAre("resources: slots -> containers", "containers.resources: [] -> [gpu]",
                          "containers.minimum: {memory_mb: 128, vcores: 1} -> {memory_mb: 256, "
                          "vcores: 1}"));
}

TEST(Diff, PoolsOfContainersSayAmountsAndHowTheyShare) {
  const auto with = [](const std::string& a) {
    return settings("policy: fair\nresources: containers\nfair: {pools: [{name: a" + a + "}]}");
  };
  EXPECT_THAT(diff_settings(with(""), with(", min_share: {memory_mb: 2048}, max_share: {vcores: "
                                           "6}, policy: fifo, lend: never")),
              ElementsAre("fair.pools.a.min_share: none -> {memory_mb: 2048}",
                          "fair.pools.a.max_share: unlimited -> {vcores: 6}",
                          "fair.pools.a.policy: drf -> fifo", "fair.pools.a.lend: all -> never"));
  EXPECT_THAT(diff_settings(with(", min_share: {memory_mb: 2048}, lend: {memory_mb: 50%}"),
                            with(", min_share: {memory_mb: 7168}, mode: fair, lend: all")),
              ElementsAre("fair.pools.a.min_share: {memory_mb: 2048} -> {memory_mb: 7168}",
                          "fair.pools.a.policy: drf -> fair",
                          "fair.pools.a.lend: {memory_mb: 50%} -> all"));
  EXPECT_THAT(diff_settings(with(", policy: drf, lend: all"), with("")), IsEmpty());
}

// What counts on one side alone is told of, if it was said.
TEST(Diff, FromSlotsToContainersPoolsSayOtherThings) {
  EXPECT_THAT(diff_settings(settings("policy: fair\nqueues: [{name: a, reclaim_after: 1m}]\n"
                                     "fair: {pools: [{name: a, min_share: {map: 1}, mode: fifo}]}"),
                            settings("policy: fair\nresources: containers\n"
                                     "queues: [{name: a, reclaim_after: 2m}]\n"
                                     "fair: {pools: [{name: a, min_share: {memory_mb: 512}, "
                                     "policy: fifo}]}")),
              ElementsAre("resources: slots -> containers",
                          "queues.a.reclaim_after: does not count -> 2m",
                          "queues.a.reclaim_after.map: 1m -> does not count",
                          "queues.a.reclaim_after.reduce: 1m -> does not count",
                          "fair.pools.a.min_share: does not count -> {memory_mb: 512}",
                          "fair.pools.a.policy: does not count -> fifo",
                          "fair.pools.a.min_share.map: 1 -> does not count",
                          "fair.pools.a.mode: fifo -> does not count"));
}

}  // namespace
}  // namespace weir
