// A reply that should carry a commit grant waits for the store; it does not wait for ever, and a
// tracker that speaks is heard whatever its answer waits for.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

Heartbeat same_report(Harness& h, const std::string& name) {
  Heartbeat report;
  report.name = name;
  report.incarnation = h.tracker(name).incarnation;
  report.sequence = h.tracker(name).sequence;
  for (const auto& [key, attempt] : h.tracker(name).held) report.attempts.push_back(attempt);
  return report;
}

// Two jobs run; the first one's map asks to commit while the store stands still.
struct EngineParked : testing::Test {
  EngineParked() {
    h.settings().heartbeat.expiry_ms = 10'000;
    h.settings().heartbeat.interval_ms = 3'000;
    h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
    h.submit({.maps = 1});
    h.submit({.maps = 1});
    EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J2/m0");
    h.finish("J1/m0");
    h.durable_at_once = false;
  }
  // The replies that the passing of time brings.
  std::vector<Reply> pass(DurationMs ms) {
    h.now += ms;
    std::vector<Reply> replies = h.step(Tick{});
    std::erase_if(replies, [](const Reply& r) { return std::holds_alternative<Done>(r.body); });
    return replies;
  }
  FifoHarness h;
};

TEST_F(EngineParked, TheReplyLeavesWithoutTheGrantAfterAWhile) {
  h.heartbeat("tt1");
  EXPECT_TRUE(pass(1'000).empty());
  EXPECT_EQ(h.engine().next_tick(), h.now + 1'000);
  const auto replies = pass(1'000);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(std::get<HeartbeatReply>(replies[0].body).commit.empty());
  EXPECT_TRUE(std::get<HeartbeatReply>(replies[0].body).kill.empty());
  EXPECT_TRUE(pass(2'000).empty());  // once
}

TEST_F(EngineParked, AShortExpiryIsAShortWait) {
  h.settings().heartbeat.expiry_ms = 2'000;
  h.heartbeat("tt1");
  EXPECT_EQ(h.engine().next_tick(), h.now + 500);
  EXPECT_EQ(pass(500).size(), 1u);
}

TEST_F(EngineParked, NorIsItALongerWaitThanToTheNextReport) {
  h.settings().heartbeat.interval_ms = 300;
  h.heartbeat("tt1");
  EXPECT_EQ(pass(300).size(), 1u);
}

TEST_F(EngineParked, ATrackerThatGoesOnReportingIsNotLostHoweverLongTheStoreTakes) {
  for (int i = 0; i < 20; ++i) {
    h.heartbeat("tt1");
    h.advance(2'000);
  }
  EXPECT_EQ(h.state().live_trackers(), 1u);
  EXPECT_TRUE(h.events<KillOrdered>().empty());
  h.heartbeat("tt1");
  const auto replies = h.step(Durable{h.engine().last_seq()});
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(std::get<HeartbeatReply>(replies[0].body).commit.size(), 1u);
}

TEST_F(EngineParked, TheGrantFollowsInALaterReply) {
  h.heartbeat("tt1");
  pass(2'000);
  h.step(Durable{h.engine().last_seq()});
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.commit.size(), 1u);
}

// Its connection broke, and it asks again with what it said before.
TEST_F(EngineParked, AReportThatRepeatsIsHeard) {
  h.heartbeat("tt1");
  for (int i = 0; i < 3; ++i) {
    h.now += 8'000;
    h.step(same_report(h, "tt1"));
    h.step(Tick{});
  }
  EXPECT_EQ(h.state().live_trackers(), 1u);
  h.advance(10'000);
  EXPECT_EQ(h.state().live_trackers(), 0u);
}

TEST_F(EngineParked, OneThatFallsSilentIsLostAllTheSame) {
  h.heartbeat("tt1");
  pass(2'000);
  h.advance(8'000);
  EXPECT_EQ(h.state().live_trackers(), 0u);
}

}  // namespace
}  // namespace weir::test
