#include "live/top_draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "views/text_width.h"

namespace weir::live {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const char* const kHostile = "\x1b[2J\x1b]0;mine\x07名前名前名前名前名前 \xff\u202e";

TopQueue queue(const std::string& name, std::int64_t running, std::int64_t guaranteed) {
  TopQueue queue;
  queue.name = name;
  for (auto& slots : queue.of) {
    slots.running = running;
    slots.guaranteed = guaranteed;
    slots.allocated = running;
    slots.pending = 12;
    slots.maximum = 18;
    slots.guarantees = true;
  }
  return queue;
}

TopJob job(std::int64_t number, const std::string& state, const std::string& reason = "") {
  TopJob job;
  job.number = number;
  job.name = "words";
  job.user = "alice";
  job.queue = "research";
  job.priority = "NORMAL";
  job.state = state;
  job.reason = reason;
  job.of[0].total = 40;
  job.of[0].succeeded = 12;
  return job;
}

TopModel sample() {
  TopModel model;
  model.address = "jt:8080";
  model.policy = "capacity";
  model.complete = true;
  model.trackers = 10;
  model.slots = {TopModel::Slots{20, 14, 6, 2}, TopModel::Slots{20, 0, 20, 0}};
  model.waiting = 1;
  model.running = 2;
  model.queues = {queue("research", 14, 12), queue("research.vision", 14, 12), queue("prod", 0, 8)};
  model.claims = {{"prod", "map", "waiting", 4, 23'000}};
  model.jobs = {job(1, "RUNNING"),
                job(2, "WAITING", "the queue is at its limit of 2 running jobs")};
  return model;
}

std::vector<std::string> texts(const TopModel& model, const TopView& view, ScreenSize size,
                               std::int64_t now = 0) {
  std::vector<std::string> lines;
  for (const ScreenLine& line : draw(model, view, size, now)) lines.push_back(text_of(line));
  return lines;
}

TEST(TopDraw, OneIsNotMany) {
  TopModel model = sample();
  model.trackers = 1;
  model.jobs.resize(1);
  const auto lines = texts(model, {}, {.columns = 80, .rows = 24});
  EXPECT_THAT(lines[0], AllOf(HasSubstr(", 1 tracker"), Not(HasSubstr("trackers"))));
  EXPECT_THAT(lines, Contains(HasSubstr("1 job by")));
}

TEST(TopDraw, TrackersThatAreNotLiveAreSaid) {
  TopModel model = sample();
  model.away = "1 lost, 2 silent";
  EXPECT_THAT(texts(model, {}, {.columns = 80, .rows = 24})[0],
              HasSubstr("policy capacity, 10 trackers live, 1 lost, 2 silent"));
}

TEST(TopDraw, SlotsThatAreNeitherUsedNorFreeAreSaid) {
  TopModel model = sample();
  model.slots[0] = {.total = 7, .used = 1, .free = 2, .withheld = 1, .awaited = 3};
  EXPECT_THAT(texts(model, {}, {.columns = 100, .rows = 24})[1],
              HasSubstr("1 of 7 slots used, 2 free, 1 withheld, 3 awaited"));
}

TEST(TopDraw, HasWhatTheClusterDoes) {
  const auto lines = texts(sample(), {}, {.columns = 80, .rows = 24});
  EXPECT_THAT(lines[0], HasSubstr("weir top  jt:8080  policy capacity, 10 trackers"));
  EXPECT_THAT(lines[1], HasSubstr("14 of 20 slots used, 6 free, 2 lost"));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("prod"), HasSubstr("4 map slots"),
                                    HasSubstr("kills in 23 s"))));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("  vision"), HasSubstr("14/12"))));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("job_0002"), HasSubstr("WAITING"),
                                    HasSubstr("words: the queue"))));
  // The chosen row in full, and the keys.
  EXPECT_THAT(lines[22], HasSubstr("job_0002 waits: the queue is at its limit of 2 running jobs"));
  EXPECT_THAT(lines[23], HasSubstr("q quit"));
}

TEST(TopDraw, UnderFairQueuesHaveSharesAndBorrowNothing) {
  TopModel model = sample();
  const ScreenSize size = {.columns = 120, .rows = 24, .ascii = true};
  EXPECT_THAT(texts(model, {}, size),
              Contains(AllOf(HasSubstr(" RUN/GUAR  WAIT "), HasSubstr("MAPS"))));
  EXPECT_THAT(texts(model, {}, size), Contains(AllOf(HasSubstr("vision"), HasSubstr("+"))));
  model.policy = "fair";
  for (TopQueue& queue : model.queues) {
    for (auto& slots : queue.of) {
      slots.guarantees = false;
      slots.share_thousandths = 12'000;
    }
  }
  EXPECT_THAT(texts(model, {}, size),
              Contains(AllOf(HasSubstr(" RUN/SHARE  WAIT "), HasSubstr("MAPS"))));
  EXPECT_THAT(texts(model, {}, size),
              Contains(AllOf(HasSubstr("vision"), HasSubstr("14/12.0"), HasSubstr("#|#"),
                             Not(HasSubstr("+")))));
  for (TopQueue& queue : model.queues) {
    for (auto& slots : queue.of) slots.share_thousandths.reset();
  }
  EXPECT_THAT(texts(model, {}, size),
              Contains(AllOf(HasSubstr("    RUN  WAIT "), HasSubstr("MAPS"))));
}

TEST(TopDraw, OfContainersAQueueHasALineForEachDimension) {
  TopModel model = sample();
  model.kinds = {"memory_mb", "vcores", "gpu"};
  model.slots = {TopModel::Slots{12288, 10240, 2048, 0}, {12, 10, 2, 4}, {6, 5, 1, 0}};
  TopQueue research = queue("research", 0, 0);
  research.of = {{7373, 7373, 6144, 512, 12288, {}, 1024, true},
                 {6, 8, 8, 12, {}, {}, 0, true},
                 {3, 3, 3, 0, {}, {}, 0, true}};
  research.dominant_thousandths = 666;
  model.queues = {research, research};
  model.queues[1].name = "research.vision";
  model.claims = {};
  TopView view;
  view.pane = Pane::kQueues;
  const auto lines = texts(model, view, {.columns = 100, .rows = 24});
  EXPECT_THAT(lines[1], AllOf(HasSubstr("memory"), HasSubstr("10240 of 12288 MB used, 2048 free")));
  EXPECT_THAT(lines[2], HasSubstr("10 of 12 vcores used, 2 free, 4 lost"));
  EXPECT_THAT(lines[3], AllOf(HasSubstr("gpu"), HasSubstr("5 of 6 gpu used, 1 free")));
  EXPECT_THAT(lines[5], AllOf(HasSubstr("RUN/GUAR     WAIT    DOM"), Not(HasSubstr("MAPS"))));
  EXPECT_THAT(lines[6], AllOf(HasSubstr("research"), HasSubstr("memory"),
                              HasSubstr("6144/7373      512  66.6%")));
  EXPECT_THAT(lines[7], AllOf(HasSubstr("vcores"), HasSubstr(" 8/6       12"),
                              Not(HasSubstr("research"))));
  EXPECT_THAT(lines[8], AllOf(HasSubstr("gpu"), HasSubstr(" 3/3        0")));
  EXPECT_THAT(lines[9], AllOf(HasSubstr("  vision"), HasSubstr("memory")));
  EXPECT_THAT(texts(model, view, {.columns = 180, .rows = 24})[22],
              HasSubstr("6144 MB running of 7373 allocated, 7373 guaranteed, at most 12288, 1024 "
                        "reserved; 8 vcores running of 8 allocated"));
  for (TopQueue& each : model.queues) {
    for (auto& of : each.of) {
      of.guarantees = false;
      of.share_thousandths = 5'461'330;
    }
  }
  EXPECT_THAT(texts(model, view, {.columns = 100, .rows = 24})[6],
              HasSubstr("6144/5461.3      512  66.6%"));
  for (const std::size_t columns : {1, 10, 39, 80, 160}) {
    for (const std::size_t rows : {1, 2, 5, 8, 24}) {
      const auto fitting = texts(model, view, {columns, rows, true});
      EXPECT_LE(fitting.size(), rows);
      for (const std::string& line : fitting) EXPECT_LE(display_width(line), columns) << line;
    }
  }
}

TEST(TopDraw, WhatKillsLostIsInSlotsOrOfEachDimension) {
  TopModel model = sample();
  model.kills = 2;
  model.waste_slot_ms = 20'000;
  EXPECT_THAT(texts(model, {}, {.columns = 120, .rows = 24}),
              Contains(HasSubstr("kills in the last hour: 2, 20 slot-s lost")));
  model.waste_ms = {{"memory_mb", 40'960'000}, {"vcores", 20'000}};
  EXPECT_THAT(texts(model, {}, {.columns = 120, .rows = 24}),
              Contains(HasSubstr("last hour: 2, 40960 MB-s, 20 vcore-s lost")));
}

TEST(TopDraw, ClaimsCountDownByThemselves) {
  TopModel model = sample();
  EXPECT_THAT(texts(model, {}, {}, 20'000), Contains(HasSubstr("kills in 3 s")));
  EXPECT_THAT(texts(model, {}, {}, 30'000), Contains(HasSubstr("due now")));
  model.claims[0].state = "preemption_off";
  EXPECT_THAT(texts(model, {}, {}, 30'000), Contains(HasSubstr("preemption off")));
  model.claims[0] = {"prod", "map", "", 1, -1};
  EXPECT_THAT(texts(model, {}, {}, 30'000), Contains(AllOf(HasSubstr("1 map slot "),
                                                           HasSubstr("never kills"))));
}

TEST(TopDraw, FitsEveryScreenWhateverNamesThereAre) {
  TopModel model = sample();
  model.queues.push_back(queue(kHostile, 3, 4));
  model.claims[0].queue = kHostile;
  model.trouble = kHostile;
  TopJob hostile = job(3, kHostile, kHostile);
  hostile.name = hostile.user = hostile.queue = kHostile;
  model.jobs.push_back(hostile);
  for (int i = 4; i < 300; ++i) model.jobs.push_back(job(i, "PENDING"));
  for (const TopMode mode : {TopMode::kPlain, TopMode::kHelp, TopMode::kFilter, TopMode::kKill,
                             TopMode::kPriority, TopMode::kText}) {
    TopView view;
    view.mode = mode;
    view.filter = mode == TopMode::kFilter ? kHostile : "";
    view.text = {kHostile};
    for (const std::size_t columns : {1, 10, 39, 80, 110, 160, 300}) {
      for (const std::size_t rows : {1, 2, 5, 8, 24, 50}) {
        for (const bool ascii : {false, true}) {
          const auto lines = texts(model, view, {columns, rows, ascii});
          EXPECT_LE(lines.size(), rows);
          for (const std::string& line : lines) {
            EXPECT_LE(display_width(line), columns) << line;
            EXPECT_THAT(line, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\u202e")),
                                    Not(HasSubstr("\n"))));
            for (const char c : line) EXPECT_TRUE(!ascii || (c >= 32 && c < 127)) << line;
          }
        }
      }
    }
  }
}

TEST(TopDraw, TheChosenRowIsAlwaysInView) {
  TopModel model = sample();
  for (int i = 3; i < 200; ++i) model.jobs.push_back(job(i, "PENDING"));
  TopView view;
  for (const std::int64_t chosen : {1, 2, 100, 199}) {
    view.job = chosen;
    EXPECT_THAT(texts(model, view, {}), Contains(HasSubstr(chosen == 1     ? "job_0001"
                                                           : chosen == 2   ? "job_0002"
                                                           : chosen == 100 ? "job_0100"
                                                                           : "job_0199")));
  }
}

TEST(TopDraw, AReasonIsShownWholeOnANarrowScreen) {
  const TopModel model = sample();
  TopView view;
  view.mode = TopMode::kText;
  view.text = {"job_0002  words", "",
               "  queue research.vision runs 12, more than its allocated 8 map slots, 4 of them "
               "borrowed (guaranteed 8), and production's claim comes first"};
  const auto lines = texts(model, view, {.columns = 80, .rows = 24});
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(lines[2],
            "  queue research.vision runs 12, more than its allocated 8 map slots, 4 of them ");
  EXPECT_THAT(lines[3],
              HasSubstr("    borrowed (guaranteed 8), and production's claim comes first"));
}

// As the head says it, and `weir queue list`.
TEST(TopDraw, PendingJobsOfTheChosenQueueAreNotCalledWaiting) {
  TopModel model = sample();
  take_queues(model, {{{"name", "a"}, {"jobs_running", 1}, {"jobs_pending", 2}, {"leaf", true}}});
  TopView view;
  view.pane = Pane::kQueues;
  EXPECT_THAT(texts(model, view, {.columns = 80, .rows = 24}),
              Contains(HasSubstr(" a: 1 job running, 2 pending, 0 waiting")));
}

TEST(TopDraw, OfAPathTheEndIsShown) {
  TopModel model = sample();
  model.jobs = {job(1, "RUNNING"), job(2, "RUNNING")};
  model.jobs[0].queue = "research.speech";
  model.jobs[1].queue = "research.vision";
  model.claims[0].queue = "research.something.of.which.the.end.tells";
  const auto lines = texts(model, {}, {.columns = 80, .rows = 24});
  EXPECT_THAT(lines, Contains(HasSubstr("…speech")));
  EXPECT_THAT(lines, Contains(HasSubstr("…vision")));
  EXPECT_THAT(lines, Contains(HasSubstr("…the.end.tells")));
  EXPECT_THAT(texts(model, {}, {.columns = 80, .rows = 24, .ascii = true}),
              Contains(HasSubstr("~speech")));
}

TEST(TopDraw, InTheTreeANameKeepsBothEnds) {
  TopModel model = sample();
  model.queues = {queue("research", 1, 2), queue("research.language-understanding-en", 1, 2),
                  queue("research.language-understanding-fr", 1, 2)};
  const auto lines = texts(model, {}, {.columns = 80, .rows = 24});
  EXPECT_THAT(lines, Contains(HasSubstr("  language…anding-en")));
  EXPECT_THAT(lines, Contains(HasSubstr("  language…anding-fr")));
}

TEST(TopDraw, SaysThatNobodyAnswersAndSinceWhen) {
  TopModel model = sample();
  model.trouble = "Connection refused";
  model.trouble_since_ms = 1'000;
  EXPECT_THAT(texts(model, {}, {}, 13'000)[0],
              HasSubstr("no answer for 12 s, trying again: Conn"));
  EXPECT_THAT(texts({}, {}, {})[0], HasSubstr("reading..."));
}

TEST(TopDraw, ABarShowsWhatIsUsedWithinAndBeyondTheGuarantee) {
  EXPECT_EQ(text_of(bar({.running = 2, .due = 5, .maximum = 8, .whole = 10}, 10, true)),
            "##...|  : ");
  EXPECT_EQ(text_of(bar({.running = 8, .due = 5, .maximum = -1, .whole = 10}, 10, true)),
            "#####|++  ");
  EXPECT_EQ(text_of(bar({.running = 10, .whole = 10}, 4, true)), "####");
  EXPECT_EQ(text_of(bar({.running = 1, .whole = 1000}, 4, true)), "#   ");
  EXPECT_EQ(text_of(bar({.running = 90, .due = 20, .whole = 10}, 4, true)), "###|");
  EXPECT_EQ(text_of(bar({.running = 1}, 0, true)), "");
}

}  // namespace
}  // namespace weir::live
