#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "sim/sim_fixture.h"

namespace weir {
namespace {

using test::simulate;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const char* const kTwoTrackers =
    "cluster: {trackers_per_rack: 2, map_slots: 1, reduce_slots: 1}\n"
    "settings: {policy: fifo}\n";

TEST(Runner, AMoveNamesItsDestinationAndClaimsThatComeBackSaySo) {
  const auto run = simulate(R"(
cluster: {trackers_per_rack: 1, map_slots: 4, reduce_slots: 0}
settings:
  policy: capacity
  queues: [{name: a, guaranteed: 50%, reclaim_after: 60s}, {name: b, guaranteed: 50%}]
steps:
  - submit: {id: J1, queue: b, maps: 8}
  - heartbeat: tt1
  - submit: {id: J2, queue: a, maps: 2}
  - submit: {id: J3, queue: b, maps: 1}
  - move: {job: J3, queue: a}
  - advance: 10s
  - policy: fair
  - move: {job: J1, queue: guests}
  - advance: 5s
  - policy: capacity
)");
  EXPECT_THAT(run.failures, IsEmpty());
  const auto line = [&](const std::string& start) {
    std::istringstream events(run.events);
    for (std::string event; std::getline(events, event);) {
      if (event.find(start) != std::string::npos) return event;
    }
    return std::string();
  };
  EXPECT_THAT(line(R"("move", "job": "J3")"), HasSubstr(R"("queue": "a"})"));
  EXPECT_THAT(line(R"("move", "job": "J1")"), HasSubstr(R"("queue": "b", "pool": "guests"})"));
  EXPECT_THAT(line(R"("event": "claim",)"), HasSubstr(R"("slots": 2, "deadline": 60000)"));
  EXPECT_THAT(line(R"("event": "claim_resumed")"), HasSubstr(R"("slots": 2, "deadline": 65000)"));
}

TEST(Runner, WhatFailsNamesItsLineAndTheRunGoesOn) {
  const auto run = simulate(std::string(kTwoTrackers) + R"(steps:
  - submit: {id: J1, maps: 2, reduces: 1, slowstart: 1}
  - heartbeat: tt1
    expect: [J1/m1]
  - finish: J1/m1
  - heartbeat: tt7
  - expect_queue: {queue: default, map: {running: 2, pending: 1, allocated: 1}}
  - expect_job: {job: J1, state: SUCCEEDED, runnable: false}
  - expect_kills: [J1/m0]
  - expect_refused: nothing
  - expect_explain: {job: J1, codes: [x]}
  - expect_job: {job: J2, state: RUNNING}
  - finish: J1/m0
  - expect_job: {job: J1, map: {running: 0}}
)");
  EXPECT_THAT(
      run.failures,
      ElementsAre("s.yaml:6: expected tt1 to launch [J1/m1], actual [J1/m0]",
                  "s.yaml:7: expected J1/m1 to run, actual it does not",
                  "s.yaml:8: expected a tracker tt7, actual no tracker of that name",
                  "s.yaml:9: expected default map allocated 1, actual none under policy fifo",
                  "s.yaml:9: expected default map running 2, actual 1",
                  "s.yaml:10: expected J1 SUCCEEDED, actual RUNNING",
                  "s.yaml:10: expected J1 runnable: false, actual RUNNING",
                  "s.yaml:11: expected kills [J1/m0], actual []",
                  "s.yaml:12: expected the last order to be refused with \"nothing\", actual it "
                  "was not refused",
                  StartsWith("s.yaml:13: expected J1 to wait for [x], actual [no_free_slot, "
                             "slow_start]"),
                  "s.yaml:14: expected job J2, actual no such job"));
  EXPECT_EQ(run.expectations, 8u);
}

TEST(Runner, EventsTellTheWholeStoryInOrder) {
  const auto run = simulate(std::string(kTwoTrackers) + R"(steps:
  - submit: {id: J1, user: alice, maps: 1, locations: [[tt1]]}
  - submit: {id: J2, queue: "no\"where"}
  - heartbeat: tt1
  - advance: 1500ms
  - fail: J1/m0
  - heartbeat: tt2
  - kill_job: J1
  - policy: capacity
)");
  EXPECT_THAT(run.failures, IsEmpty());
  EXPECT_EQ(run.events,
            R"({"t": 0, "event": "tracker", "tracker": "tt1", "state": "added")"
            R"(, "map_slots": 1, "reduce_slots": 1}
{"t": 0, "event": "tracker", "tracker": "tt2", "state": "added", "map_slots": 1)"
            R"(, "reduce_slots": 1}
{"t": 0, "event": "submit", "job": "J1", "queue": "default", "user": "alice"}
{"t": 0, "event": "job", "job": "J1", "state": "RUNNING"}
{"t": 0, "event": "refused", "what": "submit", "job": "J2")"
            R"(, "reason": "there is no queue 'no\"where'"}
{"t": 0, "event": "launch", "job": "J1", "task": "m0", "attempt": 0, "tracker": "tt1")"
            R"(, "locality": "node", "queue": "default", "class": "map", "user": "alice"}
{"t": 1500, "event": "fail", "job": "J1", "task": "m0", "attempt": 0)"
            R"(, "tracker": "tt1", "queue": "default", "class": "map")"
            R"(, "user": "alice", "ran_ms": 1500}
{"t": 1500, "event": "launch", "job": "J1", "task": "m0", "attempt": 1)"
            R"(, "tracker": "tt2", "locality": "rack", "queue": "default")"
            R"(, "class": "map", "user": "alice"}
{"t": 1500, "event": "job", "job": "J1", "state": "KILLED", "reason": "killed by alice"}
{"t": 1500, "event": "kill", "job": "J1", "task": "m0", "attempt": 1)"
            R"(, "tracker": "tt2", "queue": "default", "class": "map")"
            R"(, "user": "alice", "reason": "job_killed", "for": null, "ran_ms": 0}
{"t": 1500, "event": "policy", "policy": "capacity"}
)");
}

const char* const kBusy = R"(
cluster: {racks: 2, trackers_per_rack: 5, map_slots: 2, reduce_slots: 1}
settings:
  policy: capacity
  queues:
    - {name: a, guaranteed: 70%, reclaim_after: 5s}
    - {name: b, guaranteed: 30%, queues: [{name: x, guaranteed: 50%}, {name: y, guaranteed: 50%}]}
heartbeats: {interval: 2s}
steps:
  - submit: {id: B, queue: x, user: bob, maps: 60, reduces: 4, map_time: [40s, 7s, 90s]}
  - at: 20s
    submit: {id: A, queue: a, user: al, maps: 30, reduces: 3, slowstart: 0.3, map_time: 12s}
  - submit: {id: Y, queue: y, maps: 5, map_time: 1s}
  - at: 30s
    lose: tt3
  - at: 50s
    add_tracker: {name: tt3, rack: r1, map_slots: 4, reduce_slots: 4}
  - run_until: 1200s
  - expect_job: {job: A, state: SUCCEEDED}
  - expect_job: {job: B, state: SUCCEEDED}
  - expect_job: {job: Y, state: SUCCEEDED}
)";

TEST(Runner, TheSameFileGivesTheSameBytes) {
  const auto first = simulate(kBusy);
  const auto second = simulate(kBusy);
  EXPECT_THAT(first.failures, IsEmpty());
  EXPECT_THAT(first.events, AllOf(HasSubstr(R"("reason": "reclaim", "for": "a")"),
                                  HasSubstr(R"("reason": "tracker_lost")"),
                                  HasSubstr(R"("event": "claim_met")")));
  EXPECT_EQ(first.events, second.events);
  EXPECT_EQ(first.samples, second.samples);
}

TEST(Runner, SamplesCoverInnerQueuesAndSayWhatDoesNotApply) {
  const auto run = simulate(R"(
cluster: {trackers_per_rack: 1, map_slots: 4, reduce_slots: 0}
settings: {policy: capacity, queues: [{name: a, queues: [{name: x}]}]}
steps:
  - submit: {id: J1, queue: x, maps: 3}
  - heartbeat: tt1
  - advance: 1s
  - policy: fifo
  - advance: 1s
)");
  EXPECT_THAT(run.samples,
              AllOf(StartsWith(R"({"t": 1000, "queue": "a", "class": "map", "guaranteed": 4)"
                               R"(, "allocated": 4, "running": 3, "pending": 0, "share": null)"
                               R"(, "min_share": null, "demand": 3}
{"t": 1000, "queue": "a", "class": "reduce",)"),
                    HasSubstr(R"("t": 2000, "queue": "a.x", "class": "map", "guaranteed": null)"
                              R"(, "allocated": null, "running": 3,)")));
  EXPECT_EQ(std::count(run.samples.begin(), run.samples.end(), '\n'), 8);
}

TEST(Runner, TheSummaryAddsUp) {
  const auto run = simulate(kBusy);
  ASSERT_EQ(run.summary.size(), 4u);  // a, b.x, b.y, all
  const SummaryRow& all = run.summary.back();
  EXPECT_EQ(all.queue, "all");
  EXPECT_EQ(all.jobs, 3u);
  EXPECT_EQ(all.succeeded, 3u);
  EXPECT_EQ(all.unfinished, 0u);
  EXPECT_GT(all.kills, 0u);
  EXPECT_EQ(all.kills, run.summary[1].kills);
  double slot_s = 0;
  for (std::size_t i = 0; i < 3; ++i) slot_s += run.summary[i].use[0].seconds;
  EXPECT_NEAR(slot_s, all.use[0].seconds, 1e-6);
  EXPECT_GT(all.use[0].part, 0);
  EXPECT_LE(all.use[0].part, 1);
  ASSERT_TRUE(all.response.p50_s);
  EXPECT_LE(*all.response.p50_s, *all.response.p99_s);
  ASSERT_TRUE(all.jain);
  EXPECT_LE(*all.jain, 1);
}

TEST(Runner, OutOfBandHeartbeatsRefillSlotsAtOnce) {
  const std::string story = R"(
steps:
  - submit: {id: J1, maps: 2, map_time: 10s}
  - run_until: 10s
  - expect_job: {job: J1, map: {running: 1, pending: 0}}
)";
  EXPECT_THAT(simulate("cluster: {map_slots: 1}\nheartbeats: {interval: 4s}" + story).failures,
              IsEmpty());
  EXPECT_THAT(
      simulate("cluster: {map_slots: 1}\nheartbeats: {interval: 4s, out_of_band: false}" + story)
          .failures,
      ElementsAre("s.yaml:6: expected J1 map pending 0, actual 1"));
}

TEST(Runner, OrdersAreGivenBySomebodyWhoMayUnlessTheStepSaysWho) {
  const auto run = simulate(R"(
cluster: {map_slots: 1}
settings:
  administrators: [root]
  queues: [{name: a, submit: [ann], administer: ["@ops"]}, {name: b, submit: ["@staff"]}]
steps:
  - submit: {id: J1, queue: a, user: ann}
  - submit: {id: J2, queue: a, user: bob}
  - expect_refused: bob may not submit
  - submit: {id: J3, queue: b, user: bob, group: staff}
  - kill_job: J1
    by: bob
  - expect_refused: may not
  - kill_job: J1
    by: {user: zoe, groups: [ops]}
  - stop_queue: b
  - policy: fifo
    by: ann
  - expect_refused: no administrator
  - policy: fifo
  - settings: {queues: [{name: a}, {name: b}, {name: c}]}
  - expect_job: {job: J1, state: KILLED}
  - expect_queue: {queue: b, stopped: true}
  - expect_queue: {queue: c, map: {running: 0}}
)");
  EXPECT_THAT(run.errors, IsEmpty());
  EXPECT_THAT(run.failures, IsEmpty());
}

}  // namespace
}  // namespace weir
