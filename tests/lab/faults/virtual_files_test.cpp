// The trackers' publishing on a file system that forgets: what an attempt or a duty has reported is
// there after a power cut, and what was removed is not.
#include "lab/faults/virtual_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracker/tasktracker/job_output.h"
#include "tracker/tasktracker/task_output.h"

namespace weir::faults {
namespace {

using namespace tasktracker;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kOwner = "job_0007 1";
const JobOutput kOutput{"/data/out", kOwner};

bool loses_all() {
  return false;
}

struct PowerCut : testing::Test {
  static TaskSpec spec(std::uint32_t attempt) {
    TaskSpec spec;
    spec.id = {{JobId(7), TaskKind::kReduce, 3}, attempt};
    spec.output = "/data/out";
    spec.owner = kOwner;
    return spec;
  }
  // As an attempt does it until it asks to commit.
  TaskOutput written(std::uint32_t attempt) {
    auto output = TaskOutput::create(spec(attempt), files);
    WEIR_CHECK(output.ok(), "it can be written");
    files.write(output->path(), "of attempt " + std::to_string(attempt));
    WEIR_CHECK(output->sync().ok(), "it can be synced");
    return std::move(*output);
  }

  VirtualFiles files;
};

TEST_F(PowerCut, WhatWasPublishedStays) {
  TaskOutput output = written(0);
  ASSERT_TRUE(output.commit().ok());
  files.lose_power(loses_all);
  EXPECT_EQ(files.read("/data/out/part-00003"), "of attempt 0");
}

TEST_F(PowerCut, WhatWasNotSyncedGoes) {
  TaskOutput output = written(0);
  files.syncs_directories = false;
  ASSERT_TRUE(output.commit().ok());
  files.lose_power(loses_all);
  EXPECT_THAT(files.list("/data/out"), ElementsAre("_owner", "_temporary"));
  files.syncs_directories = true;
  files.syncs_files = false;
  TaskOutput torn = written(1);
  ASSERT_TRUE(torn.commit().ok());
  files.lose_power(loses_all);
  EXPECT_TRUE(files.contains("/data/out/part-00003"));
  EXPECT_EQ(files.read("/data/out/part-00003"), "");
}

// The name that it published may have come to the disk by itself, before it could report.
TEST_F(PowerCut, TheNextAttemptKnowsWhosePartIsThere) {
  TaskOutput first = written(0);
  files.syncs_directories = false;
  ASSERT_TRUE(first.commit().ok());
  files.lose_power([] { return true; });
  files.syncs_directories = true;
  TaskOutput second = written(1);
  EXPECT_EQ(*second.commit(), "output had been published by attempt_0007_r_000003_0");
}

TEST_F(PowerCut, AndSoItDoesWhenNothingElseHasCome) {
  TaskOutput first = written(0);
  ASSERT_TRUE(first.commit().ok());
  files.lose_power(loses_all);
  TaskOutput second = written(1);
  EXPECT_EQ(*second.commit(), "output had been published by attempt_0007_r_000003_0");
}

// Its maker died between making the directory and syncing the name.
TEST_F(PowerCut, ADirectoryThatWasFoundStaysToo) {
  ASSERT_TRUE((*files.open("/"))->make_directory("data").ok());
  TaskOutput output = written(0);
  ASSERT_TRUE(output.commit().ok());
  files.lose_power(loses_all);
  EXPECT_EQ(files.read("/data/out/part-00003"), "of attempt 0");
}

TEST_F(PowerCut, ASuccessStaysMarkedAndClean) {
  TaskOutput output = written(0);
  ASSERT_TRUE(output.commit().ok());
  ASSERT_TRUE(complete_job_output(kOutput, 4, files).ok());
  files.lose_power(loses_all);
  EXPECT_THAT(files.list("/data/out"), ElementsAre("_SUCCESS", "part-00003"));
}

TEST_F(PowerCut, WhatAFailedJobLeftDoesNotComeBack) {
  TaskOutput output = written(0);
  ASSERT_TRUE(abort_job_output(kOutput, 4, files).ok());
  files.lose_power(loses_all);
  EXPECT_THAT(files.list("/data"), IsEmpty());
}

TEST_F(PowerCut, NorWhatLayAtTheTop) {
  TaskSpec top = spec(0);
  top.output = "/out";
  ASSERT_TRUE(TaskOutput::create(top, files).ok());
  ASSERT_TRUE(abort_job_output({"/out", kOwner}, 4, files).ok());
  files.lose_power(loses_all);
  EXPECT_THAT(files.list("/"), IsEmpty());
}

// A kill overtook the last step of a success.
TEST_F(PowerCut, NorDoesASuccessThatWasNone) {
  TaskOutput output = written(0);
  ASSERT_TRUE(output.commit().ok());
  ASSERT_TRUE(complete_job_output(kOutput, 4, files).ok());
  ASSERT_TRUE(abort_job_output(kOutput, 4, files).ok());
  files.lose_power(loses_all);
  EXPECT_THAT(files.list("/data"), IsEmpty());
}

TEST_F(PowerCut, NorWhatAKilledAttemptHadWritten) {
  TaskOutput output = written(0);
  remove_unpublished(kOutput, spec(0).id, files);
  files.lose_power(loses_all);
  EXPECT_THAT(files.list("/data/out/_temporary"), IsEmpty());
}

TEST_F(PowerCut, NorWhatADroppedJobWroteLate) {
  TaskOutput output = written(0);
  remove_late_output(kOutput, files);
  files.lose_power(loses_all);
  EXPECT_THAT(files.list("/data"), IsEmpty());
}

// It was killed after its job's last step, and removed its own.
TEST_F(PowerCut, ADroppedJobLeavesNoEmptyDirectories) {
  TaskOutput late = written(0);
  remove_unpublished(kOutput, spec(0).id, files);
  remove_late_output(kOutput, files);
  EXPECT_THAT(files.list("/data"), IsEmpty());
}

TEST_F(PowerCut, ADroppedJobLeavesTheNextOnesFiles) {
  TaskOutput other = written(0);
  remove_late_output({"/data/out", "job_0008 1"}, files);
  EXPECT_TRUE(files.contains(other.path()));
}

}  // namespace
}  // namespace weir::faults
