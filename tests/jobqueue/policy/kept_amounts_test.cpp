// What others keep, with the room that kills have made for them, and plans that go on from it.
#include "jobqueue/policy/kept_amounts.h"

#include <gtest/gtest.h>

#include <memory>

#include "jobqueue/jobtypes/table.h"

namespace weir::test {
namespace {

std::shared_ptr<const Settings> settings_of_containers() {
  auto settings = std::make_shared<Settings>();
  settings->resources.mode = ResourceSettings::Mode::kContainers;
  settings->queues.emplace_back().name = "c";
  return settings;
}

struct KeptAmountsOfATree : testing::Test {
  static constexpr std::size_t kParent = 1, kA = 2, kB = 3, kC = 4;

  KeptAmountsOfATree() {
    auto job = std::make_unique<Job>();
    job->id = JobId(1);
    auto spec = std::make_shared<JobSpec>();
    job->type = &job_type_of(*spec);
    job->spec = spec;
    job->queue = state.tree().leaves()[0];
    job->user = state.intern_user("ann");
    state.add_job(std::move(job));
  }
  static KeptAmounts::Keeper keeper(std::size_t above, std::int64_t keep, std::int64_t running) {
    KeptAmounts::Keeper one{.above = above};
    one.keep[Dimension::kVcores] = keep;
    one.running[Dimension::kVcores] = running;
    return one;
  }
  // A parent that keeps 3 vcores and runs 1, with a child that keeps 2 and runs that one, and one
  // that keeps nothing; beside them c, which keeps 1. Of the cluster nothing is free.
  KeptAmounts amounts() {
    return {state,
            {{}, keeper(0, 3, 1), keeper(kParent, 2, 1), keeper(kParent, 0, 0), keeper(0, 1, 0)},
            {kA, kB, kParent, kC},
            [](const Job&) { return kC; }};
  }
  // One victim of two is gone: of 3 vcores 2 are there.
  void hold_for_c() {
    Hold hold{.id = 1, .tracker = TrackerId(0), .job = JobId(1)};
    hold.need[Dimension::kVcores] = 3;
    hold.dying_need[Dimension::kVcores] = 1;
    state.mutable_claims().mutable_holds().push_back(hold);
  }
  static std::int64_t for_others(const KeptAmounts& kept, std::size_t leaf) {
    return kept.for_others(leaf)[Dimension::kVcores];
  }
  static std::int64_t left(const KeptAmounts& kept, std::size_t leaf) {
    return kept.left_for(leaf)[Dimension::kVcores];
  }
  static Resources vcores(std::int64_t count) { return Resources{{0, 0, 0, count}}; }

  std::shared_ptr<const Settings> settings = settings_of_containers();
  ClusterState state{settings, *QueueTree::build(settings->queues), 1};
};

TEST_F(KeptAmountsOfATree, RoomThatKillsHaveMadeIsKeptForItsClaimant) {
  hold_for_c();
  EXPECT_EQ(for_others(amounts(), kC), 2);
  EXPECT_EQ(for_others(amounts(), kA), 1 + 2);
}

TEST_F(KeptAmountsOfATree, APlanGoesOnAsIfThoseItIsHeldForRan) {
  hold_for_c();
  const KeptAmounts plan = amounts().planned();
  EXPECT_EQ(for_others(plan, kC), 2);
  EXPECT_EQ(left(plan, kC), 0 - 2 - 2);
  EXPECT_EQ(for_others(plan, kA), 0) << "c runs what it keeps";
  EXPECT_EQ(left(plan, kA), 0 - 2);
}

TEST_F(KeptAmountsOfATree, WhatAPlanGivesToALeafIsOfWhatItKeeps) {
  KeptAmounts plan = amounts().planned();
  plan.take(kA, vcores(1));
  EXPECT_EQ(for_others(plan, kC), 1) << "of what the parent keeps";
  EXPECT_EQ(left(plan, kC), 0 - 1 - 1);
  EXPECT_EQ(for_others(plan, kB), 1) << "c's";
  plan.give(kA, vcores(1));
  EXPECT_EQ(for_others(plan, kC), 2);
  EXPECT_EQ(left(plan, kC), 0 - 2);
  plan.give(0, vcores(5));
  EXPECT_EQ(plan.leaves(kC, vcores(1), 9), 3);
  EXPECT_EQ(plan.leaves(kC, vcores(2), 9), 1);
  EXPECT_EQ(plan.leaves(kC, {}, 9), 9) << "it takes none of that";
}

}  // namespace
}  // namespace weir::test
