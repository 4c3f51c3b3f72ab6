// The engine's numbers, each just below, at and just above where something begins or ends.
#include <gmock/gmock.h>

#include <limits>

#include "jobqueue/policy/policy_memory.h"
#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using testing::ElementsAre;

// --- Tasks ---

// Reduces may start when `slowstart` of the maps are done, rounded up.
TEST(EngineBounds, SlowStartIsAPartOfTheMapsRoundedUp) {
  const auto maps_needed = [](std::uint32_t maps, std::int64_t millionths) {
    FifoHarness h;
    h.add_tracker("tt1", {.map_slots = maps, .reduce_slots = 0});
    h.submit({.maps = maps, .reduces = 1, .slowstart_millionths = millionths});
    h.heartbeat("tt1");
    for (std::uint32_t done = 0; done < maps; ++done) {
      if (h.state().job(JobId(1)).tasks(TaskKind::kReduce).open) return done;
      h.finish("J1/m" + std::to_string(done));
      h.heartbeat("tt1");
    }
    EXPECT_TRUE(h.state().job(JobId(1)).tasks(TaskKind::kReduce).open);
    return maps;
  };
  EXPECT_EQ(maps_needed(4, 0), 0u);
  EXPECT_EQ(maps_needed(4, 1), 1u);
  EXPECT_EQ(maps_needed(4, 250'000), 1u);
  EXPECT_EQ(maps_needed(4, 250'001), 2u);
  EXPECT_EQ(maps_needed(4, 500'000), 2u);
  EXPECT_EQ(maps_needed(4, 750'001), 4u);
  EXPECT_EQ(maps_needed(3, 333'333), 1u);
  EXPECT_EQ(maps_needed(3, 333'334), 2u);
  EXPECT_EQ(maps_needed(1, 1'000'000), 1u);
  EXPECT_EQ(maps_needed(7, 1'000'000), 7u);
}

TEST(EngineBounds, AJobFailsWithTheLastOfItsAttempts) {
  for (std::uint32_t most = 1; most <= 4; ++most) {
    FifoHarness h;
    h.add_tracker("tt1", {.map_slots = 1});
    h.submit({.maps = 1, .max_attempts = most});
    for (std::uint32_t failures = 1; failures <= most; ++failures) {
      ASSERT_EQ(h.state_of(1), JobState::kRunning) << failures << " of " << most;
      ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
      h.fail("J1/m0");
      if (failures < most) {  // takes the failure in, and launches again with the next
        h.tracker("tt1").options.map_slots = 0;
        h.connect("tt1");
        h.heartbeat("tt1");
        h.tracker("tt1").options.map_slots = 1;
        h.connect("tt1");
      } else {
        h.heartbeat("tt1");
      }
    }
    EXPECT_EQ(h.state_of(1), JobState::kFailed) << most;
  }
}

// A job avoids a tracker that has failed 4 of its tasks, unless more than a quarter of the
// trackers would be avoided.
TEST(EngineBounds, AQuarterOfTheTrackersMayBeAvoided) {
  const auto avoided = [](int trackers, int failures) {
    FifoHarness h;
    for (int i = 0; i < trackers; ++i)
      h.add_tracker("tt" + std::to_string(i), {.map_slots = 4, .reduce_slots = 0});
    h.submit({.maps = 4, .max_attempts = 9});
    EXPECT_EQ(h.heartbeat("tt0"), "J1/m0 J1/m1 J1/m2 J1/m3");
    for (int i = 0; i < failures; ++i) h.fail("J1/m" + std::to_string(i));
    h.heartbeat("tt0");
    return h.state().avoided(h.state().job(JobId(1)), TrackerId(0));
  };
  EXPECT_FALSE(avoided(4, 3));
  EXPECT_TRUE(avoided(4, 4));
  EXPECT_TRUE(avoided(5, 4));
  EXPECT_FALSE(avoided(3, 4));
}

// A task that failed somewhere is tried there again only if nobody else could take it.
TEST(EngineBounds, ARetryWaitsForATrackerThatCouldTakeIt) {
  const auto again_there = [](const TrackerOptions& other, bool drains, std::int64_t width) {
    FifoHarness h;
    h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
    h.submit({.maps = 1, .slots_per_map = width});
    h.heartbeat("tt1");
    h.add_tracker("tt2", other);
    if (drains) h.step(OrderTrackers{{"root", {}}, {"tt2"}, TrackerOrder::kDrain});
    h.fail("J1/m0");
    h.heartbeat("tt1");
    return h.events<AttemptLaunched>().size() == 2;
  };
  EXPECT_FALSE(again_there({.map_slots = 2}, false, 2));
  EXPECT_TRUE(again_there({.map_slots = 1}, false, 2)) << "it is not wide enough";
  EXPECT_TRUE(again_there({.map_slots = 2}, true, 2)) << "it gets nothing new";
  EXPECT_FALSE(again_there({.map_slots = 1}, false, 1));
}

TEST(EngineBounds, NorForOneThatItsJobAvoids) {
  FifoHarness h;
  for (const char* name : {"tt1", "tt2", "tt3", "tt4"})
    h.add_tracker(name, {.map_slots = 5, .reduce_slots = 0});
  h.submit({.maps = 5, .max_attempts = 9});
  h.heartbeat("tt1");
  for (const char* map : {"J1/m0", "J1/m1", "J1/m2", "J1/m3"}) h.fail(map);
  h.heartbeat("tt1");  // avoided from now on
  for (const char* name : {"tt3", "tt4"}) h.step(LoseTracker{name});
  h.fail("J1/m4");
  h.heartbeat("tt1");
  ASSERT_EQ(h.state().live_trackers(), 2u);
  ASSERT_FALSE(h.state().avoided(h.state().job(JobId(1)), TrackerId(0))) << "it is half of them";
  for (const char* name : {"tt3", "tt4"}) h.connect(name);
  ASSERT_TRUE(h.state().avoided(h.state().job(JobId(1)), TrackerId(0)));
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0 J1/m1 J1/m2 J1/m3 J1/m4");
  h.fail("J1/m4");
  for (const char* name : {"tt3", "tt4"})
    h.step(OrderTrackers{{"root", {}}, {name}, TrackerOrder::kDrain});
  // The only other one in the pool is tt1, which the job avoids: tt2 tries it again.
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m4");
}

// No further from its input than is allowed, at the first try and after a failure.
TEST(EngineBounds, AMapRunsAsFarFromItsInputAsIsAllowed) {
  for (const bool failed : {false, true}) {
    FifoHarness h;
    h.add_tracker("far", {.map_slots = 1, .reduce_slots = 0, .rack = "r2"});
    if (!failed) h.submit({.maps = 1, .locations = {{"here"}}});
    h.add_tracker("here", {.map_slots = 0, .reduce_slots = 0, .rack = "r1"});
    h.add_tracker("beside", {.map_slots = 1, .reduce_slots = 0, .rack = "r1"});
    if (failed) {
      h.add_tracker("once", {.map_slots = 1, .reduce_slots = 0, .rack = "r3"});
      h.submit({.maps = 1, .locations = {{"here"}}});
      ASSERT_EQ(h.heartbeat("once"), "J1/m0");
      h.fail("J1/m0");
      h.heartbeat("once");
    }
    h.tracker("here").options.map_slots = 1;
    h.connect("here");
    ASSERT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).retries.size(), failed ? 1u : 0u);
    const auto level = [&](const char* tracker, Locality allowed) -> std::string {
      const auto choice = h.state().pick_task(JobId(1), TaskKind::kMap,
                                              h.state().find_tracker(tracker)->id, allowed);
      return choice ? name(choice->locality) : "not";
    };
    EXPECT_EQ(level("here", Locality::kNode), "node");
    EXPECT_EQ(level("beside", Locality::kNode), "not");
    EXPECT_EQ(level("beside", Locality::kRack), "rack");
    EXPECT_EQ(level("far", Locality::kRack), "not");
    EXPECT_EQ(level("far", Locality::kAny), "any");
  }
}

// Also one of a list so long that it is not searched from its beginning each time.
TEST(EngineBounds, AMapThatIsPendingAgainIsStillNearItsInput) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 20, .reduce_slots = 0});
  h.submit({.maps = 20, .locations = {{"tt1"}}});
  h.heartbeat("tt1");
  h.heartbeat("tt1");  // they run
  for (auto held = h.tracker("tt1").held.begin();; ++held) {
    if (held->first.task.index != 7) continue;
    h.tracker("tt1").held.erase(held);  // its process is gone
    break;
  }
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m7");
  const auto launches = h.events<AttemptLaunched>();
  EXPECT_EQ(launches.size(), 21u);
  EXPECT_EQ(launches.back().locality, Locality::kNode);
}

TEST(EngineBounds, ATrackerThatComesBackElsewhereIsNearOtherMaps) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 0, .rack = "r1"});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 0, .rack = "r2"});
  h.submit({.maps = 1, .locations = {{"host-tt1"}}});
  const auto level = [&] {
    return h.state().pick_task(JobId(1), TaskKind::kMap, TrackerId(1))->locality;
  };
  EXPECT_EQ(level(), Locality::kAny);
  h.tracker("tt2").options.rack = "r1";
  h.connect("tt2");
  EXPECT_EQ(level(), Locality::kRack);
  h.tracker("tt1").options.rack = "r3";
  h.connect("tt1");
  EXPECT_EQ(level(), Locality::kAny);
}

// --- Counters that programs make up ---

TEST(EngineBounds, CountersAreBoundedInNumberAndInSize) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.maps = 2, .reduces = 1});
  h.heartbeat("tt1");
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const auto report = [&](std::uint32_t map, Counters counters) {
    for (auto& [key, attempt] : h.tracker("tt1").held) {
      if (key.task.index != map) continue;
      attempt.state = ReportedState::kSucceeded;
      attempt.counters = std::make_shared<Counters>(std::move(counters));
    }
    h.heartbeat("tt1");
  };
  Counters first{{"group 000", {{"more", kMost}, {"less", kLeast}, {"sum", 40}}}};
  for (int i = 1; i < 99; ++i) {
    std::string number = std::to_string(1000 + i).substr(1);
    first["group " + number]["n"] = i;
  }
  for (int i = 0; i < 197; ++i) first["group 000"]["z" + std::to_string(1000 + i)] = 1;
  report(0, first);
  const Counters& known = h.state().job(JobId(1)).counters;
  EXPECT_EQ(known.size(), 99u);
  EXPECT_EQ(known.at("group 000").size(), 200u);
  report(1, {{"group 000", {{"more", 1}, {"less", -1}, {"sum", 2}, {"zzz", 1}}},
             {"group 100", {{"n", 1}}},
             {"group 101", {{"m", 1}, {"n", 1}}},
             {"weir", {{"MAP_INPUT_RECORDS", 8}, {"COUNTERS_OVER_LIMIT", 5}}}});
  EXPECT_EQ(known.at("group 000").at("more"), kMost);
  EXPECT_EQ(known.at("group 000").at("less"), kLeast);
  EXPECT_EQ(known.at("group 000").at("sum"), 42);
  EXPECT_EQ(known.at("group 000").size(), 200u) << "no 201st in a group";
  EXPECT_TRUE(known.contains("group 100"));
  EXPECT_FALSE(known.contains("group 101")) << "no 101st group";
  EXPECT_EQ(known.at("weir").at("MAP_INPUT_RECORDS"), 8) << "Weir's own are not among the 100";
  EXPECT_EQ(known.at("weir").at("COUNTERS_OVER_LIMIT"), 5 + 3) << "two of group 101, and zzz";
}

// --- Times ---

TEST(EngineBounds, ATrackerIsLostWhenItsExpiryIsOver) {
  FifoHarness h;
  h.settings().heartbeat.expiry_ms = 5000;
  h.add_tracker("tt1");
  h.advance(4999);
  EXPECT_EQ(h.state().live_trackers(), 1u);
  h.advance(1);
  EXPECT_EQ(h.state().live_trackers(), 0u);
}

// An older process of the same name may have it when the newer one was not heard of for 10 s.
TEST(EngineBounds, ANameIsTakenForTenSeconds) {
  const auto may_after = [](DurationMs silence) {
    FifoHarness h;
    h.add_tracker("older");
    h.add_tracker("newer");
    RegisterTracker registration;
    registration.name = "newer";
    registration.incarnation = h.tracker("older").incarnation;
    registration.host = "host";
    registration.total = Resources{{1, 1, 0, 0}};
    h.now += silence;
    const auto replies = h.step(registration);
    return std::holds_alternative<Registered>(replies.at(0).body);
  };
  EXPECT_FALSE(may_after(9'999));
  EXPECT_TRUE(may_after(10'000));
}

TEST(EngineBounds, AnEndedJobIsListedForAsLongAsIsSaid) {
  FifoHarness h;
  h.settings().finished_jobs_kept_ms = 7000;
  h.submit({.maps = 1});
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.advance(6999);
  EXPECT_NE(h.state().find_job(JobId(1)), nullptr);
  h.advance(1);
  EXPECT_EQ(h.state().find_job(JobId(1)), nullptr);
}

// While something of it is left it stays, and goes when that has gone.
TEST(EngineBounds, AnEndedJobWithLiveAttemptsIsForgottenAfterThem) {
  FifoHarness h;
  h.settings().finished_jobs_kept_ms = 1000;
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.advance(2000);
  ASSERT_NE(h.state().find_job(JobId(1)), nullptr);
  h.settle("tt1");
  h.advance(1);
  EXPECT_EQ(h.state().find_job(JobId(1)), nullptr);
}

TEST(EngineBounds, AfterARestartTrackersHaveFiveSecondsAndTwoIntervals) {
  auto spec = std::make_shared<JobSpec>();
  spec->name = "old";
  spec->user = "ann";
  spec->queue = "default";
  spec->output = "/out7";
  spec->splits.resize(1);
  Snapshot snapshot{.epoch = 2};
  snapshot.next_job = 8;
  JobSnapshot job;
  job.job = JobId(7);
  job.spec = spec;
  job.queue = "default";
  job.state = JobState::kRunning;
  snapshot.jobs = {job};
  FifoHarness h;
  h.settings().heartbeat.interval_ms = 300;
  h.start(snapshot);
  h.add_tracker("tt1");
  h.advance(5400 + 2 * 300 - 1);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.advance(1);
  EXPECT_EQ(h.heartbeat("tt1"), "J7/m0");
}

TEST(EngineBounds, TheHeartbeatIntervalGrowsWithTheClusterFromItsFloorOn) {
  FifoHarness h;
  h.settings().heartbeat.floor_ms = 300;
  h.settings().heartbeat.per_second = 10;
  for (int i = 1; i <= 5; ++i) {
    h.add_tracker("tt" + std::to_string(i));
    EXPECT_EQ(h.engine().heartbeat_interval_ms(), std::max(300, 100 * i)) << i << " trackers";
  }
}

// --- Numbers of things ---

TEST(EngineBounds, ATrackerHasEightDutiesOfAUserAtATime) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 9, .reduce_slots = 0});
  for (int i = 0; i < 9; ++i) h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.finish_all("tt1");
  for (int i = 0; i < 3; ++i) {  // grants, then ends
    h.heartbeat("tt1");
    h.tracker("tt1").duties.clear();  // it is at them
  }
  EXPECT_EQ(h.tracker("tt1").last.duties.size(), 8u);
  h.tracker("tt1").duties = {{h.tracker("tt1").last.duties[0].job, true, ""}};
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.duties.size(), 8u);
  h.settle("tt1");
  for (std::uint32_t job = 1; job <= 9; ++job) EXPECT_EQ(h.state_of(job), JobState::kSucceeded);
}

// Wide tasks count all their slots, in what is used and in what is lost.
TEST(EngineBounds, SlotTimeIsThatOfAllSlots) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 3, .reduce_slots = 0});
  h.submit({.user = "ann", .maps = 1, .slots_per_map = 3});
  h.heartbeat("tt1");
  h.advance(1000);
  h.step(LoseTracker{"tt1"});
  const QueueCounters& counters =
      h.state().queue(*h.state().tree().find_path("default")).counters;
  EXPECT_EQ(counters.used_ms[TaskKind::kMap], 3000);
  EXPECT_EQ(counters.users.begin()->second.used_ms[TaskKind::kMap], 3000);
}

// --- Who does not exist yet ---

TEST(EngineBounds, BeforeItIsDurableNobodyKnowsAJob) {
  FifoHarness h;
  h.durable_at_once = false;
  h.submit({.maps = 1});
  const auto code = [](const std::vector<Reply>& replies) {
    const auto* error = replies.empty() ? nullptr : std::get_if<Error>(&replies[0].body);
    return error == nullptr ? ErrorCode::kInternal : error->code;
  };
  const Caller user{"user", {}};
  EXPECT_EQ(code(h.step(KillJob{user, JobId(1)})), ErrorCode::kUnknownJob);
  EXPECT_EQ(code(h.step(SetPriority{user, JobId(1), Priority::kHigh})), ErrorCode::kUnknownJob);
  EXPECT_EQ(code(h.step(MoveJob{user, JobId(1), "default"})), ErrorCode::kUnknownJob);
  EXPECT_EQ(code(h.step(DescribeJob{JobId(1)})), ErrorCode::kUnknownJob);
  h.step(Durable{h.engine().last_seq()});
  EXPECT_TRUE(h.step(KillJob{user, JobId(1)}).empty());  // waits for the store
}

// Each command takes effect with its own number, not before and not later.
TEST(EngineBounds, ACommandTakesEffectWithItsNumber) {
  FifoHarness h;
  h.submit({.maps = 1});
  h.submit({.maps = 1});
  h.durable_at_once = false;
  const Caller user{"user", {}};
  h.step(SetPriority{user, JobId(1), Priority::kHigh});
  const std::uint64_t first = h.engine().last_seq();
  h.step(SetPriority{user, JobId(2), Priority::kLow});
  const auto priorities = [&] {
    return std::vector<Priority>{h.state().job(JobId(1)).priority,
                                 h.state().job(JobId(2)).priority};
  };
  EXPECT_EQ(h.step(Durable{first - 1}).size(), 0u);
  EXPECT_THAT(priorities(), ElementsAre(Priority::kNormal, Priority::kNormal));
  EXPECT_EQ(h.step(Durable{first}).size(), 1u);
  EXPECT_THAT(priorities(), ElementsAre(Priority::kHigh, Priority::kNormal));
  EXPECT_EQ(h.step(StoreFailed{first + 1, "full"}).size(), 1u);
  EXPECT_THAT(priorities(), ElementsAre(Priority::kHigh, Priority::kNormal));
}

}  // namespace
}  // namespace weir::test
