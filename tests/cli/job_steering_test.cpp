#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/exit_code.h"
#include "cli/fake_jobtracker.h"
#include "cli/json.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class JobSteering : public testing::Test {
 protected:
  Ran weir(std::vector<std::string> arguments, Terminal terminal = {},
           const std::string& typed = "") {
    fake.asked.clear();
    arguments.insert(arguments.begin(), "job");
    arguments.insert(arguments.end(), {"--jobtracker", fake.address()});
    return run(arguments, terminal, typed);
  }
  void expect_refused(std::vector<std::string> arguments, const std::string& message) {
    const auto ran = weir(std::move(arguments));
    EXPECT_EQ(ran.code, kExitRefused) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(message));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_THAT(fake.asked, IsEmpty());
  }
  static Terminal at_terminal() {
    Terminal terminal;
    terminal.in = true;
    return terminal;
  }
  FakeJobTracker fake;
};

TEST_F(JobSteering, SeveralJobsAreDoneOneByOne) {
  const auto ran = weir({"kill", "7", "job_0008", "7", "--as", "bob"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "job_0007 killed\njob_0008 killed\n");
  EXPECT_THAT(fake.asked, ElementsAre("kill_job 7", "kill_job 8"));
  EXPECT_EQ(fake.last_caller.user, "bob");
  fake.statuses = {job_status(7, "RUNNING")};
  EXPECT_EQ(weir({"priority", "7", "8", "low"}).out,
            "job_0007 now has priority LOW\njob_0008 now has priority LOW\n");
  EXPECT_THAT(fake.asked, ElementsAre("set_priority 7 LOW", "job_status 7 0", "queues research",
                                      "set_priority 8 LOW", "job_status 8 0"));
}

// It may count elsewhere later, so it is set all the same.
TEST_F(JobSteering, APriorityThatDoesNotCountIsWarnedOfOnceAQueue) {
  fake.statuses = {job_status(7, "RUNNING")};
  fake.queue_list = {queue_status("research")};
  EXPECT_EQ(weir({"priority", "7", "HIGH"}).err, "");
  fake.queue_list[0].__set_priorities(true);
  EXPECT_EQ(weir({"priority", "7", "HIGH"}).err, "");
  fake.queue_list[0].__set_priorities(false);
  const auto ran = weir({"priority", "7", "8", "HIGH"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "job_0007 now has priority HIGH\njob_0008 now has priority HIGH\n");
  EXPECT_EQ(ran.err,
            "weir: warning: queue research does not go by priority (priorities: false); it will "
            "count where the job is moved to, or under another policy\n");
}

TEST_F(JobSteering, ARefusedJobDoesNotStopTheOthers) {
  fake.refuse_call["kill_job 7"] =
      refusal(wire::ErrorCode::NOT_PERMITTED, "job_0007 is alice's", "ask alice");
  auto ran = weir({"kill", "7", "8"});
  EXPECT_EQ(ran.code, kExitNotSo);
  EXPECT_EQ(ran.out, "job_0008 killed\n");
  EXPECT_EQ(ran.err, "weir: job_0007 is alice's; ask alice\n");
  ran = weir({"kill", "7", "8", "-o", "json"});
  EXPECT_EQ(ran.code, kExitNotSo);
  const Json json = Json::parse(ran.out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["job"], "job_0007");
  EXPECT_EQ(json[0]["error"]["code"], "NOT_PERMITTED");
  EXPECT_EQ(json[0]["error"]["hint"], "ask alice");
  EXPECT_EQ(json[1]["number"], 8);
  EXPECT_EQ(json[1]["version"], 42);
  fake.refuse_call["kill_job 8"] = fake.refuse_call["kill_job 7"];
  EXPECT_EQ(weir({"kill", "7", "8"}).code, kExitRefused);  // none was done, all for that
  EXPECT_EQ(weir({"kill", "7"}).err, "weir: job_0007 is alice's; ask alice\n");
}

TEST_F(JobSteering, ASelectionIsListedAndDone) {
  fake.jobs = {job_status(9, "RUNNING"), job_status(8, "WAITING")};
  const auto ran = weir({"kill", "--user", "alice", "--queue", "research", "--name", "etl-*",
                         "--state", "waiting,RUNNING"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "job_0008 killed\njob_0009 killed\n");  // the oldest first
  EXPECT_THAT(ran.err, AllOf(StartsWith("kill 2 jobs:\n"), HasSubstr("job_0009  count"),
                             Not(HasSubstr("[y/N]"))));
  EXPECT_THAT(fake.asked, ElementsAre("find_jobs research,alice,etl-*,WAITING|RUNNING,unfinished,"
                                      "10000",
                                      "kill_job 8", "kill_job 9"));
  const auto json = Json::parse(weir({"kill", "--queue", "research", "-o", "json"}).out);
  EXPECT_EQ(json.size(), 2u);
  EXPECT_NE(fake.last_caller.user, "alice");  // --user was a selection
}

TEST_F(JobSteering, AtATerminalASelectionIsAskedFor) {
  fake.jobs = {job_status(9, "RUNNING")};
  auto ran = weir({"kill", "--user", "alice"}, at_terminal(), "\n");
  EXPECT_EQ(ran.code, kExitNotSo);
  EXPECT_THAT(ran.err, HasSubstr("kill 1 job? [y/N] weir: nothing was done, as was answered\n"));
  EXPECT_EQ(fake.asked.size(), 1u);
  EXPECT_EQ(weir({"kill", "--user", "alice"}, at_terminal(), "").code, kExitNotSo);
  EXPECT_EQ(weir({"kill", "--user", "alice"}, at_terminal(), "Yes\n").out, "job_0009 killed\n");
  ran = weir({"kill", "--user", "alice", "--yes"}, at_terminal(), "");
  EXPECT_EQ(ran.out, "job_0009 killed\n");
  EXPECT_THAT(ran.err, Not(HasSubstr("[y/N]")));
  EXPECT_EQ(weir({"kill", "9", "8"}, at_terminal(), "").code, 0);  // whoever names them means them
}

TEST_F(JobSteering, WhatNamesNothingIsSaid) {
  const auto ran = weir({"priority", "--queue", "research", "--name", "etl-*", "HIGH"});
  EXPECT_EQ(ran.code, kExitNotSo);
  EXPECT_EQ(ran.err,
            "weir: there is no unfinished job in queue research, whose name is like 'etl-*'; see "
            "`weir job list`\n");
  for (const char* command : {"kill", "wait"})
    expect_refused({command}, "no job is named; give IDs (job_0007 or 7), or say which by --user");
  expect_refused({"priority", "HIGH"}, "no job is named");
  expect_refused({"priority"}, "no priority is given; write it last");
  expect_refused({"priority", "7"}, "priority '7': must be VERY_HIGH");
  expect_refused({"move", "7"}, "write the queue last, or --to QUEUE");
  expect_refused({"move", "--user", "alice"}, "with a selection write --to QUEUE");
  expect_refused({"kill", "7", "--state", "RUNNING"}, "give IDs or a selection, not both");
  expect_refused({"kill", "7", "--user", "a", "--as", "b"}, "both say who asks");
  expect_refused({"move", "7", "x", "--to", "research"}, "'x' is not a job");
  expect_refused({"kill", "7", "x"}, "'x' is not a job");
  expect_refused({"kill", "--state", "runing"}, "did you mean RUNNING?");
  expect_refused({"kill", "--state", "KILLED"}, "HELD, WAITING, PENDING, RUNNING, with commas");
  expect_refused({"wait", "--state", "FAILED"}, "is no state of an unfinished job");
}

TEST_F(JobSteering, ReleaseMeansHeldJobs) {
  fake.jobs = {job_status(9, "HELD")};
  EXPECT_EQ(weir({"release", "7", "8"}).out, "job_0007 released\njob_0008 released\n");
  EXPECT_EQ(weir({"release", "--user", "alice"}).out, "job_0009 released\n");
  EXPECT_THAT(fake.asked, ElementsAre("find_jobs ,alice,,HELD,unfinished,10000", "release_job 9"));
  EXPECT_EQ(weir({"kill", "--state", "held"}).code, 0);
  expect_refused({"release"}, "no job is named");
}

TEST_F(JobSteering, MoveTakesJobsOrASelectionAndWhereTo) {
  fake.statuses = {job_status(7, "RUNNING")};
  fake.jobs = {job_status(9, "RUNNING")};
  EXPECT_EQ(weir({"move", "7", "8", "--queue", "research", "--user", "bob"}).code, 0);
  EXPECT_THAT(fake.asked, ElementsAre("move_job 7 research", "job_status 7 42",
                                      "move_job 8 research", "job_status 8 42"));
  EXPECT_EQ(fake.last_caller.user, "bob");
  EXPECT_EQ(weir({"move", "7", "--to", "research"}).out, "job_0007 moved to queue research\n");
  EXPECT_EQ(weir({"move", "7", "8", "research"}).code, 0);
  EXPECT_THAT(fake.asked, ElementsAre("move_job 7 research", "job_status 7 42",
                                      "move_job 8 research", "job_status 8 42"));
  const auto ran = weir({"move", "--queue", "production", "--to", "research"});
  EXPECT_THAT(ran.err, StartsWith("move to queue research 1 job:\n"));
  EXPECT_THAT(fake.asked, ElementsAre("find_jobs production,,,,unfinished,10000",
                                      "move_job 9 research", "job_status 9 42"));
}

TEST_F(JobSteering, WaitForSeveral) {
  auto failed = job_status(8, "FAILED");
  failed.__set_diagnostics("exit status 3");
  fake.statuses = {job_status(7, "RUNNING"), failed, job_status(7, "SUCCEEDED", 10, 10)};
  const auto ran = weir({"wait", "7", "8"});
  EXPECT_EQ(ran.code, kExitNotSo);
  EXPECT_EQ(ran.out, "job_0007 SUCCEEDED in 1m01s; output: /data/out\n");
  EXPECT_EQ(ran.err,
            "weir: job_0008 FAILED after 1m01s: exit status 3; look at `weir job logs job_0008`\n");
  EXPECT_THAT(fake.asked, ElementsAre("job_status 7 0", "job_status 8 0", "job_status 7 0"));
}

TEST_F(JobSteering, WaitForASelectionAndForJobsThatAreNotThere) {
  fake.jobs = {job_status(9, "RUNNING")};
  fake.statuses = {job_status(9, "SUCCEEDED", 10, 10)};
  auto ran = weir({"wait", "--user", "alice"}, at_terminal(), "");  // nobody is asked
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("wait for 1 job:\n"), Not(HasSubstr("[y/N]"))));
  fake.refuse_call["job_status 8 0"] = refusal(wire::ErrorCode::UNKNOWN_JOB, "no job_0008");
  ran = weir({"wait", "8", "9", "-o", "json"});
  EXPECT_EQ(ran.code, kExitNotSo);
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(json[0]["error"]["code"], "UNKNOWN_JOB");
  EXPECT_EQ(json[1]["state"], "SUCCEEDED");
}

TEST_F(JobSteering, ListByState) {
  fake.jobs = {job_status(9, "FAILED")};
  EXPECT_THAT(weir({"list", "--state", "failed,running"}).out, HasSubstr("job_0009"));
  EXPECT_THAT(fake.asked, ElementsAre("find_jobs ,,,FAILED|RUNNING,all,0"));
  fake.jobs.clear();
  EXPECT_EQ(weir({"list", "--state", "WAITING"}).out, "no jobs in state WAITING\n");
  expect_refused({"list", "--state", "HAPPY"}, "is no state of a job");
  expect_refused({"list", "--state", ""}, "--state is empty");
  expect_refused({"list", "--state", "RUNNING", "--history"}, "is no state of a job that is over");
}

}  // namespace
}  // namespace weir::cli
