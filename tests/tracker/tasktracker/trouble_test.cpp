// What users' programs do to a tracker, and what must come of it: a clear message, and nothing left
// behind.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tracker/tasktracker/job_run.h"
#include "tracker/tasktracker/process_table.h"
#include "tracker/tasktracker/shuffle_client.h"

namespace weir::tasktracker {
namespace {

using testing::Test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Processes that run the test's marked `sleep`.
int marked_processes(const std::string& mark) {
  int count = 0;
  for (const ProcessInfo& process : all_processes()) {
    const std::string line = read_text("/proc/" + std::to_string(process.pid) + "/cmdline");
    if (!process.zombie && contains(line, mark) && contains(line, "sleep")) ++count;
  }
  return count;
}

bool soon(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    ::usleep(10000);
  }
  return false;
}

TEST(Trouble, AFailingMapperIsToldWithItsLastWords) {
  JobRun run(
      {.input = "a\n", .mapper = "echo first words >&2; echo last words >&2; exit 3", .maps = 1});
  const std::string verdict = run.go();
  EXPECT_TRUE(contains(
      verdict, "mapper exited with status 3; last lines of stderr: first words\nlast words"))
      << verdict;
  EXPECT_FALSE(std::filesystem::exists(run.output + "/_SUCCESS"));
  EXPECT_FALSE(std::filesystem::exists(run.output));
}

TEST(Trouble, AKilledMapperIsToldWithItsSignal) {
  JobRun run({.input = "a\n", .mapper = "kill -SEGV $$", .maps = 1});
  EXPECT_TRUE(contains(run.go(), "mapper was ended by signal 11 (Segmentation fault)"));
}

TEST(Trouble, AFailingReducerAndAMissingProgram) {
  JobRun failing({.input = "a\n", .reducer = "cat > /dev/null; exit 9"});
  EXPECT_TRUE(contains(failing.go(), "reducer exited with status 9; it wrote nothing to stderr"));
  JobRun missing({.input = "a\n", .mapper = "./no-such-program"});
  EXPECT_TRUE(contains(missing.go(), "mapper exited with status 127"));
}

TEST(Trouble, AHangingMapperIsKilledByTheTaskTimeout) {
  JobRun run({.input = "a\n",
              .mapper = "sleep 4711.1 & setsid sleep 4711.1 & sleep 4711.1",
              .maps = 1,
              .task_timeout_ms = 1000,
              .max_attempts = 1});
  EXPECT_EQ(run.go(), "FAILED: no progress for 1s (task_timeout)");
  EXPECT_EQ(marked_processes("4711.1"), 0);
}

TEST(Trouble, TalkingToStderrKeepsATaskAlive) {
  JobRun run({.input = "a\n",
              .mapper = "for i in 1 2 3 4 5 6 7 8; do sleep 0.25; echo alive >&2; done; cat",
              .maps = 1,
              .task_timeout_ms = 1200});
  EXPECT_EQ(run.go(), "SUCCEEDED");
}

TEST(Trouble, MissingInputAndDamagedGzip) {
  JobRun missing({.input = "a\n", .maps = 1});
  std::filesystem::remove(missing.dir / "in.txt");
  EXPECT_TRUE(contains(missing.go(), "in.txt: No such file or directory"));
  JobRun damaged({.input = "this is not gzip\n", .maps = 1, .input_name = "in.gz"});
  EXPECT_TRUE(contains(damaged.go(), "in.gz: not valid gzip"));
}

TEST(Trouble, EmptyInputAndSilentMapper) {
  JobRun empty({.input = "", .maps = 1, .reduces = 2});
  EXPECT_EQ(empty.go(), "SUCCEEDED");
  EXPECT_EQ(empty.part(0) + empty.part(1), "");
  EXPECT_TRUE(std::filesystem::exists(empty.output + "/part-00001"));
  JobRun silent({.input = "a\nb\n", .mapper = "true"});
  EXPECT_EQ(silent.go(), "SUCCEEDED");
  EXPECT_EQ(silent.part(0) + silent.part(1), "");
}

TEST(Trouble, BinaryOutputPassesUnchanged) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 7919) >> 3);
  JobRun run({.input = bytes, .maps = 1, .reduces = 0});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.part(0), bytes);
}

TEST(Trouble, AMapperThatReadsLittleSucceeds) {
  JobRun run({.input = std::string(5 << 20, 'x') + "\n",
              .mapper = "head -c 1; echo",
              .maps = 1,
              .reduces = 1});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.part(0), "x\n");
}

TEST(Trouble, AHugeLineTravelsThroughAllOfIt) {
  JobRun run({.input = "b\nc\n",
              .mapper = "cat; head -c 100000000 /dev/zero | tr '\\0' a; echo",
              .maps = 1,
              .reduces = 1});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_TRUE(run.part(0) == std::string(100000000, 'a') + "\nb\nc\n");
}

TEST(Trouble, ALineOverTheLimitFailsWithTheSettingsName) {
  JobRun run({.input = "a\n",
              .mapper = "head -c 3000000 /dev/zero",
              .maps = 1,
              .conf = {{"weir.max.line.mb", "2"}}});
  EXPECT_TRUE(
      contains(run.go(), "a line is longer than 2 MB (conf weir.max.line.mb raises the limit)"));
}

TEST(Trouble, ManyReduces) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "k" + std::to_string(i) + "\n";
  JobRun run({.input = text, .mapper = "cat", .reducer = "cat", .maps = 2, .reduces = 100});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  std::size_t bytes = 0;
  for (int i = 0; i < 100; ++i) bytes += run.part(i).size();
  EXPECT_EQ(bytes, text.size());
}

TEST(Trouble, CountersStatusEnvironmentAndLogs) {
  JobRun run(
      {.input = "a\n",
       .mapper =
           "echo 'reporter:counter:animals,cats,2' >&2; echo 'reporter:counter:animals,cats,3' >&2;"
           "echo 'reporter:status:half way' >&2; echo plain >&2; cat;"
           "echo $mapreduce_task_attempt_id $my_key $mapred_task_is_map $mapreduce_task_id",
       .maps = 1,
       .reduces = 0,
       .conf = {{"my.key", "some value"}}});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.part(0), "a\nattempt_0007_m_000000_0 some value true task_0007_m_000000\n");
  EXPECT_EQ(run.jobtracker->counter("animals", "cats"), 5);
  EXPECT_EQ(run.jobtracker->last("attempt_0007_m_000000_0").status, "half way");
  const AttemptKey key{TaskKey{JobId(std::size_t{7}), TaskKind::kMap, 0}, 0};
  const auto log = fetch_log("127.0.0.1", run.agent->shuffle_port(), key, "stderr", 1000);
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_EQ(log->text, "plain\n");
  const auto piece = [&](const char* name, std::int64_t most_bytes, std::int64_t from) {
    const auto got =
        *fetch_log("127.0.0.1", run.agent->shuffle_port(), key, name, most_bytes, from);
    return std::to_string(got.begin) + " " + got.text;
  };
  EXPECT_EQ(piece("stderr", 3, 0), "3 in\n");
  EXPECT_EQ(piece("stderr", 100, 2), "2 ain\n");
  EXPECT_EQ(piece("stderr", 2, 3), "4 n\n");
  EXPECT_EQ(piece("stderr", 100, 6), "6 ");
  EXPECT_EQ(piece("stderr", 100, INT64_MAX), "6 ");
  EXPECT_EQ(piece("stdout", 3, 0), "0 ");
}

// Its maps find out, long before there is anything to publish.
TEST(Trouble, AnExistingOutputFailsTheFirstTaskAlready) {
  JobRun run({.input = "a\n", .maps = 1, .max_attempts = 1});
  std::filesystem::create_directory(run.output);
  EXPECT_TRUE(contains(run.go(), "out: exists and was not made by this job"));
  EXPECT_TRUE(std::filesystem::is_empty(run.output));
}

TEST(Trouble, AnExistingFileIsNeverReplaced) {
  JobRun run({.input = "a\n", .maps = 1, .reduces = 0, .max_attempts = 1});
  std::filesystem::create_directory(run.output);
  run.dir.write("out/part-00000", "precious");
  EXPECT_TRUE(contains(run.go(), "out: exists and was not made by this job"));
  EXPECT_EQ(run.part(0), "precious");
}

TEST(Trouble, AKilledAttemptLeavesNoProcess) {
  JobRun run({.input = "a\n",
              .mapper = "(setsid sh -c 'sleep 4711.2; true' &) ; sh -c 'sleep 4711.2 & sleep "
                        "4711.2' & env -i setsid sleep 4711.2",
              .maps = 1});
  std::atomic<bool> kill = false;
  run.jobtracker->meddle = [&](const Heartbeat& report, HeartbeatReply& reply) {
    for (const auto& status : report.attempts) {
      if (kill && status.state == ReportedState::kRunning) reply.kill.push_back(status.attempt);
    }
    if (kill) reply.launch.clear();
  };
  run.start();
  ASSERT_TRUE(soon([] { return marked_processes("4711.2") >= 4; }));
  kill = true;
  ASSERT_TRUE(run.jobtracker->wait_for([&] {
    return run.jobtracker->saw_state("attempt_0007_m_000000_0", ReportedState::kKilled);
  }));
  EXPECT_EQ(marked_processes("4711.2"), 0);
}

TEST(Trouble, AnEndingTrackerLeavesNoProcess) {
  JobRun run({.input = "a\n", .mapper = "setsid sleep 4711.3 & sleep 4711.3", .maps = 2});
  run.start();
  ASSERT_TRUE(soon([] { return marked_processes("4711.3") >= 4; }));
  run.end();
  EXPECT_EQ(marked_processes("4711.3"), 0);
  EXPECT_FALSE(std::filesystem::exists(run.dir / "work/attempts"));
}

// The attempt's process is killed from outside: what it had started is swept all the same.
TEST(Trouble, AnAttemptWhoseProcessDiesIsSweptAndFails) {
  JobRun run({.input = "a\n",
              .mapper = "setsid sleep 4711.4 & sleep 4711.4",
              .maps = 1,
              .max_attempts = 1});
  run.start();
  ASSERT_TRUE(soon([] { return marked_processes("4711.4") >= 2; }));
  for (const ProcessInfo& process : all_processes()) {
    if (process.parent == ::getpid()) ::kill(process.pid, SIGKILL);
  }
  EXPECT_EQ(run.jobtracker->wait(),
            "FAILED: the task's process was ended by signal Killed without a result");
  EXPECT_EQ(marked_processes("4711.4"), 0);
}

TEST(Trouble, KillZeroInAScriptHitsOnlyTheScript) {
  JobRun run({.input = "a\n", .mapper = "cat; kill 0", .maps = 1, .max_attempts = 1});
  EXPECT_TRUE(contains(run.go(), "mapper was ended by signal 15"));
}

TEST(Trouble, ABackgroundProcessDoesNotKeepATask) {
  JobRun run({.input = "a\n", .mapper = "sleep 4711.5 > log & cat", .maps = 1, .reduces = 0});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.part(0), "a\n");
  EXPECT_EQ(marked_processes("4711.5"), 0);
}

// What it might write yet would be missing.
TEST(Trouble, ABackgroundProcessThatHoldsTheOutputKeepsATaskUntilItsTimeout) {
  JobRun run({.input = "a\n",
              .mapper = "sleep 4711.5 & cat",
              .maps = 1,
              .reduces = 0,
              .task_timeout_ms = 6500,
              .max_attempts = 1});
  EXPECT_EQ(run.go(), "FAILED: no progress for 6500ms (task_timeout)");
  EXPECT_EQ(marked_processes("4711.5"), 0);
}

TEST(Trouble, LimitsReachTheMapperAndNotWeir) {
  JobRun run({.input = "a\n",
              .mapper = "ulimit -v; ulimit -c; ulimit -n",
              .maps = 1,
              .reduces = 0,
              .map_memory_mb = 100});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.part(0), "102400\n0\n4096\n");
}

// The tracker is killed hard, so it can tidy nothing: its attempts notice and end with all they
// started.
TEST(Trouble, AKilledTrackerLeavesNoProcess) {
  const pid_t tracker = ::fork();
  if (tracker == 0) {
    JobRun run({.input = "a\n",
                .mapper = "setsid sleep 4711.6 & sleep 4711.6 | cat",
                .maps = 2,
                .task = {.cgroups = false}});
    run.start();
    for (;;) ::pause();
  }
  // At first sight: the second map may be about to start its command.
  EXPECT_TRUE(soon([] { return marked_processes("4711.6") >= 1; }));
  ::kill(tracker, SIGKILL);
  int status = 0;
  ::waitpid(tracker, &status, 0);
  EXPECT_TRUE(soon([] { return marked_processes("4711.6") == 0; }));
}

TEST(Trouble, AWorkDirectoryHasOneTracker) {
  JobRun run({.input = "a\n"});
  run.start();
  TaskTrackerOptions options;
  options.name = "tt2";
  options.work_dir = run.dir / "work";
  Agent second(options, run.jobtracker->link());
  const Status prepared = second.prepare();
  ASSERT_FALSE(prepared.ok());
  EXPECT_TRUE(contains(prepared.error().message, "in use by another tracker"));
}

// In /tmp anybody can make a directory of any name before the tracker does.
TEST(Trouble, AWorkDirectoryIsTheTrackersAlone) {
  const TempDir dir;
  const std::string work = dir / "work";
  FakeJobTracker jobtracker{JobSpec()};
  const auto refusal = [&](const std::string& path) -> std::string {
    TaskTrackerOptions options;
    options.name = "tt1";
    options.work_dir = path;
    const Status prepared = Agent(options, jobtracker.link()).prepare();
    return prepared.ok() ? "" : prepared.error().message;
  };
  const mode_t before = ::umask(0);
  EXPECT_EQ(refusal(work + "/"), "");  // it makes it
  ::umask(before);
  for (const mode_t mode : {0775u, 0757u, 01777u}) {
    ASSERT_EQ(::chmod(work.c_str(), mode), 0);
    EXPECT_TRUE(contains(refusal(work), "others may write to it")) << mode;
    EXPECT_TRUE(contains(refusal(work), "chmod go-w " + work)) << mode;
  }
  ASSERT_EQ(::chmod(work.c_str(), 0755), 0);
  std::filesystem::remove(work + "/lock");
  std::filesystem::create_symlink(dir / "elsewhere", work + "/lock");
  EXPECT_NE(refusal(work), "");
  EXPECT_FALSE(std::filesystem::exists(dir / "elsewhere"));
  std::filesystem::remove(work + "/lock");
  ASSERT_EQ(refusal(work), "");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to somebody else";
  std::filesystem::create_directory_symlink(work, dir / "link");
  EXPECT_EQ(refusal(dir / "link"), "");
  ASSERT_EQ(::lchown((dir / "link").c_str(), 4711, 4711), 0);
  EXPECT_TRUE(contains(refusal(dir / "link"), "belongs to user 4711"));
  ASSERT_EQ(::chown(work.c_str(), 4711, 4711), 0);
  EXPECT_TRUE(contains(refusal(work), "work: belongs to user 4711; a work directory is to belong"));
}

// Who was killed may hold its lock for a moment longer than its successor needs to start.
TEST(Trouble, ATrackerWaitsForOneThatIsJustEnding) {
  const TempDir dir;
  auto lock = open_file(dir / "lock", O_RDWR | O_CREAT);
  ASSERT_TRUE(lock.ok());
  ASSERT_EQ(::flock(lock->get(), LOCK_EX), 0);
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    lock->reset();
  });
  TaskTrackerOptions options;
  options.name = "tt1";
  options.work_dir = dir.path();
  FakeJobTracker jobtracker{JobSpec()};
  Agent agent(options, jobtracker.link());
  const Status prepared = agent.prepare();
  ending.join();
  EXPECT_TRUE(prepared.ok()) << prepared.error().message;
}

}  // namespace
}  // namespace weir::tasktracker
