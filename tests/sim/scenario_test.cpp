#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/sim_fixture.h"

namespace weir {
namespace {

using test::simulate;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Scenario, AllErrorsAtOnceEachWithItsPlace) {
  const auto run = simulate(R"(cluster: {racks: 0, trackers_pr_rack: 3}
settings: {policy: lottery, queues: [{name: a, guaranteed: 60%}, {name: b, guaranteed: 60%}]}
heartbeats: sometimes
steps:
  - submt: {id: J1}
  - submit: {maps: x}
  - heartbeat: tt1
    expect: [J1-m0]
  - finish: [J1]
  - {advance: 5, lose: tt1}
  - at: 3s
)");
  EXPECT_THAT(
      run.errors,
      ElementsAre(StartsWith("s.yaml:1:18: cluster.racks is \"0\", allowed: an integer from 1"),
                  HasSubstr("did you mean \"trackers_per_rack\"?"),
                  StartsWith("s.yaml:2:20: policy is \"lottery\", allowed: "),
                  HasSubstr("total 120%"),
                  StartsWith("s.yaml:3:13: heartbeats is \"sometimes\", allowed: manual, or"),
                  HasSubstr("unknown key \"submt\" in steps[0], did you mean \"submit\"?"),
                  StartsWith("s.yaml:6:13: steps[1].submit has no id"),
                  StartsWith("s.yaml:6:20: steps[1].submit.maps is \"x\""),
                  StartsWith("s.yaml:8:13: steps[2].expect has \"J1-m0\", allowed: tasks such"),
                  StartsWith("s.yaml:9:13: steps[3].finish has \"J1\""),
                  StartsWith("s.yaml:10:24: steps[4] has both advance and lose"),
                  StartsWith("s.yaml:11:5: steps[5] says nothing to do")));
}

TEST(Scenario, AnUnknownFigureIsToldOnce) {
  const auto run = simulate(R"(
steps:
  - expect_queue: {queue: default, map: {guaranted: 2}}
  - expect_job: {job: J1, map: {claims: []}}
)");
  EXPECT_THAT(run.errors,
              ElementsAre(HasSubstr("unknown key \"guaranted\" in steps[0].expect_queue.map"),
                          HasSubstr("unknown key \"claims\" in steps[1].expect_job.map")));
}

TEST(Scenario, NamesAreGivenOnce) {
  const auto run = simulate(R"(
cluster: {trackers: [{name: a}, {name: a}, {rack: r1}]}
steps: [submit: {id: J1}, submit: {id: J1}, submit: {id: a/b}]
)");
  EXPECT_THAT(
      run.errors,
      ElementsAre(HasSubstr("a second tracker \"a\""), HasSubstr("cluster.trackers[2] has no name"),
                  HasSubstr("a second job \"J1\""), HasSubstr("a name without /")));
}

TEST(Scenario, SoAreLabelsAmountsAndSlowTrackers) {
  const auto run = simulate(R"(
cluster:
  labels: {disk: ssd, disk: hdd}
  resources: {gpu: 1, gpu: 2}
  slow: {tt1: 2, tt1: 3, tt2: 2}
steps: [advance: 1s]
)");
  EXPECT_THAT(run.errors,
              ElementsAre(HasSubstr("duplicate key \"disk\" in cluster.labels"),
                          HasSubstr("duplicate key \"gpu\" in cluster.resources"),
                          HasSubstr("duplicate key \"tt1\" in cluster.slow"),
                          HasSubstr("cluster.slow names \"tt2\"")));
}

TEST(Scenario, AFileOfNothingIsNoScenario) {
  EXPECT_THAT(simulate("").errors, ElementsAre(HasSubstr("holds no scenario")));
  EXPECT_THAT(simulate("steps: 5").errors, ElementsAre(HasSubstr("allowed: a list")));
  EXPECT_THAT(simulate("steps: []").errors, IsEmpty());
  EXPECT_THAT(simulate("jobs: nowhere.jsonl").errors,
              ElementsAre(AllOf(StartsWith("s.yaml:1:7: nowhere.jsonl: cannot be opened"))));
}

TEST(Scenario, BothFormsOfCluster) {
  const auto run = simulate(R"(
cluster: {racks: 2, trackers: [{name: tt1}]}
)");
  EXPECT_THAT(run.errors, ElementsAre(HasSubstr("cluster.racks beside cluster.trackers")));
}

TEST(Scenario, ManualTrackersAreNotLostForBeingSilentUnlessTheFileSaysSo) {
  const std::string story = R"(
  - submit: {id: J1}
  - advance: 2h
  - heartbeat: tt1
    expect: [J1/m0]
)";
  const std::string cluster = "cluster: {trackers_per_rack: 1}\n";
  EXPECT_THAT(simulate(cluster + "steps:" + story).events, Not(HasSubstr("lost")));
  EXPECT_THAT(simulate(cluster + "settings: {heartbeat: {expiry: 1h}}\nsteps:" + story).events,
              AllOf(HasSubstr(R"("state": "lost")"), HasSubstr(R"("state": "back")")));
}

TEST(Scenario, JobsThatReadTheSameInputFindItInTheSamePlaces) {
  const auto scenario = load_scenario_text("s.yaml", R"(
cluster: {racks: 4, trackers_per_rack: 25}
model: {replicas: 3}
steps:
  - submit: {id: J1, maps: 50, input: day}
  - submit: {id: J2, maps: 50, input: day}
  - submit: {id: J3, maps: 50}
)");
  ASSERT_TRUE(scenario);
  const auto hosts = [&](std::size_t step) {
    std::vector<std::vector<std::string>> all;
    const auto& submit = std::get<step::Submit>(scenario->steps[step].what);
    for (const Split& split : submit.plan->spec->splits) all.push_back(split.hosts);
    return all;
  };
  EXPECT_EQ(hosts(0), hosts(1));
  EXPECT_NE(hosts(0), hosts(2));
}

TEST(Scenario, PhasesOfHeartbeatsAreEvenOrDrawnByLot) {
  const auto first_launch = [](const std::string& phase) {
    const auto run = simulate("cluster: {}\nheartbeats: {interval: 3s, phase: " + phase +
                              "}\nsteps: [{submit: {id: J1}}, {run_until: 3s}]\n");
    EXPECT_THAT(run.errors, IsEmpty());
    const std::string before = "\"event\": \"launch\"";
    const std::size_t end = run.events.find(before);
    EXPECT_NE(end, std::string::npos);
    const std::size_t line = run.events.rfind("{\"t\": ", end);
    return std::stoi(run.events.substr(line + 6));
  };
  EXPECT_EQ(first_launch("even"), 0);
  EXPECT_EQ(first_launch("random"), random_phase({}, "tt1", 3000));
  EXPECT_GT(first_launch("random"), 0);
  EXPECT_THAT(simulate("heartbeats: {phase: odd}\n").errors,
              ElementsAre(HasSubstr("heartbeats.phase is \"odd\"")));
}

}  // namespace
}  // namespace weir
