// Which jobs run under limits of groups that reach across queues.
#include "jobqueue/engine/running_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/grouped_fifo.h"
#include "support/harness.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct RunningLimitsTest : testing::Test {
  RunningLimitsTest() : h(test::grouped_fifo(rules), "grouped") {}

  std::uint32_t submit(const std::string& pool, const std::string& user = "ann",
                       Priority priority = Priority::kNormal, std::uint32_t reduces = 0) {
    ++h.now;
    return h.submit(
        {.user = user, .maps = 2, .reduces = reduces, .priority = priority, .pool = pool});
  }
  std::vector<std::uint32_t> running() {
    std::vector<std::uint32_t> found;
    for (const auto& [id, job] : h.state().jobs()) {
      if (job->state == JobState::kRunning) found.push_back(id.value);
    }
    return found;
  }

  test::GroupRules rules;
  std::map<std::string, std::int64_t>& limits = rules.limits;
  test::Harness h;
};

TEST_F(RunningLimitsTest, InSubmitOrderWhileThereIsRoomInEveryGroup) {
  limits = {{"pool a", 2}, {"user bob", 1}};
  submit("a"), submit("a", "bob"), submit("a"), submit("b", "bob"), submit("b");
  EXPECT_THAT(running(), ElementsAre(1, 2, 5));
}

TEST_F(RunningLimitsTest, AFreePlaceIsTakenByTheFirstThatHasRoomEverywhere) {
  limits = {{"pool a", 1}, {"user bob", 1}};
  submit("a"), submit("b", "bob"), submit("a", "bob"), submit("a");
  ASSERT_THAT(running(), ElementsAre(1, 2));
  h.step(KillJob{{.user = "ann"}, JobId(1)});
  EXPECT_THAT(running(), ElementsAre(2, 4)) << "job 3 is bob's second";
}

TEST_F(RunningLimitsTest, AMoreUrgentJobTakesThePlaceOfALessUrgentOne) {
  limits = {{"pool a", 2}};
  submit("a"), submit("a"), submit("a", "bob", Priority::kHigh);
  EXPECT_THAT(running(), ElementsAre(1, 3));
}

TEST_F(RunningLimitsTest, TakingAPlaceInOneGroupMayFreeOneInAnother) {
  limits = {{"pool a", 1}, {"user bob", 1}};
  submit("a", "bob");  // runs, until the third comes
  submit("b", "bob");
  ASSERT_THAT(running(), ElementsAre(1));
  submit("a", "ann", Priority::kHigh);
  EXPECT_THAT(running(), ElementsAre(2, 3));
}

TEST_F(RunningLimitsTest, AJobWithRunningReducesAndMapsLeftKeepsItsPlace) {
  limits = {{"pool a", 1}};
  h.add_tracker("t1", {.map_slots = 1, .reduce_slots = 1});
  submit("a", "ann", Priority::kNormal, 1);
  h.heartbeat("t1");
  submit("a", "bob", Priority::kVeryHigh);
  EXPECT_THAT(running(), ElementsAre(1));
  EXPECT_TRUE(keeps_place(h.state().job(JobId(1))));
  h.finish("J1/m0");
  h.settle("t1");  // its second map starts
  h.finish("J1/m1");
  h.settle("t1");
  EXPECT_THAT(running(), ElementsAre(2)) << "all its maps are done";
}

// Else the two could wait for each other: one for a place, the other for the slots of its reduces.
TEST_F(RunningLimitsTest, AWaitingJobWhoseReducesAreFoundRunningTakesItsPlace) {
  limits = {{"pool a", 1}};
  h.add_tracker("t1", {.map_slots = 0, .reduce_slots = 1});
  submit("a", "ann", Priority::kNormal, 1);
  ASSERT_EQ(h.heartbeat("t1"), "J1/r0");
  h.step(LoseTracker{"t1"});
  submit("a", "bob", Priority::kVeryHigh);
  ASSERT_THAT(running(), ElementsAre(2));
  h.connect("t1");
  h.heartbeat("t1");
  EXPECT_TRUE(keeps_place(h.state().job(JobId(1))));
  EXPECT_THAT(running(), ElementsAre(1)) << "the place is one";
}

TEST_F(RunningLimitsTest, AWaitingJobWhoseReducesNeedLostOutputsTakesItsPlace) {
  limits = {{"pool a", 1}};
  h.add_tracker("t1", {.map_slots = 2, .reduce_slots = 0});
  h.add_tracker("t2", {.map_slots = 0, .reduce_slots = 1});
  submit("a", "ann", Priority::kNormal, 1);
  ASSERT_EQ(h.heartbeat("t1"), "J1/m0 J1/m1");
  ASSERT_EQ(h.heartbeat("t2"), "J1/r0");
  h.finish_all("t1");
  h.settle("t1");
  submit("a", "bob", Priority::kVeryHigh);
  ASSERT_THAT(running(), ElementsAre(2)) << "all maps of the first are done";
  h.step(LoseTracker{"t1"});
  EXPECT_THAT(running(), ElementsAre(1)) << "its reduce needs them again";
}

TEST_F(RunningLimitsTest, TheLimitsOfQueuesHoldToo) {
  h.settings().queues = {test::queue("q")};
  h.settings().queues.front().max_running_jobs = 1;
  limits = {{"pool a", 5}};
  h.submit({.queue = "q", .pool = "a"}), h.submit({.queue = "q", .pool = "a"});
  EXPECT_THAT(running(), ElementsAre(1));
}

TEST_F(RunningLimitsTest, WhoWaitsIsToldWhichGroupsAreFull) {
  limits = {{"pool a", 1}, {"user bob", 1}, {"user ann", 7}};
  submit("a"), submit("b", "bob"), submit("a", "bob");
  std::vector<std::string> told;
  for (const Reason& reason : h.engine().explain(JobId(3))) {
    EXPECT_EQ(reason.code, "running_jobs_limit");
    told.push_back(reason.message);
  }
  EXPECT_THAT(told, UnorderedElementsAre("pool a runs 1 of at most 1 jobs at a time",
                                         "user bob runs 1 of at most 1 jobs at a time"));
}

TEST_F(RunningLimitsTest, APlanChangesNothingThatIsRight) {
  limits = {{"pool a", 1}};
  submit("a"), submit("a"), submit("b");
  RunningLimits anew(h.state());
  anew.follow(h.engine().policy());
  const AdmissionPlan plan = anew.plan();
  EXPECT_THAT(plan.admit, IsEmpty());
  EXPECT_THAT(plan.demote, IsEmpty());
}

// Before, a restart knew the groups of running jobs only, and let all others in.
TEST_F(RunningLimitsTest, WhoWaitedBeforeARestartWaitsAfterIt) {
  limits = {{"pool a", 1}};
  rules.knows_listed_only = true;
  const auto job = [](std::uint32_t id, JobState state) {
    auto spec = std::make_shared<JobSpec>();
    spec->queue = "default";
    spec->user = "ann";
    spec->conf["pool"] = "a";
    spec->output = "/old" + std::to_string(id);
    spec->splits.resize(1);
    JobSnapshot old;
    old.job = JobId(id);
    old.spec = spec;
    old.queue = "default";
    old.state = state;
    return old;
  };
  Snapshot snapshot{.epoch = 2, .next_job = 3};
  snapshot.jobs = {job(1, JobState::kRunning), job(2, JobState::kWaiting)};
  h.start(std::move(snapshot));
  EXPECT_THAT(running(), ElementsAre(1));
  submit("b");
  EXPECT_THAT(running(), ElementsAre(1, 3));
}

}  // namespace
}  // namespace weir
