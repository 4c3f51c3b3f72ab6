// Processes that go on with another map of their job: what the next one has of the one before, and
// when a process has done its last.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "job_run.h"
#include "tracker/tasktracker/process_table.h"
#include "tracker/tasktracker/resting_processes.h"
#include "tracker/tasktracker/task_line.h"

namespace weir::tasktracker {
namespace {

using testing::Each;
using testing::Eq;
using testing::SizeIs;

constexpr int kMaps = 12;
constexpr std::size_t kSlots = 4;  // of the tracker of a JobRun

// A line of input for each of the maps of a job without reduces.
JobParts maps_of(const std::string& mapper) {
  std::string input;
  for (int i = 0; i < kMaps; ++i) input += static_cast<char>('a' + i) + std::string("\n");
  return {.input = input, .mapper = mapper, .maps = kMaps, .reduces = 0, .max_attempts = 1};
}

// What each of them has printed.
std::vector<std::string> outputs_with(const std::string& mapper) {
  JobRun run(maps_of(mapper));
  EXPECT_EQ(run.go(), "SUCCEEDED");
  std::vector<std::string> parts;
  for (int i = 0; i < kMaps; ++i) parts.push_back(run.part(i));
  return parts;
}

std::size_t distinct(const std::vector<std::string>& parts) {
  return std::set<std::string>(parts.begin(), parts.end()).size();
}

TEST(Resting, MapsOfAJobWithoutReducesShareProcesses) {
  const auto parts = outputs_with("echo $PPID");
  EXPECT_GE(distinct(parts), 1u);
  EXPECT_LE(distinct(parts), kSlots);
}

// Where there are no control groups it is children that are looked for.
TEST(Resting, SoDoOnesWithoutControlGroups) {
  JobParts parts = maps_of("(setsid sleep 4711.6 > /dev/null 2>&1 &); echo $PPID");
  parts.task.cgroups = parts.task.mounts = false;
  JobRun run(parts);
  ASSERT_EQ(run.go(), "SUCCEEDED");
  std::vector<std::string> told;
  for (int i = 0; i < kMaps; ++i) told.push_back(run.part(i));
  EXPECT_LE(distinct(told), kSlots);
}

TEST(Resting, WhoHasChildrenIsNotChildless) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    for (;;) ::pause();
  }
  EXPECT_TRUE(is_childless(parent));
  EXPECT_FALSE(is_childless(::getpid()));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_FALSE(is_childless(parent));  // nobody can tell
}

TEST(Resting, OnesWithReducesDoNot) {
  JobParts parts = maps_of("cat > /dev/null; echo $PPID");
  parts.reduces = 1;
  JobRun run(parts);
  ASSERT_EQ(run.go(), "SUCCEEDED");
  std::istringstream lines(run.part(0));
  std::set<std::string> processes;
  for (std::string line; std::getline(lines, line);) processes.insert(line);
  EXPECT_THAT(processes, SizeIs(kMaps));
}

TEST(Resting, EachMapHasANameDirectoriesAndInputOfItsOwn) {
  const auto parts = outputs_with(
      "echo $mapreduce_task_attempt_id $(cat /proc/$PPID/comm) ${TMPDIR#$WEIR_WORK_DIR/} "
      "${PWD#$WEIR_WORK_DIR/} $(basename $mapreduce_task_output_dir); cat");
  for (int i = 0; i < kMaps; ++i) {
    char name[16];
    std::snprintf(name, sizeof name, "m_%06d_0", i);
    const std::string attempt = std::string("attempt_0007_") + name;
    EXPECT_EQ(parts[static_cast<std::size_t>(i)],
              attempt + " " + name + " attempts/" + attempt + "/tmp attempts/" + attempt +
                  "/work " + attempt + "\n" + static_cast<char>('a' + i) + "\n");
  }
}

TEST(Resting, NothingOfAMapIsThereForTheNext) {
  const auto parts = outputs_with(
      "for dir in . $TMPDIR $mapreduce_task_output_dir; do ls -A $dir; touch $dir/left; "
      "mkdir $dir/.more; done; setsid sleep 4711.5 > /dev/null 2>&1 &");
  EXPECT_THAT(parts, Each(Eq("")));
}

// Where root runs the test.
TEST(Resting, OtherMapsStayOutOfSight) {
  const auto parts = outputs_with(
      "cd $WEIR_WORK_DIR; [ -e lock ] || { ls attempts | wc -l; ls logs/* | wc -l; "
      "[ -e attempts/$mapreduce_task_attempt_id/tmp ] && echo mine; "
      "touch attempts/x 2> /dev/null && echo written; umount attempts/* 2> /dev/null && echo bare; "
      "true; }");
  if (parts[0].empty()) GTEST_SKIP() << "mounts are not active";
  EXPECT_THAT(parts, Each(Eq("1\n1\nmine\n")));
}

TEST(Resting, CountersAreOfOneMap) {
  JobRun run(maps_of("cat"));
  ASSERT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.jobtracker->counter("weir", "MAP_INPUT_RECORDS"), kMaps);
}

TEST(Resting, OneThatTalksIsTheLastOfItsProcess) {
  JobRun run(maps_of("echo word >&2; echo $PPID"));
  ASSERT_EQ(run.go(), "SUCCEEDED");
  std::set<std::string> processes;
  for (int i = 0; i < kMaps; ++i) {
    processes.insert(run.part(i));
    const AttemptKey map{{JobId(7), TaskKind::kMap, static_cast<std::uint32_t>(i)}, 0};
    EXPECT_EQ(read_text(run.dir / ("work/logs/job_0007/" + attempt_name(map) + "/stderr")),
              "word\n");
  }
  EXPECT_THAT(processes, SizeIs(kMaps));
}

TEST(Resting, OneThatFailedIsTheLastOfItsProcess) {
  const TempDir meet;
  JobParts parts = maps_of("mkdir " + (meet / "dir-") + "$PPID-$(cat) 2> /dev/null; exit 3");
  parts.max_attempts = 3;
  JobRun run(parts);
  EXPECT_EQ(run.go().substr(0, 6), "FAILED");
  std::set<std::string> processes;
  std::size_t attempts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(meet.path())) {
    const std::string name = entry.path().filename();
    processes.insert(name.substr(0, name.rfind('-')));
    ++attempts;
  }
  EXPECT_THAT(processes, SizeIs(attempts));
}

// With the tracker alive: their job has been dropped.
TEST(Resting, ProcessesEndWithTheirJob) {
  JobRun run(maps_of("cat"));
  ASSERT_EQ(run.go(), "SUCCEEDED");
  const auto left = [] {
    int count = 0;
    for (const pid_t child : children_of(::getpid()))
      count += read_text("/proc/" + std::to_string(child) + "/comm").starts_with("m_");
    return count;
  };
  for (int waits = 0; left() > 0 && waits < 20000; ++waits) ::usleep(1000);
  EXPECT_EQ(left(), 0);
  const std::string attempts = run.dir / "work/attempts";
  const auto entries = [&attempts] {
    return std::distance(std::filesystem::directory_iterator(attempts), {});
  };
  for (int waits = 0; entries() > 1 && waits < 20000; ++waits) ::usleep(1000);
  EXPECT_EQ(entries(), 1);  // the sessions
}

TEST(RestingProcesses, AreTakenByTheirJobAloneTheLastFirst) {
  const auto map = [](std::uint64_t job, std::uint32_t index) {
    return AttemptKey{{JobId(job), TaskKind::kMap, index}, 0};
  };
  RestingProcesses resting;
  resting.put({map(7, 1), nullptr, 10});
  resting.put({map(8, 2), nullptr, 20});
  resting.put({map(7, 3), nullptr, 30});
  EXPECT_FALSE(resting.take(JobId(9)).has_value());
  EXPECT_EQ(resting.take(JobId(7))->last, map(7, 3));
  EXPECT_EQ(resting.take(JobId(7))->last, map(7, 1));
  EXPECT_FALSE(resting.take(JobId(7)).has_value());
  EXPECT_EQ(resting.take(JobId(8))->last, map(8, 2));
}

class TaskLineTest : public testing::Test {
 protected:
  TaskLineTest() {
    auto pipe = make_pipe();
    agent_ = std::move(pipe->write_end);
    line_.commands = std::move(pipe->read_end);
  }
  static TaskSpec task(std::uint32_t index) {
    TaskSpec spec;
    spec.id = {{JobId(7), TaskKind::kMap, index}, 0};
    spec.input.push_back({"in", 0, 1});
    return spec;
  }
  void say(const std::string& text) { ASSERT_TRUE(write_all(agent_.get(), text, "line").ok()); }
  std::uint32_t next_index() {
    const auto spec = next_task(line_);
    return spec && *spec ? (**spec).id.task.index : 99;
  }

  UniqueFd agent_;
  TaskLine line_;
};

TEST_F(TaskLineTest, WhatWasSaidToTheTaskBeforeIsNotForTheNext) {
  say("commit 4711\ngrant\n" + task_command(task(1)) + "commit 4712\n");
  EXPECT_EQ(next_index(), 1u);
  EXPECT_EQ(line_.unread, "commit 4712\n");
  say("commit 4713\n" + task_command(task(2)));
  EXPECT_EQ(next_index(), 2u);
  EXPECT_EQ(line_.unread, "");
}

TEST_F(TaskLineTest, ItsEndIsNoTask) {
  say("task 100\nhalf of i");
  agent_.reset();
  const auto none = next_task(line_);
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

TEST_F(TaskLineTest, NonsenseIsAnError) {
  say("task 4000000000\n");
  EXPECT_FALSE(next_task(line_).ok());
  say("task -1\n");
  EXPECT_FALSE(next_task(line_).ok());
  say("task 4\nabcd");
  EXPECT_FALSE(next_task(line_).ok());
  say(std::string(5000, 'x'));
  EXPECT_FALSE(next_task(line_).ok());
}

}  // namespace
}  // namespace weir::tasktracker
