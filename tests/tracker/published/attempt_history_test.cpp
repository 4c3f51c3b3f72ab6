// How attempts ended, and why.
#include "tracker/published/attempt_history.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

struct HistoryHarness : FifoHarness {
  AttemptHistory history;
  std::size_t heard = 0;  // of the log

  // "KILLED why" of the only attempt of the job's map.
  std::string told(std::uint32_t job, std::uint32_t map = 0) {
    for (; heard < log.size(); ++heard) history.on(log[heard], state());
    for (const auto& attempt : history.list(engine(), state().job(JobId(job)), WallClock())) {
      if (attempt.id.task.index == map) {
        return attempt.state + " " + attempt.diagnostics.value_or("");
      }
    }
    return "none";
  }
};

TEST(AttemptHistory, KilledAttemptsSayWhy) {
  HistoryHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.maps = 1});
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J2/m0");
  h.step(KillJob{{"root", {}}, JobId(1)});
  EXPECT_EQ(h.told(1), "KILLING job killed by root");
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  EXPECT_EQ(h.told(1), "KILLED job killed by root");
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.told(2), "KILLED tracker tt1 is gone");
}

TEST(AttemptHistory, OneThatIsTakenOnAgainHasNotEnded) {
  HistoryHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1, .reduces = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  const AttemptKey key{{JobId(1), TaskKind::kMap, 0}, 0};
  AttemptReport report = h.tracker("tt1").held.at(key);
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.told(1), "KILLED tracker tt1 is gone");
  h.connect("tt1");
  report.state = ReportedState::kRunning;
  h.tracker("tt1").held[key] = report;
  h.heartbeat("tt1");
  ASSERT_TRUE(h.state().find_attempt(key).valid());
  EXPECT_EQ(h.told(1), "RUNNING ");
  h.tracker("tt1").held[key].state = ReportedState::kSucceeded;
  h.heartbeat("tt1");
  EXPECT_EQ(h.told(1), "SUCCEEDED ");
}

// What an end tells in two facts is one attempt, whichever comes first.
TEST(AttemptHistory, AFailedAttemptIsThereOnceWithWhatItSaid) {
  HistoryHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.maps = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  for (auto& [key, report] : h.tracker("tt1").held) {
    report.state = ReportedState::kFailed;
    report.diagnostics = "exit code " + std::to_string(key.task.index);
  }
  h.heartbeat("tt1");
  EXPECT_EQ(h.told(1, 0), "FAILED exit code 0");
  EXPECT_EQ(h.told(1, 1), "FAILED exit code 1");
  std::map<AttemptKey, int> times;
  for (const auto& each : h.history.list(h.engine(), h.state().job(JobId(1)), WallClock()))
    ++times[each.id];
  for (const auto& [attempt, count] : times) EXPECT_EQ(count, 1);
}

// So many ends are kept; one that failed always, in the place of the oldest.
TEST(AttemptHistory, FailedAttemptsHaveRoom) {
  HistoryHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1});
  const auto ended = [&](std::uint32_t index, AttemptEnded::How how) {
    AttemptEnded fact;
    fact.attempt = {{JobId(1), TaskKind::kMap, index}, 0};
    fact.tracker = TrackerId(0);
    fact.how = how;
    h.history.on(Event(1, fact), h.state());
  };
  for (std::uint32_t i = 0; i < AttemptHistory::kPerJob + 10; ++i)
    ended(100 + i, AttemptEnded::How::kSucceeded);
  ended(7, AttemptEnded::How::kFailed);
  const auto listed = h.history.list(h.engine(), h.state().job(JobId(1)), WallClock());
  ASSERT_EQ(listed.size(), AttemptHistory::kPerJob);
  EXPECT_EQ(listed.front().id.task.index, 7u);
  EXPECT_EQ(listed[1].id.task.index, 101u);  // 100 made room
  EXPECT_EQ(listed.back().id.task.index, 100 + AttemptHistory::kPerJob - 1);
}

TEST(AttemptHistory, AnAttemptOfATrackerThatWasRestartedSaysSo) {
  HistoryHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  EXPECT_EQ(h.told(1), "KILLED tracker tt1 was restarted");
}

}  // namespace
}  // namespace weir::test
