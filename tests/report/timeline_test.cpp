#include "report/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "report/counted.h"

namespace weir::report {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Optional;
using testing::SizeIs;

Figures running(double slots) {
  Figures figures;
  figures.running = slots;
  return figures;
}

double slot_ms(const Series& series) {
  double sum = 0;
  for (const Point& point : series.points) {
    sum += point.of[0].running * static_cast<double>(point.to - point.from);
  }
  return sum;
}

TEST(Timeline, ASpanHasTheMeanOfWhatWasInIt) {
  Timeline timeline(0, 1000, 10);
  timeline.add("a", TaskKind::kMap, 0, 500, running(4));
  timeline.add("a", TaskKind::kMap, 500, 2500, running(2));
  const Series series = timeline.series("a", 2500);
  ASSERT_THAT(series.points, SizeIs(3));
  EXPECT_THAT(series.points[0].of[0].running, DoubleEq(3));
  EXPECT_THAT(series.points[1].of[0].running, DoubleEq(2));
  EXPECT_THAT(series.points[2].of[0].running, DoubleEq(2));  // half a span is a span
  EXPECT_EQ(series.points[2].to, 2500);
}

TEST(Timeline, NoLengthOfARunMakesMorePointsNorLosesSlotTime) {
  Timeline timeline(0, 1000, 8);
  double had = 0;
  for (TimeMs at = 0; at < 1'000'000; at += 700) {
    const auto slots = static_cast<double>(at / 700 % 5);
    timeline.add("a", TaskKind::kMap, at, at + 700, running(slots));
    had += slots * 700;
  }
  timeline.add_kill("a", 3, {10});
  timeline.add_kill("a", 900'000, {2, 3});
  const Series series = timeline.series("a", 1'000'300);
  EXPECT_LE(series.points.size(), 8);
  EXPECT_GT(series.points.size(), 4);
  EXPECT_THAT(slot_ms(series), DoubleNear(had, 1e-3));
  double kills = 0, wasted = 0;
  for (const Point& point : series.points) {
    kills += point.kills;
    wasted += in_all(point.wasted_slot_s);
  }
  EXPECT_THAT(kills, DoubleEq(2));
  EXPECT_THAT(wasted, DoubleEq(15));
}

TEST(Timeline, ManyQueuesHaveFewerPointsEach) {
  Timeline timeline(0, 1000);
  for (int i = 0; i < 1000; ++i) {
    timeline.add("q" + std::to_string(i), TaskKind::kMap, 0, 600'000, running(1));
  }
  std::size_t points = 0;
  for (const std::string& queue : timeline.queues()) {
    const Series series = timeline.series(queue, 600'000);
    points += series.points.size();
    EXPECT_THAT(slot_ms(series), DoubleNear(600'000, 1e-3)) << queue;
  }
  EXPECT_LE(points, kMostPointsInAll + 1000);
}

TEST(Timeline, WhatThePolicyDoesNotHaveIsNotNought) {
  Timeline timeline(0, 1000, 10);
  Figures guaranteed;
  guaranteed.guaranteed = 6;
  guaranteed.allocated = 2;
  guaranteed.lent = 4;
  guaranteed.borrowed = 0;
  timeline.add("a", TaskKind::kMap, 0, 500, guaranteed);
  timeline.add("a", TaskKind::kMap, 500, 3000, running(1));  // another policy rules
  const Series series = timeline.series("a", 3000);
  EXPECT_THAT(series.points[0].of[0].guaranteed, Optional(DoubleEq(6)));
  EXPECT_EQ(series.points[1].of[0].guaranteed, std::nullopt);
  EXPECT_THAT(timeline.lent_slot_s("a").at(0), Optional(DoubleEq(2)));
  EXPECT_EQ(timeline.lent_slot_s("a").at(1), std::nullopt);
  EXPECT_EQ(timeline.lent_slot_s("nobody").at(0), std::nullopt);
}

TEST(Timeline, AllPointsHaveAllThatIsCountedAnywhere) {
  Timeline timeline(0, 1000, 10);
  timeline.add("a", std::size_t{2}, 1000, 2000, running(3));
  timeline.add("b", std::size_t{0}, 0, 1000, running(1));
  for (const char* queue : {"a", "b", "nobody"}) {
    for (const Point& point : timeline.series(queue, 3000).points) EXPECT_EQ(point.of.size(), 3u);
  }
  EXPECT_THAT(timeline.series("a", 3000).points[1].of[2].running, DoubleEq(3));
}

}  // namespace
}  // namespace weir::report
