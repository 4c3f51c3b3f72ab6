// What queues and users have had: jobs by their end, slot-time used, lent, borrowed and lost.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

// Fifo with figures set by the test, and kills on demand.
class FiguredPolicy : public FifoPolicy {
 public:
  using FifoPolicy::FifoPolicy;
  static inline QueueFigures given;
  QueueFigures figures(QueueId, Dimension) const override { return given; }
};

TEST(QueueCounters, JobsAndSlotTimeByQueueAndUser) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 4});
  h.submit({.user = "ann", .maps = 1, .slots_per_map = 2});
  h.submit({.user = "bob", .maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J2/m0");
  h.now += 5000;
  h.step(KillJob{{"bob", {}}, JobId(2)});
  h.settle("tt1");
  h.now += 1000;
  h.finish("J1/m0");
  h.settle("tt1");
  const QueueCounters& counters = h.state().queue(*h.state().tree().find_path("default")).counters;
  EXPECT_EQ(counters.ended.succeeded, 1u);
  EXPECT_EQ(counters.ended.killed, 1u);
  EXPECT_EQ(counters.used_ms[TaskKind::kMap], 2 * 6000 + 5000);
  EXPECT_EQ(counters.lost_ms[TaskKind::kMap], 0);  // a killed job is no preemption
  const UserCounters& ann = counters.users.at(h.state().job(JobId(1)).user);
  EXPECT_EQ(ann.ended.succeeded, 1u);
  EXPECT_EQ(ann.used_ms[TaskKind::kMap], 12000);
  EXPECT_EQ(counters.users.at(h.state().job(JobId(2)).user).ended.killed, 1u);
}

TEST(QueueCounters, LentAndBorrowedAreSummedAtTicks) {
  Harness h([](std::string_view, const ClusterState& state,
               PolicyMemory&) { return std::make_unique<FiguredPolicy>(state); },
            "figured");
  h.start();
  FiguredPolicy::given = {.guaranteed = 10, .allocated = 7, .running = 4};
  h.advance(2000);
  FiguredPolicy::given = {.guaranteed = 3, .allocated = 5, .running = 5};
  h.advance(1000);
  const QueueCounters& counters = h.state().queue(*h.state().tree().find_path("default")).counters;
  EXPECT_EQ(counters.lent_ms[TaskKind::kMap], 3 * 2000);
  EXPECT_EQ(counters.borrowed_ms[TaskKind::kReduce], 2 * 1000);
}

TEST(QueueCounters, UsersUnseenForLongestAreForgotten) {
  QueueCounters counters;
  for (std::size_t i = 0; i <= QueueCounters::kUsersKept; ++i)
    ++counters.user(UserId(i), static_cast<TimeMs>(i)).ended.failed;
  EXPECT_LE(counters.users.size(), QueueCounters::kUsersKept);
  EXPECT_FALSE(counters.users.contains(UserId(0)));
  EXPECT_TRUE(counters.users.contains(UserId(QueueCounters::kUsersKept)));
}

TEST(TrackerPool, ATrackerThatTakesNoTasksLeavesTheTotalsAtOnce) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 2});
  h.add_tracker("tt2", {.map_slots = 3});
  h.submit({.maps = 8});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  const auto report = [&h](bool accepts) {
    Heartbeat beat;
    beat.name = "tt1";
    beat.incarnation = h.tracker("tt1").incarnation;
    beat.sequence = ++h.tracker("tt1").sequence;
    for (const auto& [key, attempt] : h.tracker("tt1").held) beat.attempts.push_back(attempt);
    beat.accepts_tasks = accepts;
    h.step(beat);
  };
  report(false);
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 3);
  EXPECT_EQ(h.state().live_trackers(), 2u);
  EXPECT_EQ(h.running("default"), 2);  // what it runs stays
  report(true);
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 5);
  report(false);
  h.step(Tick{});
  h.settings().heartbeat.expiry_ms = 1000;
  h.now += 3600 * 1000;
  h.step(Tick{});  // both are lost, one of them out of the pool
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 0);
  h.connect("tt1");
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 2);
}

TEST(TrackerPool, WhenNoneTakesTasksExplainSaysSo) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({});
  Heartbeat beat;
  beat.name = "tt1";
  beat.incarnation = h.tracker("tt1").incarnation;
  beat.sequence = 1;
  beat.accepts_tasks = false;
  h.step(beat);
  EXPECT_EQ(h.engine().explain(JobId(1)).at(0).code, "no_tracker_accepts_tasks");
}

}  // namespace
}  // namespace weir::test
