// The engine's events as lines of JSON.
#include "eventlog/event_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/fifo_harness.h"

namespace weir {
namespace {

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

TEST_F(EventLinesTest, ARefusalSaysWhomItWasAbout) {
  h.submit({.queue = "nowhere"});
  EXPECT_THAT(lines(), Contains(::testing::AllOf(HasSubstr(R"("event": "refused")"),
                                                 HasSubstr(R"("job": "the job")"))));
}

TEST_F(EventLinesTest, TextCannotForgeALine) {
  h.submit({.user = "x\"}\n{\"t\": 1"});
  for (const std::string& line : lines()) {
    EXPECT_THAT(line, ::testing::StartsWith("{\"t\": "));
    EXPECT_THAT(line, ::testing::EndsWith("}"));
  }
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
