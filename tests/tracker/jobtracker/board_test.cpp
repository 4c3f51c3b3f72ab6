// What readers see, and when.
#include "tracker/jobtracker/board.h"

#include <gtest/gtest.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

struct BoardHarness : FifoHarness {
  WallClock wall;
  Board board{[](const std::function<void()>& work) { work(); }, wall};
  BoardHarness() { board.publish_all(engine()); }
  // How often a reader of that version has been called.
  std::shared_ptr<int> reads(std::int64_t version) {
    auto calls = std::make_shared<int>(0);
    board.when(version, [calls](const Result<BoardViewPtr>& view) { *calls += view.ok() ? 1 : 0; });
    return calls;
  }
};

TEST(Board, AReaderGetsTheirVersionAndNotTheNext) {
  BoardHarness h;
  EXPECT_EQ(*h.reads(h.board.version()), 1);
  const auto next = h.reads(h.board.version() + 1);
  const auto later = h.reads(h.board.version() + 2);
  EXPECT_EQ(*next, 0);
  h.add_tracker("tt1");
  ASSERT_TRUE(h.board.publish_changes(h.engine()));
  EXPECT_EQ(*next, 1);
  EXPECT_EQ(*later, 0);
}

TEST(Board, ReadersSeeJobsOnceTheyAreDurable) {
  BoardHarness h;
  h.durable_at_once = false;
  h.submit({.maps = 1});
  h.board.publish_all(h.engine());
  EXPECT_EQ(h.board.view()->jobs.get(1), nullptr);
  h.step(Durable{h.engine().last_seq()});
  ASSERT_TRUE(h.board.publish_changes(h.engine()));
  ASSERT_NE(h.board.view()->jobs.get(1), nullptr);
}

TEST(Board, AForgottenTrackerIsInNoListUntilItComesBack) {
  BoardHarness h;
  h.add_tracker("tt1");
  h.step(LoseTracker{"tt1"});
  h.board.publish_changes(h.engine());
  ASSERT_NE(h.board.view()->trackers.get(0), nullptr);
  h.step(ForgetTrackers{{"root", {}}, {"tt1"}});
  ASSERT_TRUE(h.board.publish_changes(h.engine()));
  EXPECT_EQ(h.board.view()->trackers.get(0), nullptr);
  h.add_tracker("tt1");
  h.board.publish_changes(h.engine());
  EXPECT_NE(h.board.view()->trackers.get(0), nullptr);
}

}  // namespace
}  // namespace weir::test
