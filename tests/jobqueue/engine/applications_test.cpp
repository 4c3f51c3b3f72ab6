// Applications where containers count: what a launch brings, services that go on, and what a
// restart knows of both.
#include <gmock/gmock.h>

#include "support/container_harness.h"
#include "support/stored_snapshot.h"

namespace weir::test {
namespace {

std::shared_ptr<const JobSpec> application(std::uint32_t count, bool service = false) {
  auto spec = std::make_shared<JobSpec>();
  spec->name = "app";
  spec->user = "ann";
  spec->queue = "default";
  spec->reduces = 0;
  spec->service = service;
  TaskGroupSpec& group = spec->task_groups.emplace_back();
  group.name = "main";
  group.count = count;
  group.command = "true";
  group.asked = {1024, 1, {{"gpu", 1}}};
  group.ports = 1;
  return spec;
}

struct Applications : testing::Test {
  Applications() { h.settings().resources.named = {"gpu"}; }
  void add_tracker(const std::string& name) {
    h.register_tracker(name, Resources{{0, 0, 8192, 8}}, {{"gpu", 4}}, 10);
  }
  std::uint32_t submit(std::shared_ptr<const JobSpec> spec) {
    for (const Reply& reply : h.step(SubmitJob{{"ann", {}}, std::move(spec)})) {
      if (const auto* submitted = std::get_if<Submitted>(&reply.body)) return submitted->job.value;
    }
    return 0;
  }
  // Of what the last reply launches, by the index of its task.
  std::map<std::uint32_t, Units> granted(const std::string& name) {
    std::map<std::uint32_t, Units> units;
    for (const Launch& launch : h.tracker(name).last.launch)
      units[launch.attempt.task.index] = launch.grant->units;
    return units;
  }
  std::int64_t pending_vcores() {
    const QueueId leaf = *h.state().tree().find_path("default");
    return h.engine().policy().figures(leaf, Dimension::kVcores).pending;
  }
  const TrackerState& there(const std::string& name) { return *h.state().find_tracker(name); }
  static AttemptKey attempt(std::uint32_t index, std::uint32_t number) {
    return {{JobId(1), group_kind(0), index}, number};
  }

  ContainerHarness h;
};

TEST_F(Applications, ALaunchBringsItsContainerWithTheLowestFreeUnits) {
  add_tracker("tt1");
  ASSERT_EQ(submit(application(3)), 1u);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0 J1/t1 J1/t2");
  const Grant& grant = *h.tracker("tt1").last.launch[0].grant;
  EXPECT_EQ(grant.container, (Resources{{0, 0, 1024, 1}}));
  EXPECT_EQ(grant.ports, 1u);
  using Granted = std::map<std::uint32_t, Units>;
  EXPECT_EQ(granted("tt1"),
            (Granted{{0, {{"gpu", {0}}}}, {1, {{"gpu", {1}}}}, {2, {{"gpu", {2}}}}}));
  h.finish("J1/t1");
  h.heartbeat("tt1");
  ASSERT_EQ(submit(application(2)), 2u);
  h.heartbeat("tt1");
  EXPECT_EQ(granted("tt1"), (Granted{{0, {{"gpu", {1}}}}, {1, {{"gpu", {3}}}}}));
}

// Room on a tracker that does not report is no help; a full one's silence is none of its business.
TEST_F(Applications, AJobThatLacksRoomSaysWhichTrackersWithSomeDoNotReport) {
  for (const char* tracker : {"tt1", "tt2", "tt3"}) add_tracker(tracker);
  ASSERT_EQ(submit(application(10)), 1u);
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  for (int i = 0; i <= kSilentIntervals; ++i) {
    h.advance(h.state().heartbeat_interval_ms());
    h.heartbeat("tt1");
  }
  EXPECT_EQ(h.engine().explain(JobId(1))[0].message,
            "2 tasks wait for 1024 MB, 1 vcore, 1 gpu each on one tracker; 1 tracker with room for "
            "it does not report (tt3)");
}

// It is not done, whatever its tasks say: they start again after 1 s, 2 s, 4 s.
TEST_F(Applications, AServicesTaskThatEndsStartsAgainAfterAPause) {
  add_tracker("tt1");
  ASSERT_EQ(submit(application(1, true)), 1u);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  DurationMs pause = 1000;
  for (const bool well : {true, false, true, false, false}) {
    well ? h.finish("J1/t0") : h.fail("J1/t0");
    EXPECT_EQ(h.heartbeat("tt1"), "");
    EXPECT_EQ(pending_vcores(), 0) << "it wants nothing while it rests";
    h.advance(pause - 1);
    EXPECT_EQ(h.settle("tt1"), "");
    h.advance(1);
    EXPECT_EQ(h.settle("tt1"), "J1/t0") << pause;
    EXPECT_EQ(h.state_of(1), JobState::kRunning);
    pause *= 2;
  }
  for (int minute = 0; minute < 10; ++minute) {
    h.advance(60'000);
    h.heartbeat("tt1");
  }
  h.fail("J1/t0");
  h.settle("tt1");
  h.advance(1000);
  EXPECT_EQ(h.settle("tt1"), "J1/t0") << "it had run for ten minutes";
}

TEST_F(Applications, APauseGoesOnOverARestartAndSoDoTheNextOnes) {
  add_tracker("tt1");
  ASSERT_EQ(submit(application(1, true)), 1u);
  h.heartbeat("tt1");
  for (const DurationMs pause : {1000, 2000, 4000}) {
    h.fail("J1/t0");
    h.settle("tt1");
    if (pause < 4000) h.advance(pause);
    h.settle("tt1");
  }
  ContainerHarness after;
  after.settings().resources.named = {"gpu"};
  after.now = h.now;
  after.start(stored_snapshot(h.log));
  after.register_tracker("tt1", Resources{{0, 0, 8192, 8}}, {{"gpu", 4}}, 10);
  for (const DurationMs pause : {4000, 8000}) {
    EXPECT_EQ(after.settle("tt1"), "");
    after.advance(pause - 1);
    EXPECT_EQ(after.settle("tt1"), "");
    after.advance(1);
    ASSERT_EQ(after.settle("tt1"), "J1/t0");
    after.fail("J1/t0");
  }
}

TEST_F(Applications, APauseIsFiveMinutesAtMostAndAServiceFailsAsOftenAsItLikes) {
  add_tracker("tt1");
  ASSERT_EQ(submit(application(1, true)), 1u);
  h.heartbeat("tt1");
  for (int i = 0; i < 300; ++i) {
    h.fail("J1/t0");
    h.settle("tt1", 2);
    h.advance(300'000);
    ASSERT_EQ(h.settle("tt1", 2), "J1/t0") << i;
  }
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
}

TEST_F(Applications, AServiceComesBackToWhereItEnded) {
  add_tracker("tt1");
  add_tracker("tt2");
  ASSERT_EQ(submit(application(1, true)), 1u);
  h.heartbeat("tt1");
  for (DurationMs pause = 1000; pause < 60'000; pause *= 2) {
    h.fail("J1/t0");
    h.settle("tt1", 2);
    h.advance(pause);
    ASSERT_EQ(h.settle("tt1", 2), "J1/t0") << pause;
  }
}

TEST_F(Applications, AServiceThatIsKilledWhileItRestsIsOver) {
  add_tracker("tt1");
  ASSERT_EQ(submit(application(1, true)), 1u);
  h.heartbeat("tt1");
  h.fail("J1/t0");
  h.heartbeat("tt1");
  h.step(KillJob{{"ann", {}}, JobId(1)});
  EXPECT_EQ(h.state_of(1), JobState::kKilled);
  h.advance(2000);
  EXPECT_EQ(h.settle("tt1"), "");
}

TEST_F(Applications, ATaskIsCalledByItsGroup) {
  add_tracker("tt1");
  auto spec = std::make_shared<JobSpec>(*application(1));
  spec->task_groups[0].retries = 0;
  ASSERT_EQ(submit(spec), 1u);
  h.heartbeat("tt1");
  h.fail("J1/t0", "exit 3");
  h.settle("tt1");
  EXPECT_EQ(h.state().job(JobId(1)).diagnostics,
            "main.0 failed 1 time, last on tracker tt1: exit 3");
}

struct ApplicationsAfterARestart : Applications {
  void start(std::vector<Resources> containers) {
    JobSnapshot job;
    job.job = JobId(1);
    job.spec = application(2);
    job.queue = "default";
    job.state = JobState::kRunning;
    job.containers = std::move(containers);
    Snapshot snapshot{.epoch = 2};
    snapshot.next_job = 2;
    snapshot.jobs = {job};
    h.start(snapshot);
    add_tracker("tt1");
  }
  void reports(const AttemptKey& key, const Units& units) {
    AttemptReport& report = h.tracker("tt1").held[key];
    report.attempt = key;
    report.units = std::make_shared<const Units>(units);
  }
};

// What runs holds what it held, and nobody else gets its units.
TEST_F(ApplicationsAfterARestart, WhatRunsHoldsItsContainerAndUnits) {
  Resources container{{0, 0, 2048, 2}};
  container[Dimension::named(0)] = 1;
  start({container});  // as it was accepted, whatever its spec comes to now
  reports(attempt(1, 5), {{"gpu", {0}}});
  h.heartbeat("tt1");
  h.advance(60'000);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");
  EXPECT_EQ(there("tt1").used[Dimension::kMemoryMb], 4096);
  EXPECT_EQ(there("tt1").used[Dimension::named(0)], 2);
  EXPECT_EQ(granted("tt1"), (std::map<std::uint32_t, Units>{{0, {{"gpu", {1}}}}}));
}

// It is told to drop what runs elsewhere, and has its room and units until it has.
TEST_F(ApplicationsAfterARestart, NothingStartsInTheRoomOfWhatIsToBeDropped) {
  start({});
  reports({{JobId(5), group_kind(0), 0}, 0}, {{"gpu", {0}}});
  h.advance(60'000);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  ASSERT_EQ(h.tracker("tt1").last.kill.size(), 1u);
  h.tracker("tt1").held.clear();
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0 J1/t1");
}

// Stored by place, meant by name.
TEST_F(ApplicationsAfterARestart, WhatItAsksForByNameIsFoundAgain) {
  h.settings().resources.named = {"fpga", "gpu"};
  Resources container{{0, 0, 2048, 2}};
  container[Dimension::named(0)] = 1;
  start({container});
  EXPECT_EQ(h.state().job(JobId(1)).containers.at(0)[Dimension::named(0)], 0);
  EXPECT_EQ(h.state().job(JobId(1)).containers.at(0)[Dimension::named(1)], 1);
  EXPECT_EQ(h.state().job(JobId(1)).containers.at(0)[Dimension::kMemoryMb], 2048);
}

TEST_F(ApplicationsAfterARestart, WhatItAsksForByNameMustStillBeNamed) {
  auto settings = std::make_shared<Settings>(h.settings());
  settings->resources.named = {"fpga"};
  settings->queues.push_back(queue("default"));
  JobSnapshot job;
  job.job = JobId(1);
  job.spec = application(2);
  job.queue = "default";
  job.state = JobState::kRunning;
  Snapshot snapshot{.epoch = 2};
  snapshot.jobs = {job};
  const auto refused = Engine::create(settings, fifo_of_containers(), std::move(snapshot), h.now);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "the store holds unfinished job_0001, which asks for gpu, and the settings name no "
            "such resource");
}

TEST_F(Applications, AResourceThatAJobAsksForStaysNamed) {
  add_tracker("tt1");
  ASSERT_EQ(submit(application(3)), 1u);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0 J1/t1 J1/t2");
  auto next = std::make_shared<Settings>(h.state().settings());
  next->resources.named = {"fpga"};
  const auto refused = h.step(ApplySettings{{"root", {}}, next});
  ASSERT_TRUE(std::holds_alternative<Error>(refused.at(0).body));
  EXPECT_EQ(std::get<Error>(refused[0].body).message,
            "settings: containers.resources: gpu is not among them, and job_0001 asks for it; "
            "allowed: as long as no unfinished job does");
  next = std::make_shared<Settings>(h.state().settings());
  next->resources.named = {"fpga", "gpu"};
  ASSERT_TRUE(std::holds_alternative<Done>(h.step(ApplySettings{{"root", {}}, next}).at(0).body));
  EXPECT_EQ(there("tt1").used[Dimension::named(1)], 3);
  EXPECT_EQ(h.state().job(JobId(1)).containers.at(0)[Dimension::named(1)], 1);
}

TEST_F(Applications, AResourceThatIsBeingRemovedIsGivenToNoNewJob) {
  add_tracker("tt1");
  auto next = std::make_shared<Settings>(h.state().settings());
  next->resources.named.clear();
  h.durable_at_once = false;
  h.step(ApplySettings{{"root", {}}, next});
  const auto refused = h.step(SubmitJob{{"ann", {}}, application(1)});
  ASSERT_EQ(refused.size(), 1u);
  ASSERT_TRUE(std::holds_alternative<Error>(refused[0].body));
  EXPECT_EQ(std::get<Error>(refused[0].body).message,
            "resource gpu is just being removed by new settings");
}

TEST_F(Applications, MorePortsThanAnyTrackerHasAreRefused) {
  add_tracker("tt1");
  auto spec = std::make_shared<JobSpec>(*application(1));
  spec->task_groups[0].ports = 11;
  const auto refused = h.step(SubmitJob{{"ann", {}}, spec});
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(std::get<Error>(refused[0].body).message,
            "group main: 1024 MB, 1 vcore, 1 gpu, 11 ports; the largest of 1 tracker offers "
            "8192 MB, 8 vcores, 4 gpu, 10 ports");
}

TEST_F(Applications, WhereNoTrackerOffersAnythingTheSettingsAreNamed) {
  h.register_tracker("tt1", Resources{}, {}, 0);
  const auto refused = h.step(SubmitJob{{"ann", {}}, application(1)});
  ASSERT_EQ(refused.size(), 1u);
  const Error& error = std::get<Error>(refused[0].body);
  EXPECT_EQ(error.message,
            "group main: 1024 MB, 1 vcore, 1 gpu; the trackers (1) offer nothing");
  EXPECT_EQ(error.hint, "say `tracker: {offer: {memory_mb, vcores}}` in their settings");
}

TEST_F(Applications, AServiceThatRestsSaysSo) {
  add_tracker("tt1");
  submit(application(1, true));
  h.heartbeat("tt1");
  h.fail("J1/t0");
  h.heartbeat("tt1");
  const auto reasons = h.engine().explain(JobId(1));
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].code, "resting");
  EXPECT_EQ(reasons[0].message, "1 task has ended, and starts again after 1.0s");
}

TEST_F(Applications, WhatAServiceSaidOfARestEndsWithIt) {
  add_tracker("tt1");
  submit(application(1, true));
  const std::string& said = h.state().job(JobId(1)).status_line;
  const auto fail = [&] {
    h.heartbeat("tt1");
    h.fail("J1/t0");
    h.heartbeat("tt1");
  };
  fail();
  EXPECT_EQ(said, "main.0 has ended, and starts again after 1.0s");
  h.advance(1'000);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  EXPECT_EQ(said, "");
  fail();
  EXPECT_EQ(said, "main.0 has ended, and starts again after 2.0s");
  h.step(KillJob{{"ann", {}}, JobId(1)});
  EXPECT_EQ(said, "");
}

// It runs until it is killed, however often it has started: numbers of attempts come again.
TEST_F(Applications, AServiceGoesOnAfterTenThousandStarts) {
  add_tracker("tt1");
  submit(application(1, true));
  for (int start = 0; start < 10'010; ++start) {
    ASSERT_EQ(h.heartbeat("tt1"), "J1/t0") << start;
    h.fail("J1/t0");
    h.heartbeat("tt1");
    h.advance(300'000);
  }
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  EXPECT_LT(h.tracker("tt1").last.launch.at(0).attempt.attempt, 10'000u);
  h.tracker("tt1").held.clear();  // killed
  h.heartbeat("tt1");
  EXPECT_EQ(h.state().job(JobId(1)).state, JobState::kRunning);
}

TEST_F(ApplicationsAfterARestart, AJobThatWasAcceptedWithSlotsGetsContainers) {
  start({});
  const auto sized = h.events<JobSized>();
  ASSERT_EQ(sized.size(), 1u);
  EXPECT_EQ(sized[0].containers.at(0)[Dimension::kMemoryMb], 1024);
  h.advance(60'000);
  EXPECT_EQ(h.settle("tt1"), "J1/t0 J1/t1");
  EXPECT_EQ(there("tt1").used[Dimension::kVcores], 2);
}

TEST_F(Applications, ATrackerThatIsAwaitedCountsWithWhatItOffersByName) {
  Snapshot snapshot{.epoch = 2};
  snapshot.trackers = {{"tt1", Resources{{0, 0, 8192, 8}}, {{"gpu", 4}}}};
  h.start(snapshot);
  EXPECT_EQ(h.state().total()[Dimension::named(0)], 4);
}

}  // namespace
}  // namespace weir::test
