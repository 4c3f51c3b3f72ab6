// What readers see, and when.
#include "tracker/published/view_publisher.h"

#include <gtest/gtest.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

struct PublisherHarness : FifoHarness {
  WallClock wall;
  ViewPublisher publisher{[](const std::function<void()>& work) { work(); }, wall};
  PublisherHarness() { publisher.publish_all(engine()); }
  // How often a reader of that version has been called.
  std::shared_ptr<int> reads(std::int64_t version) {
    auto calls = std::make_shared<int>(0);
    publisher.when(version, [calls](const Result<PublishedViewsPtr>& views) {
      *calls += views.ok() ? 1 : 0;
    });
    return calls;
  }
};

TEST(ViewPublisher, AReaderGetsTheirVersionAndNotTheNext) {
  PublisherHarness h;
  EXPECT_EQ(*h.reads(h.publisher.version()), 1);
  const auto next = h.reads(h.publisher.version() + 1);
  const auto later = h.reads(h.publisher.version() + 2);
  EXPECT_EQ(*next, 0);
  h.add_tracker("tt1");
  ASSERT_TRUE(h.publisher.publish_changes(h.engine()));
  EXPECT_EQ(*next, 1);
  EXPECT_EQ(*later, 0);
}

TEST(ViewPublisher, KnowsWhetherSomebodyReads) {
  using Clock = std::chrono::steady_clock;
  PublisherHarness h;
  EXPECT_FALSE(h.publisher.read_lately(Clock::now()));
  h.publisher.glance();
  EXPECT_FALSE(h.publisher.read_lately(Clock::now()));
  h.publisher.latest();
  EXPECT_TRUE(h.publisher.read_lately(Clock::now()));
  const auto later = Clock::now() + ViewPublisher::kLately;
  EXPECT_FALSE(h.publisher.read_lately(later));
  const auto next = h.reads(h.publisher.version() + 1);
  EXPECT_TRUE(h.publisher.read_lately(later + std::chrono::hours(1)));  // he waits still
  h.add_tracker("tt1");
  ASSERT_TRUE(h.publisher.publish_changes(h.engine()));
  EXPECT_EQ(*next, 1);
  EXPECT_FALSE(h.publisher.read_lately(later + std::chrono::hours(1)));
}

TEST(ViewPublisher, ReadersSeeJobsOnceTheyAreDurable) {
  PublisherHarness h;
  h.durable_at_once = false;
  h.submit({.maps = 1});
  h.publisher.publish_all(h.engine());
  EXPECT_EQ(h.publisher.latest()->jobs.get(1), nullptr);
  h.step(Durable{h.engine().last_seq()});
  ASSERT_TRUE(h.publisher.publish_changes(h.engine()));
  ASSERT_NE(h.publisher.latest()->jobs.get(1), nullptr);
}

TEST(ViewPublisher, AForgottenTrackerIsInNoListUntilItComesBack) {
  PublisherHarness h;
  h.add_tracker("tt1");
  h.step(LoseTracker{"tt1"});
  h.publisher.publish_changes(h.engine());
  ASSERT_NE(h.publisher.latest()->trackers.get(0), nullptr);
  h.step(ForgetTrackers{{"root", {}}, {"tt1"}});
  ASSERT_TRUE(h.publisher.publish_changes(h.engine()));
  EXPECT_EQ(h.publisher.latest()->trackers.get(0), nullptr);
  h.add_tracker("tt1");
  h.publisher.publish_changes(h.engine());
  EXPECT_NE(h.publisher.latest()->trackers.get(0), nullptr);
}

}  // namespace
}  // namespace weir::test
