// How attempts ended, and why.
#include "tracker/published/attempt_history.h"

#include <gtest/gtest.h>

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
