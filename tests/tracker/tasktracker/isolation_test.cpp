// What a task may have and see: limits, its environment, other attempts, the machine's memory. Each
// holds for real programs of a job.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "tracker/tasktracker/isolation.h"
#include "tracker/tasktracker/job_run.h"
#include "tracker/tasktracker/process_table.h"

namespace weir::tasktracker {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// What a map prints that is the whole of a job.
std::string output_of(const std::string& mapper, const JobParts& parts = {}) {
  JobParts job = parts;
  job.input = "a\n";
  job.mapper = mapper;
  job.maps = 1;
  job.reduces = 0;
  job.max_attempts = 1;
  JobRun run(job);
  const std::string verdict = run.go();
  return verdict == "SUCCEEDED" ? run.part(0) : verdict;
}

std::vector<std::string> lines_of(const TaskSettings& task) {
  const TempDir dir;
  TaskTrackerOptions options;
  options.task = task;
  const WorkDirs dirs{dir.path()};
  EXPECT_TRUE(make_directories(dirs.attempts()).ok());
  EXPECT_TRUE(make_directories(dirs.outputs()).ok());
  EXPECT_TRUE(make_directories(dirs.logs()).ok());
  const Isolation isolation(options, dirs, JobDisk(100));
  const auto lines = isolation.lines();
  isolation.end();
  return lines;
}

bool active(const std::string& protection) {
  for (const std::string& line : lines_of({})) {
    if (line.starts_with(protection + ": ")) return !line.starts_with(protection + ": none");
  }
  return false;
}

// The tracker itself keeps its mounts and its capabilities; who asks is the main thread.
TEST(Isolation, TryingWhetherItWorksChangesNothingHere) {
  const auto here = [] {
    const std::string status = read_text("/proc/self/status");
    return read_text("/proc/self/mountinfo") + status.substr(status.find("CapInh"), 5 * 24);
  };
  const std::string before = here();
  EXPECT_THAT(before, HasSubstr("CapBnd"));
  EXPECT_EQ(lines_of({}).size(), lines_of({.mounts = false}).size());
  EXPECT_EQ(here(), before);
}

TEST(Isolation, TheEnvironmentIsCleanButForWhatIsNamed) {
  ::setenv("SECRET_TOKEN", "s3cret", 1);
  ::setenv("JAVA_HOME", "/opt/java", 1);
  ::setenv("LC_TIME", "C", 1);
  const std::string seen = output_of("env; tr '\\0' '\\n' < /proc/$PPID/environ; ls -d $TMPDIR",
                                     {.task = {.environment = {"JAVA_HOME"}}});
  EXPECT_THAT(seen, Not(HasSubstr("SECRET")));
  EXPECT_THAT(seen, AllOf(HasSubstr("\nJAVA_HOME=/opt/java\n"), HasSubstr("LC_TIME=C\n"),
                          HasSubstr("PATH="), HasSubstr("WEIR_WORK_DIR=")));
  EXPECT_THAT(seen, HasSubstr("/attempts/attempt_0007_m_000000_0/tmp\n"));
  ::unsetenv("SECRET_TOKEN");
  ::unsetenv("JAVA_HOME");
}

TEST(Isolation, LimitsAreSetForGood) {
  EXPECT_EQ(
      output_of("ulimit -n; ulimit -Hn; ulimit -c; ulimit -f; ulimit -n 200 || true; "
                "awk '/Max processes/ {print $3, $4}' /proc/self/limits; "
                "cat /proc/self/oom_score_adj",
                {.task = {.user_processes = 3000, .open_files = 100, .file_mb = 5, .core_mb = 1}}),
      "100\n100\n2048\n10240\n3000 3000\n1000\n");
}

TEST(Isolation, AFileThatGrowsTooLargeIsToldWithItsLimit) {
  const std::string told =
      output_of("head -c 3000000 /dev/zero > file; exit $?", {.task = {.file_mb = 1}});
  EXPECT_THAT(told, HasSubstr("beyond the limit of 1 MB (tracker.task_file_mb)"));
  // The tracker's own limit, as of a shell that it was started from, is no signal but an error.
  EXPECT_THAT(output_of("head -c 3000000 /dev/zero > file"), testing::Eq(""));
}

TEST(Isolation, EachProtectionHasALine) {
  EXPECT_THAT(
      lines_of({.cgroups = false, .mounts = false}),
      testing::ElementsAre(
          "cgroup: none: off (tracker.task_cgroups)", "mounts: none: off (tracker.task_mounts)",
          "out of memory: tasks are killed before daemons",
          "limits: 4096 open files, no core dumps", "disk: a job may take 100 MB here",
          "logs: 8 MB a stream, 256 MB a job, 2048 MB in all, for 24h",
          "environment: PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ WEIR_WORK_DIR LC_*"));
  if (::geteuid() != 0) {
    EXPECT_THAT(lines_of({}), Contains("mounts: none: not root"));
  }
}

TEST(Isolation, OtherAttemptsAreOutOfSight) {
  if (!active("mounts")) GTEST_SKIP() << lines_of({})[1];
  const TempDir elsewhere;
  elsewhere.write("data", "visible\n");
  const std::string mapper =
      "cd $WEIR_WORK_DIR; ls attempts; ls outputs; ls logs logs/*; "
      "touch attempts/x && echo written; umount attempts && echo uncovered; "
      "ls /proc/$tracker_pid/root/ > list && echo around; cat $data; "
      "cd $TMPDIR; echo kept > file; cat file";
  JobRun run({.input = "a\n",
              .mapper = mapper,
              .maps = 1,
              .reduces = 0,
              .conf = {{"tracker.pid", std::to_string(::getpid())}, {"data", elsewhere / "data"}}});
  for (const char* other :
       {"attempts/attempt_0001_m_000000_0", "outputs/job_0001", "logs/job_0001"})
    std::filesystem::create_directories(run.dir / ("work/" + std::string(other)));
  run.start();
  std::filesystem::create_directories(run.dir / "work/attempts/attempt_0001_m_000000_0");
  EXPECT_EQ(run.jobtracker->wait(), "SUCCEEDED");
  EXPECT_EQ(run.part(0),
            "attempt_0007_m_000000_0\nlogs:\njob_0007\n\nlogs/job_0007:\n"
            "attempt_0007_m_000000_0\nvisible\nkept\n");
}

TEST(Isolation, TheShuffleOfMapsOutOfSightWorks) {
  JobRun run({.input = "b\na\nb\n", .mapper = "cat", .reducer = "uniq -c | tr -d ' '"});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_THAT(run.part(0) + run.part(1), AllOf(HasSubstr("1a\n"), HasSubstr("2b\n")));
}

TEST(Isolation, MemoryOfAllProcessesIsBounded) {
  if (!active("cgroup")) GTEST_SKIP() << lines_of({})[0];
  if (lines_of({})[0].find("memory,") == std::string::npos) GTEST_SKIP() << lines_of({})[0];
  const std::string told =
      output_of("head -c 400000000 /dev/zero | tail | wc -c > /dev/null; exit 3",
                {.task = {.memory_mb = 60}});
  EXPECT_THAT(told, HasSubstr("; killed for memory: the attempt's processes took 189 MB, its limit "
                              "is 189 MB (what the job asks for, its sort memory and 128 MB)"));
}

// Which group an attempt gets that an earlier one has given back: of the same job, with the same
// bounds, one that has never met them.
class SpareGroups : public testing::Test {
 protected:
  std::vector<std::string> prepared(std::uint64_t job, std::int64_t memory_mb = 0) {
    TaskSpec spec;
    spec.id = {{JobId(job), TaskKind::kMap, 1}, 0};
    spec.memory_mb = memory_mb;
    const auto group = isolation_.prepare(spec);
    EXPECT_EQ(group->directories, spec.cgroups);
    return spec.cgroups;
  }
  Isolation isolation_;
  const AttemptCgroup group_{{"/group"}, {}};
};

TEST_F(SpareGroups, AreTakenOnceAndByTheSameJob) {
  ASSERT_TRUE(isolation_.give_back(JobId(7), group_, {}));
  EXPECT_EQ(prepared(8), std::vector<std::string>{});
  EXPECT_EQ(prepared(7), group_.directories);
  EXPECT_EQ(prepared(7), std::vector<std::string>{});
}

TEST_F(SpareGroups, HaveTheSameBounds) {
  ASSERT_TRUE(isolation_.give_back(JobId(7), group_, {}));
  EXPECT_EQ(prepared(7, 500), std::vector<std::string>{});
  EXPECT_EQ(prepared(7), group_.directories);
}

TEST_F(SpareGroups, HaveAsManyCores) {
  ASSERT_TRUE(isolation_.give_back(JobId(7), {{"/group"}, {.cores = 2}}, {}));
  EXPECT_EQ(prepared(7), std::vector<std::string>{});
}

TEST_F(SpareGroups, HaveNotMetTheirBounds) {
  EXPECT_FALSE(isolation_.give_back(JobId(7), group_, {.killed_for_memory = true}));
  EXPECT_FALSE(isolation_.give_back(JobId(7), group_, {.out_of_processes = true}));
  EXPECT_FALSE(isolation_.give_back(JobId(7), {}, {}));  // there is none
  EXPECT_EQ(prepared(7), std::vector<std::string>{});
}

TEST_F(SpareGroups, OfADroppedJobAreToBeRemoved) {
  ASSERT_TRUE(isolation_.give_back(JobId(7), group_, {}));
  EXPECT_EQ(isolation_.drop(JobId(8)).size(), 0u);
  EXPECT_EQ(isolation_.drop(JobId(7)).size(), 1u);
  EXPECT_EQ(prepared(7), std::vector<std::string>{});
}

// One that left processes had them killed, and its group lets none start any more.
TEST(Isolation, AnAttemptGetsNoGroupThatOthersWereKilledIn) {
  JobRun run({.input = "a\nb\nc\nd\n",
              .mapper = "(setsid sleep 4711.8 > /dev/null 2>&1 &) ; cat",
              .maps = 4,
              .reduces = 1,
              .max_attempts = 1});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.part(0), "a\nb\nc\nd\n");
}

TEST(Isolation, ProcessesOfAnAttemptAreBounded) {
  if (lines_of({})[0].find("pids") == std::string::npos) GTEST_SKIP() << lines_of({})[0];
  EXPECT_THAT(output_of("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do "
                        "sleep 4711.7 & done; exit 3",
                        {.task = {.processes = 20}}),
              HasSubstr("; it reached its limit of 20 processes (tracker.task_processes)"));
}

// Tracker and attempt are killed hard, and what is left has wiped its environment and left the
// session: only its group tells whose it is.
TEST(Isolation, AnEarlierTrackersProcessIsFoundByItsGroup) {
  if (!active("cgroup")) GTEST_SKIP() << lines_of({})[0];
  const TempDir dir;
  const auto sleeps = [] {
    int count = 0;
    for (const ProcessInfo& process : all_processes()) {
      const std::string line = read_text("/proc/" + std::to_string(process.pid) + "/cmdline");
      count += !process.zombie && line == std::string("sleep\0004711.71\0", 14);
    }
    return count;
  };
  const pid_t tracker = ::fork();
  if (tracker == 0) {
    JobRun run({.input = "a\n", .mapper = "env -i setsid sleep 4711.71", .maps = 1});
    std::ofstream(dir / "work") << (run.dir / "work");
    run.start();
    while (sleeps() == 0) ::usleep(10000);
    for (const ProcessInfo& process : all_processes()) {
      if (process.parent == ::getpid()) ::kill(process.pid, SIGSTOP);
    }
    dir.write("ready", "");
    for (;;) ::pause();
  }
  while (!std::filesystem::exists(dir / "ready")) ::usleep(10000);
  std::vector<pid_t> runners = children_of(tracker);
  ::kill(tracker, SIGKILL);
  for (const pid_t runner : runners) ::kill(runner, SIGKILL);
  ::waitpid(tracker, nullptr, 0);
  const std::string work = read_text(dir / "work");
  ASSERT_EQ(sleeps(), 1);
  Cgroups::of_this_process(std::filesystem::canonical(work)).remove_own();
  for (int i = 0; i < 6000 && sleeps() > 0; ++i) ::usleep(10000);
  EXPECT_EQ(sleeps(), 0);
  std::filesystem::remove_all(std::filesystem::path(work).parent_path());
}

}  // namespace
}  // namespace weir::tasktracker
