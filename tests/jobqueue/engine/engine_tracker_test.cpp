// Trackers: lost and repeated messages, lost trackers, lost outputs, wrong policies.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

TEST(EngineTracker, ALostReplyIsRepeatedNotScheduledTwice) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 4});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  h.tracker("tt1").held.clear();  // the reply never came
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  EXPECT_EQ(h.events<AttemptLaunched>().size(), 2u);
}

TEST(EngineTracker, AnOldReportChangesNothing) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  Heartbeat old;
  old.name = "tt1";
  old.incarnation = h.tracker("tt1").incarnation;
  old.sequence = 1;  // says that nothing runs
  h.step(old);
  EXPECT_EQ(h.running("default"), 1);
}

// It is heard of, so lists must not go on to call it silent.
TEST(EngineTracker, AnOldReportIsPublishedAsHeard) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.heartbeat("tt1");
  h.engine().changes().clear();
  Heartbeat old;
  old.name = "tt1";
  old.incarnation = h.tracker("tt1").incarnation;
  old.sequence = 1;
  h.step(old);
  EXPECT_EQ(h.engine().changes().trackers.size(), 1u);
}

TEST(EngineTracker, AnUnregisteredTrackerIsToldSo) {
  FifoHarness h;
  h.heartbeat("ghost");
  EXPECT_EQ(h.error.code, ErrorCode::kUnknownTracker);
}

TEST(EngineTracker, AnAttemptThatVanishesRunsAgain) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  h.tracker("tt1").held.clear();
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  EXPECT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).killed_attempts, 1u);
}

TEST(EngineTracker, ASilentTrackerIsLostWithItsOutputsAsLongAsTheyAreNeeded) {
  FifoHarness h;
  h.settings().heartbeat.expiry_ms = 10000;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 1});
  h.submit({.maps = 2, .reduces = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m1 J1/r0");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.advance(9000);
  h.heartbeat("tt2");
  h.advance(1000);
  EXPECT_EQ(h.state().live_trackers(), 1u);
  h.finish("J1/m1");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
  EXPECT_EQ(h.events<TaskReopened>().size(), 1u);
  h.heartbeat("tt1");
  EXPECT_EQ(h.error.code, ErrorCode::kUnknownTracker);
  h.connect("tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.state().live_trackers(), 2u);
}

TEST(EngineTracker, MapOutputsThatCannotBeFetchedAreMadeAgain) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 1});
  h.submit({.maps = 1, .reduces = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/r0");
  h.tracker("tt2").held.begin()->second.fetch_failures = {{0, 0}};
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
  const auto replies = h.step(QueryMapOutputs{JobId(1), 0});
  const auto& outputs = std::get<MapOutputs>(replies.at(0).body);
  ASSERT_EQ(outputs.outputs.size(), 2u);
  EXPECT_FALSE(outputs.outputs[0].obsolete);
  EXPECT_TRUE(outputs.outputs[1].obsolete);
}

// A reduce may still speak of the output that is being made again, or has been.
TEST(EngineTracker, OnlyTheOutputThatCountsCanBeMissing) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt3", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 1, .reduces = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  EXPECT_EQ(h.heartbeat("tt3"), "J1/r0");
  const auto misses = [&](std::uint32_t map, std::uint32_t attempt) {
    h.tracker("tt3").held.begin()->second.fetch_failures = {{map, attempt}};
    h.heartbeat("tt3");
    return h.events<TaskReopened>().size();
  };
  EXPECT_EQ(misses(0, 1), 0u);  // there was no such attempt
  EXPECT_EQ(misses(1, 0), 0u);  // nor such a map
  EXPECT_EQ(misses(0, 0), 1u);
  EXPECT_EQ(misses(0, 0), 1u);  // it is being made again
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
  EXPECT_EQ(misses(0, 0), 1u);
  h.finish("J1/m0");
  h.heartbeat("tt2");
  EXPECT_EQ(misses(0, 0), 1u);  // there is a newer one
  EXPECT_EQ(misses(0, 1), 2u);
}

// The tracker still has an output of that map, but another one counts.
TEST(EngineTracker, AnOutputThatWasMadeElsewhereSinceIsNotMissed) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 1});
  h.submit({.maps = 1, .reduces = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  h.tracker("tt2").held.begin()->second.fetch_failures = {{0, 0}};
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
  h.finish("J1/m0");
  h.heartbeat("tt2");
  ASSERT_EQ(h.events<TaskReopened>().size(), 1u);
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.events<TaskReopened>().size(), 1u);
  h.step(LoseTracker{"tt2"});
  EXPECT_EQ(h.events<TaskReopened>().size(), 2u);
}

// 3 reduces, or half of those that run.
TEST(EngineTracker, HowManyReducesMustMissAnOutput) {
  const auto needed = [](std::uint32_t reduces) {
    FifoHarness h;
    h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
    h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = reduces});
    h.submit({.maps = 1, .reduces = reduces});
    h.heartbeat("tt1");
    h.finish("J1/m0");
    h.heartbeat("tt1");
    h.heartbeat("tt2");
    std::uint32_t reporters = 0;
    for (auto& [key, attempt] : h.tracker("tt2").held) {
      attempt.fetch_failures = {{0, 0}};
      h.heartbeat("tt2");
      h.heartbeat("tt2");  // who says it again counts once
      ++reporters;
      if (!h.events<TaskReopened>().empty()) return reporters;
    }
    return 0u;
  };
  EXPECT_EQ(needed(1), 1u);
  EXPECT_EQ(needed(2), 1u);
  EXPECT_EQ(needed(3), 2u);
  EXPECT_EQ(needed(4), 2u);
  EXPECT_EQ(needed(5), 3u);
  EXPECT_EQ(needed(9), 3u);
}

TEST(EngineTracker, AMapWhoseOutputCannotBeFetchedRunsElsewhere) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 1});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1, .reduces = 1, .locations = {{"tt1"}}});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/r0");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  h.tracker("tt1").held.begin()->second.fetch_failures = {{0, 0}};
  EXPECT_EQ(h.heartbeat("tt1"), "");  // near as it is, it would only happen again
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
}

TEST(EngineTracker, ALostTrackerGetsAnAnswerAndNoDuty) {
  FifoHarness h;
  h.settings().heartbeat.expiry_ms = 10000;
  h.add_tracker("tt1", {.map_slots = 1});
  h.add_tracker("tt2", {.map_slots = 1});
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.durable_at_once = false;
  h.heartbeat("tt1");  // waits for its grant; the store is slow
  h.now += 9000;
  h.heartbeat("tt2");
  h.now += 1000;
  const auto replies = h.step(Tick{});  // tt1 is lost, and its heartbeat gets its answer
  const auto refused = [](const Reply& reply) {
    const auto* error = std::get_if<Error>(&reply.body);
    return error != nullptr && error->code == ErrorCode::kUnknownTracker;
  };
  EXPECT_EQ(std::count_if(replies.begin(), replies.end(), refused), 1);
  h.tracker("tt1").held.clear();
  h.durable_at_once = true;
  h.step(Tick{});
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
  h.finish("J1/m0");
  h.settle("tt2");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST(EngineTracker, AKillOvertakesThePublishing) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.heartbeat("tt1");  // published; the tracker is given the duty to write _SUCCESS
  ASSERT_EQ(h.tracker("tt1").last.duties.size(), 1u);
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.tracker("tt1").duties = {};  // still at it
  h.heartbeat("tt1");
  ASSERT_EQ(h.tracker("tt1").last.duties.size(), 1u);
  EXPECT_FALSE(h.tracker("tt1").last.duties[0].succeed);
  h.tracker("tt1").duties = {{JobId(1), true, "", true}};  // the old duty's end
  h.heartbeat("tt1");
  ASSERT_EQ(h.tracker("tt1").last.duties.size(), 1u);  // the clean-up is still wanted
  h.heartbeat("tt1");
  EXPECT_TRUE(h.tracker("tt1").last.duties.empty());
  EXPECT_EQ(h.state_of(1), JobState::kKilled);
}

TEST(EngineTracker, AMapThatRunsAgainCountsOnce) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1, .reduces = 1});
  for (int life = 0; life < 2; ++life) {
    EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
    auto& report = h.tracker("tt1").held.begin()->second;
    report.counters = std::make_shared<Counters>(Counters{{"mine", {{"lines", INT64_MAX}}}});
    h.finish("J1/m0");
    h.heartbeat("tt1");
    EXPECT_EQ(h.state().job(JobId(1)).counters.at("mine").at("lines"), INT64_MAX);
    h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});  // restarted: the output is gone
  }
}

TEST(EngineTracker, ATaskTooWideForEveryTrackerIsRefusedAtSubmission) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 2});
  EXPECT_EQ(h.submit({.maps = 1, .slots_per_map = 3}), 0u);
  EXPECT_THAT(h.error.message, testing::HasSubstr("needs 3 map slots"));
  EXPECT_EQ(h.submit({.maps = 2, .slots_per_map = 2}), 2u - 1u);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
}

TEST(EngineTracker, AnOlderProcessOfTheSameNameCannotTakeOver) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt1");  // a newer one
  RegisterTracker old;
  old.name = "tt1";
  old.incarnation = 1;
  const auto replies = h.step(old);
  EXPECT_EQ(std::get<Error>(replies.at(0).body).code, ErrorCode::kNotPermitted);
}

// By the mark of its work directory one that was restarted is told from another of its name.
TEST(EngineTracker, AnotherOneOfTheSameNameIsRefusedUntilTheFirstIsLostOrAskedToGo) {
  const auto registers = [](FifoHarness& h, const std::string& home, std::int64_t incarnation) {
    RegisterTracker one;
    one.name = "tt1";
    one.home = home;
    one.incarnation = incarnation;
    one.total = {{1, 0, 0, 0}};
    for (const Reply& reply : h.step(one)) {
      if (const auto* refused = std::get_if<Error>(&reply.body)) return refused->code;
    }
    return ErrorCode{};
  };
  FifoHarness h;
  EXPECT_EQ(registers(h, "a", 10), ErrorCode{});
  h.advance(60000);
  EXPECT_EQ(registers(h, "b", 20), ErrorCode::kNotPermitted);
  EXPECT_EQ(h.state().find_tracker("tt1")->incarnation, 10);
  EXPECT_EQ(registers(h, "a", 30), ErrorCode{});  // restarted
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(registers(h, "b", 40), ErrorCode{});
  EXPECT_EQ(registers(h, "a", 50), ErrorCode::kNotPermitted);
  h.step(OrderTrackers{{"root", {}}, {"tt1"}, TrackerOrder::kStop});
  EXPECT_EQ(registers(h, "a", 60), ErrorCode{});
}

// A policy that chooses whatever the test says: the engine must not believe it.
struct WrongPolicy : FifoPolicy {
  using FifoPolicy::FifoPolicy;
  std::optional<Choice> choose(const Offer&) override { return choice; }
  static inline Choice choice;
};

TEST(EngineMechanism, ChecksEveryDecisionAgain) {
  Harness h([](std::string_view, const ClusterState& state,
               PolicyMemory&) { return std::make_unique<WrongPolicy>(state); },
            "wrong");
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 2, .reduces = 1, .slowstart_millionths = 1000000});
  const auto refused = [&](Choice choice) {
    WrongPolicy::choice = choice;
    const std::size_t before = h.events<Refused>().size();
    h.heartbeat("tt1");
    return h.events<Refused>().size() > before;
  };
  EXPECT_TRUE(refused({{JobId(9), TaskKind::kMap, 0}, Locality::kAny}));  // no such job
  EXPECT_TRUE(refused({{JobId(1), TaskKind::kMap, 2}, Locality::kAny}));  // no such task
  EXPECT_TRUE(
      refused({{JobId(1), TaskKind::kReduce, 0}, Locality::kAny}));  // not before slow-start
  WrongPolicy::choice = {{JobId(1), TaskKind::kMap, 0}, Locality::kAny};
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  EXPECT_EQ(h.heartbeat("tt1"), "");  // the same again, and the tracker is full
  EXPECT_EQ(h.running("default"), 1);
}

}  // namespace
}  // namespace weir::test
