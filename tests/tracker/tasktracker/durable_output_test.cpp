// What is synced before an output counts as published, and in what order: the calls themselves,
// which this file sees by standing in front of the C library's.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "temp_dir.h"
#include "tracker/tasktracker/job_output.h"
#include "tracker/tasktracker/task_output.h"

namespace {

std::vector<std::string>* calls = nullptr;  // of fsync and link, while a test looks

}  // namespace

extern "C" int fsync(int fd) {
  if (calls != nullptr) {
    char path[4096] = {};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (::readlink(link.c_str(), path, sizeof path - 1) < 0) path[0] = '?';
    calls->push_back(std::string("sync ") + path);
  }
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

extern "C" int linkat(int from_at, const char* from, int to_at, const char* to, int) noexcept {
  if (calls != nullptr) {
    char path[4096] = {};
    const std::string link = "/proc/self/fd/" + std::to_string(to_at);
    if (::readlink(link.c_str(), path, sizeof path - 1) < 0) path[0] = '?';
    calls->push_back(std::string("publish ") + path + "/" + to);
  }
  return static_cast<int>(::syscall(SYS_linkat, from_at, from, to_at, to, 0));
}

namespace weir::tasktracker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::StartsWith;

class DurableOutput : public testing::Test {
 protected:
  DurableOutput() { calls = &calls_; }
  ~DurableOutput() override { calls = nullptr; }

  TaskSpec spec() const {
    TaskSpec spec;
    spec.id = {{JobId(7), TaskKind::kReduce, 3}, 0};
    spec.output = root_ + "/out";
    spec.owner = "job_0007 1";
    return spec;
  }
  // Since it was last asked; below the test's directory, which is "." then.
  std::vector<std::string> seen() {
    std::vector<std::string> relative;
    for (const std::string& call : calls_) {
      const std::size_t at = call.find(root_);
      if (at == std::string::npos) continue;
      const std::string rest = call.substr(at + root_.size());
      relative.push_back(call.substr(0, at) + "." + rest);
    }
    calls_.clear();
    return relative;
  }

  const TempDir dir_;
  const std::string root_ = std::filesystem::canonical(dir_ / ".").string();
  std::vector<std::string> calls_;
};

constexpr const char* kMaking = "./.weir-job_0007-1";

TEST_F(DurableOutput, LiesAsideForGoodThenIsPublishedForGood) {
  auto output = TaskOutput::create(spec());
  ASSERT_TRUE(output.ok());
  const std::string making = kMaking;
  // Its directory is whole, with its mark, before it has its name; and each directory is there
  // before anything is made in it.
  EXPECT_THAT(seen(), IsSupersetOf({"sync " + making + "/_owner.attempt_0007_r_000003_0",
                                    "publish " + making + "/_owner", "sync " + making,
                                    std::string("sync .")}));
  ASSERT_TRUE(output->sync().ok());
  EXPECT_THAT(seen(), ElementsAre("sync ./out/_temporary/attempt_0007_r_000003_0.part-00003",
                                  "sync ./out/_temporary"));
  ASSERT_TRUE(output->commit().ok());
  EXPECT_THAT(seen(), ElementsAre("publish ./out/part-00003", "sync ./out"));
  // Told twice, because the first time may not have come to its sync.
  ASSERT_TRUE(output->commit().ok());
  EXPECT_THAT(seen(), ElementsAre("publish ./out/part-00003", "sync ./out"));
}

TEST_F(DurableOutput, WhatAnEarlierAttemptMadeIsNotSyncedAgain) {
  auto first = TaskOutput::create(spec());
  ASSERT_TRUE(first.ok() && first->commit().ok());
  seen();
  TaskSpec next = spec();
  next.id.task.index = 4;
  next.output_is_durable = true;
  ASSERT_TRUE(TaskOutput::create(next).ok());
  EXPECT_THAT(seen(), IsEmpty());
  // Somebody has removed it: it is made anew, and for good.
  std::filesystem::remove_all(root_ + "/out/_temporary");
  ASSERT_TRUE(TaskOutput::create(next).ok());
  EXPECT_THAT(seen(), IsSupersetOf({"sync .", "sync ./out"}));
  // Another one's directory is no better for having been ours.
  std::filesystem::remove_all(root_ + "/out");
  std::filesystem::create_directories(root_ + "/out/_temporary");
  EXPECT_FALSE(TaskOutput::create(next).ok());
}

TEST_F(DurableOutput, IsMarkedForGood) {
  ASSERT_TRUE(TaskOutput::create(spec()).ok());
  seen();
  ASSERT_TRUE(complete_job_output(output_of(spec()), 4).ok());
  EXPECT_THAT(seen(), ElementsAre(StartsWith("sync ./out/_owner.success-"),
                                  "publish ./out/_SUCCESS", "sync ./out", "sync ./out"));
}

// None of its tasks has made its place.
TEST_F(DurableOutput, OneWithoutPartsIsMadeAndMarkedForGood) {
  ASSERT_TRUE(complete_job_output(output_of(spec()), 0).ok());
  const auto calls = seen();
  EXPECT_THAT(calls, IsSupersetOf({std::string("sync ") + kMaking, std::string("sync ."),
                                   std::string("publish ./out/_SUCCESS")}));
  EXPECT_EQ(calls.back(), "sync ./out");
}

TEST_F(DurableOutput, IsRemovedForGood) {
  auto output = TaskOutput::create(spec());
  ASSERT_TRUE(output.ok() && output->commit().ok());
  seen();
  ASSERT_TRUE(abort_job_output(output_of(spec()), 4).ok());
  const auto calls = seen();
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.front(), "sync ./out");  // what is published, before that which shows whose it is
  EXPECT_EQ(calls.back(), "sync .");
}

TEST_F(DurableOutput, OfAKilledAttemptIsRemovedForGood) {
  ASSERT_TRUE(TaskOutput::create(spec()).ok());
  seen();
  remove_unpublished(output_of(spec()), spec().id);
  EXPECT_THAT(seen(), ElementsAre("sync ./out/_temporary"));
}

}  // namespace
}  // namespace weir::tasktracker
