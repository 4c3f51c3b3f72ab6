// Figures over time: what is kept of them, at which step, and for how long.
#include "tracker/series/series_book.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace weir {
namespace {

constexpr TimeMs kDay = 24 * 3'600'000;
constexpr TimeMs kStart = 20'000 * kDay;  // a multiple of every step

SeriesSample running(const std::string& queue, std::int64_t slots, std::int64_t kills = 0) {
  SeriesSample sample;
  sample.queue = queue;
  sample.of[0].guaranteed = 10;
  sample.of[0].running = slots;
  sample.of[0].kills = kills;
  return sample;
}

std::vector<std::int64_t> maps_running(const SeriesView& series) {
  std::vector<std::int64_t> out;
  for (const auto& point : series.points) out.push_back(point.maps.running);
  return out;
}

SeriesView read(const SeriesBook& book, const std::string& queue, const std::string& step,
                TimeMs since, TimeMs now) {
  auto series = book.read({queue, since, step}, now);
  if (!series) {
    ADD_FAILURE() << series.error().message;
    return {};
  }
  return *series;
}

// To another book by way of what a store would keep.
void hand_over(SeriesBook& from, SeriesBook& to, TimeMs now) {
  for (;;) {
    const SeriesWrite write = from.changed(now, 3);
    for (const SeriesRow& row : write.rows) to.restore(row, now);
    if (write.rows.empty()) break;
  }
  to.restored(now);
}

TEST(SeriesChunk, GivesBackWhatWasAddedWithItsGaps) {
  std::mt19937 dice(1);
  for (int round = 0; round < 200; ++round) {
    SeriesChunk chunk(1'000, kStart);
    std::vector<SeriesPoint> points;
    for (TimeMs at = kStart; at < chunk.end(); at += 1'000) {
      if (dice() % 4 == 0) continue;
      SeriesPoint point = points.empty() ? SeriesPoint{} : points.back();
      point.at = at;
      if (dice() % 3 == 0) point.of[dice() % 2].running = static_cast<std::int64_t>(dice());
      if (dice() % 3 == 0) point.of[dice() % 2].share = -1 + static_cast<std::int64_t>(dice() % 3);
      if (dice() % 9 == 0) point.of[1].pending = INT64_MAX - static_cast<std::int64_t>(dice());
      if (dice() % 9 == 0) point.of[1].allocated = INT64_MIN;
      if (dice() % 9 == 0) point.of[1].borrowed_thousandths = static_cast<std::int64_t>(dice());
      points.push_back(point);
      chunk.add(point);
      if (dice() % 5 == 0) chunk.seal();  // more may come all the same
    }
    std::vector<SeriesPoint> back;
    SeriesChunk::read(1'000, kStart, chunk.bytes()).each([&](const SeriesPoint& point) {
      back.push_back(point);
    });
    EXPECT_EQ(back, points);
  }
}

// Five maps and six reduces that run: without what was not known then.
TEST(SeriesChunk, WhatWasWrittenInTheFirstFormIsRead) {
  std::vector<SeriesPoint> points;
  const SeriesChunk chunk = SeriesChunk::read(1'000, kStart, "\x01\x01\x84\x04\x0a\x0c");
  chunk.each([&](const SeriesPoint& point) { points.push_back(point); });
  ASSERT_EQ(points.size(), 1u);
  SeriesPoint expected;
  expected.at = kStart;
  expected.of[0].running = 5;
  expected.of[1].running = 6;
  EXPECT_EQ(points[0], expected);
  EXPECT_EQ(points[0].of[0].running_thousandths, -1);
}

TEST(SeriesChunk, WhatDoesNotChangeTakesAByte) {
  SeriesChunk chunk(1'000, kStart);
  SeriesPoint point;
  point.of[0].guaranteed = 1'000'000;
  for (int i = 0; i < 64; ++i) {
    point.at = kStart + i * 1'000;
    chunk.add(point);
  }
  EXPECT_LE(chunk.bytes().size(), 75u);
}

TEST(SeriesChunk, BytesThatCannotBeReadEndThePiece) {
  std::mt19937 dice(2);
  SeriesChunk chunk(1'000, kStart);
  for (int i = 0; i < 64; ++i) {
    SeriesPoint point;
    point.at = kStart + i * 1'000;
    point.of[0].running = static_cast<std::int64_t>(dice() % 1'000);
    chunk.add(point);
  }
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes = chunk.bytes();
    for (int i = 0; i < 3; ++i) bytes[dice() % bytes.size()] = static_cast<char>(dice());
    bytes.resize(dice() % (bytes.size() + 1));
    TimeMs last = 0;
    SeriesChunk::read(1'000, kStart, bytes).each([&](const SeriesPoint& point) {
      EXPECT_GT(point.at, last);
      EXPECT_EQ(point.at % 1'000, 0);
      EXPECT_LT(point.at, chunk.end());
      last = point.at;
    });
  }
}

TEST(SeriesBook, CoarseStepsAreMeansOfFineOnesAndSumsOfKills) {
  SeriesBook book;
  for (int i = 0; i < 60; ++i) book.sample(kStart + i * 1'000, {running("a", i, i < 30 ? 1 : 0)});
  const SeriesView fine = read(book, "a", "1s", 0, kStart + 60'000);
  ASSERT_EQ(fine.points.size(), 60u);
  EXPECT_EQ(fine.points[7].at_ms, kStart + 7'000);
  EXPECT_EQ(fine.points[7].maps.running, 7);
  const SeriesView tens = read(book, "a", "10s", 0, kStart + 60'000);
  EXPECT_EQ(maps_running(tens), (std::vector<std::int64_t>{5, 15, 25, 35, 45, 55}));
  EXPECT_EQ(tens.points[0].maps.kills, 10);
  EXPECT_EQ(tens.points[3].maps.kills, 0);
  EXPECT_EQ(tens.points[0].maps.guaranteed, 10);
}

TEST(SeriesBook, ACoarseStepHasTheMostClaims) {
  SeriesBook book;
  for (const std::int64_t claims : {1, 4, 2}) {
    SeriesSample sample = running("a", 1);
    sample.of[0].claims = claims;
    book.sample(kStart + claims * 1'000, {sample});
  }
  EXPECT_EQ(read(book, "a", "10s", 0, kStart + 9'000).points.at(0).maps.claims, 4);
}

// The policy was changed within the step.
TEST(SeriesBook, AMeanShareIsOfThePointsThatHadOne) {
  SeriesBook book;
  for (int i = 0; i < 10; ++i) {
    SeriesSample sample = running("a", 1);
    if (i >= 6) sample.of[0].share = 2'000;
    book.sample(kStart + i * 1'000, {sample});
  }
  const SeriesView tens = read(book, "a", "10s", 0, kStart + 9'000);
  EXPECT_EQ(tens.points.at(0).maps.share_thousandths, 2'000);
  EXPECT_FALSE(tens.points.at(0).reduces.share_thousandths.has_value());
}

TEST(SeriesBook, TheStepThatGoesOnIsShownAsFarAsItIs) {
  SeriesBook book;
  for (int i = 0; i < 13; ++i) book.sample(kStart + i * 1'000, {running("a", 4)});
  const SeriesView tens = read(book, "a", "10s", 0, kStart + 13'000);
  EXPECT_EQ(maps_running(tens), (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(tens.points[1].at_ms, kStart + 10'000);
}

TEST(SeriesBook, EachStepIsKeptForItsTime) {
  SeriesBook book;
  TimeMs now = kStart;
  for (; now < kStart + 4 * 3'600'000; now += 1'000) book.sample(now, {running("a", 1)});
  const auto oldest = [&](const char* step) {
    return now - read(book, "a", step, 0, now).points.front().at_ms;
  };
  EXPECT_GE(oldest("1s"), 600'000);
  EXPECT_LE(oldest("1s"), 600'000 + 2 * 64'000);
  EXPECT_GE(oldest("10s"), 3 * 3'600'000);
  EXPECT_LE(oldest("10s"), 3 * 3'600'000 + 2 * 640'000);
  EXPECT_EQ(oldest("1m"), 4 * 3'600'000);
  EXPECT_EQ(read(book, "a", "15m", 0, now).points.size(), 16u);
}

TEST(SeriesBook, WithoutAStepTheFinestOneThatGoesBackFarEnough) {
  SeriesBook book;
  book.sample(kStart, {running("a", 1)});
  EXPECT_EQ(read(book, "a", "", kStart - 600'000, kStart).step_ms, 1'000);
  EXPECT_EQ(read(book, "a", "", kStart - 3'600'000, kStart).step_ms, 10'000);
  EXPECT_EQ(read(book, "a", "", kStart - kDay, kStart).step_ms, 60'000);
  EXPECT_EQ(read(book, "a", "", 0, kStart).step_ms, 900'000);
}

TEST(SeriesBook, AnUnknownQueueOrStepIsAnErrorThatSaysWhatThereIs) {
  SeriesBook book;
  book.sample(kStart, {running("a", 1)});
  EXPECT_EQ(book.read({"b", 0, "1s"}, kStart).error().code, ErrorCode::kUnknownQueue);
  const auto step = book.read({"a", 0, "2s"}, kStart);
  EXPECT_EQ(step.error().code, ErrorCode::kBadRequest);
  EXPECT_EQ(step.error().hint, "1s, 10s, 1m or 15m");
}

TEST(SeriesBook, AfterARestartAllIsThereAndTheDowntimeIsAGap) {
  SeriesBook before;
  TimeMs now = kStart;
  for (; now < kStart + 1'000'000; now += 1'000)
    before.sample(now, {running("a", now / 1'000 % 7), running("b", 2)});
  SeriesBook after;
  const TimeMs back = now + 120'000;
  hand_over(before, after, back);
  for (now = back; now < back + 100'000; now += 1'000) after.sample(now, {running("a", 3)});
  const SeriesView fine = read(after, "a", "1s", kStart + 900'000, now);
  ASSERT_EQ(fine.points.size(), 200u);
  EXPECT_EQ(fine.points[99].at_ms, kStart + 999'000);
  EXPECT_EQ(fine.points[100].at_ms, back);
  // The minute that was not over has its points from before; no step is there twice.
  const SeriesView minutes = read(after, "a", "1m", 0, now);
  TimeMs last = 0;
  for (const auto& point : minutes.points) {
    EXPECT_GT(point.at_ms, last);
    last = point.at_ms;
  }
  EXPECT_EQ(minutes.points.front().at_ms, kStart);
  EXPECT_EQ(minutes.points[16].at_ms, kStart + 960'000);  // of 40 s
  EXPECT_EQ(minutes.points[17].at_ms, back - back % 60'000);
  const SeriesView quarters = read(after, "b", "15m", 0, now);
  ASSERT_EQ(quarters.points.size(), 2u);
  EXPECT_EQ(quarters.points[0].maps.running, 2);
  EXPECT_EQ(read(after, "b", "1s", kStart + 900'000, now).points.size(), 100u);
}

TEST(SeriesBook, StepsThatEndedWhileItWasDownAreMadeOfWhatThereWas) {
  SeriesBook before;
  TimeMs now = kStart + 600'000;  // in the middle of a quarter of an hour
  for (int i = 0; i < 120; ++i, now += 1'000) before.sample(now, {running("a", 8)});
  SeriesBook after;
  hand_over(before, after, now + 3'600'000);
  const SeriesView quarters = read(after, "a", "15m", 0, now + 3'600'000);
  ASSERT_EQ(quarters.points.size(), 1u);
  EXPECT_EQ(quarters.points[0].at_ms, kStart);
  EXPECT_EQ(quarters.points[0].maps.running, 8);
}

TEST(SeriesBook, AStepThatWentOnIsMadeOfAllItsPointsAfterARestart) {
  SeriesBook before;
  for (int i = 0; i < 12; ++i)
    before.sample(kStart + i * 1'000, {running("a", i == 10 ? 60 : 0)});
  SeriesBook after;
  hand_over(before, after, kStart + 12'000);
  EXPECT_EQ(maps_running(read(after, "a", "10s", 0, kStart + 12'000)),
            (std::vector<std::int64_t>{0, 30}));
}

TEST(SeriesBook, WhatHasNotChangedIsNotWrittenAgain) {
  SeriesBook book;
  for (int i = 0; i < 100; ++i) book.sample(kStart + i * 1'000, {running("a", 1)});
  const SeriesWrite first = book.changed(kStart, 100);
  EXPECT_EQ(first.rows.size(), 4u);  // two pieces of 1 s, one of 10 s and of 1 min
  EXPECT_TRUE(book.changed(kStart, 100).rows.empty());
  book.sample(kStart + 100'000, {running("a", 1)});
  EXPECT_EQ(book.changed(kStart, 100).rows.size(), 2u);
}

// A sample changes every queue: those at the end have their turn all the same.
TEST(SeriesBook, AllQueuesAreHandedOverHoweverFewAtATime) {
  SeriesBook book;
  std::set<std::string> seen;
  for (int i = 0; i < 4; ++i) {
    book.sample(kStart + i * 1'000, {running("a", i), running("b", i), running("c", i)});
    for (const SeriesRow& row : book.changed(kStart, 1).rows) seen.insert(row.series);
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST(SeriesBook, BytesAreBoundedAndTheLongestMemoryBecomesShorter) {
  SeriesBook book({.queues = 10, .bytes = 45'000});
  std::mt19937 dice(3);
  TimeMs now = kStart;
  for (int i = 0; i < 100'000; ++i, now += 1'000) {
    std::vector<SeriesSample> samples;
    for (const char* queue : {"a", "b", "c"})
      samples.push_back(running(queue, static_cast<std::int64_t>(dice() % 1'000)));
    book.sample(now, samples);
    ASSERT_LE(book.bytes(), 45'000u);
  }
  EXPECT_GE(read(book, "a", "1s", 0, now).points.size(), 600u);
  const auto minutes = read(book, "a", "1m", 0, now).points.size();
  EXPECT_LT(minutes, 1'600u);
  EXPECT_GT(minutes, 64u);
}

TEST(SeriesBook, QueuesAreBoundedAndThoseThatAreGoneMakeRoom) {
  SeriesBook book({.queues = 2});
  book.sample(kStart, {running("a", 1), running("b", 1), running("c", 1)});
  EXPECT_EQ(book.queues(), (std::vector<std::string>{"a", "b"}));
  for (int i = 1; i < 10; ++i) book.sample(kStart + i * 1'000, {running("b", 1), running("c", 1)});
  EXPECT_EQ(book.queues(), (std::vector<std::string>{"b", "c"}));
}

TEST(SeriesBook, AQueueThatIsGoneLeavesWithItsLastPoint) {
  SeriesBook book;
  book.sample(kStart, {running("a", 1)});
  book.sample(kStart + 30 * kDay, {running("b", 1)});
  EXPECT_EQ(book.queues().size(), 2u);
  book.sample(kStart + 62 * kDay, {running("b", 1)});
  EXPECT_EQ(book.queues(), std::vector<std::string>{"b"});
}

TEST(SeriesBook, AClockThatIsSetBackNotesNothingTwice) {
  SeriesBook book;
  for (int i = 0; i < 60; ++i) book.sample(kStart + i * 1'000, {running("a", 1)});
  EXPECT_FALSE(book.sample(kStart + 50'000, {running("a", 2)}));  // by a little
  EXPECT_FALSE(book.sample(kStart + 59'900, {running("a", 2)}));  // the same second
  EXPECT_EQ(read(book, "a", "1s", 0, kStart).points.size(), 60u);
  EXPECT_TRUE(book.sample(kStart - 3'600'000, {running("a", 2)}));  // by an hour
  EXPECT_EQ(maps_running(read(book, "a", "1s", 0, kStart)), std::vector<std::int64_t>{2});
}

SeriesSample exactly(std::int64_t running, std::int64_t lent, std::int64_t borrowed) {
  SeriesSample sample{"a", {}};
  sample.of[0].running = running;
  sample.of[0].running_thousandths = 1'000 * running;
  sample.of[0].lent_thousandths = 1'000 * lent;
  sample.of[0].borrowed_thousandths = 1'000 * borrowed;
  return sample;
}

// Three seconds of ten, and what a whole slot would hide.
TEST(SeriesBook, WhatWasLentForAShortWhileIsNotRoundedAway) {
  SeriesBook book;
  TimeMs now = kStart;
  for (int i = 0; i < 1'900; ++i, now += 1'000)
    book.sample(now, {i % 10 < 3 ? exactly(1, 1, 2) : exactly(0, 0, 0)});
  for (const char* step : {"10s", "1m", "15m"}) {
    const SeriesView series = read(book, "a", step, kStart, now);
    EXPECT_EQ(series.points.at(0).maps.running, 0) << step;
    EXPECT_EQ(series.points.at(0).maps.running_thousandths, 300) << step;
    EXPECT_EQ(series.points.at(0).maps.lent_thousandths, 300) << step;
    EXPECT_EQ(series.points.at(0).maps.borrowed_thousandths, 600) << step;
  }
}

// A step of which some points are of an earlier version, that did not know it.
TEST(SeriesBook, WhatIsNotKnownOfAllPointsOfAStepIsNotKnown) {
  SeriesBook book;
  book.sample(kStart, {running("a", 4)});
  book.sample(kStart + 1'000, {exactly(4, 1, 0)});
  const SeriesView tens = read(book, "a", "10s", kStart, kStart + 2'000);
  EXPECT_EQ(tens.points.at(0).maps.running, 4);
  EXPECT_FALSE(tens.points.at(0).maps.running_thousandths.has_value());
  EXPECT_FALSE(tens.points.at(0).maps.lent_thousandths.has_value());
  const SeriesView ones = read(book, "a", "1s", kStart, kStart + 2'000);
  EXPECT_EQ(ones.points.at(1).maps.lent_thousandths, 1'000);
}

TEST(SeriesBook, RowsThatMakeNoSenseAreLeftOut) {
  SeriesBook book;
  book.restore({1'000, kStart + 1, "a", "\x01"}, kStart);
  book.restore({7, kStart, "a", "\x01\x01"}, kStart);
  book.restore({1'000, kStart, "a", "nonsense"}, kStart);
  book.restore({1'000, kStart + 640'000, "a", std::string("\x01\x00\x00", 3)}, kStart);
  book.restored(kStart);
  EXPECT_TRUE(book.queues().empty());
}

// A measure for the comment in series_book.h rather than a bound.
TEST(SeriesBook, AQueueAtRestTakesLittle) {
  SeriesBook book;
  for (TimeMs at = kStart; at < kStart + 3 * kDay; at += 1'000) book.sample(at, {running("a", 1)});
  RecordProperty("bytes", static_cast<int>(book.bytes()));
  EXPECT_LT(book.bytes(), 20'000u);
}

TEST(SeriesBook, OfTheClusterThereAreFiguresFromTheStart) {
  const SeriesBook book;
  const auto series = book.read({"root", 0, "1s"}, kStart);
  ASSERT_TRUE(series) << series.error().message;
  EXPECT_EQ(series->step_ms, 1000);
  EXPECT_TRUE(series->points.empty());
  EXPECT_FALSE(book.read({"none", 0, "1s"}, kStart));
}

}  // namespace
}  // namespace weir
