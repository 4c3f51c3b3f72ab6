#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands_fixture.h"
#include "cli/connection.h"
#include "cli/exit_code.h"
#include "cli/job_logs.h"
#include "cli/temporary_directory.h"
#include "thrift/wire_views.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Commands, JobList) {
  fake.jobs = {job_status(7, "RUNNING", 10, 5)};
  fake.jobs[0].name = std::string(200, 'n');
  const auto ran =
      weir({"job", "list", "--queue", "research", "--user", "alice", "--all", "--limit", "5"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("JOB "), HasSubstr("job_0007"), HasSubstr("5/10"),
                             HasSubstr("RUNNING")));
  EXPECT_THAT(ran.out, HasSubstr(fake.jobs[0].name));  // into a pipe it is not cut
  EXPECT_THAT(fake.asked, ElementsAre("find_jobs research,alice,,,all,5"));
  expect_fits({"job", "list"});
  const auto list = json({"job", "list"});
  EXPECT_EQ(list[0]["job"], "job_0007");
  EXPECT_EQ(list[0]["number"], 7);
  EXPECT_EQ(list[0]["maps"]["succeeded"], 5);
  EXPECT_TRUE(list[0]["finished_at_ms"].is_null());
  fake.jobs.clear();
  EXPECT_THAT(weir({"job", "list"}).out, HasSubstr("no unfinished jobs"));
  EXPECT_EQ(json({"job", "list"}), Json::array());
}

TEST_F(Commands, LongListsAreAskedForPageByPage) {
  for (int i = 5; i > 0; --i) fake.jobs.push_back(job_status(i, "RUNNING", 10, 5));
  fake.page_size = 2;
  EXPECT_EQ(json({"job", "list"}).size(), 5u);
  EXPECT_THAT(fake.asked, ElementsAre("find_jobs ,,,,unfinished,0", "find_jobs ,,,,unfinished,998",
                                      "find_jobs ,,,,unfinished,996"));
  EXPECT_EQ(json({"job", "list", "--history"})[4]["number"], 1);
  EXPECT_EQ(json({"job", "list", "--limit", "2"}).size(), 2u);
  for (const char* name : {"tt1", "tt2", "tt3"}) {
    fake.tracker_list.emplace_back().name = name;
    fake.queue_list.emplace_back().name = name;
  }
  fake.asked.clear();
  EXPECT_EQ(json({"tracker", "list"}).size(), 3u);
  EXPECT_EQ(json({"queue", "list"})[2]["name"], "tt3");
  EXPECT_THAT(fake.asked, ElementsAre("trackers", "trackers tt2", "queues ", "queues tt2"));
}

TEST_F(Commands, JobListOfTheHistory) {
  fake.jobs = {job_status(7, "FAILED", 10, 5)};
  fake.jobs[0].__set_finished_at_ms(fake.jobs[0].submitted_at_ms + 65'000);
  fake.jobs[0].maps.failed_attempts = 4;
  fake.jobs[0].__set_from_history(true);
  const auto ran = weir({"job", "list", "--history", "--queue", "research", "--user", "alice",
                         "--name", "etl-*", "--state", "failed,killed", "--since", "1h",
                         "--before", "30m", "--limit", "5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("job_0007"), HasSubstr("FAILED"), HasSubstr("1m05s")));
  EXPECT_EQ(fake.asked.back(), "list_history research,alice,etl-*,FAILED|KILLED," +
                                   std::to_string(fake.server_now_ms - 3'600'000) + "," +
                                   std::to_string(fake.server_now_ms - 1'800'000) + ",5");
  expect_fits({"job", "list", "--history"});
  const auto list = json({"job", "list", "--history"});
  EXPECT_EQ(list[0]["from_history"], true);
  EXPECT_EQ(list[0]["maps"]["failed_attempts"], 4);
  EXPECT_EQ(weir({"job", "list", "--since", "1h"}).code, 2);  // of the history only
  EXPECT_EQ(weir({"job", "list", "--history", "--all"}).code, 2);
  EXPECT_EQ(weir({"job", "list", "--history", "--state", "RUNNING"}).code, 2);
  EXPECT_EQ(weir({"job", "list", "--history", "--since", "soon"}).code, 2);
  fake.jobs.clear();
  EXPECT_THAT(weir({"job", "list", "--history"}).out, HasSubstr("no such jobs"));
}

TEST_F(Commands, JobStatus) {
  fake.statuses = {job_status(7, "FAILED", 10, 5)};
  fake.statuses[0].__set_diagnostics("bad\xff\x1b[31m");
  const auto ran = weir({"job", "status", "job_0007"});
  EXPECT_THAT(ran.out, HasSubstr("5 of 10 done (50%)"));
  EXPECT_THAT(ran.out, HasSubstr("diagnostics:  bad??[31m"));
  fake.statuses[0].maps.failed_attempts = 1;
  fake.statuses[0].maps.killed_attempts = 2;
  EXPECT_THAT(weir({"job", "status", "7"}).out,
              HasSubstr(", 1 failed attempt, 2 killed attempts\n"));
  EXPECT_EQ(json({"job", "status", "7"})["state"], "FAILED");  // broken UTF-8 does not fail it
  fake.refuse = refusal(wire::ErrorCode::UNKNOWN_JOB, "no job_0999");
  const auto unknown = weir({"job", "status", "999"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(unknown.err, "weir: no job_0999\n");
}

TEST_F(Commands, JobChanges) {
  fake.statuses = {job_status(7, "RUNNING")};
  EXPECT_EQ(weir({"job", "kill", "7", "--user", "bob"}).out, "job_0007 killed\n");
  EXPECT_EQ(fake.last_caller.user, "bob");
  EXPECT_EQ(weir({"job", "move", "7", "--queue", "research"}).out,
            "job_0007 moved to queue research\n");
  EXPECT_EQ(weir({"job", "priority", "7", "very_low"}).out, "job_0007 now has priority VERY_LOW\n");
  EXPECT_THAT(fake.asked,
              ElementsAre("kill_job 7", "move_job 7 research", "job_status 7 42",
                          "set_priority 7 VERY_LOW", "job_status 7 0", "queues research"));
  EXPECT_EQ(weir({"job", "priority", "7", "soon"}).code, 2);
  fake.refuse = refusal(wire::ErrorCode::JOB_OVER, "job_0007 has SUCCEEDED already");
  EXPECT_EQ(weir({"job", "kill", "7"}).code, 1);
}

TEST_F(Commands, JobExplain) {
  const auto ran = weir({"job", "explain", "7"});
  EXPECT_THAT(ran.out, HasSubstr("  QUEUE_AT_LIMIT: queue research runs 8 of 8 slots\n"));
  EXPECT_EQ(json({"job", "explain", "7"})["reasons"][0]["numbers"]["have"], 8);
}

wire::JobStatus application(const std::string& state) {
  wire::JobStatus job = job_status(7, state);
  job.maps = task_counts(0);
  job.reduces = task_counts(0);
  wire::GroupStatus group;
  group.name = "main";
  group.tasks = task_counts(3, 0, 1);
  group.progress_millionths = 0;
  job.__set_groups({group});
  return job;
}

TEST_F(Commands, JobExplainCountsTheTasksOfAnApplication) {
  fake.statuses = {application("RUNNING")};
  EXPECT_THAT(weir({"job", "explain", "7"}).out, HasSubstr("is RUNNING: 2 tasks pending\n"));
}

TEST_F(Commands, JobLogsOfATaskAreThoseOfItsNewestAttempt) {
  fake.statuses = {application("RUNNING")};
  fake.attempt_list.resize(2);
  const char* states[] = {"FAILED", "RUNNING"};
  for (int i = 0; i < 2; ++i) {
    wire::AttemptInfo& attempt = fake.attempt_list[static_cast<std::size_t>(i)];
    attempt.id.job = 7;
    attempt.id.kind = wire::TaskKind::TASK;
    attempt.id.index = 0;
    attempt.id.attempt = i;
    attempt.id.__set_group(0);
    attempt.state = states[i];
    attempt.tracker = "tt1";
    attempt.launched_at_ms = i;
  }
  EXPECT_THAT(weir({"job", "logs", "7", "--task", "main.0"}).err,
              HasSubstr("no stdout of attempt_0007_g0_000000_1;"));
  const auto none = weir({"job", "logs", "7", "--task", "main.99"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--task 'main.99': group main has "));
  // Of the whole job the one that failed tells most.
  EXPECT_THAT(weir({"job", "logs", "7"}).err, HasSubstr("of attempt_0007_g0_000000_0;"));
}

TEST_F(Commands, JobLogsChoosesTheMostTellingAttempt) {
  std::vector<wire::AttemptInfo> attempts(3);
  const char* states[] = {"SUCCEEDED", "FAILED", "RUNNING"};
  for (int i = 0; i < 3; ++i) {
    attempts[i].id.job = 7;
    attempts[i].id.kind = wire::TaskKind::MAP;
    attempts[i].id.index = i;
    attempts[i].id.attempt = 0;
    attempts[i].state = states[i];
    attempts[i].tracker = "tt1";
    attempts[i].launched_at_ms = i;
  }
  const auto views = list_from_wire(attempts);
  EXPECT_EQ(choose_attempt(views, "")->state, "FAILED");
  EXPECT_EQ(choose_attempt(views, "attempt_0007_m_000002_0")->state, "RUNNING");
  EXPECT_EQ(choose_attempt(views, "other"), nullptr);
  EXPECT_EQ(choose_attempt({}, ""), nullptr);
  fake.statuses = {job_status(7, "RUNNING")};
  EXPECT_THAT(weir({"job", "logs", "7"}).err, HasSubstr("job_0007 has no attempts yet"));
  fake.statuses = {job_status(7, "SUCCEEDED")};
  EXPECT_THAT(weir({"job", "logs", "7"}).err,
              HasSubstr("job_0007 has ended, and where its attempts ran is not known"));
  fake.attempt_list = attempts;
  EXPECT_THAT(weir({"job", "logs", "7", "--list"}).out,
              HasSubstr("attempt_0007_m_000001_0  FAILED"));
  const auto lost = weir({"job", "logs", "7"});
  EXPECT_EQ(lost.code, 1);
  EXPECT_THAT(lost.err, HasSubstr("tracker tt1, where it ran, has left the cluster"));
  wire::TrackerStatus tracker;
  tracker.name = "tt1";
  tracker.state = "LOST";
  tracker.last_heartbeat_ms_ago = 180'000;
  tracker.__set_lost_why("was stopped by root");
  fake.tracker_list = {tracker};
  EXPECT_THAT(weir({"job", "logs", "7"}).err,
              HasSubstr("where it ran, is LOST (was stopped by root), heard of 3m00s ago"));
  EXPECT_EQ(weir({"job", "logs", "7", "-f", "-o", "json"}).code, 2);
  EXPECT_EQ(weir({"job", "logs", "7", "-f", "--stdout", "--syslog"}).code, 2);
}

TEST_F(Commands, JobListShowsReasonsAndPoolsIfThereAreAny) {
  fake.jobs = {job_status(7, "RUNNING", 10, 5), job_status(8, "PENDING", 10, 0)};
  EXPECT_THAT(weir({"job", "list"}).out, AllOf(Not(HasSubstr("REASON")), Not(HasSubstr("POOL"))));
  fake.jobs[1].__set_reason("2 jobs are before it in queue research");
  fake.jobs[1].__set_pool("alice");
  const std::string shown = weir({"job", "list"}).out;
  EXPECT_THAT(shown, ContainsRegex("job_0008 .* alice .*2 jobs are before it in queue research\n"));
  EXPECT_THAT(shown, ContainsRegex("job_0007 .* - .*RUNNING"));
  EXPECT_EQ(json({"job", "list"})[1]["pool"], "alice");
  EXPECT_EQ(json({"job", "list"})[1]["reason"], "2 jobs are before it in queue research");
  for (const int columns : {80, 100}) {
    EXPECT_THAT(on_terminal(columns, {"job", "list"}), HasSubstr("REASON"));
  }
}

TEST_F(Commands, ConfDiffShowsSlotsAndWhatItWouldBeRefusedFor) {
  wire::QueueChange change;
  change.queue = "old";
  change.change = "removed";
  change.maps_before = 4;
  change.maps_after = change.reduces_before = change.reduces_after = 0;
  change.__set_maps_maximum_before(8);
  change.__set_maps_maximum_after(0);
  change.__set_jobs(2);
  change.__set_moves_to("research");
  wire::QueueChange amounts = change;
  wire::AmountsChange memory;
  memory.dimension = "memory_mb";
  memory.guaranteed_before = 4096;
  memory.guaranteed_after = memory.maximum_after = 2048;
  memory.maximum_before = 8192;
  amounts.__set_amounts({memory});
  fake.settings_diff.queues = {change};
  fake.settings_diff.__set_map_slots(8);
  fake.settings_diff.__set_reduce_slots(6);
  fake.settings_diff.__set_at_restart({"store.sqlite: a -> b"});
  TemporaryDirectory dir;
  const auto file = dir.write("f.yaml", "policy: fifo\n");
  auto ran = weir({"conf", "diff", file});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("with the cluster's 8 map and 6 reduce slots"));
  EXPECT_THAT(ran.out, HasSubstr("old    removed, 2 jobs to research"));
  EXPECT_THAT(ran.out, HasSubstr("4 -> 0  8 -> 0"));
  EXPECT_THAT(ran.out, HasSubstr("store.sqlite: a -> b (takes effect when"));
  EXPECT_THAT(ran.out, Not(HasSubstr("Who gains")));
  fake.settings_diff.queues = {amounts};
  ran = weir({"conf", "diff", file});
  EXPECT_THAT(ran.out, ContainsRegex("removed, .* memory_mb +4096 -> 2048 +8192 -> 2048"));
  EXPECT_THAT(ran.out, Not(HasSubstr("slots")));
  fake.settings_diff.queues = {change};
  wire::SettingsPreview preview;
  const auto outlook = [](std::int64_t running, std::int64_t pending, std::int64_t allocated) {
    wire::PolicyOutlook out;
    out.policy = "capacity";
    out.pools = false;
    wire::PolicyShare& share = out.shares.emplace_back();
    share.name = "research";
    share.maps.running = running;
    share.maps.pending = pending;
    share.maps.__set_allocated(allocated);
    share.maps.__set_guaranteed(allocated);
    share.reduces.running = share.reduces.pending = 0;
    return out;
  };
  preview.now = outlook(2, 9, 2);
  preview.then_given = outlook(2, 9, 6);
  wire::ClaimForeseen claim;
  claim.queue = "research";
  claim.kind = "map";
  claim.slots = 4;
  claim.open = 1;
  claim.left_ms = 30'000;
  preview.claims = {claim};
  fake.settings_diff.__set_preview(preview);
  ran = weir({"conf", "diff", file});
  EXPECT_THAT(ran.out, HasSubstr("Who gains and who loses, as the cluster is now"));
  EXPECT_THAT(ran.out, ContainsRegex("research +map +2.0 +6.0 +.4.0"));
  EXPECT_THAT(ran.out, ContainsRegex("research +map +4 +1 +30s"));
  fake.settings_diff.__set_refusals({"f.yaml: queue x has 1 unfinished job"});
  ran = weir({"conf", "diff", file});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("queue x has 1 unfinished job"));
}

TEST_F(Commands, WideFiguresStillFit) {
  auto queue = queue_status("organisation.department.team-with-a-long-name");
  queue.maps = queue.reduces = slot_figures(20'000, 20'000, 20'000, 1'000'000);
  fake.queue_list = {queue};
  expect_fits({"queue", "list"});
  wire::TrackerStatus tracker;
  tracker.name = tracker.host = tracker.rack = std::string(60, 'a');
  tracker.state = "LIVE";
  tracker.total.memory_mb = tracker.used.memory_mb = 512'000;
  tracker.last_heartbeat_ms_ago = 300;
  tracker.__set_free_disk_mb(1 << 20);
  tracker.__set_health(std::string(60, 'h'));
  fake.tracker_list = {tracker};
  EXPECT_EQ(weir({"tracker", "list"}).code, 0);
  expect_fits({"tracker", "list"});
  EXPECT_EQ(json({"tracker", "list"})[0]["state"], "LIVE");
}

TEST_F(Commands, WatchEndsWithTheJobs) {
  fake.jobs = {job_status(7, "RUNNING")};
  fake.statuses = {job_status(7, "RUNNING", 10, 5), job_status(7, "SUCCEEDED", 10, 10)};
  fake.queue_list = {queue_status("research")};
  const auto ran = weir({"watch", "--all"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("queue research: maps 6 guaranteed, 8 allocated, 7 running, 12 pending"));
  EXPECT_THAT(ran.out, HasSubstr("job_0007 SUCCEEDED in 1m01s; output: /data/out\n"));
  fake.statuses = {job_status(7, "FAILED", 10, 5)};
  EXPECT_EQ(weir({"watch", "7"}).code, 1);
  fake.jobs.clear();
  EXPECT_EQ(weir({"watch"}).out, "no unfinished jobs to watch\n");
}

TEST_F(Commands, ConfDiffOfAFollowedFileThatIsNotTakenExitsAsForOneThatIsNamed) {
  fake.settings_file.file = "/etc/weir.yaml";
  fake.settings_file.says = "/etc/weir.yaml is not sound";
  fake.settings_file.changes = {"/etc/weir.yaml:1:9: policy is \"fif\""};
  fake.settings_file.sound = true;
  EXPECT_EQ(weir({"conf", "diff"}).code, 0);
  fake.settings_file.sound = false;
  auto ran = weir({"conf", "diff"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "/etc/weir.yaml:1:9: policy is \"fif\"\n/etc/weir.yaml is not sound\n");
  ran = weir({"conf", "diff", "-o", "json"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_FALSE(Json::parse(ran.out)["sound"]);
}

TEST_F(Commands, WhoeverActsIsNamedByEitherOption) {
  TemporaryDirectory dir;
  const auto file = dir.write("weir.yaml", "policy: fifo\n");
  for (const char* option : {"--as", "--user"}) {
    fake.last_caller.user.clear();
    EXPECT_EQ(weir({"conf", "apply", file, option, "ann"}).code, 0);
    EXPECT_EQ(fake.last_caller.user, "ann") << option;
  }
}

TEST_F(Commands, AnEmptyNameOfAUserIsRefused) {
  const std::vector<std::vector<std::string>> commands = {
      {"job", "kill", "7", "--as"},       {"job", "kill", "7", "--user"},
      {"job", "wait", "--user"},         {"job", "list", "--user"},
      {"tracker", "lost", "tt1", "--as"}, {"policy", "set", "fifo", "--user"},
      {"queue", "stop", "a", "--as"},    {"conf", "revert", "1", "--as"}};
  for (std::vector<std::string> command : commands) {
    command.push_back("");
    const auto ran = weir(command);
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_THAT(ran.err, HasSubstr(": a user's name is wanted, and this one is empty; see"));
  }
  EXPECT_THAT(fake.asked, testing::IsEmpty());
}

TEST_F(Commands, ConfDiffAndApplySendTheFile) {
  TemporaryDirectory dir;
  const auto file = dir.write("weir.yaml", "policy: fifo\n");
  EXPECT_EQ(weir({"conf", "diff", file}).out, "heartbeat.expiry: 10m -> 5m\n");
  EXPECT_THAT(weir({"conf", "apply", file}).out, HasSubstr("applied"));
  EXPECT_THAT(fake.asked,
              ElementsAre("diff_settings policy: fifo\n", "diff_settings policy: fifo\n",
                          "apply_settings policy: fifo\n"));
  EXPECT_EQ(weir({"conf", "apply", file, "--if-version", "7"}).code, 0);
  EXPECT_EQ(fake.asked.back(), "apply_settings policy: fifo\nreplaces 7");
  EXPECT_EQ(weir({"conf", "apply", file, "--if-version", "seven"}).code, 2);
  EXPECT_EQ(weir({"conf", "apply", dir / "missing"}).code, 2);
  auto error = refusal(wire::ErrorCode::SETTINGS_REFUSED, "2 errors");
  error.__set_diagnostics({file + ":1:1: a", file + ":2:1: b"});
  fake.refuse = error;
  const auto ran = weir({"conf", "apply", file});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, file + ":1:1: a\n" + file + ":2:1: b\n");
}

TEST(Conf, CheckIsLocalAndShowsAllErrors) {
  TemporaryDirectory dir;
  const auto good = dir.write("good.yaml", "queues:\n  - {name: a, guaranteed: 100%}\n");
  const auto bad = dir.write("bad.yaml", "policy: fastest\nqueus: []\n");
  EXPECT_EQ(run({"conf", "check", good}).out, good + ": ok\n");
  const auto ran = run({"conf", "check", good, bad});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr(bad + ":1:9: "), HasSubstr(bad + ":2:1: ")));
  const Json checked = Json::parse(run({"conf", "check", bad, "-o", "json"}).out)[0];
  EXPECT_EQ(checked["ok"], false);
  EXPECT_EQ(checked["findings"][0]["line"], 1);
  EXPECT_EQ(checked["findings"][0]["column"], 9);
  EXPECT_EQ(checked["findings"][0]["severity"], "error");
}

TEST(Edge, NobodyListens) {
  const auto ran = run({"queue", "list", "--jobtracker", "127.0.0.1:1"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(
      ran.err,
      HasSubstr("cannot reach the JobTracker at 127.0.0.1:1 (connection refused); start it with"));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
}

// Its port for trackers, say.
TEST(Edge, WhoAnswersAndIsNoClientPortIsNamedAsThat) {
  const std::string cause =
      "127.0.0.1:9091 (admin) does not know this call (Invalid method name: 'admin:info'); what is "
      "meant is the port for clients, listen.thrift of the settings";
  EXPECT_EQ(unreachable("127.0.0.1:9091", RpcUnreachable(cause, false)).lines(),
            std::vector<std::string>{cause});
}

TEST(Edge, WrongUseNamesTheMend) {
  EXPECT_THAT(run({"quue"}).err, HasSubstr("did you mean 'queue'?"));
  EXPECT_THAT(run({"job", "lst"}).err,
              HasSubstr("'lst' is no command of `weir job`, did you mean 'list'?"));
  EXPECT_THAT(run({"job", "status"}).err,
              HasSubstr("ID is required; see `weir job status --help`"));
  EXPECT_THAT(run({"queue", "list", "-o", "xml"}).err, HasSubstr("json"));
  EXPECT_THAT(run({"queue", "list", "--jobtracker", "nowhere"}).err, HasSubstr("write HOST:PORT"));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{},
                                             {"jbo"},
                                             {"job"},
                                             {"job", "status"},
                                             {"queue", "list", "-o", "xml"},
                                             {"job", "status", "job_x"}}) {
    EXPECT_EQ(run(wrong).code, 2);
  }
}

TEST(Edge, EveryCommandHasHelpWithExamples) {
  EXPECT_THAT(run({"--help"}).out,
              AllOf(HasSubstr("submit"), HasSubstr("Examples:"), HasSubstr("Exit codes")));
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"submit"},
                                             {"local"},
                                             {"jobtracker"},
                                             {"tracker"},
                                             {"tracker", "list"},
                                             {"tracker", "show"},
                                             {"tracker", "drain"},
                                             {"tracker", "stop"},
                                             {"tracker", "resume"},
                                             {"job", "list"},
                                             {"job", "status"},
                                             {"job", "kill"},
                                             {"job", "move"},
                                             {"job", "priority"},
                                             {"job", "explain"},
                                             {"job", "logs"},
                                             {"job", "wait"},
                                             {"queue", "list"},
                                             {"queue", "show"},
                                             {"queue", "stop"},
                                             {"queue", "start"},
                                             {"policy", "show"},
                                             {"policy", "set"},
                                             {"conf", "check"},
                                             {"conf", "diff"},
                                             {"conf", "apply"},
                                             {"version"},
                                             {"info"},
                                             {"watch"}}) {
    auto arguments = command;
    arguments.push_back("--help");
    const auto ran = run(arguments);
    EXPECT_EQ(ran.code, 0) << command.back();
    EXPECT_THAT(ran.out, HasSubstr("Examples:")) << command.back();
    EXPECT_THAT(ran.err, IsEmpty());
  }
}

TEST(Edge, ATrackerWhoseNameCannotRegisterDoesNotStart) {
  const auto ran = run({"tracker", "--jobtracker", "127.0.0.1:9", "--name", "a b"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--name: 'a b' has a space in it"));
}

TEST(Edge, TopNamesItsKeysAsTheyAre) {
  EXPECT_THAT(run({"top", "--help"}).out,
              testing::AllOf(HasSubstr("arrows or j k"), HasSubstr("p priority, x kill")));
}

TEST(Edge, Version) {
  EXPECT_THAT(run({"version"}).out, testing::StartsWith("weir "));
  EXPECT_TRUE(Json::parse(run({"version", "-o", "json"}).out).contains("version"));
}

}  // namespace
}  // namespace weir::cli
