#include "cli/submit_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include "cli/exit_code.h"
#include "cli/fake_jobtracker.h"
#include "cli/json.h"
#include "cli/temporary_directory.h"

namespace weir::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Submit : public testing::Test {
 protected:
  // A good submission, with `more` at its end.
  Ran submit(std::vector<std::string> more = {}, Terminal terminal = {}) {
    std::vector<std::string> arguments = {
        "submit",   "--queue", "research",  "--input", input,          "--output",    dir / "out",
        "--mapper", "cat",     "--reducer", "uniq -c", "--jobtracker", fake.address()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, terminal);
  }
  void expect_refused(std::vector<std::string> more, const std::string& message) {
    const auto ran = submit(std::move(more));
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(message));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(fake.asked, IsEmpty());
  }

  TemporaryDirectory dir;
  FakeJobTracker fake;
  std::string input = dir.write("in", std::string(250, 'x'));
};

TEST_F(Submit, SendsTheWholeJob) {
  const auto ran = submit({"--name",
                           "count",
                           "--reduces",
                           "3",
                           "--combiner",
                           "uniq",
                           "--priority",
                           "high",
                           "--conf",
                           "pool=a",
                           "--conf",
                           "k=v=w",
                           "--env",
                           "LANG=C",
                           "--split-size",
                           "100",
                           "--max-attempts",
                           "2",
                           "--task-timeout",
                           "5s",
                           "--map-memory",
                           "512",
                           "--map-vcores",
                           "2",
                           "--reduce-vcores",
                           "3",
                           "--sort-memory",
                           "16",
                           "--slowstart",
                           "50%",
                           "--map-slots-per-task",
                           "2",
                           "--hold",
                           "--time-limit",
                           "2h",
                           "--user",
                           "bob"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "job_0007 submitted to queue research\n");
  const auto& spec = fake.submitted.spec;
  EXPECT_EQ(fake.submitted.caller.user, "bob");
  EXPECT_EQ(spec.name, "count");
  EXPECT_THAT(spec.input_files, ElementsAre(input));
  EXPECT_EQ(spec.splits.size(), 3u);
  EXPECT_EQ(spec.output, dir / "out");
  EXPECT_EQ(spec.mapper, "cat");
  EXPECT_EQ(spec.reducer, "uniq -c");
  EXPECT_EQ(spec.combiner, "uniq");
  EXPECT_EQ(spec.reduces, 3);
  EXPECT_EQ(spec.priority, "HIGH");
  EXPECT_EQ(spec.conf.at("k"), "v=w");
  EXPECT_EQ(spec.environment.at("LANG"), "C");
  EXPECT_EQ(spec.max_attempts, 2);
  EXPECT_EQ(spec.task_timeout_ms, 5000);
  EXPECT_EQ(spec.map_memory_mb, 512);
  EXPECT_EQ(spec.map_vcores, 2);
  EXPECT_EQ(spec.reduce_vcores, 3);
  EXPECT_EQ(spec.sort_memory_mb, 16);
  EXPECT_EQ(spec.slowstart_millionths, 500'000);
  EXPECT_EQ(spec.slots_per_map, 2);
  EXPECT_TRUE(spec.hold);
  EXPECT_EQ(spec.time_limit_ms, 7'200'000);
}

TEST_F(Submit, WhatIsNotSaidIsLeftToTheDefaults) {
  EXPECT_EQ(submit().code, 0);
  const auto& spec = fake.submitted.spec;
  EXPECT_EQ(spec.name, "out");
  EXPECT_FALSE(spec.__isset.priority);
  EXPECT_EQ(spec.reduces, 1);
  EXPECT_EQ(spec.task_timeout_ms, 600'000);
  EXPECT_FALSE(spec.__isset.hold);
  EXPECT_EQ(spec.time_limit_ms, 0);
  EXPECT_FALSE(fake.submitted.caller.user.empty());
  EXPECT_FALSE(fake.submitted.caller.groups.empty());
}

TEST_F(Submit, WrongOptionsAreRefusedBeforeAnybodyIsAsked) {
  expect_refused({"--reduces", "100001"}, "weir: --reduces 100001: write 0 to 100000\n");
  expect_refused({"--reduces", "-1"}, "--reduces -1: write 0");
  expect_refused({"--priority", "urgent"}, "must be VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW");
  expect_refused({"--split-size", "0"}, "--split-size '0'");
  expect_refused({"--split-size", "big"}, "64M, 1G");
  expect_refused({"--task-timeout", "soon"}, "from 0ms to 8760h, or never");
  for (const char* limit : {"soon", "0s", "-1h", "87841h"}) {
    expect_refused({"--time-limit", limit},
                   "like 90s, 30m, 2h, from 1ms to 87840h, or never\n");
  }
  expect_refused({"--map-memory", "999999G"}, "--map-memory '999999G': write 0M to 16777216M\n");
  expect_refused({"--map-slots-per-task", "0"}, "--map-slots-per-task 0: write 1 to 10000\n");
  for (const char* name : {"A B", "1X", "a-b"})
    expect_refused({"--env", std::string(name) + "=3"}, "no name of an environment variable");
  expect_refused({"--slowstart", "2"}, "0% to 100%");
  expect_refused({"--retry", "soon"}, "--retry 'soon'");
  expect_refused({"--conf", "novalue"}, "write KEY=VALUE");
  for (const char* exits : {"x", "0,256", "1,"}) expect_refused({"--ok-exit", exits}, "like 0,1");
  expect_refused({"--ok-exit", "1", "--conf", "weir.ok.exit=2"}, "leave one of the two");
  expect_refused({"--env", "A=1", "--env", "A=2"}, "given twice");
  expect_refused({"--input", dir / "missing"}, dir / "missing: does not exist");
  expect_refused({"--input", ""}, "--input is empty; name a file, directory or pattern");
  expect_refused({"--colour"}, "see `weir submit --help`");
}

TEST_F(Submit, StatusesThatAreNoFailureGoWithTheJob) {
  EXPECT_EQ(submit({"--ok-exit", "0,1", "--conf", "a=b"}).code, 0);
  EXPECT_EQ(fake.submitted.spec.conf,
            (std::map<std::string, std::string>{{"a", "b"}, {"weir.ok.exit", "0,1"}}));
}

TEST_F(Submit, WhatHasNoEffectIsNamed) {
  fake.warnings = {"setting io.sort.mb has no effect here", "setting \x1b[0m has none"};
  const auto ran = submit({"--conf", "io.sort.mb=100"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err,
            "weir: warning: setting io.sort.mb has no effect here\n"
            "weir: warning: setting ?[0m has none\n");
  fake.warnings.pop_back();
  const auto json = submit({"--conf", "io.sort.mb=100", "-o", "json"});
  EXPECT_THAT(Json::parse(json.out)["warnings"], ElementsAre(fake.warnings[0]));
}

TEST_F(Submit, WhatIsOfReducesHasNoEffectInAJobOfMapsAlone) {
  const std::string none = " has no effect: the job has no reduces\n";
  const auto ran = submit({"--reduces", "0", "--combiner", "uniq", "--slowstart", "50%"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "weir: warning: --reducer" + none + "weir: warning: --combiner" + none +
                         "weir: warning: --slowstart" + none);
  EXPECT_THAT(submit({"--combiner", "uniq", "--slowstart", "50%"}).err, IsEmpty());
}

TEST_F(Submit, NoTimeLimitMayBeSaid) {
  EXPECT_EQ(submit({"--time-limit", "never"}).code, 0);
  EXPECT_EQ(fake.submitted.spec.time_limit_ms, 0);
}

TEST_F(Submit, AMissingReducerIsToldHowToMendIt) {
  const auto ran = run({"submit", "--queue", "q", "--input", input, "--output", dir / "out",
                        "--mapper", "cat", "--jobtracker", fake.address()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--reduces 0"));
}

TEST_F(Submit, AnOutputBelowAFileIsRefused) {
  dir.write("file", "");
  const auto ran = run({"submit", "--queue", "q", "--input", input, "--output", dir / "file/a/b",
                        "--mapper", "cat", "--reduces", "0", "--jobtracker", fake.address()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--output " + dir / "file/a/b: " + dir / "file is no directory"));
  EXPECT_TRUE(fake.submissions.empty());
}

TEST_F(Submit, AnOutputThatCannotBeReachedIsNotSaidToExist) {
  const std::string far = dir / std::string(300, 'x');  // as one in a closed directory
  const auto ran = run({"submit", "--queue", "q", "--input", input, "--output", far, "--name", "n",
                        "--mapper", "cat", "--reduces", "0", "--jobtracker", fake.address()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("cannot be reached: File name too long"));
  EXPECT_THAT(ran.err, Not(HasSubstr("exists")));
  EXPECT_TRUE(fake.submissions.empty());
}

TEST_F(Submit, AnExistingOutputIsRefusedAndAJobThatWritesItNamed) {
  std::filesystem::create_directories(dir / "out");
  auto ran = submit();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--output " + dir / "out exists already"));
  auto job = job_status(3, "RUNNING");
  job.output = dir / "out";
  fake.jobs = {job};
  ran = submit();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("is being written by job_0003"));
}

TEST_F(Submit, ManySplitsAreUploadedInChunks) {
  dir.write("in", std::string(25'000, 'x'));
  EXPECT_EQ(submit({"--split-size", "1"}).code, 0);
  EXPECT_THAT(fake.asked, ElementsAre("begin_upload", "append_splits", "append_splits",
                                      "append_splits", "submit"));
  EXPECT_THAT(fake.chunks, ElementsAre(10'000, 10'000, 5'000));
  EXPECT_EQ(fake.submitted.upload, "u1");
  EXPECT_THAT(fake.submitted.spec.splits, IsEmpty());
}

TEST_F(Submit, SizesMayHaveUnits) {
  EXPECT_EQ(submit({"--split-size", "1k", "--map-memory", "1G", "--reduce-memory", "1500k",
                    "--sort-memory", "16M"})
                .code,
            0);
  const auto& spec = fake.submitted.spec;
  EXPECT_EQ(spec.splits.size(), 1u);
  EXPECT_EQ(spec.map_memory_mb, 1024);
  EXPECT_EQ(spec.reduce_memory_mb, 2);  // rounded up
  EXPECT_EQ(spec.sort_memory_mb, 16);
  fake.asked.clear();
  expect_refused({"--map-memory", "much"}, "--map-memory 'much': write MB like 512, or a size");
  expect_refused({"--sort-memory", "1T"}, "--sort-memory '1T': write 1M to 65536M");
  expect_refused({"--combine-files", "0"}, "--combine-files '0': write bytes like");
}

TEST_F(Submit, SmallFilesAreCombined) {
  for (const char* name : {"a", "b", "c"}) dir.write(std::string("small/") + name, "12345\n");
  const std::string pattern = dir / "small/*";
  const auto maps = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--input", pattern});
    const auto ran = submit(std::move(more));
    EXPECT_EQ(ran.code, 0) << ran.err;
    return fake.submitted.spec.splits;
  };
  EXPECT_EQ(maps({}).size(), 4u);
  auto splits = maps({"--combine-files"});
  ASSERT_EQ(splits.size(), 1u);
  EXPECT_EQ(splits[0].more.size(), 3u);
  EXPECT_EQ(splits[0].more[2].file, 3);
  EXPECT_EQ(splits[0].more[2].length, 6);
  EXPECT_EQ(maps({"--combine-files", "12"}).size(), 3u);                   // 250, 12, 6
  EXPECT_EQ(maps({"--combine-files", "--split-size", "125"}).size(), 3u);  // 125, 125, 18
}

TEST_F(Submit, CombinedMapsAreUploadedByTheirPieces) {
  dir.write("in", std::string(25'000, 'x'));
  EXPECT_EQ(submit({"--split-size", "1", "--combine-files", "1000"}).code, 0);
  EXPECT_THAT(fake.chunks, ElementsAre(10, 10, 5));
}

TEST_F(Submit, FilesTravelWithTheJob) {
  const auto script = dir.write("map.py", "#!/bin/sh\ncat");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto data = dir.write("stop.txt", std::string("a\0", 2));
  EXPECT_EQ(submit({"--files", script + "," + data}).code, 0);
  const auto& files = fake.submitted.spec.files;
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "map.py");
  EXPECT_TRUE(files[0].executable);
  EXPECT_EQ(files[1].content, std::string("a\0", 2));
  EXPECT_FALSE(files[1].__isset.executable);
  fake.asked.clear();
  const auto large = dir.write("large", std::string((1 << 20) + 1, 'x'));
  expect_refused({"--files", dir / "none"}, "--files " + dir / "none: does not exist");
  expect_refused({"--files", large}, "files[0]: 'large' has 1048577 bytes; at most 1048576 a file");
  expect_refused({"--files", dir / ""}, "is no file; name each file");
  expect_refused({"--files", "/dev/null"}, "is no file; name each file");
  expect_refused({"--files", script + ",,"}, "a name is empty");
  dir.write("more/map.py", "");
  expect_refused({"--files", script, "--files", dir / "more/map.py"}, "is called map.py like ");
  expect_refused({"--files", script, "--working-directory", "/srv"}, "leave one of the two");
  std::string list;
  for (int i = 0; i < 5; ++i)
    list += "," + dir.write("f" + std::to_string(i), std::string(1 << 20, 'x'));
  expect_refused({"--files", list.substr(1)}, "files: have 5242880 bytes; at most 4194304 in all");
}

TEST_F(Submit, RefusalsOfTheJobTracker) {
  fake.refuse =
      refusal(wire::ErrorCode::UNKNOWN_QUEUE, "no queue 'research'", "queues: production");
  const auto ran = submit();
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "weir: no queue 'research'; queues: production\n");
  fake.refuse = refusal(wire::ErrorCode::STORE_FAILED, "disk full");
  EXPECT_EQ(submit().code, 1);
}

TEST_F(Submit, AnAnswerThatWasLostIsAskedForAgainUnderTheSameId) {
  fake.lost_answers = 2;
  auto ran = submit();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "job_0007 submitted to queue research\n");
  EXPECT_THAT(ran.err, HasSubstr("no answer from the JobTracker at " + fake.address() +
                                 "; trying again for 2m00s\n"));
  ASSERT_EQ(fake.submissions.size(), 3u);
  EXPECT_EQ(fake.submissions[0].size(), 32u);
  EXPECT_EQ(fake.submissions[1], fake.submissions[0]);
  EXPECT_EQ(fake.submissions[2], fake.submissions[0]);
  fake.busy_answers = 1;
  EXPECT_EQ(submit().code, 0);
  EXPECT_NE(fake.submissions.back(), fake.submissions[0]);  // each submission has its own
}

TEST_F(Submit, RetryBoundsHowLongItIsTried) {
  fake.lost_answers = 1;
  auto ran = submit({"--retry", "0s"});
  EXPECT_EQ(ran.code, kExitUnreachable);
  EXPECT_THAT(ran.err, HasSubstr("may have been done"));
  EXPECT_EQ(fake.submissions.size(), 1u);
  // Whoever names the wrong place hears of it at once; who has time, later.
  std::vector<std::string> nowhere = {
      "submit",   "--queue", "research",  "--input", input,          "--output",   dir / "out",
      "--mapper", "cat",     "--reduces", "0",       "--jobtracker", "127.0.0.1:1"};
  ran = run(nowhere);
  EXPECT_EQ(ran.code, kExitUnreachable);
  EXPECT_THAT(ran.err, HasSubstr("weir: cannot reach the JobTracker at 127.0.0.1:1"));
  nowhere.insert(nowhere.end(), {"--retry", "300ms"});
  ran = run(nowhere);
  EXPECT_EQ(ran.code, kExitUnreachable);
  EXPECT_THAT(ran.err, HasSubstr("trying again for 300ms"));
}

TEST_F(Submit, Json) {
  const auto json = Json::parse(submit({"-o", "json"}).out);
  EXPECT_EQ(json["job"], "job_0007");
  EXPECT_EQ(json["number"], 7);
}

TEST_F(Submit, WaitPrintsLinesAndTheResult) {
  auto done = job_status(7, "SUCCEEDED", 10, 10);
  done.__set_counters({{"mine", {{"words", 5}}}});
  fake.statuses = {job_status(7, "WAITING"), done};
  const auto ran = submit({"--wait"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("job_0007 WAITING: maps 0% (0/10)"));
  EXPECT_THAT(ran.out, HasSubstr("job_0007 SUCCEEDED in 1m01s: 10 maps, 2 reduces\n"));
  EXPECT_THAT(ran.out, HasSubstr("  mine: words = 5\n"));
  EXPECT_THAT(ran.out, HasSubstr("output: /data/out\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\r")));
  EXPECT_THAT(fake.asked, ElementsAre("submit", "job_status 7 41", "job_status 7 0"));
}

TEST_F(Submit, WaitDrawsABarOnATerminal) {
  fake.statuses = {job_status(7, "SUCCEEDED", 10, 10)};
  Terminal terminal;
  terminal.out = true;
  const auto ran = submit({"--wait"}, terminal);
  EXPECT_THAT(ran.out, HasSubstr("\r\x1b[Kjob_0007 SUCCEEDED  maps ["));
}

TEST_F(Submit, WaitFailsWithTheJob) {
  auto failed = job_status(7, "FAILED", 10, 2);
  failed.__set_diagnostics("task_0007_m_000003 failed 4 times:\nexit status 3");
  fake.statuses = {failed};
  const auto ran = submit({"--wait"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(
      ran.err,
      HasSubstr("job_0007 FAILED after 1m01s: task_0007_m_000003 failed 4 times: exit status 3"));
  EXPECT_THAT(ran.err, HasSubstr("weir job logs job_0007"));
}

TEST_F(Submit, AFailedApplicationSendsToItsStderr) {
  auto failed = job_status(7, "FAILED");
  wire::GroupStatus group;
  group.name = "main";
  group.tasks = task_counts(2);
  group.progress_millionths = 0;
  failed.__set_groups({group});
  fake.statuses = {failed};
  const auto ran = submit({"--wait"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("look at `weir job logs job_0007 --stderr`\n"));
}

TEST_F(Submit, InterruptingTheWaitLeavesTheJob) {
  fake.statuses = {job_status(7, "RUNNING")};
  fake.on_status = [waiter = pthread_self()] { pthread_kill(waiter, SIGINT); };
  const auto ran = submit({"--wait"});
  EXPECT_EQ(ran.code, kExitInterrupted);
  EXPECT_THAT(ran.err, HasSubstr("weir job kill job_0007"));
  EXPECT_THAT(fake.asked, Not(testing::Contains(HasSubstr("kill_job"))));
}

TEST(SubmitOptions, RelativeProgramsAreNamedAbsolutely) {
  TemporaryDirectory dir;
  dir.write("map.sh", "cat");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  EXPECT_EQ(with_absolute_program("./map.sh -x"), dir / "map.sh -x");
  EXPECT_EQ(with_absolute_program("./map.sh -x", {"map.sh"}), "./map.sh -x");  // it is shipped
  EXPECT_EQ(with_absolute_program("./other.sh"), "./other.sh");
  EXPECT_EQ(with_absolute_program("cat"), "cat");
  EXPECT_EQ(with_absolute_program("/bin/cat -n"), "/bin/cat -n");
  EXPECT_EQ(with_absolute_program("'./map.sh' x"), "'./map.sh' x");
  EXPECT_EQ(with_absolute_program("./map.sh|wc"), "./map.sh|wc");
  std::filesystem::current_path(before);
}

TEST(SubmitOptions, Slowstart) {
  EXPECT_EQ(parse_slowstart("5%"), 50'000);
  EXPECT_EQ(parse_slowstart("0.05"), 50'000);
  EXPECT_EQ(parse_slowstart("0"), 0);
  EXPECT_EQ(parse_slowstart("100%"), 1'000'000);
  for (const char* wrong : {"101%", "1.1", "-1", "", "x"})
    EXPECT_FALSE(parse_slowstart(wrong)) << wrong;
}

TEST_F(Submit, ATaskWiderThanAMaximumOnItsWayIsWarnedOf) {
  fake.queue_list = {queue_status("research"), queue_status("prod"), queue_status("research.a")};
  fake.queue_list[0].maps.__set_maximum(2);
  fake.queue_list[0].reduces.__set_maximum(3);
  fake.queue_list[1].maps.__set_maximum(1);
  EXPECT_EQ(submit({"--map-slots-per-task", "2", "--reduce-slots-per-task", "3"}).err, "");
  const auto ran = submit({"--map-slots-per-task", "3"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err,
            "weir: warning: a map takes 3 slots, and queue research may never run more than 2: it "
            "cannot start unless that maximum is raised, or the job moved\n");
  EXPECT_THAT(submit({"--reduce-slots-per-task", "4"}).err, HasSubstr("a reduce takes 4 slots"));
}

}  // namespace
}  // namespace weir::cli
