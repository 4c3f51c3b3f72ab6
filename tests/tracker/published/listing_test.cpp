// Reads over what is published: which records a filter shows, and how they look by then.
#include "tracker/published/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tracker/published/job_page.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Listing : testing::Test {
  PublishedViews views;

  Listing() {
    views.heartbeat_interval = 1'000;
    const auto queue = [](const std::string& name, bool leaf) {
      QueueView view;
      view.name = name;
      view.leaf = leaf;
      return view;
    };
    views.queues = std::make_shared<const std::vector<QueueView>>(std::vector<QueueView>{
        queue("a", false), queue("a.x", true), queue("b", false), queue("b.x", true)});
    RecordTable<JobView> jobs;
    const auto add = [&jobs](std::size_t number, const char* queue, const char* state) {
      auto job = std::make_shared<JobView>();
      job->id = JobId(number);
      job->name = "job " + std::to_string(number);
      job->queue = queue;
      job->user = number % 2 == 0 ? "ann" : "bob";
      job->state = state;
      job->submitted_at_ms = static_cast<std::int64_t>(number) * 10;
      jobs.set(number, job);
    };
    add(1, "a.x", "SUCCEEDED");
    add(2, "a.x", "RUNNING");
    add(700, "b.x", "HELD");
    add(701, "ax", "FAILED");
    views.jobs = jobs.snapshot();
  }
  std::vector<std::uint32_t> found(const JobFilter& filter, std::size_t enough = 100) {
    std::vector<std::uint32_t> numbers;
    const Status listed = each_job(views, filter, [&](const JobView& job) {
      if (numbers.size() == enough) return false;
      numbers.push_back(job.id.value);
      return true;
    });
    EXPECT_TRUE(listed.ok());
    return numbers;
  }
  TrackerView seen(TimeMs now, const char* state) {
    RecordTable<TrackerRecord> trackers;
    auto record = std::make_shared<TrackerRecord>();
    record->view.state = state;
    record->last_heartbeat = 10'000;
    trackers.set(0, record);
    views.trackers = trackers.snapshot();
    TrackerView out;
    each_tracker(views, now, [&out](const TrackerView& tracker) {
      out = tracker;
      return true;
    });
    return out;
  }
};

// As the list shows them: one that does not report, or takes no tasks, is not live.
TEST_F(Listing, TrackersAreCountedAsTheyAreListed) {
  RecordTable<TrackerRecord> trackers;
  std::size_t id = 0;
  for (const auto& [state, heard] : std::vector<std::pair<std::string, TimeMs>>{
           {"LIVE", 100'000}, {"LIVE", 10'000}, {"DRAINING", 100'000}, {"LOST", 10'000}}) {
    auto record = std::make_shared<TrackerRecord>();
    record->view.state = state;
    record->last_heartbeat = heard;
    trackers.set(id++, record);
  }
  views.trackers = trackers.snapshot();
  const TrackerCounts counts = count_trackers(views, 100'000);
  EXPECT_EQ(counts.listed, 4);
  EXPECT_EQ(counts.live, 1);
}

TEST_F(Listing, JobsComeNewestFirstAndMustFitInEveryWay) {
  EXPECT_THAT(found({.limit = 10}), ElementsAre(701, 700, 2, 1));
  EXPECT_THAT(found({.queue = "a", .limit = 10}), ElementsAre(2, 1));
  EXPECT_THAT(found({.user = "bob", .limit = 10}), ElementsAre(701, 1));
  EXPECT_THAT(found({.name = "job 70?", .limit = 10}), ElementsAre(701, 700));
  EXPECT_THAT(found({.states = {"HELD", "FAILED"}, .limit = 10}), ElementsAre(701, 700));
  EXPECT_THAT(found({.unfinished_only = true, .limit = 10}), ElementsAre(700, 2));
  EXPECT_THAT(found({.user = "bob", .unfinished_only = true, .limit = 10}), IsEmpty());
}

TEST_F(Listing, ItEndsAtItsLimitOrWhenWhoReadsHasEnough) {
  EXPECT_THAT(found({.limit = 2}), ElementsAre(701, 700));
  EXPECT_THAT(found({.limit = 2, .from = 700}), ElementsAre(2, 1));
  EXPECT_THAT(found({.limit = 10}, 1), ElementsAre(701));
}

TEST_F(Listing, TheOldestMayComeFirst) {
  constexpr auto kOldest = JobFilter::Order::kOldestFirst;
  EXPECT_THAT(found({.limit = 10, .order = kOldest}), ElementsAre(1, 2, 700, 701));
  EXPECT_THAT(found({.limit = 2, .order = kOldest, .from = 1}), ElementsAre(2, 700));
  EXPECT_THAT(found({.limit = 2, .order = kOldest, .from = 701}), IsEmpty());
  EXPECT_THAT(found({.since_ms = 20, .limit = 2, .order = kOldest}), ElementsAre(2, 700));
}

TEST_F(Listing, WhatWasSubmittedSince) {
  EXPECT_THAT(found({.since_ms = 7'000, .limit = 10}), ElementsAre(701, 700));
  EXPECT_THAT(found({.since_ms = 7'001, .limit = 10}), ElementsAre(701));
  EXPECT_THAT(found({.since_ms = 9'999, .limit = 10}), IsEmpty());
}

TEST_F(Listing, APageSaysWhereTheNextBegins) {
  const auto page = [this](const JobFilter& filter) { return *page_of_jobs(views, filter); };
  EXPECT_EQ(page({.limit = 2}).next, 700u);
  EXPECT_FALSE(page({.limit = 2}).cut);
  EXPECT_EQ(page({.limit = 2, .from = 700}).next, 0u);  // it ends with the oldest of all
  EXPECT_EQ(page({.limit = 10}).next, 0u);
  EXPECT_EQ(page({.limit = 1, .order = JobFilter::Order::kOldestFirst}).next, 1u);
  const JobPage cut = page({.limit = 10, .page_bytes = 1});
  EXPECT_TRUE(cut.cut);
  EXPECT_EQ(cut.jobs.size(), 1u);  // the first always fits
  EXPECT_EQ(cut.next, 701u);
  EXPECT_FALSE(page_of_jobs(views, {.queue = "gone", .limit = 1}).ok());
}

TEST_F(Listing, APageOfTrackersBeginsBehindTheLastOfTheOneBefore) {
  RecordTable<TrackerRecord> trackers;
  for (const char* name : {"tt2", "tt3", "tt1"}) {
    auto record = std::make_shared<TrackerRecord>();
    record->view.name = name;
    trackers.set(trackers.end(), record);
  }
  views.trackers = trackers.snapshot();
  const auto names = [this](const std::string& after) {
    std::vector<std::string> found;
    each_tracker_by_name(views, 0, after, [&found](const TrackerView& tracker) {
      found.push_back(tracker.name);
      return true;
    });
    return found;
  };
  EXPECT_THAT(names(""), ElementsAre("tt1", "tt2", "tt3"));
  EXPECT_THAT(names("tt2"), ElementsAre("tt3"));
  EXPECT_THAT(names("tt3"), IsEmpty());
}

// The store has how attempts ended; what runs, or was seen to end, is known better.
TEST_F(Listing, StoredAttemptsFillInWhatIsNotKnown) {
  AttemptView seen, bare;
  seen.id = {{JobId(1), TaskKind::kMap, 0}, 0};
  seen.launched_at_ms = 5'000;
  seen.state = "SUCCEEDED";
  seen.speculative = true;
  bare.id = {{JobId(1), TaskKind::kMap, 1}, 0};
  EndedAttempt first, second, third;
  first.attempt = seen.id;
  second.attempt = bare.id;
  second.launched_at = 7'000;
  third.attempt = {{JobId(1), TaskKind::kMap, 2}, 0};
  third.failed = true;
  const auto all = with_stored(views, {seen, bare}, {third, second, first}, WallClock());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0].speculative);
  EXPECT_EQ(all[0].launched_at_ms, 5'000);
  EXPECT_EQ(all[1].launched_at_ms, 7'000);
  EXPECT_EQ(all[2].state, "FAILED");
}

TEST_F(Listing, AQueueGoesByItsPathOrAnUnambiguousLastPart) {
  EXPECT_EQ((*find_queue(views, "a.x"))->name, "a.x");
  EXPECT_EQ((*find_queue(views, "b"))->name, "b");
  EXPECT_EQ(find_queue(views, "x").error().message, "'x' could be several queues");
  EXPECT_EQ(find_queue(views, "x").error().hint, "one of: a.x, b.x");
  EXPECT_THAT(find_queue(views, "y").error().hint, HasSubstr("a, a.x, b, b.x"));
  EXPECT_EQ(*queue_of_the_past(views, "gone"), "gone");
  EXPECT_FALSE(queue_of_the_past(views, "x").ok());
}

// As in the history: by the whole path.
TEST_F(Listing, JobsOutliveTheirQueue) {
  EXPECT_THAT(found({.queue = "ax", .limit = 10}), ElementsAre(701));
  const auto any = [](const JobView&) { return true; };
  EXPECT_EQ(each_job(views, {.queue = "y", .limit = 10}, any).error().message,
            "there is no queue 'y'");
}

TEST_F(Listing, ATrackerIsSilentAfterAFewIntervals) {
  EXPECT_EQ(seen(13'000, "LIVE").state, "LIVE");
  EXPECT_EQ(seen(13'001, "LIVE").state, "SILENT");
  EXPECT_EQ(seen(13'001, "DRAINING").state, "DRAINING");
  EXPECT_EQ(seen(13'001, "LIVE").last_heartbeat_ms_ago, 3'001);
  EXPECT_EQ(seen(9'000, "LIVE").last_heartbeat_ms_ago, 0);
}

TEST(UnusedSlots, AreWhatTheStateOfTheirTrackerSays) {
  const auto of = [](const char* state) {
    TrackerView tracker;
    tracker.state = state;
    return std::string(unused_state(tracker));
  };
  EXPECT_EQ(of("LIVE"), "free");
  EXPECT_EQ(of("SILENT"), "withheld");
  EXPECT_EQ(of("DRAINED"), "withheld");
  EXPECT_EQ(of("LOST"), "lost");
  EXPECT_EQ(of("AWAITED"), "awaited");
  EXPECT_EQ(of("RETURNING"), "awaited");
}

}  // namespace
}  // namespace weir
