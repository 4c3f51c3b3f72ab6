// What logs may take of the disk: a stream keeps its beginning and its end, a job and a tracker as
// much as the settings say, the oldest goes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracker/tasktracker/bounded_log.h"
#include "tracker/tasktracker/job_disk.h"
#include "tracker/tasktracker/job_run.h"
#include "tracker/tasktracker/log_sweep.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "line " + std::to_string(100000 + i) + "\n";  // 12 bytes
  return text;
}

TEST(BoundedLog, KeepsAllThatFits) {
  const TempDir dir;
  BoundedLog log(dir / "log", 4000);
  const std::string text = numbered(0, 333);
  log.append(text.substr(0, 100));
  log.append(text.substr(100));
  EXPECT_EQ(read_text(dir / "log"), text);
}

// Head, one line that says how much is missing, tail; at each moment, and nothing counted wrong.
TEST(BoundedLog, KeepsHeadAndTailWithALineBetween) {
  const TempDir dir;
  BoundedLog log(dir / "log", 4000);
  for (int i = 0; i < 5000; ++i) {
    log.append(numbered(i, i + 1));
    if (i < 340) continue;
    const std::string text = read_text(dir / "log");
    ASSERT_LE(text.size(), 4000u);
    ASSERT_TRUE(text.starts_with(numbered(0, 167)));
    const std::size_t notice = text.find("[weir: "), end = text.find("]\n");
    ASSERT_EQ(notice, 167u * 12);
    const long left_out = std::stol(text.substr(notice + 7));
    const std::string tail = text.substr(end + 2);
    ASSERT_EQ(167 * 12 + left_out + static_cast<long>(tail.size()), 12 * (i + 1));
    ASSERT_GE(tail.size(), 900u);
    ASSERT_EQ(tail, numbered(i + 1 - static_cast<int>(tail.size() / 12), i + 1));
  }
  EXPECT_THAT(read_text(dir / "log"),
              HasSubstr(" bytes are left out here: a log keeps its beginning and its end, at most "
                        "4000 bytes (tracker.log_stream_mb)]\n"));
}

TEST(BoundedLog, OfOneLongLine) {
  const TempDir dir;
  BoundedLog log(dir / "log", 4000);
  for (int i = 0; i < 100; ++i) log.append(std::string(3000, 'x'));
  const std::string text = read_text(dir / "log");
  EXPECT_LE(text.size(), 4000u);
  EXPECT_EQ(text.substr(0, 2000), std::string(2000, 'x'));
  EXPECT_EQ(text.substr(text.size() - 900), std::string(900, 'x'));
}

TEST(BoundedLog, ThatCannotBeWrittenHarmsNobody) {
  BoundedLog log("/nowhere/at/all", 4000);
  for (int i = 0; i < 100; ++i) log.append(numbered(0, 100));
}

class LogSweep : public testing::Test {
 protected:
  // Later calls make later logs.
  void log(const std::string& job, const std::string& attempt, int kilobytes) {
    ::usleep(20000);
    fs::create_directories(dir_ / ("logs/" + job + "/" + attempt));
    dir_.write("logs/" + job + "/" + attempt + "/stderr", std::string(kilobytes << 10, 'x'));
  }
  std::string left() {
    std::string names;
    for (const char* name : {"a/1", "a/2", "a/3", "b/4", "b/5", "c/6"}) {
      if (fs::exists(dir_ / (std::string("logs/") + name))) names += std::string(name) + " ";
    }
    return names;
  }
  SweptLogs sweep(const LogSettings& bounds, const std::set<std::string>& running = {},
                  std::int64_t later_ms = 0) {
    return sweep_logs(dir_ / "logs", bounds, wall_now_ms() + later_ms, running);
  }
  void fill() {
    log("a", "1", 600);
    log("b", "4", 600);
    log("a", "2", 600);
    log("a", "3", 600);
    log("b", "5", 600);
  }
  TempDir dir_;
};

TEST_F(LogSweep, KeepsWhatIsWithinTheBounds) {
  fill();
  EXPECT_EQ(sweep({}).removed, 0);
  EXPECT_EQ(left(), "a/1 a/2 a/3 b/4 b/5 ");
}

TEST_F(LogSweep, AJobLosesItsOldest) {
  fill();
  const SweptLogs swept = sweep({.job_mb = 1});
  EXPECT_EQ(left(), "a/3 b/5 ");
  EXPECT_EQ(swept.removed, 3);
  EXPECT_GE(swept.removed_bytes, 3 * 600 << 10);
}

TEST_F(LogSweep, InAllTheOldestGoFirst) {
  fill();
  EXPECT_EQ(sweep({.total_mb = 2}).removed, 2);
  EXPECT_EQ(left(), "a/2 a/3 b/5 ");
}

TEST_F(LogSweep, ThoseOfAttemptsThatRunStay) {
  fill();
  sweep({.job_mb = 1}, {"1", "4"});
  EXPECT_EQ(left(), "a/1 b/4 ");
}

TEST_F(LogSweep, AgeIsOfTheLastWriteWhateverATaskSays) {
  log("a", "1", 1);
  log("a", "2", 1);
  const timespec future[2] = {{4'000'000'000, 0}, {4'000'000'000, 0}};
  ::utimensat(AT_FDCWD, (dir_ / "logs/a/1").c_str(), future, 0);
  ::utimensat(AT_FDCWD, (dir_ / "logs/a/1/stderr").c_str(), future, 0);
  EXPECT_EQ(sweep({.keep_ms = 3'600'000}, {}, 3'500'000).removed, 0);
  EXPECT_EQ(sweep({.keep_ms = kNever}, {}, 7'200'000).removed, 0);
  EXPECT_EQ(sweep({.keep_ms = 3'600'000}, {"2"}, 7'200'000).removed, 1);
  EXPECT_EQ(left(), "a/2 ");
}

TEST_F(LogSweep, WhatIsNoLogIsCountedAndNoLinkFollowed) {
  fs::create_directory(dir_ / "precious");
  dir_.write("precious/file", "kept");
  log("a", "1", 1);
  ::usleep(20000);
  dir_.write("logs/b", std::string(3 << 20, 'x'));
  dir_.write("logs/a/2", std::string(3 << 20, 'x'));
  fs::create_directory_symlink(dir_ / "precious", dir_ / "logs/c");
  EXPECT_EQ(sweep({.job_mb = 1}).removed, 3);  // and the one that was older
  EXPECT_EQ(left(), "");
  sweep({}, {}, 30LL * 24 * 3'600'000);
  EXPECT_EQ(read_text(dir_ / "precious/file"), "kept");
  EXPECT_TRUE(fs::is_empty(dir_ / "logs"));
}

AttemptKey map_of(std::size_t job, std::uint32_t index) {
  return AttemptKey{TaskKey{JobId(job), TaskKind::kMap, index}, 0};
}

TEST(JobDisk, TheLargestAttemptOfAJobThatTakesTooMuchFails) {
  JobDisk disk(100);
  const auto mb = [](std::int64_t n) { return TreeSize{n << 20, 1, true}; };
  EXPECT_TRUE(disk.judge({{map_of(1, 0), mb(60)}, {map_of(1, 1), mb(40)}}).empty());
  EXPECT_TRUE(disk.judge({{map_of(1, 0), mb(60)}, {map_of(2, 1), mb(60)}}).empty());
  disk.keep_output(map_of(1, 7), 50 << 20);
  const auto over =
      disk.judge({{map_of(1, 0), mb(20)}, {map_of(1, 1), mb(40)}, {map_of(2, 0), mb(99)}});
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].attempt, map_of(1, 1));
  EXPECT_EQ(over[0].why,
            "job_0001 takes 110 MB of this tracker's disk, allowed are 100 MB "
            "(tracker.job_disk_mb); this attempt takes 40 MB of it");
  disk.drop(JobId(std::size_t{1}));
  EXPECT_TRUE(disk.judge({{map_of(1, 1), mb(99)}}).empty());
  EXPECT_TRUE(JobDisk(0).judge({{map_of(1, 1), mb(1 << 30)}}).empty());
  const auto many = disk.judge({{map_of(1, 1), {0, JobDisk::kMostEntries + 1, false}}});
  ASSERT_EQ(many.size(), 1u);
  EXPECT_THAT(many[0].why, HasSubstr("has more than 1000000 files"));
}

TEST(JobDisk, AnAttemptThatFillsTheDiskFailsWithBothNumbers) {
  JobRun run({.input = "a\n",
              .mapper = "head -c 30000000 /dev/zero > $TMPDIR/file; sleep 4711.8",
              .maps = 1,
              .max_attempts = 1,
              .job_disk_mb = 10});
  const std::string verdict = run.go();
  EXPECT_THAT(verdict, HasSubstr("FAILED: job_0007 takes "));
  EXPECT_THAT(verdict, HasSubstr("MB of this tracker's disk, allowed are 10 MB "
                                 "(tracker.job_disk_mb); this attempt takes "));
}

TEST(JobDisk, OutputsOfFinishedMapsCount) {
  JobRun run({.input = "a\nb\n",
              .mapper = "head -c 6000000 /dev/urandom | od",
              .reducer = "sleep 4711.8",
              .maps = 2,
              .max_attempts = 1,
              .job_disk_mb = 10});
  EXPECT_THAT(run.go(), HasSubstr("allowed are 10 MB (tracker.job_disk_mb)"));
}

TEST(Logs, OfATaskThatTalksWithoutEnd) {
  JobRun run({.input = "a\n",
              .mapper = "echo first >&2; yes 'the same again and again' | head -n 500000 >&2; "
                        "echo last >&2; cat",
              .maps = 1,
              .reduces = 0,
              .log = {.stream_mb = 1}});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  const std::string text =
      read_text(run.dir / "work/logs/job_0007/attempt_0007_m_000000_0/stderr");
  EXPECT_LE(text.size(), 1u << 20);
  EXPECT_TRUE(text.starts_with("first\n") && text.ends_with("\nlast\n"));
  EXPECT_THAT(text, HasSubstr("bytes are left out here"));
}

}  // namespace
}  // namespace weir::tasktracker
