// Gangs over a restart of the JobTracker, and members whose trackers have not been heard of since
// the gang started; the rest is told by scenarios.
#include <gmock/gmock.h>

#include "support/container_harness.h"

namespace weir::test {
namespace {

std::shared_ptr<JobSpec> gang_of(std::uint32_t members) {
  auto spec = std::make_shared<JobSpec>();
  spec->name = "train";
  spec->user = "ann";
  spec->queue = "default";
  spec->reduces = 0;
  TaskGroupSpec& group = spec->task_groups.emplace_back();
  group.name = "w";
  group.count = members;
  group.gang = members;
  group.command = "true";
  group.asked = {4096, 1, {}};
  return spec;
}

struct Gangs : testing::Test {
  void add_tracker(const std::string& name) {
    h.register_tracker(name, Resources{{0, 0, 4096, 8}});
  }
  void submit(std::shared_ptr<const JobSpec> spec) {
    h.step(SubmitJob{{"ann", {}}, std::move(spec)});
  }
  // A JobTracker that was started again, and knows the job.
  void restart(std::shared_ptr<const JobSpec> spec) {
    Snapshot snapshot{.epoch = 2};
    snapshot.trackers = {{"tt1", Resources{{0, 0, 4096, 8}}, {}},
                         {"tt2", Resources{{0, 0, 4096, 8}}, {}}};
    JobSnapshot job;
    job.job = JobId(1);
    job.spec = std::move(spec);
    job.queue = "default";
    job.state = JobState::kRunning;
    snapshot.jobs = {job};
    h.start(snapshot);
    add_tracker("tt1");
    add_tracker("tt2");
  }
  static AttemptKey member(std::uint32_t index, std::uint32_t number) {
    return {{JobId(1), group_kind(0), index}, number};
  }
  void runs(const std::string& tracker, const AttemptKey& attempt) {
    AttemptReport report;
    report.attempt = attempt;
    h.tracker(tracker).held[attempt] = report;
  }
  const Job& job() { return h.state().job(JobId(1)); }
  // What a tracker that runs a member is told of the others.
  GangPeers peers(const std::string& tracker) {
    const auto replies = h.step(QueryPeers{JobId(1), 0, {{tracker}}});
    const auto* told = replies.empty() ? nullptr : std::get_if<GangPeers>(&replies[0].body);
    return told == nullptr ? GangPeers{} : *told;
  }
  void has_port(const std::string& tracker, const AttemptKey& attempt, std::uint16_t port) {
    h.tracker(tracker).held.at(attempt).ports =
        std::make_shared<const std::vector<std::uint16_t>>(std::vector<std::uint16_t>{port});
    h.heartbeat(tracker);
  }

  ContainerHarness h;
};

TEST_F(Gangs, GoOnAfterARestartIfAllMembersAreThere) {
  restart(gang_of(2));
  runs("tt1", member(0, 0));
  runs("tt2", member(1, 0));
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  h.advance(60'000);
  EXPECT_EQ(h.settle("tt1"), "");
  EXPECT_TRUE(job().gang->started);
  EXPECT_THAT(h.tracker("tt1").last.kill, testing::IsEmpty());
  EXPECT_THAT(h.tracker("tt2").last.kill, testing::IsEmpty());
}

TEST_F(Gangs, StartAgainWholeAfterARestartIfOneIsMissing) {
  restart(gang_of(2));
  runs("tt1", member(0, 0));
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  h.advance(60'000);
  h.heartbeat("tt2");
  h.heartbeat("tt1");
  EXPECT_FALSE(job().gang->started);
  EXPECT_THAT(h.tracker("tt1").last.kill, testing::ElementsAre(member(0, 0)));
  h.tracker("tt1").held.clear();
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");
  EXPECT_TRUE(job().gang->started);
  EXPECT_EQ(h.heartbeat("tt2"), "J1/t1");
}

TEST_F(Gangs, OfOneThatIsReplacedAloneTheOthersGoOn) {
  auto spec = gang_of(2);
  spec->task_groups[0].replace = true;
  restart(spec);
  runs("tt1", member(0, 0));
  h.heartbeat("tt1");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/t1");
  EXPECT_EQ(h.settle("tt1"), "");
  EXPECT_THAT(h.tracker("tt1").last.kill, testing::IsEmpty());
}

// Of a service a member that ends is lost, and the gang waits for as long as it rests.
TEST_F(Gangs, OfAServiceStartAgainWholeAfterThePause) {
  add_tracker("tt1");
  add_tracker("tt2");
  auto spec = gang_of(2);
  spec->service = true;
  submit(spec);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  ASSERT_EQ(h.heartbeat("tt2"), "J1/t1");
  h.finish("J1/t0");
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.heartbeat("tt2"), "");
  ASSERT_THAT(h.tracker("tt2").last.kill, testing::ElementsAre(member(1, 0)));
  h.tracker("tt2").held.clear();
  h.heartbeat("tt2");
  h.advance(999);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.advance(1);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/t1");
}

// They run for all sums; their trackers are told with their next heartbeats.
TEST_F(Gangs, AMemberIsLaunchedWithTheHeartbeatOfItsTracker) {
  add_tracker("tt1");
  add_tracker("tt2");
  submit(gang_of(2));
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");
  EXPECT_EQ(h.events<AttemptLaunched>().size(), 1u);
  const QueueId leaf = *h.state().tree().find_path("default");
  EXPECT_EQ(h.state().queue(leaf).running[Dimension::kMemoryMb], 8192);
  h.advance(2000);
  EXPECT_EQ(h.heartbeat("tt2"), "J1/t1");
  const Task& told = job().tasks(group_kind(0)).tasks[1];
  EXPECT_EQ(h.state().attempt(told.attempt).launched_at, h.now);
}

// Nobody has heard of it, so nobody hears of its end.
TEST_F(Gangs, AMemberThatDiesBeforeItsTrackerHearsOfItWasNeverThere) {
  add_tracker("tt1");
  add_tracker("tt2");
  submit(gang_of(2));
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");
  h.step(LoseTracker{"tt2"});
  EXPECT_EQ(h.events<AttemptLaunched>().size(), 1u);
  EXPECT_EQ(h.events<AttemptEnded>().size(), 0u);
  EXPECT_EQ(h.events<KillOrdered>().size(), 1u);
  EXPECT_FALSE(job().gang->started);
  EXPECT_EQ(h.state().find_tracker("tt2")->untold, 0u);
}

TEST_F(Gangs, AMemberWhoseTrackerTakesNoTasksAnyMoreIsLost) {
  add_tracker("tt1");
  add_tracker("tt2");
  submit(gang_of(2));
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");
  Heartbeat report;
  report.name = "tt2";
  report.incarnation = 7;
  report.sequence = ++h.tracker("tt2").sequence;
  report.accepts_tasks = false;
  h.step(report);
  EXPECT_EQ(h.events<AttemptLaunched>().size(), 1u);
  EXPECT_FALSE(job().gang->started);
}

TEST_F(Gangs, AreToldThatTheTrackersOfNowCouldNotHoldThem) {
  add_tracker("tt1");
  add_tracker("tt2");
  submit(gang_of(2));
  h.step(LoseTracker{"tt2"});
  const auto reasons = h.engine().explain(JobId(1));
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].message,
            "2 tasks start together or none does: the trackers that are there now could not hold "
            "all of them empty");
}

// It is told to drop what nobody knows, and has its room until it has.
TEST_F(Gangs, AMemberDoesNotStartInTheRoomOfWhatIsToBeDropped) {
  add_tracker("tt1");
  add_tracker("tt2");
  submit(gang_of(2));
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");
  runs("tt2", {{JobId(5), group_kind(0), 0}, 0});
  EXPECT_EQ(h.heartbeat("tt2"), "");
  EXPECT_FALSE(job().gang->started);
  h.tracker("tt2").held.clear();
  EXPECT_EQ(h.heartbeat("tt1"), "");  // it is told that the other one dies with it
  h.tracker("tt1").held.clear();
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/t1");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/t0");
}

// Those that have succeeded were of it: what is left goes on.
TEST_F(Gangs, GoOnAfterARestartThoughSomeHaveSucceeded) {
  Snapshot snapshot{.epoch = 2};
  snapshot.trackers = {{"tt1", Resources{{0, 0, 4096, 8}}, {}}};
  JobSnapshot known;
  known.job = JobId(1);
  known.spec = gang_of(3);
  known.queue = "default";
  known.state = JobState::kRunning;
  for (const std::uint32_t index : {0u, 1u})
    known.done.push_back({.kind = group_kind(0), .index = index, .tracker = "tt1"});
  snapshot.jobs = {known};
  h.start(snapshot);
  add_tracker("tt1");
  runs("tt1", member(2, 0));
  h.heartbeat("tt1");
  h.advance(60'000);
  EXPECT_EQ(h.settle("tt1"), "");
  EXPECT_TRUE(job().gang->started);
  EXPECT_THAT(job().gang->members, testing::ElementsAre(member(2, 0).task));
  EXPECT_THAT(h.tracker("tt1").last.kill, testing::IsEmpty());
}

// --- Where the others are ---

TEST_F(Gangs, MembersAreToldOnceAllHaveTheirPorts) {
  h.register_tracker("tt1", Resources{{0, 0, 4096, 8}}, {}, 10);
  h.register_tracker("tt2", Resources{{0, 0, 4096, 8}}, {}, 10);
  auto spec = gang_of(2);
  spec->task_groups[0].ports = 1;
  submit(spec);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  EXPECT_TRUE(h.tracker("tt1").last.launch.at(0).grant->peers);
  ASSERT_EQ(h.heartbeat("tt2"), "J1/t1");
  EXPECT_FALSE(peers("tt1").complete);
  has_port("tt1", member(0, 0), 4001);
  EXPECT_FALSE(peers("tt1").complete);
  has_port("tt2", member(1, 0), 4002);
  const GangPeers told = peers("tt1");
  EXPECT_TRUE(told.complete);
  EXPECT_EQ(told.members, 2u);
  EXPECT_EQ(told.next, 2u);
  EXPECT_THAT(told.peers, testing::ElementsAre(GangPeer{"w", 0, "tt1", {4001}},
                                               GangPeer{"w", 1, "tt2", {4002}}));
  // One is lost: those that start again have other ports, or have not said.
  h.fail("J1/t1");
  h.heartbeat("tt2");
  EXPECT_FALSE(peers("tt1").complete);
}

// What the one before it had said does not count for it.
TEST_F(Gangs, WhoIsReplacedAloneIsWaitedForAnew) {
  for (const char* tracker : {"tt1", "tt2", "tt3"})
    h.register_tracker(tracker, Resources{{0, 0, 4096, 8}}, {}, 10);
  auto spec = gang_of(2);
  spec->task_groups[0].ports = 1;
  spec->task_groups[0].replace = true;
  submit(spec);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  ASSERT_EQ(h.heartbeat("tt2"), "J1/t1");
  has_port("tt1", member(0, 0), 4001);
  has_port("tt2", member(1, 0), 4002);
  EXPECT_TRUE(peers("tt1").complete);
  h.fail("J1/t1");
  h.heartbeat("tt2");
  ASSERT_EQ(h.heartbeat("tt3"), "J1/t1");
  EXPECT_FALSE(peers("tt1").complete);
  has_port("tt3", member(1, 1), 4003);
  EXPECT_TRUE(peers("tt1").complete);
}

// The first report may come before the tracker knows the job, and says no ports.
TEST_F(Gangs, PortsAreHeardOfMembersThatWereReportedBeforeWithout) {
  h.register_tracker("tt1", Resources{{0, 0, 4096, 8}}, {}, 10);
  auto spec = gang_of(1);
  spec->task_groups[0].ports = 1;
  submit(spec);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  EXPECT_FALSE(peers("tt1").complete);
  has_port("tt1", member(0, 0), 4001);
  EXPECT_TRUE(peers("tt1").complete);
}

TEST_F(Gangs, PortsAreKnownAgainAfterARestart) {
  auto spec = gang_of(2);
  spec->task_groups[0].ports = 1;
  restart(spec);
  runs("tt1", member(0, 0));
  runs("tt2", member(1, 0));
  has_port("tt1", member(0, 0), 4001);
  has_port("tt2", member(1, 0), 4002);
  h.advance(60'000);
  h.settle("tt1");
  EXPECT_EQ(peers("tt2").peers.size(), 2u);
}

TEST_F(Gangs, AMemberFailsWhoseTrackerSaysOtherPortsThanItsGroupHas) {
  add_tracker("tt1");
  add_tracker("tt2");
  submit(gang_of(2));
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  ASSERT_EQ(h.heartbeat("tt2"), "J1/t1");
  has_port("tt1", member(0, 0), 4001);
  const auto failed = h.events<AttemptFailed>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].attempt, member(0, 0));
  EXPECT_EQ(failed[0].diagnostics, "its tracker says that it has 1 port, and its group asks for 0");
  EXPECT_FALSE(job().gang->started);
}

// A tracker that beats on and never says which ports it gave: the others, and their room, do not
// wait for ever.
TEST_F(Gangs, AMemberFailsWhoseTrackerNeverSaysItsPorts) {
  h.register_tracker("tt1", Resources{{0, 0, 4096, 8}}, {}, 10);
  h.register_tracker("tt2", Resources{{0, 0, 4096, 8}}, {}, 10);
  auto spec = gang_of(2);
  spec->task_groups[0].ports = 1;
  submit(spec);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/t0");
  ASSERT_EQ(h.heartbeat("tt2"), "J1/t1");
  has_port("tt1", member(0, 0), 4001);
  const auto minutes = [&](int passed) {
    for (int minute = 0; minute < passed; ++minute) {
      h.advance(60'000);
      h.heartbeat("tt1");
      h.heartbeat("tt2");
    }
  };
  minutes(9);
  EXPECT_TRUE(h.events<AttemptFailed>().empty());
  minutes(2);
  const auto failed = h.events<AttemptFailed>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].attempt, member(1, 0));
  EXPECT_THAT(failed[0].diagnostics, testing::HasSubstr("did not say within 10m which ports"));
}

// Nobody looks for members of a job that is over.
TEST_F(Gangs, AJobThatIsOverWaitsForNoPorts) {
  h.register_tracker("tt1", Resources{{0, 0, 8192, 8}}, {}, 10);
  auto spec = gang_of(2);
  spec->task_groups[0].ports = 1;
  submit(spec);
  h.heartbeat("tt1");
  has_port("tt1", member(0, 0), 4001);
  h.step(KillJob{{"ann", {}}, JobId(1)});
  for (int minute = 0; minute < 12; ++minute) {
    h.advance(60'000);
    h.heartbeat("tt1");
  }
  EXPECT_TRUE(h.events<AttemptFailed>().empty());
  EXPECT_TRUE(is_over(job().state));
}

// A gang whose members have all said theirs is left alone.
TEST_F(Gangs, AGangGoesOnWhoseTrackersHaveSaidAllPorts) {
  h.register_tracker("tt1", Resources{{0, 0, 8192, 8}}, {}, 10);
  auto spec = gang_of(2);
  spec->task_groups[0].ports = 1;
  submit(spec);
  h.heartbeat("tt1");
  has_port("tt1", member(0, 0), 4001);
  has_port("tt1", member(1, 0), 4002);
  for (int minute = 0; minute < 12; ++minute) {
    h.advance(60'000);
    h.heartbeat("tt1");
  }
  EXPECT_TRUE(h.events<AttemptFailed>().empty());
  EXPECT_TRUE(job().gang->started);
}

}  // namespace
}  // namespace weir::test
