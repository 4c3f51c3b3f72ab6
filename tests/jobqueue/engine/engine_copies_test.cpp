// Copy-compute splitting, the mechanism's part: who copies holds no slots, a grant is given until
// it is heard, and what trackers report after a restart is what is so.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fifo/fifo_policy.h"
#include "jobqueue/policy/copy_split_facet.h"
#include "support/harness.h"

namespace weir::test {
namespace {

// First in, first out, with places to copy in; `wanted` gets the next slots, else who waits first.
class SplittingFifo : public FifoPolicy, public CopySplit {
 public:
  SplittingFifo(const ClusterState& state, const std::string& wanted)
      : FifoPolicy(state), state_(state), wanted_(wanted) {}
  std::string_view name() const override { return "splitting"; }
  CopySplit* copies() override { return this; }
  std::int64_t factor() const override { return 2; }
  std::optional<Choice> choose_compute(const Offer& offer) override {
    for (const HeldAttempt& held : state_.tracker(offer.tracker).held) {
      const bool takes = wanted_.empty() ? held.copy == CopyStage::kCopied
                                         : Harness::spell(held.key.task) == wanted_;
      if (takes) return Choice{.task = held.key.task, .what = Choice::What::kCompute};
    }
    return std::nullopt;
  }

 private:
  const ClusterState& state_;
  const std::string& wanted_;
};

struct Splitting : Harness {
  Splitting()
      : Harness(
            [this](std::string_view name, const ClusterState& state,
                   PolicyMemory&) -> std::unique_ptr<Policy> {
              if (name == "fifo") return std::make_unique<FifoPolicy>(state);
              if (name != "splitting") return nullptr;
              return std::make_unique<SplittingFifo>(state, wanted);
            },
            "splitting") {}
  const TaskGroup& reduces(std::uint32_t job = 1) {
    return state().job(JobId(job)).tasks(TaskKind::kReduce);
  }
  // "running copying copied".
  std::string counts(std::uint32_t job = 1) {
    const TaskGroup& group = reduces(job);
    return std::to_string(group.running) + " " + std::to_string(group.copying) + " " +
           std::to_string(group.copied);
  }
  std::string wanted;
};

TEST(EngineCopies, WhoCopiesHoldsAPlaceAndNoSlot) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 2});
  h.submit({.maps = 0, .reduces = 9});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/r0 J1/r1 J1/r2 J1/r3");
  const TrackerState& tracker = h.state().tracker(TrackerId(0));
  EXPECT_EQ(h.counts(), "0 4 0");
  EXPECT_EQ(tracker.used.slots(TaskKind::kReduce), 0);
  EXPECT_EQ(tracker.copy_slots, 4);
  EXPECT_EQ(h.running("default", TaskKind::kReduce), 0);
  EXPECT_EQ(h.state().free_slots(TaskKind::kReduce), 2);
  for (const char* task : {"J1/r1", "J1/r2", "J1/r3"}) h.copied(task);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/r4 J1/r5");  // in the places of those that compute
  EXPECT_EQ(h.granted, "J1/r1 J1/r2");
  EXPECT_EQ(h.counts(), "2 3 1");
  EXPECT_EQ(tracker.used.slots(TaskKind::kReduce), 2);
  EXPECT_EQ(h.running("default", TaskKind::kReduce), 2);
  EXPECT_EQ(h.state().free_slots(TaskKind::kReduce), 0);
}

TEST(EngineCopies, WhoHasCopiedWhereItsSlotsAreGoneBeginsElsewhere) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 2});
  h.submit({.maps = 0, .reduces = 1, .slots_per_reduce = 2});
  h.heartbeat("tt1");
  h.tracker("tt1").options.reduce_slots = 1;
  h.connect("tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.counts(), "0 1 0") << "it still copies, and the slots may be back by then";
  h.copied("J1/r0");
  h.settle("tt1");
  ASSERT_EQ(h.events<KillOrdered>().size(), 1u);
  EXPECT_EQ(h.events<KillOrdered>()[0].reason, KillReason::kNoRoom);
  EXPECT_EQ(h.counts(), "0 0 0");
  h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 2});
  EXPECT_EQ(h.heartbeat("tt2"), "J1/r0");
}

TEST(EngineCopies, WhatRanInSlotsIsCountedFromTheGrantOn) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 0, .reduces = 1});
  h.heartbeat("tt1");
  h.advance(10000);
  h.copied("J1/r0");
  h.heartbeat("tt1");
  h.advance(5000);
  h.finish("J1/r0");
  h.settle("tt1");
  const auto ended = h.events<AttemptEnded>();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].ran_ms, 15000);
  EXPECT_EQ(ended[0].held_ms, 5000);
  EXPECT_EQ(h.state().queue(QueueTree::root()).counters.used_ms[TaskKind::kReduce] +
                h.state()
                     .queue(*h.state().tree().find_path("default"))
                     .counters.used_ms[TaskKind::kReduce],
            5000);
}

TEST(EngineCopies, AGrantIsRepeatedUntilTheTrackerSaysThatItComputes) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 0, .reduces = 1});
  h.heartbeat("tt1");
  h.copied("J1/r0");
  const auto held_before = h.tracker("tt1").held;
  h.heartbeat("tt1");
  ASSERT_EQ(h.tracker("tt1").last.compute_granted.size(), 1u);
  h.tracker("tt1").held = held_before;  // the reply was lost
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.compute_granted.size(), 1u);
  EXPECT_EQ(h.granted, "");  // it was granted once
  h.heartbeat("tt1");        // says REDUCE
  EXPECT_TRUE(h.tracker("tt1").last.compute_granted.empty());
  EXPECT_EQ(h.counts(), "1 0 0");
}

TEST(EngineCopies, ALaunchThatWasLostIsRepeatedAsItWas) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 0, .reduces = 1});
  h.heartbeat("tt1");
  h.tracker("tt1").held.clear();
  h.heartbeat("tt1");
  ASSERT_EQ(h.tracker("tt1").last.launch.size(), 1u);
  EXPECT_FALSE(h.tracker("tt1").last.launch[0].compute_granted);
}

TEST(EngineCopies, AWrongChoiceIsRefused) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 0, .reduces = 2});
  h.heartbeat("tt1");
  h.copied("J1/r0");
  h.wanted = "J1/r1";  // still copies
  h.heartbeat("tt1");
  ASSERT_EQ(h.events<Refused>().size(), 1u);
  EXPECT_NE(h.events<Refused>()[0].error.message.find("does not wait for slots"),
            std::string::npos);
  EXPECT_EQ(h.counts(), "0 1 1");
}

TEST(EngineCopies, ATrackerThatDrainsStillLetsItsReducesCompute) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 0, .reduces = 3});
  h.heartbeat("tt1");
  h.copied("J1/r0");
  auto& tracker = h.tracker("tt1");
  Heartbeat report;
  report.name = "tt1";
  report.incarnation = tracker.incarnation;
  report.sequence = ++tracker.sequence;
  report.accepts_tasks = false;
  for (const auto& [key, attempt] : tracker.held) report.attempts.push_back(attempt);
  h.step(report);
  EXPECT_EQ(h.counts(), "1 1 0");
  EXPECT_EQ(h.reduces().pending(), 1u);
}

TEST(EngineCopies, KillingTheJobFreesPlacesWhenTheTrackerSaysSo) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 0, .reduces = 2});
  h.heartbeat("tt1");
  h.copied("J1/r0");
  h.heartbeat("tt1");
  h.step(KillJob{{"user", {}}, JobId(1)});
  const TrackerState& tracker = h.state().tracker(TrackerId(0));
  EXPECT_EQ(h.counts(), "0 0 0");
  EXPECT_EQ(tracker.copy_slots, 1);  // the process may still be there
  EXPECT_EQ(tracker.copied, 0u);
  h.settle("tt1");
  EXPECT_EQ(tracker.copy_slots, 0);
  EXPECT_EQ(tracker.used.slots(TaskKind::kReduce), 0);
}

// --- Without splitting ---

TEST(EngineCopies, UnderAnotherPolicyThoseThatHaveCopiedComeFirstInTheOrderOfTheirLaunch) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 2});
  h.submit({.maps = 0, .reduces = 4});
  h.heartbeat("tt1");
  for (const char* task : {"J1/r3", "J1/r1", "J1/r2"}) h.copied(task);
  h.step(SetPolicy{{"admin", {}}, "fifo"});
  h.submit({.maps = 0, .reduces = 4, .priority = Priority::kVeryHigh});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.granted, "J1/r1 J1/r2");
  h.finish("J1/r1");
  h.heartbeat("tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.counts(), "2 1 0");  // r2 and r3 compute
  h.finish("J1/r2");
  h.heartbeat("tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "J2/r0");  // nobody waits: r0 still copies
  EXPECT_EQ(h.state().tracker(TrackerId(0)).used.slots(TaskKind::kReduce), 2);
}

TEST(EngineCopies, UnderAnotherPolicyANarrowOneDoesNotPassAWideOneThatWaits) {
  Splitting h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 2});
  h.submit({.maps = 0, .reduces = 1});
  h.submit({.maps = 0, .reduces = 1, .slots_per_reduce = 2});
  h.submit({.maps = 0, .reduces = 1});
  ASSERT_EQ(h.heartbeat("tt1"), "J1/r0 J2/r0 J3/r0");
  h.step(SetPolicy{{"admin", {}}, "fifo"});
  for (const char* task : {"J1/r0", "J2/r0", "J3/r0"}) h.copied(task);
  h.heartbeat("tt1");
  EXPECT_EQ(h.granted, "J1/r0");  // a slot is left, and J2 is next
  h.heartbeat("tt1");
  EXPECT_EQ(h.granted, "");
  h.finish("J1/r0");
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  EXPECT_EQ(h.counts(2), "1 0 0");
  EXPECT_EQ(h.counts(3), "0 0 1");
  EXPECT_EQ(h.state().tracker(TrackerId(0)).used.slots(TaskKind::kReduce), 2);
}

// --- A restart of the JobTracker ---

struct RestartedSplitting : Splitting {
  RestartedSplitting() {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "old";
    spec->user = "user";
    spec->queue = "default";
    spec->output = "/out-old";
    spec->reduces = 3;
    spec->need[1].slots(TaskKind::kReduce) = 1;
    Snapshot snapshot{.epoch = 2};
    snapshot.next_job = 2;
    JobSnapshot job;
    job.job = JobId(1);
    job.spec = spec;
    job.queue = "default";
    job.state = JobState::kRunning;
    snapshot.jobs.push_back(job);
    start(std::move(snapshot));
    add_tracker("tt1", {.map_slots = 0, .reduce_slots = 2});
  }
  void reports(std::uint32_t reduce, TaskPhase phase, bool granted) {
    AttemptReport report;
    report.attempt = {{JobId(1), TaskKind::kReduce, reduce}, 0};
    report.phase = phase;
    report.compute_granted = granted;
    tracker("tt1").held[report.attempt] = report;
  }
};

TEST(EngineCopies, AfterARestartItIsAsTheTrackersSay) {
  RestartedSplitting h;
  h.reports(0, TaskPhase::kShuffle, false);
  h.reports(1, TaskPhase::kSort, false);
  h.reports(2, TaskPhase::kSort, true);  // was granted before
  h.heartbeat("tt1");
  EXPECT_EQ(h.counts(), "1 1 1");
  EXPECT_EQ(h.state().tracker(TrackerId(0)).used.slots(TaskKind::kReduce), 1);
  EXPECT_EQ(h.state().tracker(TrackerId(0)).copy_slots, 2);
  h.advance(60000);  // trackers have had their time to report
  h.heartbeat("tt1");
  EXPECT_EQ(h.granted, "J1/r1");
  EXPECT_EQ(h.counts(), "2 1 0");
}

}  // namespace
}  // namespace weir::test
