// Settings that change while jobs run: removed queues hand their jobs on, whole or not at all, and
// also over a restart.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

QueueSettings family(const std::string& name, std::vector<QueueSettings> children) {
  QueueSettings parent = queue(name);
  parent.queues = std::move(children);
  return parent;
}

class RemovedQueues : public testing::Test {
 protected:
  void SetUp() override {
    h.add_queue(family("research", {queue("old"), queue("vision")})).add_queue(queue("production"));
    h.start();
    h.add_tracker("tt1");
  }
  std::shared_ptr<Settings> without_old(std::string move_to) {
    auto settings = std::make_shared<Settings>(h.settings());
    settings->queues = {family("research", {queue("vision"), queue("speech")}),
                        queue("production")};
    if (!move_to.empty()) settings->removed_queues = {{"research.old", std::move(move_to)}};
    return settings;
  }
  Error apply(std::shared_ptr<Settings> settings) {
    const auto replies = h.step(ApplySettings{{"admin", {}}, std::move(settings)});
    const auto* error = std::get_if<Error>(&replies.at(0).body);
    return error == nullptr ? Error{.message = "applied"} : *error;
  }
  const QueueState& state_of(const std::string& path) {
    return h.state().queue(*h.state().tree().find_path(path));
  }
  FifoHarness h;
};

// Otherwise one that is declared by its name later would be stopped after a restart.
TEST_F(RemovedQueues, ThatTheyWereStoppedIsForgottenInTheStoreToo) {
  h.step(SetQueueState{{"admin", {}}, "research.old", true});
  EXPECT_EQ(apply(without_old("")).message, "applied");
  const auto changes = h.events<QueueStateChanged>();
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes.back().queue, "research.old");
  EXPECT_FALSE(changes.back().stopped);
}

TEST_F(RemovedQueues, AJobThatIsOverKeepsTheWholePath) {
  h.submit({.queue = "old"});
  h.step(KillJob{{"user", {}}, JobId(1)});
  EXPECT_EQ(apply(without_old("")).message, "applied");
  EXPECT_EQ(h.state().job(JobId(1)).spec->queue, "research.old");
  FifoHarness restarted;
  restarted.add_queue(queue("production"));
  Snapshot snapshot{.epoch = 2};
  JobSnapshot& job = snapshot.jobs.emplace_back();
  job.job = JobId(1);
  auto spec = std::make_shared<JobSpec>();
  spec->queue = "old";
  job.spec = spec;
  job.queue = "research.old";
  job.state = JobState::kSucceeded;
  restarted.start(snapshot);
  EXPECT_EQ(restarted.state().job(JobId(1)).spec->queue, "research.old");
}

TEST_F(RemovedQueues, JobsAndRunningTasksMoveInTheSameStep) {
  h.submit({.queue = "research.old", .user = "ann", .maps = 3});
  h.submit({.queue = "research.vision", .user = "ann", .maps = 1});
  h.heartbeat("tt1");
  EXPECT_EQ(apply(without_old("research.vision")).message, "applied");
  EXPECT_FALSE(h.state().tree().find_path("research.old"));
  const QueueState& vision = state_of("research.vision");
  EXPECT_EQ(vision.running[TaskKind::kMap], 2);
  EXPECT_EQ(vision.jobs_running, 2u);
  EXPECT_EQ(vision.unfinished.size(), 2u);
  EXPECT_EQ(vision.users.at(h.state().job(JobId(1)).user).jobs_running, 2u);
  EXPECT_EQ(state_of("research").running[TaskKind::kMap], 2);
  ASSERT_EQ(h.events<JobMoved>().size(), 1u);
  EXPECT_EQ(h.events<JobMoved>()[0].queue, "research.vision");
  h.finish_all("tt1");
  h.settle("tt1", 12);
  h.finish_all("tt1");
  h.settle("tt1", 12);
  EXPECT_EQ(h.running("research"), 0);
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST_F(RemovedQueues, MayMoveToAQueueThatIsNew) {
  h.submit({.queue = "research.old"});
  EXPECT_EQ(apply(without_old("research.speech")).message, "applied");
  EXPECT_EQ(state_of("research.speech").unfinished.size(), 1u);
}

TEST_F(RemovedQueues, AnInnerQueueStandsForItsLeaves) {
  h.submit({.queue = "research.old"});
  h.submit({.queue = "research.vision"});
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues = {queue("production")};
  settings->removed_queues = {{"research", "production"}};
  EXPECT_EQ(apply(settings).message, "applied");
  EXPECT_EQ(state_of("production").unfinished.size(), 2u);
}

TEST_F(RemovedQueues, ALeafMayBecomeAnInnerQueue) {
  h.submit({.queue = "production"});
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues[1] = family("production", {queue("day"), queue("night")});
  EXPECT_THAT(apply(settings).message, HasSubstr("would no longer be a leaf"));
  settings = std::make_shared<Settings>(*settings);
  settings->removed_queues = {{"production", "production.night"}};
  EXPECT_EQ(apply(settings).message, "applied");
  EXPECT_EQ(state_of("production.night").unfinished.size(), 1u);
  EXPECT_EQ(state_of("production").unfinished.size(), 0u);
}

// What a queue has had of its own, and what with all that stands in it.
class Totals : public RemovedQueues {
 protected:
  void SetUp() override {
    RemovedQueues::SetUp();
    had("research.old", 100, 100);
    had("research", 0, 10);  // it has no jobs
  }
  void had(const std::string& path, std::int64_t used, std::int64_t lent) {
    auto& counters = const_cast<QueueCounters&>(state_of(path).counters);
    counters.used_ms[TaskKind::kMap] = used;
    counters.lent_ms[TaskKind::kMap] = lent;
  }
  std::int64_t used(const std::string& path) {
    return state_of(path).counters.used_ms[TaskKind::kMap];
  }
  std::int64_t lent(const std::string& path) {
    return state_of(path).counters.lent_ms[TaskKind::kMap];
  }
  void apply_research(const QueueSettings& research, const std::string& moved_to = "") {
    auto settings = std::make_shared<Settings>(h.settings());
    settings->queues[0] = research;
    settings->removed_queues.clear();
    if (!moved_to.empty()) settings->removed_queues = {{"research", moved_to}};
    EXPECT_EQ(apply(std::move(settings)).message, "applied");
  }
};

TEST_F(Totals, AQueueThatStaysHasHadNoLess) {
  apply_research(family("research", {queue("vision")}));
  EXPECT_EQ(used("research"), 100);
  EXPECT_EQ(lent("research"), 10);
  apply_research(queue("research"));
  EXPECT_EQ(used("research"), 100);
  EXPECT_EQ(lent("research"), 10);
  apply_research(family("research", {queue("vision"), queue("old")}));
  EXPECT_EQ(used("research"), 100);
  EXPECT_EQ(used("research.old"), 0);
  EXPECT_EQ(lent("research"), 10);
}

TEST_F(Totals, GoWithTheJobsButForWhatWasLent) {
  apply_research(queue("research"), "research");
  EXPECT_EQ(used("research"), 100);
  EXPECT_EQ(lent("research"), 10);
  apply_research(family("research", {queue("vision")}), "research.vision");
  EXPECT_EQ(used("research"), 0);
  EXPECT_EQ(used("research.vision"), 100);
  EXPECT_EQ(lent("research"), 10);
  EXPECT_EQ(lent("research.vision"), 0);
}

// A family that is gone lent what its leaves did not; of those the heir has what each lent.
TEST_F(Totals, OfAFamilyGoToAnotherQueue) {
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues = {queue("production")};
  settings->removed_queues = {{"research", "production"}};
  EXPECT_EQ(apply(settings).message, "applied");
  EXPECT_EQ(used("production"), 100);
  EXPECT_EQ(lent("production"), 100);
}

TEST_F(RemovedQueues, AllErrorsAtOnceAndNothingChanged) {
  h.submit({.queue = "research.old", .user = "ann", .maps = 5});
  h.submit({.queue = "research.old", .user = "ann"});
  h.submit({.queue = "research.vision", .user = "ann"});
  h.submit({.queue = "production"});
  auto settings = without_old("research.vision");
  settings->queues.pop_back();  // production, which has a job
  QueueSettings& vision = settings->queues[0].queues[0];
  vision.stopped = true;
  vision.max_jobs = 2;
  vision.max_jobs_per_user = 2;
  vision.max_tasks_per_job = 4;
  settings->source = "weir.yaml";
  const Error error = apply(settings);
  EXPECT_EQ(error.code, ErrorCode::kSettingsRefused);
  const std::string move =
      "weir.yaml: the jobs of removed queue research.old cannot move to "
      "research.vision: ";
  EXPECT_THAT(
      error.diagnostics,
      ElementsAre("weir.yaml: queue production has 1 unfinished job and would be gone, allowed: an "
                  "empty queue, or `removed_queues: [{queue: production, move_to: QUEUE}]`",
                  move + "queue research.vision is stopped, allowed: a queue that takes jobs",
                  move + "it would have 3 jobs, allowed: max_jobs 2",
                  move + "it would have 5 tasks in one of them, allowed: max_tasks_per_job 4",
                  move + "it would have 3 jobs of user ann, allowed: max_jobs_per_user 2"));
  EXPECT_EQ(state_of("research.old").unfinished.size(), 2u);
  EXPECT_THAT(h.events<JobMoved>(), IsEmpty());
}

TEST_F(RemovedQueues, WhatIsBeingWrittenCannotBeEntered) {
  const std::uint32_t job = h.submit({.queue = "production"});
  h.submit({.queue = "research.old"});
  h.durable_at_once = false;
  h.step(ApplySettings{{"admin", {}}, without_old("research.vision")});
  h.step(MoveJob{{"user", {}}, JobId(job), "research.old"});
  EXPECT_EQ(h.submit({.queue = "research.old"}), 0u);
  EXPECT_EQ(h.error.code, ErrorCode::kUnknownQueue);
  h.durable_at_once = true;
  h.step(Tick{});
  EXPECT_EQ(state_of("research.vision").unfinished.size(), 1u);
  EXPECT_EQ(state_of("production").unfinished.size(), 1u);
}

TEST_F(RemovedQueues, TheSettingsFactNamesTheMoves) {
  h.submit({.queue = "research.old"});
  apply(without_old("research.vision"));
  using Move = std::pair<std::string, std::string>;
  EXPECT_THAT(h.events<SettingsChanged>().at(0).moves,
              ElementsAre(Move("research.old", "research.vision")));
}

TEST_F(RemovedQueues, ARestartUnderSettingsThatRemoveAQueueMovesItsJobs) {
  Snapshot snapshot;
  snapshot.epoch = 2;
  JobSnapshot job;
  job.job = JobId(1);
  auto spec = std::make_shared<JobSpec>();
  spec->user = "ann";
  spec->splits.resize(1);
  job.spec = spec;
  job.queue = "research.old";
  snapshot.jobs.push_back(job);
  FifoHarness restarted;
  restarted.settings() = *without_old("production");
  restarted.start(snapshot);
  restarted.step(Tick{});
  EXPECT_EQ(restarted.state().tree().node(restarted.state().job(JobId(1)).queue).path,
            "production");
  ASSERT_EQ(restarted.events<JobMoved>().size(), 1u);
  EXPECT_GT(restarted.log.at(0).seq, 0u);
}

// Where the jobs of a leaf go: itself while it is a leaf, else by the entry that is nearest above
// it; and a name that only begins like it is another queue.
TEST(QueueAfter, TheNearestEntryDecides) {
  Settings settings;
  settings.queues = {family("research", {queue("vision")}), queue("production"), queue("rest")};
  const QueueTree tree = QueueTree::build(settings.queues).value();
  settings.removed_queues = {{"old", "production"},
                             {"old.deep.er", "research.vision"},
                             {"old.deep", "rest"},
                             {"gone", "nowhere"},
                             {"inner", "research"}};
  const auto after = [&](const std::string& path) {
    const QueueId to = queue_after(settings, tree, path);
    return to.valid() ? tree.node(to).path : "none";
  };
  EXPECT_EQ(after("production"), "production");
  EXPECT_EQ(after("research.vision"), "research.vision");
  EXPECT_EQ(after("research"), "none");  // no leaf any more, and nothing is said of it
  EXPECT_EQ(after("old"), "production");
  EXPECT_EQ(after("old.x"), "production");
  EXPECT_EQ(after("old.deep"), "rest");
  EXPECT_EQ(after("old.deep.x"), "rest");
  EXPECT_EQ(after("old.deep.er"), "research.vision");
  EXPECT_EQ(after("old.deep.er.x"), "research.vision");
  EXPECT_EQ(after("old.deeper"), "production");
  EXPECT_EQ(after("older"), "none");
  EXPECT_EQ(after("gone"), "none");   // where it should go there is nothing
  EXPECT_EQ(after("inner"), "none");  // or no leaf
}

// Accepted before new settings stopped it; they are in force when it is carried out.
TEST(StoppedQueues, AQueueThatSettingsStopIsNotStartedByAnEarlierCommand) {
  FifoHarness h;
  h.add_queue(queue("open"));
  h.start();
  const QueueId open = *h.state().tree().find_path("open");
  h.step(SetQueueState{{"admin", {}}, "open", true});
  h.durable_at_once = false;
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues[0].stopped = true;
  h.step(ApplySettings{{"admin", {}}, settings});
  h.step(SetQueueState{{"admin", {}}, "open", false});
  h.step(Durable{h.engine().last_seq()});
  EXPECT_TRUE(h.state().queue(open).stopped);
  EXPECT_FALSE(h.state().queue(open).stopped_by_command);
}

// Two administrators must not undo each other's changes without knowing.
TEST(SettingsNumbers, WhoNamesOthersThanThoseInForceIsRefused) {
  FifoHarness h;
  h.add_queue(queue("a"));
  h.start();
  const auto apply = [&h](const char* by, std::optional<std::uint64_t> expected) {
    const auto replies = h.step(
        ApplySettings{{by, {}}, std::make_shared<Settings>(h.settings()), expected});
    const auto* error = std::get_if<Error>(&replies.at(0).body);
    if (error == nullptr) return std::string("applied");
    EXPECT_EQ(error->code, ErrorCode::kSettingsChanged);
    return error->message;
  };
  EXPECT_EQ(apply("admin", 7), "settings number 7 are not in force: nor are others");
  EXPECT_EQ(apply("admin", 0), "applied");
  EXPECT_EQ(h.engine().settings_stamp().number, 1u);
  EXPECT_EQ(h.engine().settings_stamp().by, "admin");
  EXPECT_EQ(apply("admin", 1), "applied");
  h.now += 60'000;
  EXPECT_EQ(apply("admin", 1),
            "settings number 1 are not in force: number 2 were applied by admin 1m00s ago");
  EXPECT_EQ(apply("admin", std::nullopt), "applied");  // whatever is in force
  h.step(SetPolicy{{"admin", {}}, "fifo"});  // has a number of its own, and changes no settings
  EXPECT_EQ(apply("admin", 3), "applied");
  EXPECT_EQ(h.engine().settings_stamp().number, 5u);
}

}  // namespace
}  // namespace weir::test
