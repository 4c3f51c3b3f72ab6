// Scratch directories that one attempt hands on to the next, and the record of sessions.
#include "tracker/tasktracker/scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "job_run.h"
#include "tracker/tasktracker/session_log.h"

namespace weir::tasktracker {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

AttemptKey attempt(std::uint64_t job, std::uint32_t index) {
  return {{JobId(job), TaskKind::kMap, index}, 0};
}

class ScratchTest : public testing::Test {
 protected:
  std::string path(const AttemptKey& key) const { return dirs_.attempt(key); }
  ino_t inode(const std::string& of) const {
    struct stat there {};
    return ::stat(of.c_str(), &there) == 0 ? there.st_ino : 0;
  }
  void expect_fresh(const AttemptKey& key) const {
    EXPECT_TRUE(fs::is_empty(path(key) + "/work"));
    EXPECT_TRUE(fs::is_empty(path(key) + "/tmp"));
    EXPECT_EQ(std::distance(fs::directory_iterator(path(key)), {}), 2);
  }

  const TempDir dir_;
  const WorkDirs dirs_{dir_ / "work"};
  Scratch scratch_{dirs_};
  const AttemptKey first_ = attempt(7, 0), second_ = attempt(7, 1), other_job_ = attempt(8, 0);
};

TEST_F(ScratchTest, IsHandedOnWithinAJob) {
  ASSERT_TRUE(scratch_.take(first_).ok());
  expect_fresh(first_);
  const ino_t made = inode(path(first_) + "/work");
  scratch_.give_back(first_, true);
  ASSERT_TRUE(scratch_.take(second_).ok());
  expect_fresh(second_);
  EXPECT_EQ(inode(path(second_) + "/work"), made);
}

// Whoever keeps a directory open would see another tenant's files come.
TEST_F(ScratchTest, IsNeverAnotherJobs) {
  ASSERT_TRUE(scratch_.take(first_).ok());
  const ino_t made = inode(path(first_) + "/work");
  scratch_.give_back(first_, true);
  ASSERT_TRUE(scratch_.take(other_job_).ok());
  expect_fresh(other_job_);
  EXPECT_NE(inode(path(other_job_) + "/work"), made);
}

TEST_F(ScratchTest, IsNotHandedOnUnlessAsItWasMade) {
  const std::vector<std::function<void(const std::string&)>> changes = {
      [](const std::string& at) { fs::create_directory(at + "/more"); },
      [](const std::string& at) { std::ofstream(at + "/work/file") << "x"; },
      [](const std::string& at) { std::ofstream(at + "/tmp/.hidden") << "x"; },
      [](const std::string& at) { fs::remove(at + "/tmp"); },
      [](const std::string& at) { ::chmod((at + "/work").c_str(), 0777); },
      [](const std::string& at) { ::chmod(at.c_str(), 01700); },
      [](const std::string& at) {
        fs::remove(at + "/work");
        fs::create_directory_symlink("/tmp", at + "/work");
      },
      [](const std::string& at) { fs::remove_all(at); },
  };
  for (std::uint32_t i = 0; i < changes.size(); ++i) {
    const AttemptKey changed = attempt(7, 2 * i), next = attempt(7, 2 * i + 1);
    ASSERT_TRUE(scratch_.take(changed).ok());
    changes[i](path(changed));
    scratch_.give_back(changed, true);  // as a task would have it that has its process in hand
    ASSERT_TRUE(scratch_.take(next).ok());
    expect_fresh(next);
    EXPECT_THAT(scratch_.take_rejected(), ElementsAre(path(changed))) << i;
  }
}

TEST_F(ScratchTest, WhatAnAttemptHasNotEmptiedIsRemoved) {
  ASSERT_TRUE(scratch_.take(first_).ok());
  scratch_.give_back(first_, false);
  EXPECT_THAT(scratch_.take_rejected(), ElementsAre(path(first_)));
  EXPECT_THAT(scratch_.drop(JobId(7)), IsEmpty());
}

TEST_F(ScratchTest, WhatStandsInItsPlaceIsRemoved) {
  ASSERT_TRUE(scratch_.take(first_).ok());
  scratch_.give_back(first_, true);
  dir_.write("work/attempts/" + attempt_name(second_), "in the way");
  ASSERT_TRUE(scratch_.take(second_).ok());
  expect_fresh(second_);
}

TEST_F(ScratchTest, ADroppedJobsSpareOnesAreToBeRemoved) {
  for (const AttemptKey& key : {first_, second_}) ASSERT_TRUE(scratch_.take(key).ok());
  for (const AttemptKey& key : {first_, second_}) scratch_.give_back(key, true);
  EXPECT_THAT(scratch_.drop(JobId(8)), IsEmpty());
  EXPECT_THAT(scratch_.drop(JobId(7)), SizeIs(2));
  EXPECT_THAT(scratch_.drop(JobId(7)), IsEmpty());
}

// So is the directory of its logs, if there are none: an ended attempt's is not needed then.
TEST_F(ScratchTest, TheDirectoryOfLogsIsHandedOnIfThereAreNone) {
  ASSERT_TRUE(scratch_.take(first_).ok());
  const ino_t made = inode(dirs_.log(first_));
  ASSERT_NE(made, 0u);
  scratch_.give_back(first_, true);
  ASSERT_TRUE(scratch_.take(second_).ok());
  EXPECT_EQ(inode(dirs_.log(second_)), made);
  std::ofstream(dirs_.log(second_) + "/stderr") << "x";
  scratch_.give_back(second_, true);
  const AttemptKey third = attempt(7, 2);
  ASSERT_TRUE(scratch_.take(third).ok());
  EXPECT_TRUE(fs::exists(dirs_.log(second_) + "/stderr"));
  EXPECT_TRUE(fs::is_empty(dirs_.log(third)));
  EXPECT_NE(inode(dirs_.log(third)), made);
  // What has come into it meanwhile is not taken over.
  scratch_.give_back(third, true);
  std::ofstream(dirs_.log(third) + "/planted") << "x";
  const AttemptKey fourth = attempt(7, 3);
  ASSERT_TRUE(scratch_.take(fourth).ok());
  EXPECT_TRUE(fs::is_empty(dirs_.log(fourth)));
}

TEST_F(ScratchTest, NamesOfOutputDirectoriesAreTheJobs) {
  EXPECT_EQ(scratch_.take_output_dir(JobId(7)), "");
  scratch_.give_back_output_dir(first_);
  EXPECT_EQ(scratch_.take_output_dir(JobId(8)), "");
  EXPECT_EQ(scratch_.take_output_dir(JobId(7)), attempt_name(first_));
  EXPECT_EQ(scratch_.take_output_dir(JobId(7)), "");
}

TEST_F(ScratchTest, AnAttemptLeavesItEmpty) {
  ASSERT_TRUE(scratch_.take(first_).ok());
  for (const char* name : {"/work/a", "/tmp/.b", "/spill"})
    std::ofstream(path(first_) + name) << "x";
  fs::create_directories(path(first_) + "/work/deep/er");
  EXPECT_TRUE(empty_scratch(path(first_)));
  expect_fresh(first_);
  ::chmod((path(first_) + "/work").c_str(), 0777);
  EXPECT_FALSE(empty_scratch(path(first_)));
}

// Each map finds its directories empty, whatever the ones before it have left there.
TEST(ScratchOfAJob, NothingOfAnEarlierAttemptIsThere) {
  JobRun run({.input = "a\nb\nc\nd\ne\nf\ng\nh\n",
              .mapper = "ls -A . $TMPDIR .. | grep -v : | sort | uniq -c | tr -s ' '; touch left; "
                        "touch $TMPDIR/left ../left; mkdir -p d/e",
              .maps = 8,
              .reduces = 0});
  ASSERT_EQ(run.go(), "SUCCEEDED");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(run.part(i), run.part(0)) << i;
  EXPECT_THAT(run.part(0), testing::Not(testing::HasSubstr("left")));
}

TEST(SessionLogTest, HoldsTheLivingWhenItIsWrittenAnew) {
  const TempDir dir;
  SessionLog log;
  ASSERT_TRUE(log.open(dir / "sessions", 1000).ok());
  log.add(::getpid());
  for (pid_t gone = 4'000'000; gone < 4'000'200; ++gone) {
    log.add(gone);
    log.remove(gone);
  }
  EXPECT_LT(fs::file_size(dir / "sessions"), 2000u);
  EXPECT_EQ(recorded_sessions(dir / "sessions").count(::getpid()), 1u);
}

}  // namespace
}  // namespace weir::tasktracker
