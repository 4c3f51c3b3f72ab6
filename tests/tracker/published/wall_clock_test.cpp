// Engine time stands still between two starts; people see the wall clock.
#include "tracker/published/wall_clock.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

// Ran from 1000 to 5000 of engine time, was down for 47 s, and began again where it had left off.
WallClock with_downtime() {
  WallClock clock;
  clock.started(1'000, 101'000);
  clock.started(5'000, 152'000);
  return clock;
}

TEST(WallClock, AMomentIsPlacedByTheLastStartBeforeIt) {
  const WallClock clock = with_downtime();
  EXPECT_EQ(clock.at(1'000), 101'000);
  EXPECT_EQ(clock.at(4'999), 104'999);
  EXPECT_EQ(clock.at(5'000), 152'000);
  EXPECT_EQ(clock.at(9'000), 156'000);  // a deadline to come, too
}

TEST(WallClock, BeforeTheFirstStartThatWasNotedMomentsStandForThemselves) {
  EXPECT_EQ(with_downtime().at(999), 999);
  EXPECT_EQ(WallClock().at(5), 5);
  EXPECT_EQ(WallClock().engine_at(5), 5);
  EXPECT_EQ(with_downtime().at(0), 0);  // never
}

TEST(WallClock, AMomentOfDowntimeIsItsEnd) {
  const WallClock clock = with_downtime();
  EXPECT_EQ(clock.engine_at(103'000), 3'000);
  EXPECT_EQ(clock.engine_at(120'000), 5'000);
  EXPECT_EQ(clock.engine_at(152'001), 5'001);
  EXPECT_EQ(clock.engine_at(50'000), 1'000);  // before the first start: not after it
  EXPECT_EQ(clock.engine_at(500), 500);
}

TEST(WallClock, KnowsForHowLongItStoodStill) {
  WallClock clock = with_downtime();
  clock.started(6'000, 120'000);  // it was set back
  clock.started(7'000, 121'003);
  const auto downtimes = clock.downtimes();
  ASSERT_EQ(downtimes.size(), 2u);
  EXPECT_EQ(downtimes[0].at, 5'000);
  EXPECT_EQ(downtimes[0].ms, 47'000);
  EXPECT_EQ(downtimes[1].at, 7'000);
  EXPECT_EQ(downtimes[1].ms, 3);
}

TEST(WallClock, OfStartsAtOneMomentTheLastCounts) {
  WallClock clock = with_downtime();
  clock.started(5'000, 200'000);  // nothing was written in between
  EXPECT_EQ(clock.at(5'000), 200'000);
  EXPECT_EQ(clock.at(4'999), 104'999);
}

TEST(WallClock, IsReadAsItWasWritten) {
  const auto read = WallClock::read(with_downtime().text());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->text(), with_downtime().text());
  EXPECT_EQ(read->at(9'000), 156'000);
  EXPECT_TRUE(WallClock::read("").ok());
  for (const char* bad : {"5", "5 6", "x 6\n", "5 y\n", "-5 6\n", "5 6\n5 7\n", "9 1\n8 2\n"}) {
    EXPECT_FALSE(WallClock::read(bad).ok()) << bad;
  }
}

TEST(WallClock, TheNewestStartsAreKept) {
  WallClock clock;
  const auto most = static_cast<TimeMs>(WallClock::kStartsKept);
  for (TimeMs i = 1; i <= most + 1; ++i) clock.started(i, 1'000 * i);
  EXPECT_EQ(clock.at(1), 1);
  EXPECT_EQ(clock.at(2), 2'000);
  EXPECT_EQ(clock.at(most + 1), 1'000 * (most + 1));
}

}  // namespace
}  // namespace weir
