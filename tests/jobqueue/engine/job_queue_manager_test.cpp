// Who may submit what, where; each refusal with its code and what would be accepted.
#include <gmock/gmock.h>

#include "jobqueue/model/access_rights.h"
#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct ManagerTest : testing::Test {
  ManagerTest() {
    QueueSettings research = queue("research");
    research.submit = std::vector<std::string>{"alice", "@lab"};
    research.administer = std::vector<std::string>{"carol"};
    QueueSettings vision = queue("vision");
    QueueSettings speech = queue("speech");
    speech.max_jobs = 2;
    speech.max_jobs_per_user = 1;
    speech.max_tasks_per_job = 3;
    research.queues = {vision, speech};
    h.add_queue(research).add_queue(queue("open"));
  }
  FifoHarness h;
};

TEST_F(ManagerTest, UnknownQueue) {
  EXPECT_EQ(h.submit({.queue = "nowhere"}), 0u);
  EXPECT_EQ(h.error.code, ErrorCode::kUnknownQueue);
  EXPECT_THAT(h.error.hint, HasSubstr("research.vision, research.speech, open"));
}

TEST_F(ManagerTest, InnerQueue) {
  EXPECT_EQ(h.submit({.queue = "research", .user = "alice"}), 0u);
  EXPECT_EQ(h.error.code, ErrorCode::kQueueNotLeaf);
  EXPECT_THAT(h.error.hint, HasSubstr("research.vision"));
}

TEST_F(ManagerTest, AccessIsInheritedAndKnowsGroups) {
  EXPECT_NE(h.submit({.queue = "vision", .user = "alice"}), 0u);
  EXPECT_NE(h.submit({.queue = "vision", .user = "dan", .groups = {"lab"}}), 0u);
  EXPECT_NE(h.submit({.queue = "vision", .user = "carol"}), 0u);  // who administers may submit
  EXPECT_EQ(h.submit({.queue = "vision", .user = "dan", .groups = {"sales"}}), 0u);
  EXPECT_EQ(h.submit({.queue = "vision", .user = "@lab"}), 0u);  // a user, and no group
  EXPECT_EQ(h.error.code, ErrorCode::kNotPermitted);
  EXPECT_NE(h.submit({.queue = "open", .user = "dan"}), 0u);
}

// What is shown is what is checked.
TEST_F(ManagerTest, WhoMayIsSaidWithWhatComesFromAbove) {
  using testing::ElementsAre;
  using testing::Optional;
  const auto id = [&](const char* path) { return *h.state().tree().find_path(path); };
  EXPECT_THAT(who_may_submit(h.state(), id("research.vision")),
              Optional(ElementsAre("alice", "@lab", "carol")));
  EXPECT_THAT(who_may_administer(h.state(), id("research.vision")), Optional(ElementsAre("carol")));
  EXPECT_EQ(who_may_administer(h.state(), id("open")), std::nullopt);
  h.settings().administrators = {"root", "carol"};
  h.start();
  EXPECT_THAT(who_may_administer(h.state(), id("research.vision")),
              Optional(ElementsAre("carol", "root")));
  EXPECT_THAT(who_may_administer(h.state(), id("open")), Optional(ElementsAre("root", "carol")));
  EXPECT_EQ(who_may_submit(h.state(), id("open")), std::nullopt);
  EXPECT_EQ(h.submit({.queue = "vision", .user = "dan"}), 0u);
  EXPECT_EQ(h.error.hint, "allowed: alice, @lab, carol, root");
}

TEST_F(ManagerTest, StoppedQueuesRefuseAndDrain) {
  h.add_tracker("tt1");
  h.submit({.queue = "vision", .user = "alice", .maps = 3});
  const auto denied = h.step(SetQueueState{{"alice", {}}, "research", true});
  EXPECT_EQ(std::get<Error>(denied.at(0).body).code, ErrorCode::kNotPermitted);
  h.step(SetQueueState{{"carol", {}}, "research", true});
  EXPECT_EQ(h.submit({.queue = "vision", .user = "alice"}), 0u);
  EXPECT_EQ(h.error.code, ErrorCode::kQueueStopped);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  h.step(SetQueueState{{"carol", {}}, "research", false});
  EXPECT_NE(h.submit({.queue = "vision", .user = "alice"}), 0u);
}

TEST_F(ManagerTest, Limits) {
  EXPECT_EQ(h.submit({.queue = "speech", .user = "alice", .maps = 4}), 0u);
  EXPECT_THAT(h.error.message, HasSubstr("max_tasks_per_job is reached: 4 of 3"));
  EXPECT_THAT(h.error.hint, Not(HasSubstr("wait")));  // it would be refused again
  EXPECT_NE(h.submit({.queue = "speech", .user = "alice"}), 0u);
  EXPECT_EQ(h.submit({.queue = "speech", .user = "alice"}), 0u);
  EXPECT_THAT(h.error.message, HasSubstr("max_jobs_per_user"));
  EXPECT_NE(h.submit({.queue = "speech", .user = "carol"}), 0u);
  EXPECT_EQ(h.submit({.queue = "speech", .user = "dan", .groups = {"lab"}}), 0u);
  EXPECT_EQ(h.error.code, ErrorCode::kLimitReached);
  EXPECT_THAT(h.error.message, HasSubstr("max_jobs is reached: 2 of 2"));
}

TEST_F(ManagerTest, OnlyTheOwnerAndAdministratorsChangeAJob) {
  h.submit({.queue = "vision", .user = "alice"});
  const auto code = [&](auto input) {
    const auto replies = h.step(input);
    const auto* error = std::get_if<Error>(&replies.at(0).body);
    return error == nullptr ? std::optional<ErrorCode>() : error->code;
  };
  EXPECT_EQ(code(KillJob{{"dan", {}}, JobId(1)}), ErrorCode::kNotPermitted);
  EXPECT_EQ(code(SetPriority{{"dan", {}}, JobId(1), Priority::kHigh}), ErrorCode::kNotPermitted);
  EXPECT_EQ(code(MoveJob{{"alice", {}}, JobId(1), "research.vision"}), ErrorCode::kBadRequest);
  EXPECT_EQ(code(MoveJob{{"alice", {}}, JobId(1), "open"}), std::nullopt);
  EXPECT_EQ(code(KillJob{{"alice", {}}, JobId(5)}), ErrorCode::kUnknownJob);
  EXPECT_EQ(code(KillJob{{"alice", {}}, JobId(1)}), std::nullopt);
}

TEST_F(ManagerTest, TwoJobsNeverWriteTheSameOutput) {
  h.submit({.queue = "open"});
  auto spec = std::make_shared<JobSpec>(*h.state().job(JobId(1)).spec);
  const auto replies = h.step(SubmitJob{{"user", {}}, spec});
  EXPECT_EQ(std::get<Error>(replies.at(0).body).code, ErrorCode::kOutputInUse);
}

// Nobody is told of what is behind a door that is closed to him.
TEST_F(ManagerTest, TheFirstNoIsTheAnswer) {
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.queue = "open"});
  auto spec = std::make_shared<JobSpec>(*h.state().job(JobId(1)).spec);
  spec->queue = "speech";
  spec->splits.resize(4);
  spec->need[0] = Resources{{5, 0, 0, 0}};
  spec->conf["mapreduce.map.speculative"] = "perhaps";
  const auto code = [&](const char* user) {
    const auto replies = h.step(SubmitJob{{user, {}}, std::make_shared<JobSpec>(*spec)});
    const auto* error = std::get_if<Error>(&replies.at(0).body);
    return error == nullptr ? ErrorCode::kInternal : error->code;
  };
  h.step(SetQueueState{{"carol", {}}, "research", true});
  EXPECT_EQ(code("dan"), ErrorCode::kQueueStopped);
  h.step(SetQueueState{{"carol", {}}, "research", false});
  EXPECT_EQ(code("dan"), ErrorCode::kNotPermitted);
  EXPECT_EQ(code("alice"), ErrorCode::kLimitReached);  // 4 tasks of 3
  spec->splits.resize(3);
  EXPECT_EQ(code("alice"), ErrorCode::kBadRequest);  // its conf
  spec->conf = {{"mapreduce.map.output.compress.codec", "snappy"}};
  EXPECT_EQ(code("alice"), ErrorCode::kBadRequest);
  spec->conf.clear();
  EXPECT_EQ(code("alice"), ErrorCode::kOutputInUse);
  spec->output += "2";
  EXPECT_EQ(code("alice"), ErrorCode::kBadRequest);  // no tracker is as wide
  spec->need[0] = Resources{{1, 0, 0, 0}};
  EXPECT_EQ(code("alice"), ErrorCode::kInternal) << "it is a job";
}

TEST_F(ManagerTest, SettingsThatDropAQueueWithJobsAreRefused) {
  h.submit({.queue = "open"});
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues = {queue("research")};
  const auto replies = h.step(ApplySettings{{"admin", {}}, settings});
  EXPECT_EQ(std::get<Error>(replies.at(0).body).code, ErrorCode::kSettingsRefused);
  EXPECT_THAT(std::get<Error>(replies.at(0).body).message,
              HasSubstr("queue open has 1 unfinished job and would be gone"));
  settings->queues.push_back(queue("open"));
  settings->queues.push_back(queue("fresh"));
  h.step(ApplySettings{{"admin", {}}, settings});
  EXPECT_TRUE(h.state().tree().find("fresh").ok());
  EXPECT_EQ(h.state().queue(*h.state().tree().find_path("open")).unfinished.size(), 1u);
}

TEST_F(ManagerTest, WhatIsBeingWrittenCountsForWhatComesIn) {
  h.start();
  h.durable_at_once = false;
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues = {queue("research")};
  h.step(ApplySettings{{"admin", {}}, settings});  // removes the queue `open`
  EXPECT_EQ(h.submit({.queue = "open"}), 0u);
  EXPECT_EQ(h.error.code, ErrorCode::kUnknownQueue);
  h.step(Durable{h.engine().last_seq()});
  EXPECT_FALSE(h.state().tree().find("open").ok());
}

// Of two changes at once the second is looked at as if the first were in force.
TEST_F(ManagerTest, SettingsOfTwoAtOnceLeaveNoJobWithoutAQueue) {
  h.submit({.queue = "open"});
  h.durable_at_once = false;
  const auto apply = [&](const std::string& to) {
    auto settings = std::make_shared<Settings>(h.settings());
    settings->queues = {queue("research"), queue(to)};
    settings->removed_queues = {{"open", to}};
    return h.step(ApplySettings{{"admin", {}}, settings});
  };
  EXPECT_TRUE(apply("left").empty());  // answered when it is on disk
  const auto refused = apply("right");
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_THAT(std::get<Error>(refused[0].body).message,
              HasSubstr("queue left has 1 unfinished job and would be gone"));
  h.step(Durable{h.engine().last_seq()});
  EXPECT_EQ(h.state().queue(*h.state().tree().find_path("left")).unfinished.size(), 1u);
}

// A job is carried on by the second to where the first has brought it.
TEST_F(ManagerTest, SettingsOfTwoAtOnceCarryJobsOn) {
  h.submit({.queue = "open"});
  h.durable_at_once = false;
  auto first = std::make_shared<Settings>(h.settings());
  first->queues = {queue("research"), queue("left")};
  first->removed_queues = {{"open", "left"}};
  h.step(ApplySettings{{"admin", {}}, first});
  auto second = std::make_shared<Settings>(h.settings());
  second->queues = {queue("research"), queue("right")};
  second->removed_queues = {{"open", "research"}, {"left", "right"}};
  EXPECT_TRUE(h.step(ApplySettings{{"admin", {}}, second}).empty());
  h.step(Durable{h.engine().last_seq()});
  EXPECT_EQ(h.state().queue(*h.state().tree().find_path("right")).unfinished.size(), 1u);
  const auto changes = h.events<SettingsChanged>();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_THAT(changes[1].moves, testing::Contains(testing::Pair("left", "right")));
}

TEST_F(ManagerTest, StoppedByCommandOutlivesSettingsStoppedBySettingsDoesNot) {
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues[1].stopped = true;
  h.step(SetQueueState{{"carol", {}}, "research", true});
  h.step(ApplySettings{{"admin", {}}, settings});
  const auto refused = h.step(SetQueueState{{"admin", {}}, "open", false});
  EXPECT_THAT(std::get<Error>(refused.at(0).body).message, HasSubstr("stopped by the settings"));
  h.step(ApplySettings{{"admin", {}}, std::make_shared<Settings>(h.settings())});
  EXPECT_TRUE(h.state().queue(*h.state().tree().find_path("research")).stopped);
  EXPECT_FALSE(h.state().queue(*h.state().tree().find_path("open")).stopped);
}

// The same policy under several names, so that no other room is needed.
std::unique_ptr<Policy> fifo_by_any_name(std::string_view, const ClusterState& state,
                                         PolicyMemory&) {
  return std::make_unique<FifoPolicy>(state);
}

TEST(EngineSettings, APolicyNamedAnewWinsOverOneSetByCommand) {
  Harness h(fifo_by_any_name, "first");
  h.start();
  auto settings = std::make_shared<Settings>(h.settings());
  h.step(SetPolicy{{"admin", {}}, "by command"});
  h.step(ApplySettings{{"admin", {}}, settings});  // names the same one as before
  EXPECT_EQ(h.events<PolicyChanged>().size(), 1u);
  settings = std::make_shared<Settings>(*settings);
  settings->policy = "second";
  h.step(ApplySettings{{"admin", {}}, settings});
  ASSERT_EQ(h.events<PolicyChanged>().size(), 2u);
  EXPECT_EQ(h.events<PolicyChanged>().back().policy, "second");
}

TEST(EngineSettings, ChangesSayWhoMadeThem) {
  Harness h(fifo_by_any_name, "first");
  h.start();
  h.step(SetPolicy{{"admin", {}}, "second"});
  h.step(ApplySettings{{"admin", {}}, std::make_shared<Settings>(h.settings())});
  auto followed = std::make_shared<Settings>(h.settings());
  followed->file_hash = "of a file";
  followed->policy = "third";
  h.step(ApplySettings{{"admin", {}}, followed});
  h.step(SetPolicy{{"admin", {}}, "fourth", true});  // the file named it at the start
  std::vector<std::string> policies, settings;
  for (const PolicyChanged& change : h.events<PolicyChanged>()) policies.push_back(change.by);
  for (const SettingsChanged& change : h.events<SettingsChanged>()) settings.push_back(change.by);
  EXPECT_EQ(policies, (std::vector<std::string>{"admin", "", ""}));
  EXPECT_EQ(settings, (std::vector<std::string>{"admin", ""}));
}

}  // namespace
}  // namespace weir::test
