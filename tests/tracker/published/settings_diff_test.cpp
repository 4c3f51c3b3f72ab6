// What a change of settings comes to in slots, and where the jobs of removed queues go.
#include "tracker/published/settings_diff.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/load.h"

namespace weir {
namespace {

using ::testing::ElementsAre;

std::string spell(const SettingsDiffView::Queue& q) {
  const auto pair = [](std::int64_t before, std::int64_t after) {
    return std::to_string(before) + "->" + std::to_string(after);
  };
  return q.queue + " " + q.change + " " + pair(q.maps_before, q.maps_after) + " max " +
         pair(*q.maps_maximum_before, *q.maps_maximum_after) + ", " +
         pair(q.reduces_before, q.reduces_after) + " max " +
         pair(*q.reduces_maximum_before, *q.reduces_maximum_after) +
         (q.moves_to ? ", jobs to " + *q.moves_to : "");
}

TEST(SettingsDiff, GuaranteesAndMaximumsInSlotsOfTheClusterAsItIs) {
  const auto settings = [](const std::string& text) {
    return load_settings_text("f", text)->settings;
  };
  const Settings before = settings(
      "queues: [{name: a, guaranteed: 50%}, {name: b, guaranteed: 50%, maximum: 60%}, {name: c, "
      "guaranteed: 0%, queues: [{name: x}, {name: y}]}]\n");
  const Settings after = settings(
      "queues: [{name: a, guaranteed: 25%}, {name: b, guaranteed: 75%, queues: [{name: day}, "
      "{name: night}]}]\nremoved_queues: [{queue: b, move_to: night}, {queue: c, move_to: a}]\n");
  const auto diff = diff_of_settings(before, after, "capacity", Resources{{10, 4, 0, 0}});
  ASSERT_TRUE(diff.ok());
  std::vector<std::string> lines;
  for (const auto& queue : diff->queues) lines.push_back(spell(queue));
  EXPECT_THAT(lines, ElementsAre("a changed 5->3 max 10->10, 2->1 max 4->4",
                                 "b changed 5->7 max 6->10, 2->3 max 2->4, jobs to b.night",
                                 "b.day added 0->4 max 0->10, 0->2 max 0->4",
                                 "b.night added 0->3 max 0->10, 0->1 max 0->4",
                                 "c removed 0->0 max 10->0, 0->0 max 4->0",
                                 "c.x removed 0->0 max 10->0, 0->0 max 4->0, jobs to a",
                                 "c.y removed 0->0 max 10->0, 0->0 max 4->0, jobs to a"));
  EXPECT_EQ(diff->map_slots, 10);
  EXPECT_EQ(diff->reduce_slots, 4);
}

std::string spell(const SettingsDiffView::Amounts& of) {
  return fmt::format("{} {}->{} max {}->{}", of.dimension, of.guaranteed_before,
                     of.guaranteed_after, of.maximum_before, of.maximum_after);
}

TEST(SettingsDiff, WhereContainersCountAmountsOfEachDimension) {
  const auto settings = [](const std::string& text) {
    return load_settings_text("f", "resources: containers\n" + text)->settings;
  };
  const Settings before = settings(
      "containers: {resources: [disk, gpu]}\n"
      "queues: [{name: a, guaranteed: {memory_mb: 50%, gpu: 50%}}, "
      "{name: b, guaranteed: {memory_mb: 50%, gpu: 50%}}]\n");
  const Settings after = settings(
      "containers: {resources: [gpu]}\n"
      "queues: [{name: a, guaranteed: 50%, maximum: {memory_mb: 6144}}, "
      "{name: b, guaranteed: 50%}]\n");
  Resources total{{0, 0, 8192, 8}};
  total[Dimension::named(1)] = 4;  // gpu, as the settings of now have it
  const auto diff = diff_of_settings(before, after, "capacity", total);
  ASSERT_TRUE(diff.ok());
  std::vector<std::string> lines;
  for (const auto& of : diff->queues.at(0).amounts) lines.push_back(spell(of));
  EXPECT_THAT(lines, ElementsAre("memory_mb 4096->4096 max 8192->6144", "vcores 4->4 max 8->8",
                                 "gpu 2->2 max 4->4"));
  EXPECT_EQ(diff->queues.at(0).change, "changed");
  EXPECT_EQ(diff->queues.at(0).maps_after, 0);
  EXPECT_EQ(spell(diff->queues.at(1).amounts.at(2)), "gpu 2->2 max 4->4");
  EXPECT_EQ(diff->map_slots, std::nullopt);
}

TEST(SettingsDiff, ASwitchToContainersHasNoAmountsBeforeIt) {
  const Settings before =
      load_settings_text("f", "queues: [{name: a, guaranteed: 100%}]")->settings;
  const Settings after = load_settings_text(
                             "f", "resources: containers\nqueues: [{name: a, guaranteed: 100%}]")
                             ->settings;
  const auto diff = diff_of_settings(before, after, "capacity", Resources{{10, 4, 8192, 8}});
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(spell(diff->queues.at(0).amounts.at(0)), "memory_mb 0->8192 max 0->8192");
  const auto back = diff_of_settings(after, before, "capacity", Resources{{10, 4, 8192, 8}});
  EXPECT_EQ(spell(back->queues.at(0)), "a changed 0->10 max 0->10, 0->4 max 0->4");
}

TEST(SettingsDiff, ADefaultThatIsSpelledOutIsNoChange) {
  const Settings brief = load_settings_text("f", "queues: [{name: a, guaranteed: 100%}]")->settings;
  const Settings spelled =
      load_settings_text("f",
                         "queues: [{name: a, guaranteed: 100%, submit: \"*\", lend_after: 0s}]")
          ->settings;
  const auto diff = diff_of_settings(brief, spelled, "capacity", Resources{});
  EXPECT_THAT(diff->changes, ElementsAre());
  EXPECT_EQ(diff->queues.at(0).change, "unchanged");
}

TEST(SettingsDiff, APolicyThatWasSetByCommandIsTold) {
  const Settings capacity = load_settings_text("f", "policy: capacity\n")->settings;
  const Settings fifo = load_settings_text("f", "policy: fifo\n")->settings;
  const auto changes = [](const Settings& before, const Settings& after, const char* policy) {
    return diff_of_settings(before, after, policy, Resources{})->changes;
  };
  const auto warnings = [&](const char* policy) {
    return diff_of_settings(capacity, capacity, policy, Resources{})->warnings;
  };
  EXPECT_THAT(changes(capacity, capacity, "fifo"), ElementsAre());
  EXPECT_THAT(warnings("capacity"), ElementsAre());
  EXPECT_THAT(warnings("fifo"),
              ElementsAre("policy: these say capacity, but fifo rules, set by command, and stays; "
                          "`weir policy set capacity` ends that"));
  EXPECT_THAT(changes(capacity, fifo, "capacity"), ElementsAre("policy: capacity -> fifo"));
  EXPECT_THAT(diff_of_settings(capacity, fifo, "fair", Resources{})->warnings, ElementsAre());
}

}  // namespace
}  // namespace weir
