// The world of faults: it holds, it is the same every time, and it sees.
#include "lab/faults/fault_fuzz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "conf/policies.h"

namespace weir::faults {
namespace {

using testing::HasSubstr;

FaultFuzzReport run(FaultFuzzOptions options) {
  return run_fault_fuzz(options, policy_factory(), [](std::uint64_t) {});
}

void expect_to_hold(std::uint64_t seed) {
  FaultFuzzOptions options;
  options.first_seed = seed;
  options.seeds = 1;
  const FaultFuzzReport report = run(options);
  EXPECT_FALSE(report.failed_seed) << report.what;
}

TEST(FaultFuzz, WhatWasPromisedHolds) {
  FaultFuzzOptions options;
  options.seeds = 25;
  const FaultFuzzReport report = run(options);
  EXPECT_FALSE(report.failed_seed) << "seed " << *report.failed_seed << ": " << report.what;
  EXPECT_GT(report.jobs, 50u);
  EXPECT_GT(report.starts, 50u);
  EXPECT_GT(report.on_sqlite, 0u);
  EXPECT_EQ(report.of_containers, 5u);
}

// New settings make a queue owed less, while another policy rules and trackers are still to report:
// its claims stand as they were stored until they have.
TEST(FaultFuzz, ClaimsStandWhileTrackersAreToReport) {
  expect_to_hold(964);
}

// A tick in which a tracker is lost looks at claims twice: one that arose at first has a free slot
// at the second look, and another queue is owed what had been dealt to it.
TEST(FaultFuzz, AClaimThatJustAroseMayComeFirst) {
  expect_to_hold(1233);
}

// Its tracker knew the job only after it had reported the member: its ports went unheard, and the
// gang waited for ever.
TEST(FaultFuzz, AGangHearsOfPortsThatComeLate) {
  expect_to_hold(5565);
}

// The last tracker to report after a restart tells of a member that has succeeded: the gang, of
// which another is missing, begins again in that very step.
TEST(FaultFuzz, AMemberIsTakenOnAsItsGangBeginsAgain) {
  expect_to_hold(1385);
}

TEST(FaultFuzz, ASeedIsTheSameStoryEveryTime) {
  std::ostringstream first, second;
  FaultFuzzOptions options;
  options.first_seed = 3;
  options.seeds = 2;
  options.events = &first;
  const FaultFuzzReport once = run(options);
  options.events = &second;
  const FaultFuzzReport again = run(options);
  EXPECT_EQ(first.str(), second.str());
  EXPECT_EQ(once.struck, again.struck);
  EXPECT_GT(first.str().size(), 1000u);
}

TEST(FaultFuzz, AStoreOnDiskTellsTheSameStoryAsOneInMemory) {
  FaultFuzzOptions options;
  for (options.first_seed = 1; options.first_seed <= 60; ++options.first_seed) {
    options.seeds = 1;
    options.sqlite = true;
    std::ostringstream on_disk, in_memory;
    options.events = &on_disk;
    if (run(options).on_sqlite == 0) continue;
    options.sqlite = false;
    options.events = &in_memory;
    run(options);
    EXPECT_EQ(on_disk.str(), in_memory.str()) << "seed " << options.first_seed;
    return;
  }
  FAIL() << "no seed on SQLite";
}

struct Mistake {
  Planted planted;
  const char* seen;  // empty: it shows in many ways
};

class Plants : public testing::TestWithParam<Mistake> {};

TEST_P(Plants, AreFound) {
  FaultFuzzOptions options;
  options.seeds = 60;
  options.planted = GetParam().planted;
  const FaultFuzzReport report = run(options);
  ASSERT_TRUE(report.failed_seed);
  EXPECT_THAT(report.what, HasSubstr(GetParam().seen));
}

// The quick ones; `ctest -R property.plant` looks for all of them.
INSTANTIATE_TEST_SUITE_P(Quick, Plants,
                         testing::Values(Mistake{Planted::kReplyBeforeCommit, "job"},
                                         Mistake{Planted::kLostSubmission, "job"},
                                         Mistake{Planted::kLostSettings, "settings"},
                                         Mistake{Planted::kLostFinish, "not in the store"},
                                         Mistake{Planted::kNumbersStartOver, ""},
                                         Mistake{Planted::kReadoptionForgotten,
                                                 "is not taken on again"}),
                         [](const auto& test) { return std::string(name(test.param.planted)); });

}  // namespace
}  // namespace weir::faults
