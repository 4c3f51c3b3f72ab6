// The small parts: ids, reports, stderr, output files, leftovers.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>

#include "tracker/tasktracker/attempt_id.h"
#include "tracker/tasktracker/counters.h"
#include "tracker/tasktracker/leftovers.h"
#include "tracker/tasktracker/session_log.h"
#include "tracker/tasktracker/stderr_sink.h"
#include "tracker/tasktracker/task_environment.h"
#include "tracker/tasktracker/task_output.h"
#include "tracker/tasktracker/task_report.h"
#include "tracker/tasktracker/temp_dir.h"
#include "tracker/tasktracker/text.h"

namespace weir::tasktracker {
namespace {

AttemptKey reduce_key(std::uint32_t attempt) {
  return {TaskKey{JobId(std::size_t{7}), TaskKind::kReduce, 3}, attempt};
}

TEST(AttemptId, NamesAreReadBackOnlyInTheirOneSpelling) {
  const std::string name = "attempt_0007_m_000012_3";
  const auto key = parse_attempt_name(name);
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(attempt_name(*key), name);
  const std::string of_group = "attempt_0007_g63_000012_3";
  const auto other = parse_attempt_name(of_group);
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(attempt_name(*other), of_group);
  for (const char* bad :
       {"", "attempt_", "attempt_7_m_12_3", "attempt_0007_x_000012_3", "attempt_0007_m_000012_",
        "attempt_0007_m_000012", "attempt_0007_m_000012_3_", "attempt_0007_m_000012_3/..",
        "attempt_-1_m_000012_3", "attempt_0007_g64_000012_3", "attempt_0007_g_000012_3",
        "attempt_0007_g01_000012_3", "attempt_0007_g2", "attempt_99999999999_m_000012_3"}) {
    EXPECT_FALSE(parse_attempt_name(bad).has_value()) << bad;
  }
}

TEST(TaskReport, ReadsWholeFramesAndRefusesNonsense) {
  TaskReport report;
  report.status.attempt = reduce_key(1);
  report.status.phase = TaskPhase::kSort;
  report.status.status = "busy";
  report.waiting = report.goes_on = true;
  const std::string frame = encode_report(report);
  ReportDecoder decoder;
  for (const char c : frame) {
    auto none = decoder.next();
    ASSERT_TRUE(none.ok() && !*none);
    decoder.feed({&c, 1});
  }
  auto whole = decoder.next();
  ASSERT_TRUE(whole.ok() && *whole);
  EXPECT_EQ((*whole)->status.status, "busy");
  EXPECT_TRUE((*whole)->waiting);
  EXPECT_TRUE((*whole)->goes_on);
  EXPECT_FALSE((*whole)->active);
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = frame;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    ReportDecoder fuzzed;
    fuzzed.feed(damaged);
    (void)fuzzed.next().ok();  // an answer or an error, never a crash
  }
  ReportDecoder text;
  text.feed("hello, this is no frame at all");
  EXPECT_FALSE(text.next().ok());
}

TEST(StderrSink, TakesReportsOutAndBoundsTheRest) {
  const TempDir dir;
  std::string seen;
  StderrSink sink(dir / "log", 1000,
                  {[&](std::string_view group, std::string_view name, std::int64_t n) {
                     seen += std::string(group) + "/" + std::string(name) + "=" +
                             std::to_string(n) + ";";
                   },
                   [&](std::string_view text) { seen += "status " + std::string(text) + ";"; }});
  for (const char* piece :
       {"reporter:coun", "ter:g,a,b,-5\nplain\nreporter:status: at work\r\nreporter:counter:g,x\n",
        "reporter:counter:g,a,many\n", "reporter:counter:,,1\nreporter:counter:,a,1\n",
        "reporter:counter:g,,1\nreporter:counter:weir,a,1\n", "unfinished"}) {
    sink.consume(piece);
  }
  sink.finish();
  EXPECT_EQ(seen, "g/a,b=-5;status  at work;");
  const std::string logged =
      "plain\nreporter:counter:g,x\nreporter:counter:g,a,many\nreporter:counter:,,1\n"
      "reporter:counter:,a,1\nreporter:counter:g,,1\nreporter:counter:weir,a,1\nunfinished\n";
  EXPECT_EQ(read_text(dir / "log"), logged);
  EXPECT_EQ(sink.last_lines() + "\n", logged);
  for (int i = 0; i < 10000; ++i) sink.consume(std::string(50, 'x') + "\n");
  const std::string bounded = read_text(dir / "log");
  EXPECT_LE(bounded.size(), 1000u);
  EXPECT_TRUE(bounded.starts_with(logged));
  EXPECT_NE(bounded.find("bytes are left out here"), std::string::npos);
}

TEST(Counters, StopAtTheLargestNumber) {
  TaskCounters counters;
  for (int i = 0; i < 3; ++i) counters.add("g", "up", INT64_MAX);
  for (int i = 0; i < 3; ++i) counters.add("g", "down", INT64_MIN);
  EXPECT_EQ(counters.all().at("g").at("up"), INT64_MAX);
  EXPECT_EQ(counters.all().at("g").at("down"), INT64_MIN);
}

TEST(Counters, AreBounded) {
  TaskCounters counters;
  for (int i = 0; i < 500; ++i)
    counters.add("g", "n" + std::to_string(i) + std::string(1000, 'x'), 1);
  EXPECT_EQ(counters.all().at("g").size(), kMaxCounters);
  EXPECT_EQ(counters.all().at("g").begin()->first.size(), kMaxCounterName);
  EXPECT_EQ(counters.all().at("weir").at("COUNTERS_OVER_LIMIT"), 300);
  counters.add("weir", "COMBINE_INPUT_RECORDS", 7);
  EXPECT_EQ(counters.all().at("weir").at("COMBINE_INPUT_RECORDS"), 7) << "Weir's own have room";
}

TEST(Text, IsAlwaysValidUtf8) {
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f \xe2\x82\xac", 100), "gr\xc3\xbc\xc3\x9f \xe2\x82\xac");
  EXPECT_EQ(printable("\xff\xc3(\x1b[0m\n", 100), std::string("?") + "?(?[0m?");
  EXPECT_EQ(printable("\xe2\x82\xac", 2), "");
}

// Programs rely on them, and a tracker on the last one.
TEST(Environment, NamesThatSayWhatTheTaskIsAreWeirs) {
  const std::string before = ::getenv("WEIR_WORK_DIR") ? ::getenv("WEIR_WORK_DIR") : "";
  ::setenv("WEIR_WORK_DIR", "/var/weir", 1);
  const auto has = [](const TaskSpec& spec, const std::string& entry) {
    const auto all = task_environment(spec);
    return std::find(all.begin(), all.end(), entry) != all.end();
  };
  TaskSpec spec;
  spec.id = reduce_key(0);
  spec.environment = {{"mapreduce_job_id", "FAKE"}, {"WEIR_WORK_DIR", "/nope"}, {"TMPDIR", "/t"},
                      {"WEIR_JOB", "zz"}, {"WEIR_RES_GPU", "7"}, {"mine", "1"}};
  spec.conf = {{"WEIR_WORK_DIR", "/nor/this"}, {"mine", "0"}};
  EXPECT_TRUE(has(spec, "mapreduce_job_id=job_0007"));
  EXPECT_TRUE(has(spec, "WEIR_WORK_DIR=/var/weir"));
  EXPECT_TRUE(has(spec, "mine=1"));
  EXPECT_TRUE(has(spec, "TMPDIR=/t"));
  spec.id.task.kind = group_kind(0);
  spec.application.units = {{"gpu", {0, 3}}};
  EXPECT_TRUE(has(spec, "WEIR_JOB=job_0007"));
  EXPECT_TRUE(has(spec, "WEIR_RES_GPU=0,3"));
  before.empty() ? ::unsetenv("WEIR_WORK_DIR") : ::setenv("WEIR_WORK_DIR", before.c_str(), 1);
}

constexpr const char* kOwner = "job_0007 1732163138000";

TaskSpec output_spec(const TempDir& dir, std::uint32_t attempt) {
  TaskSpec spec;
  spec.owner = kOwner;
  spec.id = reduce_key(attempt);
  spec.output = dir / "out";
  return spec;
}

TEST(TaskOutput, PublishesOnceAndNeverReplaces) {
  const TempDir dir;
  auto first = TaskOutput::create(output_spec(dir, 0));
  auto second = TaskOutput::create(output_spec(dir, 1));
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(write_all(first->fd(), "first", "").ok());
  ASSERT_TRUE(write_all(second->fd(), "second", "").ok());
  EXPECT_EQ(*first->commit(), "");
  EXPECT_EQ(*first->commit(), "");  // told twice
  // The tracker of the first died before it could report: the second finds its task's output in
  // place.
  EXPECT_EQ(*second->commit(), "output had been published by attempt_0007_r_000003_0");
  EXPECT_EQ(read_text(dir / "out/part-00003"), "first");
}

TEST(TaskOutput, OneThatCannotBeMadeIsNamedAsTheJobNamesIt) {
  TaskSpec spec = output_spec(TempDir(), 0);
  spec.output = "/proc/out";
  const auto refused = TaskOutput::create(spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().message.starts_with("output /proc/out cannot be made: "));
  EXPECT_EQ(refused.error().message.find(".weir-"), std::string::npos);
  spec.output = "/proc/above/out";
  EXPECT_TRUE(TaskOutput::create(spec).error().message.starts_with(
      "output /proc/above/out cannot be made: /proc/above: "));
}

TEST(TaskOutput, SomeoneElsesFileStays) {
  const TempDir dir;
  auto mine = TaskOutput::create(output_spec(dir, 0));
  ASSERT_TRUE(mine.ok());
  dir.write("out/part-00003", "theirs");
  EXPECT_NE(mine->commit().error().message.find("exists and was not written by this task"),
            std::string::npos);
  EXPECT_EQ(read_text(dir / "out/part-00003"), "theirs");
}

pid_t spawn_sleep(const std::string& mark) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();
    if (mark.empty()) {
      ::execl("/bin/sleep", "sleep", "4711.9", nullptr);
    } else {
      const char* environment[] = {mark.c_str(), nullptr};
      ::execle("/bin/sleep", "sleep", "4711.9", nullptr, environment);
    }
    ::_exit(127);
  }
  // Until exec has happened its environment is still the test's.
  while (read_text("/proc/" + std::to_string(pid) + "/comm") != "sleep\n") ::usleep(1000);
  return pid;
}

TEST(Leftovers, KillsWhatIsOursAndNothingElse) {
  const TempDir dir;
  const WorkDirs dirs{dir.path()};
  std::filesystem::create_directories(dirs.attempts());
  const pid_t marked = spawn_sleep(std::string(kWorkDirVariable) + "=" + dir.path());
  const pid_t recorded = spawn_sleep("");
  const pid_t other_tracker = spawn_sleep(std::string(kWorkDirVariable) + "=" + dir.path() + "2");
  const pid_t stranger = spawn_sleep("");
  SessionLog sessions;
  ASSERT_TRUE(sessions.open(dirs.sessions()).ok());
  sessions.add(recorded);
  // A number that now belongs to someone who started at another time.
  std::string boot = read_text("/proc/sys/kernel/random/boot_id");
  std::ofstream(dirs.sessions(), std::ios::app) << stranger << " 1 " << boot;
  EXPECT_EQ(kill_leftovers(dirs), 2);
  int status = 0;
  EXPECT_EQ(::waitpid(marked, &status, 0), marked);
  EXPECT_EQ(::waitpid(recorded, &status, 0), recorded);
  for (const pid_t alive : {other_tracker, stranger}) {
    EXPECT_EQ(::waitpid(alive, &status, WNOHANG), 0);
    ::kill(alive, SIGKILL);
    ::waitpid(alive, &status, 0);
  }
  const auto nobody = [](const Error& problem) { ADD_FAILURE() << problem.message; };
  for (int start = 0; start < 2; ++start) EXPECT_TRUE(fresh_directories(dirs, nobody).ok());
  EXPECT_TRUE(std::filesystem::is_empty(dirs.attempts()));
  EXPECT_TRUE(std::filesystem::exists(dirs.aside() + "/0/sessions"));
  EXPECT_TRUE(remove_put_aside(dirs, nobody));
  EXPECT_FALSE(std::filesystem::exists(dirs.aside()));
}

// Where attempts were, something is mounted: it can be moved, and not removed for now.
TEST(Leftovers, WhatCannotBeRemovedStopsNoStartAndIsTriedAgain) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
  std::thread([] {
    const TempDir dir;
    const WorkDirs dirs{dir.path()};
    const std::string busy = dirs.attempts() + "/attempt/busy";
    std::filesystem::create_directories(busy);
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", busy.c_str(), "tmpfs", 0, nullptr) != 0)
      GTEST_SKIP() << "nothing can be mounted here";
    std::vector<std::string> said;
    const auto note = [&](const Error& problem) { said.push_back(problem.message); };
    EXPECT_TRUE(fresh_directories(dirs, note).ok());
    EXPECT_TRUE(std::filesystem::is_empty(dirs.attempts()));
    EXPECT_FALSE(remove_put_aside(dirs, note));
    EXPECT_EQ(said, std::vector{dirs.aside() + "/.../busy: Device or resource busy"});
    ::umount((dirs.aside() + "/0/attempt/busy").c_str());
    EXPECT_TRUE(remove_put_aside(dirs, note));
    EXPECT_FALSE(std::filesystem::exists(dirs.aside()));
  }).join();
}

}  // namespace
}  // namespace weir::tasktracker
