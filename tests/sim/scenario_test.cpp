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

}  // namespace
}  // namespace weir
