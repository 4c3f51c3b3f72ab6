// What a change of settings would do is what it does: foreseen, then applied, for each policy.
#include <gtest/gtest.h>

#include "conf/policies.h"
#include "support/harness.h"
#include "tracker/published/policy_outlook.h"

namespace weir::test {
namespace {

struct AnyPolicy : Harness {
  explicit AnyPolicy(const std::string& policy) : Harness(policy_factory(), policy) {}
};

// Of 8 slots "a" runs 6 and wants 4 more, "b" and its child run 2; "b.y" has nothing to do.
void fill(Harness& h) {
  QueueSettings b = queue("b", 40);
  b.queues = {queue("x"), queue("y")};
  h.add_queue(queue("a", 60)).add_queue(b);
  h.add_tracker("tt1", {.map_slots = 8, .reduce_slots = 0});
  h.submit({.queue = "b.x", .maps = 2});
  h.heartbeat("tt1");
  h.submit({.queue = "a", .maps = 10});
  h.heartbeat("tt1");
  h.submit({.queue = "b.x", .maps = 9});
}

// The halves change places.
std::shared_ptr<Settings> turned(Harness& h) {
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues[0].guaranteed[0] = {Guarantee::Unit::kPercent, 1000};
  settings->queues[1].guaranteed[0] = {Guarantee::Unit::kPercent, 9000};
  for (auto& queue : settings->queues) queue.reclaim_after_ms[0] = 20'000;
  return settings;
}

TEST(SettingsPreview, IsWhatThePolicyGivesOnceTheyAreApplied) {
  for (const std::string& policy : policy_names()) {
    SCOPED_TRACE(policy);
    AnyPolicy h(policy);
    fill(h);
    const OutlookView before = ruling_outlook(h.engine());
    const auto settings = turned(h);
    const auto preview = preview_of(h.engine(), settings);
    ASSERT_TRUE(preview);
    EXPECT_EQ(preview->now, before);
    EXPECT_EQ(ruling_outlook(h.engine()), before) << "to ask changes nothing";
    h.step(ApplySettings{{"user", {}}, settings});
    ASSERT_TRUE(h.error.message.empty()) << h.error.message;
    EXPECT_EQ(preview->then, ruling_outlook(h.engine()));
  }
}

TEST(SettingsPreview, TellsTheClaimsThatWouldBeOpenAndWhenTheyKill) {
  AnyPolicy h("capacity");
  fill(h);
  const auto settings = turned(h);
  const auto preview = preview_of(h.engine(), settings);
  ASSERT_TRUE(preview);
  ASSERT_EQ(preview->claims.size(), 1u);
  EXPECT_EQ(preview->claims[0].queue, "b.x");
  EXPECT_EQ(preview->claims[0].kind, "map");
  EXPECT_EQ(preview->claims[0].open, h.state().claims().owed(*h.state().tree().find_path("b.x"),
                                                             TaskKind::kMap));
  EXPECT_EQ(preview->claims[0].left_ms, 20'000);
  h.step(ApplySettings{{"user", {}}, settings});
  EXPECT_EQ(preview->claims[0].slots,
            h.state().claims().owed(*h.state().tree().find_path("b.x"), TaskKind::kMap));
  EXPECT_GT(preview->claims[0].slots, preview->claims[0].open);
}

TEST(SettingsPreview, FollowsJobsOfARemovedQueueAndAnotherPolicy) {
  AnyPolicy h("capacity");
  fill(h);
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues.pop_back();
  settings->queues[0].guaranteed[0] = {Guarantee::Unit::kPercent, 10000};
  settings->removed_queues = {{"b", "a"}};
  settings->policy = "fair";
  const auto preview = preview_of(h.engine(), settings);
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->then.policy, "fair");
  EXPECT_TRUE(preview->then.pools);
  EXPECT_TRUE(preview->claims.empty());
  h.step(ApplySettings{{"user", {}}, settings});
  ASSERT_TRUE(h.error.message.empty()) << h.error.message;
  EXPECT_EQ(preview->then, ruling_outlook(h.engine()));
}

TEST(SettingsPreview, ThereIsNoneWhereContainersWouldCount) {
  AnyPolicy h("capacity");
  fill(h);
  auto settings = std::make_shared<Settings>(h.settings());
  settings->resources.mode = ResourceSettings::Mode::kContainers;
  EXPECT_FALSE(preview_of(h.engine(), settings));
}

}  // namespace
}  // namespace weir::test
