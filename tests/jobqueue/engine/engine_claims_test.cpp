// What the engine makes of a policy's claims and orders to kill: holds and how they end, what is
// recorded of kills, reservations, and claims whose policy does not rule. The policy is told by the
// test what to find.
#include <gmock/gmock.h>

#include "jobqueue/policy/claims_facet.h"
#include "jobqueue/policy/copy_split_facet.h"
#include "jobqueue/policy/placeable.h"
#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using Outcome = KillRecord::Outcome;

struct Script {
  std::vector<ClaimStep> steps;  // of the next review
  Preemption plan;               // of the next tick
  std::optional<Choice> first;   // the answer to the next offer
};

class ScriptedPolicy : public FifoPolicy, public CopySplit, public Claims {
 public:
  ScriptedPolicy(const ClusterState& state, Script& script, bool copies)
      : FifoPolicy(state), state_(state), script_(script), copies_(copies) {}
  std::string_view name() const override { return copies_ ? "copying" : "scripted"; }
  Claims* claims() override { return copies_ ? nullptr : this; }
  CopySplit* copies() override { return this; }
  std::int64_t factor() const override { return copies_ ? 2 : 0; }
  std::optional<Choice> choose_compute(const Offer& offer) override {
    for (const HeldAttempt& held : state_.tracker(offer.tracker).held) {
      if (held.copy != CopyStage::kCopied) continue;
      return Choice{.task = held.key.task, .what = Choice::What::kCompute};
    }
    return std::nullopt;
  }
  void review(TimeMs, bool, std::vector<ClaimStep>& steps) override {
    steps = std::exchange(script_.steps, {});
  }
  void claim(std::vector<ClaimStep>&) override {}
  Preemption tick(TimeMs) override { return std::exchange(script_.plan, {}); }
  std::optional<Choice> choose(const Offer& offer) override {
    if (auto first = std::exchange(script_.first, std::nullopt)) return first;
    if (closed) return std::nullopt;
    return FifoPolicy::choose(offer);
  }
  static inline bool closed = false;  // launches nothing by itself

 private:
  const ClusterState& state_;
  Script& script_;
  bool copies_;  // as a policy that splits reduces, and has no claims
};

// Queues a and b; tt1 runs two maps of J1, which is in b; J2 in a waits.
class EngineClaims : public testing::Test {
 protected:
  EngineClaims()
      : h([this](std::string_view name, const ClusterState& state,
                 PolicyMemory&) -> std::unique_ptr<Policy> {
          if (name == "fifo") return std::make_unique<FifoPolicy>(state);
          if (name != "scripted" && name != "copying") return nullptr;
          return std::make_unique<ScriptedPolicy>(state, script, name == "copying");
        },
          "scripted") {
    ScriptedPolicy::closed = false;
    for (const char* name : {"a", "b"}) {
      QueueSettings settings = queue(name, 50);
      settings.reclaim_after_ms[0] = settings.reclaim_after_ms[1] = kReclaimAfter;
      h.add_queue(settings);
    }
    h.settings().heartbeat.interval_ms = 1000;
    h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 2});
    h.submit({.queue = "b", .maps = 2});
    h.heartbeat("tt1");
    h.submit({.queue = "a", .maps = 9, .reduces = 1});
  }
  static constexpr DurationMs kReclaimAfter = 60'000;

  QueueId leaf(const std::string& path) { return *h.state().tree().find_path(path); }
  const ClaimBook& book() { return h.state().claims(); }
  const TrackerState& tracker() { return h.state().tracker(TrackerId(0)); }
  AttemptSlot attempt(std::uint32_t job, std::uint32_t map) {
    return h.state().find_attempt({{JobId(job), TaskKind::kMap, map}, 0});
  }
  ClaimId claim(std::int64_t slots, const std::string& queue = "a") {
    script.steps = {{ClaimStep::What::kOpen, leaf(queue), TaskKind::kMap, slots}};
    h.step(Tick{});
    return book().claims(leaf(queue), TaskKind::kMap).back().id;
  }
  KillOrder order(ClaimId claim, std::vector<AttemptSlot> victims) {
    return {.victims = std::move(victims),
            .for_queue = leaf("a"),
            .claim = claim,
            .job = JobId(2),
            .slots = 1};
  }
  void tick_with(const KillOrder& kill) {
    script.plan.kills = {kill};
    h.step(Tick{});
  }
  std::string refusals() {
    std::string all;
    for (const Refused& refused : h.events<Refused>()) all += refused.error.message + "\n";
    return all;
  }
  const Claim& open_claim() { return book().claims(leaf("a"), TaskKind::kMap).front(); }
  // A claim, and when it is due a kill for it: the slot is on its way.
  ClaimId claim_and_kill(std::int64_t slots = 1) {
    const ClaimId id = claim(slots);
    h.advance(kReclaimAfter);
    tick_with(order(id, {attempt(1, 1)}));
    EXPECT_EQ(refusals(), "");
    return id;
  }
  // The tracker says that what was to die has died.
  void let_die() {
    ScriptedPolicy::closed = true;
    h.heartbeat("tt1");
    h.heartbeat("tt1");
  }

  Script script;
  Harness h;
};

TEST_F(EngineClaims, AKillComesAtTheDeadlineAndNotBefore) {
  const ClaimId id = claim(1);
  h.advance(kReclaimAfter - 1);
  tick_with(order(id, {attempt(1, 1)}));
  EXPECT_THAT(refusals(), testing::HasSubstr("the claim is not due"));
  EXPECT_TRUE(h.events<KillOrdered>().empty());
  h.advance(1);
  tick_with(order(id, {attempt(1, 1)}));
  EXPECT_EQ(h.events<KillOrdered>().size(), 1u);
}

TEST_F(EngineClaims, AKillIsForAClaimThatThereIsOfTasksThatRunOnOneTracker) {
  h.add_tracker("tt2", {.map_slots = 2});
  h.heartbeat("tt2");  // J2/m0 and J2/m1
  const ClaimId id = claim(1);
  h.advance(kReclaimAfter);
  tick_with(order(id + 1, {attempt(1, 1)}));
  EXPECT_THAT(refusals(), testing::HasSubstr("there is no such claim"));
  tick_with(order(id, {attempt(1, 1), attempt(2, 0)}));
  EXPECT_THAT(refusals(), testing::HasSubstr("on several trackers"));
  tick_with(order(id, {}));
  EXPECT_THAT(refusals(), testing::HasSubstr("no victim is named"));
  EXPECT_TRUE(h.events<KillOrdered>().empty());
  const AttemptSlot victim = attempt(1, 1);
  tick_with(order(id, {victim}));
  tick_with(order(id, {victim}));  // it dies already
  EXPECT_THAT(refusals(), testing::HasSubstr("the attempt does not run"));
  EXPECT_EQ(h.events<KillOrdered>().size(), 1u);
}

TEST_F(EngineClaims, TheSlotOfAVictimIsHeldWhenItHasDied) {
  const ClaimId id = claim_and_kill();
  ASSERT_EQ(book().holds().size(), 1u);
  EXPECT_EQ(book().holds()[0].claim, id);
  EXPECT_EQ(book().holds()[0].queue, leaf("a"));
  EXPECT_FALSE(book().holds()[0].complete());
  EXPECT_EQ(book().holds()[0].kept(), 0);
  EXPECT_EQ(tracker().keeps, 1u);
  EXPECT_EQ(book().records().back().outcome, Outcome::kPending);
  EXPECT_EQ(book().records().back().owed_ms, kReclaimAfter);
  let_die();
  EXPECT_TRUE(book().holds()[0].complete());
  EXPECT_EQ(book().holds()[0].kept(), 1);
  EXPECT_EQ(book().holds()[0].free_since, h.now);
}

TEST_F(EngineClaims, WhoStartsOnAHeldSlotHasUsedTheKill) {
  claim_and_kill();
  let_die();
  Choice choice{{JobId(2), TaskKind::kMap, 0}, Locality::kAny};
  choice.hold = book().holds()[0].id;
  script.first = choice;
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0");
  EXPECT_TRUE(book().holds().empty());
  EXPECT_EQ(tracker().keeps, 0u);
  EXPECT_EQ(book().records().back().outcome, Outcome::kUsed);
  EXPECT_EQ(open_claim().kills_from, open_claim().deadline);  // the next kill need not wait
}

TEST_F(EngineClaims, NobodyElseStartsOnAHeldSlotNorAnybodyBeforeItIsFree) {
  claim_and_kill();
  Choice choice{{JobId(1), TaskKind::kMap, 1}, Locality::kAny};
  choice.hold = book().holds()[0].id;
  let_die();
  script.first = choice;  // J1 is in b
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_THAT(refusals(), testing::HasSubstr("the slots are not held for it"));
  EXPECT_EQ(book().holds().size(), 1u);
}

TEST_F(EngineClaims, AHoldWithoutALaunchEndsAfterTwoIntervalsAndTheNextKillWaits) {
  claim_and_kill();
  const TimeMs ordered_at = h.now;
  h.advance(700);
  let_die();
  h.advance(1999);
  EXPECT_EQ(book().holds().size(), 1u);
  h.advance(1);
  EXPECT_TRUE(book().holds().empty());
  EXPECT_EQ(tracker().keeps, 0u);
  EXPECT_EQ(book().records().back().outcome, Outcome::kWasted);
  EXPECT_EQ(open_claim().kills_from, ordered_at + kReclaimAfter);  // from the kill on
}

TEST_F(EngineClaims, APolicyMayEndAHold) {
  claim_and_kill();
  let_die();
  Choice end;
  end.what = Choice::What::kEndHold;
  end.hold = book().holds()[0].id;
  script.first = end;
  h.heartbeat("tt1");
  EXPECT_TRUE(book().holds().empty());
  EXPECT_EQ(book().records().back().outcome, Outcome::kWasted);
}

TEST_F(EngineClaims, AHoldEndsWithItsTracker) {
  claim_and_kill();
  h.step(LoseTracker{"tt1"});
  EXPECT_TRUE(book().holds().empty());
  EXPECT_EQ(tracker().keeps, 0u);
  EXPECT_EQ(book().records().back().outcome, Outcome::kWasted);
}

TEST_F(EngineClaims, SlotsOnTheirWayServeTheQueuesOtherClaims) {
  claim_and_kill();
  const ClaimId second = claim(1);
  script.steps = {{ClaimStep::What::kMeet, leaf("a"), TaskKind::kMap, 1}};
  h.step(Tick{});
  ASSERT_EQ(book().claims(leaf("a"), TaskKind::kMap).size(), 1u);
  ASSERT_EQ(book().holds().size(), 1u);
  EXPECT_EQ(book().holds()[0].claim, second);
  script.steps = {{ClaimStep::What::kDrop, leaf("a"), TaskKind::kMap, 1}};
  h.step(Tick{});
  EXPECT_TRUE(book().holds().empty()) << "nothing is owed any more";
  EXPECT_EQ(book().records().back().outcome, Outcome::kWasted);
}

TEST_F(EngineClaims, MetIsTheEarliestDroppedTheLatestOverSeveralClaims) {
  const ClaimId first = claim(2);
  h.advance(10);
  const ClaimId second = claim(3);
  script.steps = {{ClaimStep::What::kMeet, leaf("a"), TaskKind::kMap, 1},
                  {ClaimStep::What::kDrop, leaf("a"), TaskKind::kMap, 1}};
  h.step(Tick{});
  const auto& claims = book().claims(leaf("a"), TaskKind::kMap);
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].id, first);
  EXPECT_EQ(claims[0].slots, 1);
  EXPECT_EQ(claims[1].id, second);
  EXPECT_EQ(claims[1].slots, 2);
  script.steps = {{ClaimStep::What::kMeet, leaf("a"), TaskKind::kMap, 2}};
  h.step(Tick{});
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0].slots, 1);
  const auto met = h.events<ClaimMet>();
  ASSERT_EQ(met.size(), 3u);  // one event for each claim that a step touches
  EXPECT_EQ(met[1].claim, first);
  EXPECT_EQ(met[1].left, 0);
  EXPECT_EQ(met[2].claim, second);
  EXPECT_EQ(met[2].left, 1);
  EXPECT_EQ(h.events<ClaimDropped>().size(), 1u);
}

TEST_F(EngineClaims, WhatIsOnlyLoggedKillsNobodyAndIsToldOnceAReclaimAfter) {
  const ClaimId id = claim(1);
  h.advance(kReclaimAfter);
  KillOrder log_only = order(id, {attempt(1, 1)});
  log_only.log_only = true;
  tick_with(log_only);
  EXPECT_TRUE(h.events<KillOrdered>().empty());
  EXPECT_TRUE(book().holds().empty());
  ASSERT_EQ(book().records().size(), 1u);
  EXPECT_EQ(book().records()[0].outcome, Outcome::kLoggedOnly);
  EXPECT_EQ(book().losses().of_queue("b", h.now), 0);
  EXPECT_EQ(open_claim().kills_from, h.now + kReclaimAfter);
}

TEST_F(EngineClaims, AKillCostsItsQueueWhatTheTaskHadRun) {
  claim_and_kill();
  EXPECT_EQ(book().losses().of_queue("b", h.now), kReclaimAfter);
  EXPECT_EQ(book().losses().of_queue("a", h.now), 0);
  EXPECT_EQ(h.events<SlotsLost>().back().loss,
            (KillLoss{.queue = "b", .at = h.now, .slot_ms = kReclaimAfter}));
  const auto lost = [&] { return h.state().queue(leaf("b")).counters.lost_ms[TaskKind::kMap]; };
  EXPECT_EQ(lost(), 0) << "it may still be done first";
  h.advance(10);
  let_die();
  EXPECT_EQ(lost(), kReclaimAfter);
}

// Reduces that have copied wait for slots, but not for those.
TEST_F(EngineClaims, HeldSlotsAreNotGrantedToWhoHasCopied) {
  h.step(SetPolicy{{"root", {}}, "copying"});
  h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 2});
  h.step(KillJob{{"root", {}}, JobId(2)});
  h.submit({.queue = "b", .maps = 0, .reduces = 3});
  ASSERT_EQ(h.heartbeat("tt2"), "J3/r0 J3/r1 J3/r2");
  for (const char* task : {"J3/r0", "J3/r1", "J3/r2"}) h.copied(task);
  h.heartbeat("tt2");
  ASSERT_EQ(h.granted, "J3/r0 J3/r1");
  h.step(SetPolicy{{"root", {}}, "scripted"});
  ScriptedPolicy::closed = true;
  h.submit({.queue = "a", .maps = 0, .reduces = 1});
  script.steps = {{ClaimStep::What::kOpen, leaf("a"), TaskKind::kReduce, 1}};
  h.step(Tick{});
  const ClaimId id = book().claims(leaf("a"), TaskKind::kReduce).front().id;
  h.advance(kReclaimAfter);
  KillOrder kill = order(id, {h.state().find_attempt({{JobId(3), TaskKind::kReduce, 0}, 0})});
  kill.kind = TaskKind::kReduce;
  kill.job = JobId(4);
  tick_with(kill);
  h.heartbeat("tt2");
  h.heartbeat("tt2");  // it has died
  ASSERT_EQ(book().held_on(h.state().find_tracker("tt2")->id, TaskKind::kReduce), 1);
  EXPECT_EQ(h.granted, "");
  h.advance(5000);  // nobody came
  h.heartbeat("tt2");
  EXPECT_EQ(h.granted, "J3/r2");
}

TEST_F(EngineClaims, WhatRunsIsNotStartedOnceMore) {
  h.add_tracker("tt2");
  script.first = Choice{{JobId(1), TaskKind::kMap, 0}, Locality::kAny};
  ScriptedPolicy::closed = true;
  EXPECT_EQ(h.heartbeat("tt2"), "");
  EXPECT_THAT(refusals(), testing::HasSubstr("the task is not pending"));
}

// --- Reservations ---

TEST_F(EngineClaims, ATrackerIsReservedOnceAKindAndAJobReservesOneTrackerAKind) {
  h.add_tracker("tt2");
  ScriptedPolicy::closed = true;
  const auto reserve = [&](std::uint32_t job, TaskKind kind, std::uint32_t on) {
    Choice choice{{JobId(job), kind, 0}, Locality::kAny};
    choice.what = Choice::What::kReserve;
    choice.reserve_on = TrackerId(on);
    script.first = choice;
    h.heartbeat("tt2");
    return book().reservations().size();
  };
  EXPECT_EQ(reserve(2, TaskKind::kMap, 0), 1u);
  EXPECT_EQ(reserve(2, TaskKind::kMap, 1), 1u);     // it has one
  EXPECT_EQ(reserve(1, TaskKind::kMap, 0), 1u);     // it is taken
  EXPECT_EQ(reserve(2, TaskKind::kReduce, 0), 2u);  // that is another matter
  EXPECT_EQ(reserve(1, TaskKind::kMap, 1), 3u);
  EXPECT_EQ(tracker().keeps, 2u);
  h.step(KillJob{{"root", {}}, JobId(2)});
  EXPECT_EQ(book().reservations().size(), 1u);
  EXPECT_EQ(tracker().keeps, 0u);
  h.step(LoseTracker{"tt2"});
  EXPECT_TRUE(book().reservations().empty());
}

// The one with most free slots that is wide enough, in the pool, and kept for nobody; the first of
// those that are alike. None while a tracker has room, but for what is kept there.
TEST_F(EngineClaims, TheTrackerWithMostFreeSlotsIsReserved) {
  const auto add = [&](const char* name, std::uint32_t busy, std::int64_t slots) {
    const std::uint32_t job = busy == 0 ? 0 : h.submit({.queue = "b", .maps = busy});
    ScriptedPolicy::closed = busy == 0;
    h.add_tracker(name, {.map_slots = slots, .reduce_slots = 0});
    for (std::uint32_t map = 0; map < busy; ++map) {
      script.first = Choice{{JobId(job), TaskKind::kMap, map}, Locality::kAny};
      ScriptedPolicy::closed = true;
      h.heartbeat(name);
    }
    return h.state().find_tracker(name)->id;
  };
  h.step(KillJob{{"root", {}}, JobId(2)});
  add("narrow", 0, 3);
  const TrackerId one_free = add("one free", 3, 4);
  const TrackerId first = add("two free", 2, 4);
  const TrackerId second = add("as many", 2, 4);
  const std::uint32_t wide = h.submit({.queue = "a", .maps = 9, .slots_per_map = 4});
  const auto reserved = [&](std::uint32_t job) {
    const auto choice = reserve_tracker(h.state(), JobId(job), TaskKind::kMap);
    return choice ? choice->reserve_on : TrackerId{};
  };
  const auto reserve = [&](std::uint32_t job, TrackerId tracker) {
    Choice choice{{JobId(job), TaskKind::kMap, 0}, Locality::kAny};
    choice.what = Choice::What::kReserve;
    choice.reserve_on = tracker;
    script.first = choice;
    h.heartbeat("narrow");
  };
  EXPECT_EQ(reserved(wide), first);
  h.step(OrderTrackers{{"root", {}}, {"two free"}, TrackerOrder::kDrain});
  EXPECT_EQ(reserved(wide), second);
  h.step(OrderTrackers{{"root", {}}, {"as many"}, TrackerOrder::kDrain});
  EXPECT_EQ(reserved(wide), one_free);
  const TrackerId empty = add("empty", 0, 4);
  EXPECT_EQ(reserved(wide), TrackerId{}) << "there is room";
  reserve(wide, empty);
  EXPECT_EQ(reserved(wide), TrackerId{}) << "it has one";
  // That room is kept, and of 20 trackers one is reserved at a time.
  const std::uint32_t other = h.submit({.queue = "a", .maps = 9, .slots_per_map = 4});
  while (h.state().live_trackers() < 39) {
    EXPECT_EQ(reserved(other), TrackerId{});
    h.add_tracker("narrow " + std::to_string(h.state().live_trackers()),
                  {.map_slots = 3, .reduce_slots = 0});
  }
  EXPECT_EQ(reserved(other), TrackerId{});
  h.add_tracker("the fortieth", {.map_slots = 3, .reduce_slots = 0});
  EXPECT_EQ(reserved(other), one_free);
}

TEST_F(EngineClaims, ReservationsAndHoldsStayThroughNewSettings) {
  claim_and_kill();
  ScriptedPolicy::closed = true;
  Choice choice{{JobId(2), TaskKind::kReduce, 0}, Locality::kAny};
  choice.what = Choice::What::kReserve;
  choice.reserve_on = TrackerId(0);
  script.first = choice;
  h.heartbeat("tt1");
  ASSERT_EQ(tracker().keeps, 2u);
  auto settings = std::make_shared<Settings>(h.settings());
  std::swap(settings->queues[0], settings->queues[1]);
  h.step(ApplySettings{{"root", {}}, settings});
  EXPECT_EQ(tracker().keeps, 2u);
  ASSERT_EQ(book().holds().size(), 1u);
  EXPECT_EQ(book().holds()[0].queue, leaf("a"));
  EXPECT_EQ(book().owed(leaf("a"), TaskKind::kMap), 1);
  EXPECT_EQ(book().owed(leaf("b"), TaskKind::kMap), 0);
}

// --- Another policy rules ---

TEST_F(EngineClaims, UnderAnotherPolicyTheTimeOfClaimsStandsStillAndNothingIsKept) {
  claim_and_kill();
  let_die();
  const Claim before = open_claim();
  const TimeMs paused_at = h.now;
  h.step(SetPolicy{{"root", {}}, "fifo"});
  EXPECT_TRUE(book().holds().empty());
  EXPECT_EQ(tracker().keeps, 0u);
  h.now += 12'345;
  EXPECT_EQ(h.engine().claims_now(), paused_at);
  h.step(SetPolicy{{"root", {}}, "scripted"});
  EXPECT_EQ(open_claim().born, before.born + 12'345);
  EXPECT_EQ(open_claim().deadline, before.deadline + 12'345);
  EXPECT_EQ(h.engine().claims_now(), h.now);
}

TEST_F(EngineClaims, UnderAnotherPolicyLaunchesMeetClaimsOnce) {
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 0});
  ScriptedPolicy::closed = true;
  claim(2);
  h.advance(10);
  claim(3);  // of the same queue: its launches are counted once all the same
  script.steps = {{ClaimStep::What::kSeen, leaf("a"), TaskKind::kMap, 0},
                  {ClaimStep::What::kCounted, leaf("a"), TaskKind::kMap, 0}};
  h.step(Tick{});
  h.step(SetPolicy{{"root", {}}, "fifo"});
  EXPECT_EQ(h.heartbeat("tt2"), "J2/m0");
  EXPECT_EQ(book().owed(leaf("a"), TaskKind::kMap), 4);
  EXPECT_EQ(h.heartbeat("tt2"), "");
  EXPECT_EQ(book().owed(leaf("a"), TaskKind::kMap), 4);
  h.finish("J2/m0");
  EXPECT_EQ(h.heartbeat("tt2"), "J2/m1");  // fills the slot again, and meets nothing
  EXPECT_EQ(book().owed(leaf("a"), TaskKind::kMap), 4);
}

// As after a restart: nobody knows what ran when the claims arose.
TEST_F(EngineClaims, UnderAnotherPolicyWhatRunsAtTheFirstLookMeetsNothing) {
  h.add_tracker("tt2", {.map_slots = 2, .reduce_slots = 0});
  EXPECT_EQ(h.heartbeat("tt2"), "J2/m0 J2/m1");
  claim(4);
  ASSERT_EQ(book().running_seen(leaf("a"), TaskKind::kMap), -1);
  h.step(SetPolicy{{"root", {}}, "fifo"});
  h.heartbeat("tt2");
  EXPECT_EQ(book().owed(leaf("a"), TaskKind::kMap), 4);
  EXPECT_EQ(book().running_seen(leaf("a"), TaskKind::kMap), 2);
  h.add_tracker("tt3", {.map_slots = 1, .reduce_slots = 0});
  EXPECT_EQ(h.heartbeat("tt3"), "J2/m2");
  EXPECT_EQ(book().owed(leaf("a"), TaskKind::kMap), 3);
}

TEST_F(EngineClaims, UnderAnotherPolicyCountedSlotsAreFilledFirst) {
  h.add_tracker("tt2", {.map_slots = 3, .reduce_slots = 0});
  ScriptedPolicy::closed = true;
  claim(4);
  script.steps = {{ClaimStep::What::kSeen, leaf("a"), TaskKind::kMap, 0},
                  {ClaimStep::What::kCounted, leaf("a"), TaskKind::kMap, 2}};
  h.step(Tick{});
  h.step(SetPolicy{{"root", {}}, "fifo"});
  EXPECT_EQ(h.heartbeat("tt2"), "J2/m0 J2/m1 J2/m2");
  EXPECT_EQ(book().counted_free(leaf("a"), TaskKind::kMap), 0);
  EXPECT_EQ(book().owed(leaf("a"), TaskKind::kMap), 3);
}

}  // namespace
}  // namespace weir::test
