// What trackers have together stays right whatever of one changes, and names find them.
#include "jobqueue/model/tracker_table.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using State = TrackerState::State;

Resources slots(std::int64_t maps, std::int64_t reduces) {
  return Resources{{maps, reduces, 0, 0}};
}

TrackerState& live_one(TrackerTable& table, const std::string& name, const Resources& total) {
  TrackerState& tracker = table.add(name);
  table.change(tracker, [&] {
    tracker.state = State::kLive;
    tracker.total = total;
  });
  return tracker;
}

TEST(TrackerTable, FindsByNameInWhateverOrder) {
  TrackerTable table;
  const auto finds = [&](const std::string& name) {
    const TrackerState* found = table.find(name);
    return found == nullptr ? "nobody" : found->name;
  };
  for (const char* name : {"a", "b", "c"}) table.add(name);
  EXPECT_EQ(finds("d"), "nobody");
  for (const std::string order : {"abcabc", "acbacb", "aabbcc", "cba", "adbdcd"}) {
    for (const char name : order)
      EXPECT_EQ(finds({name}), name == 'd' ? "nobody" : std::string{name}) << order;
  }
  table.add("d");
  for (const std::string order : {"abcd", "dcba"})
    for (const char name : order) EXPECT_EQ(finds({name}), std::string{name}) << order;
}

TEST(TrackerTable, OnlyWhoIsThereCounts) {
  TrackerTable table;
  TrackerState& one = table.add("tt1");
  EXPECT_EQ(one.state, State::kNew);
  table.change(one, [&] { one.total = slots(3, 2); });
  EXPECT_EQ(table.total(), Resources{});
  EXPECT_EQ(table.largest(), Resources{});
  table.change(one, [&] { one.state = State::kLive; });
  EXPECT_EQ(table.total(), slots(3, 2));
  EXPECT_EQ(table.largest(), slots(3, 2));
  EXPECT_EQ(table.live(), 1u);
  table.change(one, [&] { one.state = State::kLost; });
  EXPECT_EQ(table.live(), 0u);
  EXPECT_EQ(table.total(), Resources{});
  EXPECT_EQ(table.free_slots().total(TaskKind::kMap), 0);
}

TEST(TrackerTable, WhoIsAwaitedIsNotThereYet) {
  TrackerTable table;
  TrackerState& one = table.add("tt1");
  table.change(one, [&] { one.state = State::kAwaited; });
  EXPECT_EQ(table.awaited(), 1u);
  EXPECT_EQ(table.live(), 0u);
  table.change(one, [&] { one.state = State::kLive; });
  EXPECT_EQ(table.awaited(), 0u);
  EXPECT_EQ(table.live(), 1u);
}

TEST(TrackerTable, WhatIsUsedIsNotFree) {
  TrackerTable table;
  TrackerState& one = live_one(table, "tt1", slots(4, 2));
  EXPECT_EQ(table.free_slots().total(TaskKind::kMap), 4);
  table.use(one, slots(3, 2), 1);
  EXPECT_EQ(table.free_slots().total(TaskKind::kMap), 1);
  EXPECT_EQ(table.free_slots().total(TaskKind::kReduce), 0);
  EXPECT_EQ(table.total(), slots(4, 2));
  table.change(one, [&] { one.accepts_tasks = false; });  // what it has free is nobody's now
  EXPECT_EQ(table.free_slots().total(TaskKind::kMap), 0);
  table.use(one, slots(3, 2), -1);
  table.change(one, [&] { one.accepts_tasks = true; });
  EXPECT_EQ(table.free_slots().total(TaskKind::kMap), 4);
}

TEST(TrackerTable, IsFoundByNameAndByHost) {
  TrackerTable table;
  const TrackerId one = table.add("tt1").id, two = table.add("tt2").id;
  EXPECT_EQ(table.find("tt3"), nullptr);
  EXPECT_EQ(table.find("tt2")->id, two);
  const std::uint64_t before = table.address_version();
  table.set_address(table.at(one), {"host", 1, "r1", {}});
  table.set_address(table.at(two), {"host", 2, "r1", {}});
  EXPECT_EQ(table.near("host"), (std::vector<TrackerId>{one, two}));
  EXPECT_EQ(table.near("tt1"), std::vector<TrackerId>{one});
  EXPECT_TRUE(table.near("elsewhere").empty());
  EXPECT_EQ(table.rack_name(table.at(two).rack), "r1");
  EXPECT_GT(table.address_version(), before);
  const std::uint64_t moved = table.address_version();
  table.set_address(table.at(one), {"host", 3, "r1", {}});  // its port makes nothing nearer
  EXPECT_EQ(table.address_version(), moved);
  table.set_address(table.at(one), {"other", 3, "r1", {}});
  EXPECT_EQ(table.near("host"), std::vector<TrackerId>{two});
  table.set_address(table.at(two), {"host", 2, "r1", {"/data"}});
  EXPECT_EQ(table.address_version(), moved + 2);
}

TEST(FreeSlots, TellHowManyWideTasksWouldFit) {
  FreeSlots free;
  const TaskKind kind = TaskKind::kReduce;
  for (const std::int64_t slots : {5, 3, 3, 1, 0}) free.count(kind, slots, 1);
  EXPECT_EQ(free.total(kind), 12);
  EXPECT_EQ(free.total(TaskKind::kMap), 0);
  EXPECT_EQ(free.trackers_with(kind, 1), 4);
  EXPECT_EQ(free.trackers_with(kind, 3), 3);
  EXPECT_EQ(free.trackers_with(kind, 6), 0);
  EXPECT_EQ(free.total_for(kind, 2), 4 + 2 + 2);
  EXPECT_EQ(free.total_for(kind, 4), 4);
  free.count(kind, 5, -1);
  EXPECT_EQ(free.total_for(kind, 2), 4);
}

}  // namespace
}  // namespace weir
