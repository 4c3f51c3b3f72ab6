// The engine's events as lines of JSON.
#include "eventlog/event_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/fifo_harness.h"

namespace weir {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

struct EventLinesTest : testing::Test {
  // What the harness has seen, a line each.
  std::vector<std::string> lines() {
    std::ostringstream out;
    std::string called;
    EventLines log(
        out, [&](JobId job) { return std::string_view(called = "J" + std::to_string(job.value)); },
        1000);
    for (const Event& event : h.log) log.write(event, h.engine(), "the job");
    std::vector<std::string> found;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) found.push_back(line);
    return found;
  }
  // A map that runs on t1.
  AttemptLaunched launched() {
    h.add_tracker("t1");
    h.submit({.maps = 1});
    h.heartbeat("t1");
    return h.events<AttemptLaunched>().at(0);
  }
  // As if the engine had said so at 5000.
  void told(Fact fact) { h.log.push_back({0, 5000, std::move(fact)}); }
  test::FifoHarness h;
};

TEST_F(EventLinesTest, TheLifeOfATask) {
  h.now = 5000;
  h.add_tracker("t1");
  h.submit({.user = "ann", .maps = 1, .locations = {{"host-t1"}}});
  h.heartbeat("t1");
  h.now = 7500;
  h.finish("J1/m0");
  h.settle("t1");
  const auto told = lines();
  EXPECT_THAT(told,
              Contains(R"({"t": 4000, "event": "tracker", "tracker": "t1", "state": "added", )"
                       R"("map_slots": 2, "reduce_slots": 2})"));
  EXPECT_THAT(told, Contains(R"({"t": 4000, "event": "submit", "job": "J1", "queue": "default", )"
                             R"("user": "ann"})"));
  EXPECT_THAT(told, Contains(R"({"t": 4000, "event": "launch", "job": "J1", "task": "m0", )"
                             R"("attempt": 0, "tracker": "t1", "locality": "node", )"
                             R"("queue": "default", "class": "map", "user": "ann"})"));
  EXPECT_THAT(told,
              Contains(R"({"t": 6500, "event": "finish", "job": "J1", "task": "m0", )"
                       R"("attempt": 0, "tracker": "t1", "queue": "default", "class": "map", )"
                       R"("user": "ann", "ran_ms": 2500})"));
  EXPECT_THAT(told, Contains(HasSubstr(R"("event": "job", "job": "J1", "state": "SUCCEEDED"})")));
}

TEST_F(EventLinesTest, AKillIsToldOnceWhenItIsOrdered) {
  h.add_tracker("t1");
  h.submit({.maps = 1});
  h.heartbeat("t1");
  h.step(KillJob{{.user = "user"}, JobId(1)});
  h.settle("t1");
  std::vector<std::string> kills;
  for (const std::string& line : lines()) {
    if (line.find(R"("event": "kill")") != std::string::npos) kills.push_back(line);
  }
  ASSERT_EQ(kills.size(), 1u);
  EXPECT_THAT(kills.front(), HasSubstr(R"("reason": "job_killed", "for": null, "ran_ms": 0})"));
}

TEST_F(EventLinesTest, WhatRanOnALostTrackerIsKilledForThat) {
  launched();
  h.now += 300;
  h.step(LoseTracker{"t1"});
  const auto killed = HasSubstr(R"("event": "kill", "job": "J1", "task": "m0")");
  const auto why = HasSubstr(R"("reason": "tracker_lost", "for": null, "ran_ms": 300})");
  EXPECT_THAT(lines(), Contains(AllOf(killed, why)));
}

TEST_F(EventLinesTest, ATrackerThatIsForgottenIsTold) {
  h.add_tracker("t1");
  h.step(LoseTracker{"t1"});
  h.step(ForgetTrackers{{"root", {}}, {"t1"}});
  EXPECT_THAT(lines(), Contains(HasSubstr(R"("tracker": "t1", "state": "forgotten",)")));
}

TEST_F(EventLinesTest, APreemptionSaysWhichQueueOrPoolItIsFor) {
  const AttemptLaunched map = launched();
  KillOrdered kill{map.attempt, map.tracker, KillReason::kReclaim, map.queue, map.queue};
  told(kill);
  kill.reason = KillReason::kFairShare;
  kill.for_queue = QueueId{};
  kill.for_pool = "poolA";
  told(kill);
  EXPECT_THAT(lines(), Contains(HasSubstr(R"("reason": "reclaim", "for": "default",)")));
  EXPECT_THAT(lines(), Contains(HasSubstr(R"("reason": "fair_share", "for": "poolA",)")));
}

TEST_F(EventLinesTest, DeadlinesOfClaimsAreTimesOfTheLog) {
  told(ClaimOpened{3, "org.a", TaskKind::kMap, 2, 5000, 65'000});
  EXPECT_THAT(lines(),
              Contains(R"({"t": 4000, "event": "claim", "queue": "org.a", "class": "map", )"
                       R"("slots": 2, "deadline": 64000, "claim": 3})"));
}

TEST_F(EventLinesTest, ASecondAttemptIsMarkedAndAFirstIsNot) {
  AttemptLaunched map = launched();
  map.attempt.attempt = 1;
  map.speculative = true;
  told(map);
  const auto launch = [](int attempt, const std::string& mark) {
    return HasSubstr(R"("attempt": )" + std::to_string(attempt) +
                     R"(, "tracker": "t1", "locality": "any", )" + mark + R"("queue")");
  };
  EXPECT_THAT(lines(), Contains(launch(0, "")));
  EXPECT_THAT(lines(), Contains(launch(1, R"("speculative": true, )")));
}

TEST_F(EventLinesTest, ARefusalSaysWhomItWasAbout) {
  h.submit({.queue = "nowhere"});
  EXPECT_THAT(lines(), Contains(AllOf(HasSubstr(R"("event": "refused")"),
                                      HasSubstr(R"("job": "the job")"))));
}

TEST_F(EventLinesTest, TextCannotForgeALine) {
  h.submit({.user = "x\"}\n{\"t\": 1"});
  for (const std::string& line : lines()) {
    EXPECT_THAT(line, ::testing::StartsWith("{\"t\": "));
    EXPECT_THAT(line, ::testing::EndsWith("}"));
  }
}

TEST_F(EventLinesTest, TextCannotSteerATerminal) {
  h.submit({.user = "a\x1b[2J\xc2\x9b" "2J\x9b\u202E\U000E0041é\x7f"});
  EXPECT_THAT(lines(), Contains(HasSubstr(
                           R"("user": "a\u001b[2J\u009b2J)"
                           "\xef\xbf\xbd"
                           R"(\u202e\udb40\udc41)"
                           "é\\u007f\"")));
}

TEST(EventLines, WhatIsMissingIsSaid) {
  std::ostringstream out;
  EventLines log(
      out, [](JobId) { return std::string_view(); }, 0);
  log.lost(7, 12);
  log.refused(8, "submit", "no");
  EXPECT_EQ(out.str(),
            "{\"t\": 7, \"event\": \"lost\", \"lines\": 12}\n"
            "{\"t\": 8, \"event\": \"refused\", \"what\": \"submit\", \"reason\": \"no\"}\n");
}

}  // namespace
}  // namespace weir
