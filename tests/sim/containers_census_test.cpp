// What the checker sees where containers count: each rule on a state that breaks it.
#include <gtest/gtest.h>

#include "conf/policies.h"
#include "sim/checker/checks_containers.h"
#include "sim/checker/step.h"
#include "support/harness.h"

namespace weir::test {
namespace {

struct ContainersCensus : testing::Test {
  ContainersCensus() {
    h.settings().resources.mode = ResourceSettings::Mode::kContainers;
    h.settings().resources.named = {"gpu"};
    RegisterTracker registration;
    registration.name = "tt1";
    registration.incarnation = 7;
    registration.host = "tt1";
    registration.total = Resources{{0, 0, 8192, 8}};
    registration.named = {{"gpu", 4}};
    registration.labels = {{"disk", "ssd"}};
    h.tracker("tt1").incarnation = 7;
    h.step(registration);
    auto spec = std::make_shared<JobSpec>();
    spec->user = "ann";
    spec->queue = "default";
    TaskGroupSpec& group = spec->task_groups.emplace_back();
    group.name = "main";
    group.count = 2;
    group.command = "true";
    group.asked = {1024, 1, {{"gpu", 2}}};
    group.require = {{"disk", {"ssd"}, false}, {"rack", {"r9"}, true}};
    h.step(SubmitJob{{"ann", {}}, spec});
    EXPECT_EQ(h.heartbeat("tt1"), "J1/t0 J1/t1");
    for (const HeldAttempt& held : tracker().held)
      launched.events.emplace_back(h.now, AttemptLaunched{held.key, tracker().id});
  }
  TrackerState& tracker() {
    return const_cast<TrackerState&>(*h.state().find_tracker("tt1"));
  }
  std::string broken(const Output& output = {}) {
    check::Verdict verdict;
    check::check_containers(h.engine(), Input{}, output, verdict);
    return verdict.clean() ? "" : verdict.found()->rule + ": " + verdict.found()->message;
  }
  AttemptKey first() { return tracker().held[0].key; }
  AttemptKey second() { return tracker().held[1].key; }

  Harness h{policy_factory(), "fifo"};
  Output launched;  // the two attempts
};

TEST_F(ContainersCensus, WhatIsRightIsClean) {
  EXPECT_EQ(broken(launched), "");
}

TEST_F(ContainersCensus, AUnitIsOfOneAttempt) {
  tracker().units.adopt(second(), {{"gpu", {1, 3}}});
  EXPECT_EQ(broken(), "units: gpu 1 of tracker tt1 is of " + attempt_name(first()) + " and of " +
                          attempt_name(second()));
}

TEST_F(ContainersCensus, UnitsAreOfWhatRuns) {
  AttemptKey gone = second();
  gone.attempt += 5;
  tracker().units.adopt(gone, {{"gpu", {3}}});
  EXPECT_EQ(broken(), "units: " + attempt_name(gone) +
                          " has units of tracker tt1, and does not run there");
}

TEST_F(ContainersCensus, ALaunchBringsAsManyUnitsAsAreAskedFor) {
  tracker().units.adopt(second(), {{"gpu", {3}}});
  EXPECT_EQ(broken(launched), "units: " + attempt_name(second()) +
                                  " asks for 2 gpu and is given 1, tracker tt1 has 4");
  tracker().units.adopt(second(), {{"gpu", {3, 4}}});
  EXPECT_EQ(broken(launched), "units: " + attempt_name(second()) +
                                  " asks for 2 gpu and is given one beyond, tracker tt1 has 4");
  tracker().units.release(second());
  EXPECT_NE(broken(launched), "");
}

TEST_F(ContainersCensus, LabelsAreKeptByEveryLaunch) {
  tracker().labels["disk"] = "hdd";
  EXPECT_EQ(broken(launched),
            "labels: " + attempt_name(first()) + " starts on tracker tt1, where disk is 'hdd'");
  EXPECT_EQ(broken(), "");  // what runs may go on
}

TEST_F(ContainersCensus, NothingIsHeldBeyondWhatIsOffered) {
  tracker().total[Dimension::kMemoryMb] = 1024;
  EXPECT_EQ(broken(launched).substr(0, 6), "held: ");
  tracker().used[Dimension::kMemoryMb] = 1024;
  EXPECT_EQ(broken().substr(0, 14), "tracker-used: ");
}

}  // namespace
}  // namespace weir::test
