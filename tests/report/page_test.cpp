#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/markup.h"
#include "report/report.h"

namespace weir::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const char* const kHostile = "</title><script>alert('x')</script>\"&\x1b[31m";

Point point(TimeMs from, double running, double guaranteed) {
  Point point;
  point.from = from;
  point.to = from + 1000;
  Figures& maps = point.of[0];
  maps.running = running;
  maps.guaranteed = guaranteed;
  maps.allocated = std::max(running, 1.0);
  maps.lent = std::max(0.0, guaranteed - *maps.allocated);
  maps.borrowed = std::max(0.0, running - guaranteed);
  return point;
}

Report sample(const std::string& queue) {
  Report report;
  report.title = "A day of " + queue;
  report.subtitle = "of " + queue;
  report.made_from = {{"scenario", queue}};
  report.notes = {"note of " + queue};
  report.to = 3000;
  report.slot_s = {30, 0};
  report.queues = {{queue, {point(0, 2, 4), point(1000, 6, 4), point(2000, 0, 4)}}};
  report.queues[0].points[1].kills = 2;
  report.cluster = {"", {point(0, 2, 10), point(1000, 6, 10), point(2000, 0, 10)}};
  QueueTotals totals;
  totals.queue = queue;
  totals.succeeded = 3;
  totals.failed = 1;
  totals.waits = {0, 1500, 700'000};
  totals.responses = {2000, 3000, 800'000, 1000};
  totals.used_slot_s = {8, 0};
  totals.lent_slot_s[0] = 5;
  totals.borrowed_slot_s[0] = 2;
  totals.lost = 2;
  totals.wasted_slot_s = {4, 0};
  report.totals = {totals};
  report.kills = {{queue, queue, "reclaim", 2, {4, 0}}};
  SlowJob job;
  job.id = job.name = job.user = job.queue = job.state = queue;
  job.response_ms = 800'000;
  job.wait_ms = 700'000;
  report.slowest = {job};
  return report;
}

TEST(Page, NoTextOfAnybodyBecomesMarkup) {
  const std::string page = html(sample(kHostile));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("</title><s")),
                          Not(HasSubstr("\x1b")), HasSubstr("&lt;script&gt;")));
  // What is left of it after escaping is no attribute either.
  EXPECT_THAT(page, Not(HasSubstr("alert('x')")));
}

TEST(Page, FetchesNothingAndRunsNothing) {
  const std::string page = html(sample("prod"));
  EXPECT_THAT(page, AllOf(HasSubstr("default-src 'none'"), Not(HasSubstr("src=")),
                          Not(HasSubstr("href=")), Not(HasSubstr("url(")),
                          Not(HasSubstr("@import")), Not(HasSubstr("onload"))));
}

TEST(Page, HasTheFiguresOfEachPart) {
  const std::string page = html(sample("prod"));
  EXPECT_THAT(page, AllOf(HasSubstr("8 slot-s of 30 slot-s used, 26.7%"),
                          HasSubstr("8 slot-s used · 5 slot-s lent · 2 slot-s borrowed"),
                          HasSubstr("2 tasks lost to others"),
                          HasSubstr("3 jobs · 50% 1.5s · 95% 11m40s · longest 11m40s"),
                          HasSubstr("4 slot-s thrown away, 50.0% of what was used"),
                          HasSubstr("13m20s")));
}

TEST(Page, WhatWasThrownAwayIsAPartOfTheUseThatIsKnown) {
  Report report = sample("prod");
  report.wasted_seen_slot_s = 2;
  EXPECT_THAT(html(report),
              HasSubstr("4 slot-s thrown away, 25.0% of what was used, where use is known"));
  report.totals[0].wasted_slot_s = {12};
  report.wasted_seen_slot_s = 12;  // of 8 that were used: the figures do not say
  EXPECT_THAT(html(report), AllOf(HasSubstr("12 slot-s thrown away<"), Not(HasSubstr("150.0%"))));
}

TEST(Page, AreasOfAQueueAreWhereItsFiguresSay) {
  const std::string page = html(sample("prod"));
  // The axis ends at 6: 4 of 6 guaranteed are a third from the top; beyond them is borrowed.
  EXPECT_THAT(page, HasSubstr("<path class=\"guarantee\" d=\"M0 33.33H1000\"/>"));
  EXPECT_THAT(page,
              HasSubstr("<path class=\"borrowed\" d=\"M333.33 33.33V0H666.67V33.33H333.33Z\"/>"));
}

TEST(Page, AnEmptyReportSaysSoInEveryPart) {
  Report report;
  report.title = "nothing";
  EXPECT_THAT(html(report),
              AllOf(HasSubstr("No slots in this time"), HasSubstr("No queue ran"),
                    HasSubstr("No job was launched"), HasSubstr("No task was killed"),
                    HasSubstr("No job ended")));
}

TEST(Markup, NumbersAreAsPeopleReadThem) {
  EXPECT_EQ(count(1234567), "1,234,567");
  EXPECT_EQ(amount(0.25), "0.2");
  EXPECT_EQ(amount(12), "12");
  EXPECT_EQ(amount(1234.4), "1,234");
  EXPECT_EQ(slot_time(90), "90 slot-s");
  EXPECT_EQ(slot_time(5400), "90 slot-min");
  EXPECT_EQ(slot_time(36000), "10 slot-h");
  EXPECT_EQ(percent(1, 3), "33.3%");
  EXPECT_EQ(percent(1, 100'000), "under 0.1%");
  EXPECT_EQ(percent(1, 0), "–");
  EXPECT_EQ(round_above(61), 80);
  EXPECT_EQ(round_above(60), 60);
  EXPECT_EQ(round_above(0), 1);
}

TEST(Markup, TimesAlongAnAxisAreRoundAndNotTooMany) {
  const auto ticks = time_ticks(0, 86'520'000, false, 8);
  ASSERT_EQ(ticks.size(), 5);
  EXPECT_EQ(ticks[1].text, "6h");
  EXPECT_EQ(ticks[4].text, "1d");
  EXPECT_TRUE(time_ticks(5, 5, false, 8).empty());
  for (const TimeMs span : {3'000LL, 59'000LL, 3'600'000LL, 86'400'000LL * 400}) {
    EXPECT_LE(time_ticks(0, span, false, 8).size(), 9) << span;
    EXPECT_GE(time_ticks(0, span, false, 8).size(), 2) << span;
  }
}

TEST(Page, OfContainersItGoesByDimension) {
  Report report = sample("research");
  report.classes = container_classes({"memory_mb", "vcores", "gpu"});
  report.slot_s = {30'720, 12, 0};
  for (Series* series : {&report.queues[0], &report.cluster}) {
    for (Point& each : series->points) {
      each.of.resize(3);
      each.of[1].running = 3;
      each.of[1].guaranteed = 4;
    }
  }
  report.totals[0].used_slot_s = {7'680, 9, 0};
  report.totals[0].lent_slot_s = {3'600, 2, std::nullopt};
  report.totals[0].borrowed_slot_s = {120, 0, std::nullopt};
  report.totals[0].wasted_slot_s = {60, 4};
  const std::string page = html(report);
  EXPECT_THAT(page, AllOf(HasSubstr("of the memory used"), HasSubstr("25.0%"),
                          HasSubstr("9 vcore-s of 12 vcore-s"), HasSubstr("memory use</th>"),
                          HasSubstr("60 MB-min, 2 vcore-s"),
                          HasSubstr("60 MB-s, 4 vcore-s thrown away")));
  EXPECT_THAT(page, Not(HasSubstr("slot-s")));
  EXPECT_THAT(page, Not(HasSubstr("Reduce")));
}

}  // namespace
}  // namespace weir::report
