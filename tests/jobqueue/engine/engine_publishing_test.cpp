// A preempted attempt that asks to publish before it has died: its slot comes free as soon, and its
// work is not thrown away.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

// Kills what it is told to, for queue a.
class KillingFifo : public FifoPolicy {
 public:
  KillingFifo(const ClusterState& state, Preemption& plan) : FifoPolicy(state), plan_(plan) {}
  Preemption tick(TimeMs) override { return std::exchange(plan_, {}); }

 private:
  Preemption& plan_;
};

class EnginePublishing : public testing::Test {
 protected:
  EnginePublishing()
      : h([this](std::string_view, const ClusterState& state, PolicyMemory&) {
          return std::make_unique<KillingFifo>(state, plan);
        }, "fifo") {
    h.add_queue(queue("a", 50)).add_queue(queue("b", 50));
    h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 2});
    h.submit({.queue = "b", .maps = 2});
    h.heartbeat("tt1");
    h.advance(kRan);
  }
  void preempt(JobId job = JobId(1)) {
    const AttemptSlot victim = h.state().find_attempt({{job, TaskKind::kMap, 0}, 0});
    plan.kills = {{.victims = {victim},
                   .reason = KillReason::kReclaim,
                   .for_queue = leaf("a"),
                   .job = job,
                   .slots = 1}};
    h.step(Tick{});
    ASSERT_TRUE(h.state().attempt(victim).dying());
  }
  QueueId leaf(const std::string& path) { return *h.state().tree().find_path(path); }
  static AttemptKey key() { return {{JobId(1), TaskKind::kMap, 0}, 0}; }
  const HeartbeatReply& told() { return h.tracker("tt1").last; }
  void finish_and_ask() {
    h.finish("J1/m0");
    h.heartbeat("tt1");
  }
  static constexpr DurationMs kRan = 5'000;

  Preemption plan;
  Harness h;
};

TEST_F(EnginePublishing, APreemptedAttemptThatAsksIsGrantedThat) {
  preempt();
  finish_and_ask();
  EXPECT_THAT(told().kill, testing::IsEmpty());
  EXPECT_THAT(told().commit, testing::ElementsAre(key()));
  h.heartbeat("tt1");
  const Job& job = h.state().job(JobId(1));
  EXPECT_EQ(job.tasks(TaskKind::kMap).succeeded, 1u);
  EXPECT_EQ(h.state().queue(leaf("b")).counters.lost_ms[TaskKind::kMap], 0);
  const ClaimBook& book = h.state().claims();
  EXPECT_EQ(book.losses().of_queue("b", h.now), 0);
  const auto losses = h.events<SlotsLost>();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_TRUE(losses[1].taken_back);
  EXPECT_EQ(losses[1].loss, losses[0].loss);
  ASSERT_EQ(book.records().size(), 1u);
  EXPECT_STREQ(outcome_of(book.records()[0]), "finished_first");
}

TEST_F(EnginePublishing, AlsoOneThatWasGrantedThatJustBefore) {
  h.durable_at_once = false;
  finish_and_ask();
  preempt();
  h.step(Durable{h.engine().last_seq()});
  h.heartbeat("tt1");
  EXPECT_THAT(told().kill, testing::IsEmpty());
  EXPECT_THAT(told().commit, testing::ElementsAre(key()));
}

TEST_F(EnginePublishing, TheGrantIsOnDiskBeforeItIsGiven) {
  preempt();
  h.durable_at_once = false;
  finish_and_ask();  // the reply waits
  const auto replies = h.step(Durable{h.engine().last_seq()});
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_THAT(std::get<HeartbeatReply>(replies[0].body).commit, testing::ElementsAre(key()));
}

TEST_F(EnginePublishing, OneThatHasDiedBeforeItWasGrantedIsLost) {
  preempt();
  h.heartbeat("tt1");
  EXPECT_THAT(told().kill, testing::ElementsAre(key()));
  h.heartbeat("tt1");
  EXPECT_EQ(h.state().queue(leaf("b")).counters.lost_ms[TaskKind::kMap], kRan);
  EXPECT_STREQ(outcome_of(h.state().claims().records()[0]), "pending");
}

TEST_F(EnginePublishing, AWideTaskLosesAllItsSlots) {
  h.finish_all("tt1");
  h.settle("tt1");
  h.submit({.queue = "b", .maps = 1, .slots_per_map = 2});
  ASSERT_EQ(h.heartbeat("tt1"), "J2/m0");
  h.advance(kRan);
  preempt(JobId(2));
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  EXPECT_EQ(h.state().queue(leaf("b")).counters.lost_ms[TaskKind::kMap], 2 * kRan);
}

// Nobody wants its output any more.
TEST_F(EnginePublishing, NotWhenItsJobIsKilledMeanwhile) {
  preempt();
  finish_and_ask();
  h.step(KillJob{{"root", {}}, JobId(1)});
  h.tracker("tt1").held.at(key()).state = ReportedState::kCommitPending;
  h.heartbeat("tt1");
  EXPECT_THAT(told().kill, testing::Contains(key()));
  EXPECT_THAT(told().commit, testing::IsEmpty());
}

TEST_F(EnginePublishing, NorWhatDiesForAnotherReason) {
  h.step(OrderTrackers{{"root", {}}, {"tt1"}, TrackerOrder::kStopNow});
  finish_and_ask();
  EXPECT_THAT(told().kill, testing::Contains(key()));
  EXPECT_THAT(told().commit, testing::IsEmpty());
}

}  // namespace
}  // namespace weir::test
