#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/exit_code.h"
#include "cli/fake_jobtracker.h"
#include "cli/format.h"
#include "cli/job_logs.h"
#include "cli/json.h"
#include "cli/temporary_directory.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void expect_lines_fit(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(display_width(line), columns) << line;
}

class Commands : public testing::Test {
 protected:
  Ran weir(std::vector<std::string> arguments, Terminal terminal = {}) {
    arguments.insert(arguments.end(), {"--jobtracker", fake.address()});
    return run(arguments, terminal);
  }
  std::string on_terminal(std::size_t columns, const std::vector<std::string>& arguments) {
    return weir(arguments, {.out = true, .columns = columns}).out;
  }
  // Nothing wraps on the terminals that people have.
  void expect_fits(const std::vector<std::string>& arguments) {
    for (const std::size_t columns : {80, 100, 200})
      expect_lines_fit(on_terminal(columns, arguments), columns);
  }
  Json json(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-o", "json"});
    const auto ran = weir(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return Json::parse(ran.out);
  }
  FakeJobTracker fake;
};

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

TEST_F(Commands, JobListOfTheHistory) {
  fake.jobs = {job_status(7, "FAILED", 10, 5)};
  fake.jobs[0].__set_finished_at_ms(fake.jobs[0].submitted_at_ms + 65'000);
  fake.jobs[0].maps.failed_attempts = 4;
  fake.jobs[0].__set_from_history(true);
  const auto ran = weir({"job", "list", "--history", "--queue", "research", "--user", "alice",
                         "--since", "1h", "--before", "30m", "--limit", "5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("job_0007"), HasSubstr("FAILED"), HasSubstr("1m05s")));
  EXPECT_EQ(fake.asked.back(), "list_history research,alice," +
                                   std::to_string(fake.server_now_ms - 3'600'000) + "," +
                                   std::to_string(fake.server_now_ms - 1'800'000) + ",5");
  expect_fits({"job", "list", "--history"});
  const auto list = json({"job", "list", "--history"});
  EXPECT_EQ(list[0]["from_history"], true);
  EXPECT_EQ(list[0]["maps"]["failed_attempts"], 4);
  EXPECT_EQ(weir({"job", "list", "--since", "1h"}).code, 2);  // of the history only
  EXPECT_EQ(weir({"job", "list", "--history", "--all"}).code, 2);
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
  EXPECT_THAT(fake.asked, ElementsAre("kill_job 7", "move_job 7 research", "job_status 7 42",
                                      "set_priority 7 VERY_LOW"));
  EXPECT_EQ(weir({"job", "priority", "7", "soon"}).code, 2);
  fake.refuse = refusal(wire::ErrorCode::JOB_OVER, "job_0007 has SUCCEEDED already");
  EXPECT_EQ(weir({"job", "kill", "7"}).code, 1);
}

TEST_F(Commands, JobExplain) {
  const auto ran = weir({"job", "explain", "7"});
  EXPECT_THAT(ran.out, HasSubstr("  QUEUE_AT_LIMIT: queue research runs 8 of 8 slots\n"));
  EXPECT_EQ(json({"job", "explain", "7"})["reasons"][0]["numbers"]["have"], 8);
}

TEST_F(Commands, JobLogsChoosesTheMostTellingAttempt) {
  std::vector<wire::AttemptInfo> attempts(3);
  const char* states[] = {"SUCCEEDED", "FAILED", "RUNNING"};
  for (int i = 0; i < 3; ++i) {
    attempts[i].name = "attempt_0007_m_00000" + std::to_string(i) + "_0";
    attempts[i].state = states[i];
    attempts[i].tracker = "tt1";
    attempts[i].launched_at_ms = i;
  }
  EXPECT_EQ(choose_attempt(attempts, "")->state, "FAILED");
  EXPECT_EQ(choose_attempt(attempts, "attempt_0007_m_000002_0")->state, "RUNNING");
  EXPECT_EQ(choose_attempt(attempts, "other"), nullptr);
  EXPECT_EQ(choose_attempt({}, ""), nullptr);
  EXPECT_EQ(weir({"job", "logs", "7"}).code, 1);  // none yet
  fake.attempt_list = attempts;
  EXPECT_THAT(weir({"job", "logs", "7", "--list"}).out,
              HasSubstr("attempt_0007_m_000001_0  FAILED"));
  const auto lost = weir({"job", "logs", "7"});
  EXPECT_EQ(lost.code, 1);
  EXPECT_THAT(lost.err, HasSubstr("ran on tracker tt1, which is not there"));
}

TEST_F(Commands, QueueListShowsFiguresUsersAndClaims) {
  auto queue = queue_status("research");
  wire::ClaimInfo claim;
  claim.kind = wire::TaskKind::MAP;
  claim.slots = 3;
  claim.milliseconds_left = 12'000;
  queue.claims = {claim};
  queue.users.resize(2);
  for (wire::UserFigures& user : queue.users) user.jobs = 1;
  fake.queue_list = {queue, queue_status("research.vision"), queue_status("production")};
  const auto ran = weir({"queue", "list"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("3 maps in 12s"));
  EXPECT_THAT(ran.out, HasSubstr("\n  vision "));
  expect_fits({"queue", "list"});
  const auto list = json({"queue", "list"});
  EXPECT_EQ(list[0]["name"], "research");
  EXPECT_EQ(list[0]["maps"]["allocated"], 8);
  EXPECT_EQ(list[0]["claims"][0]["kind"], "map");
  EXPECT_EQ(json({"queue", "show", "research"})["reduces"]["pending"], 3);
}

TEST_F(Commands, QueueListShowsWhatTheRulingPolicyHas) {
  auto queue = queue_status("research");
  for (wire::SlotFigures* slots : {&queue.maps, &queue.reduces}) {
    slots->__isset.lends = slots->__isset.borrows = false;
    slots->__set_maximum(9);
  }
  fake.queue_list = {queue};
  const std::string plain = weir({"queue", "list"}).out;  // fifo
  EXPECT_THAT(plain,
              ContainsRegex("QUEUE +STATE +MAP RUN +PEND +MAX +RED RUN +PEND +MAX +USERS\n"));
  EXPECT_THAT(plain, ContainsRegex("research +RUNNING +7 +12 +9 +1 +3 +9 +0\n"));
  EXPECT_THAT(weir({"queue", "show", "research"}).out, Not(HasSubstr("GUARANTEED")));
  fake.queue_list[0].maps.__set_share_thousandths(6'666);
  const std::string fair = weir({"queue", "list"}).out;
  EXPECT_THAT(fair, ContainsRegex("MAP SHARE +RUN +PEND +MAX +RED SHARE +RUN"));
  EXPECT_THAT(fair, ContainsRegex("research +RUNNING +6\\.7 +7 +12 +9 +- +1"));
  EXPECT_THAT(fair, HasSubstr("all pools: weir policy show"));
  expect_fits({"queue", "list"});
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

TEST_F(Commands, QueueListHasAColumnForReducesThatCopyIfAnyDo) {
  fake.queue_list = {queue_status("research"), queue_status("production")};
  EXPECT_THAT(weir({"queue", "list"}).out, Not(HasSubstr("COPY")));
  fake.queue_list[1].reduces.__set_copying(5);
  const auto ran = weir({"queue", "list"});
  EXPECT_THAT(ran.out, ContainsRegex("research +RUNNING +6 +8 +7 +12 +4 +2 +1 +3 +0 +0 "));
  EXPECT_THAT(ran.out, ContainsRegex("production +RUNNING +6 +8 +7 +12 +4 +2 +1 +3 +5 +0 "));
  expect_fits({"queue", "list"});
  EXPECT_EQ(json({"queue", "list"})[1]["reduces"]["copying"], 5);
}

TEST_F(Commands, QueueListSaysWhoLendsAndBorrows) {
  auto lender = queue_status("research");
  lender.maps.__set_lends(3);
  auto borrower = queue_status("production");
  borrower.maps.__set_borrows(2);
  auto parent = queue_status("all");
  parent.leaf = false;
  parent.maps.__set_borrows(9);
  fake.queue_list = {lender, borrower, parent};
  EXPECT_THAT(weir({"queue", "list"}).out,
              HasSubstr("\nmaps: borrowed by production 2; lent by research 3\n"));
  fake.queue_list = {lender};  // nobody runs there
  EXPECT_THAT(weir({"queue", "list"}).out, Not(HasSubstr("borrowed")));
}

TEST_F(Commands, QueueShowTellsEverything) {
  auto queue = queue_status("research");
  queue.maps.__set_maximum(10);
  queue.maps.__set_lends(0);
  queue.maps.__set_borrows(1);
  queue.__set_reclaim_after_map_ms(60'000);
  queue.__set_reclaim_after_reduce_ms(-1);
  queue.__set_kill_budget(600);
  wire::ClaimInfo claim;
  claim.kind = wire::TaskKind::MAP;
  claim.slots = 4;
  claim.milliseconds_left = 0;
  claim.__set_claim(7);
  claim.__set_opened_at_ms(fake.server_now_ms - 65'000);
  claim.__set_overdue_ms(5'000);
  claim.__set_state("unservable");
  claim.__set_width(4);
  queue.claims = {claim};
  wire::UserFigures user;
  user.user = "研究 ann";
  user.running_maps = 2;
  user.running_reduces = 0;
  user.jobs = 1;
  user.__set_limit_maps(5);
  user.__set_used_map_slot_ms(61'500);
  user.__set_lost_map_slot_ms(1'000);
  queue.users = {user};
  wire::SlotTime time;
  time.used_ms = 61'500;
  time.lent_ms = 2'000;
  time.borrowed_ms = 300;
  time.lost_ms = 0;
  queue.__set_map_time(time);
  queue.__set_reduce_time(time);
  wire::HoldInfo hold;
  hold.kind = wire::TaskKind::MAP;
  hold.tracker = "tt1";
  hold.slots = 1;
  hold.claim = 7;
  hold.dying = 1;
  queue.__set_holds({hold});
  wire::KillInfo kill;
  kill.at_ms = fake.server_now_ms - 3'000;
  kill.claim = 7;
  kill.claimant = "research";
  kill.owed_ms = 60'000;
  kill.user = "bob";
  kill.attempt = "attempt_0001_m_000003_0";
  kill.slots = 2;
  kill.ran_ms = 10'000;
  kill.outcome = "used";
  queue.__set_kills({kill});
  fake.queue_list = {queue};
  const auto ran = weir({"queue", "show", "research"});
  expect_fits({"queue", "show", "research"});
  for (const char* line :
       {"maps              6          8        7       12       10      0        1          1m00s",
        "reduces           4          2        1        3        -      0        0          never",
        "kill budget:  600 slot-seconds an hour may be lost",
        "    7  4 maps     1m05s  5.0s ago  unservable: no tracker can free 4 slots",
        "held for claim 7: 1 map on tracker tt1, 1 of its tasks still dying",
        "研究 ann     2      5        0      -",
        "maps          61.5   2.0       0.3            0.0",
        "3.0s ago  attempt_0001_m_000003_0  (gone)    bob   research   1m00s  20.0  used"}) {
    EXPECT_THAT(ran.out, HasSubstr(line));
  }
  const auto json = this->json({"queue", "show", "research"});
  EXPECT_EQ(json["claims"][0]["state"], "unservable");
  EXPECT_EQ(json["kills"][0]["lost_slot_ms"], 20'000);
  EXPECT_EQ(json["users"][0]["limit_maps"], 5);
  EXPECT_EQ(json["users"][0]["limit_reduces"], nullptr);
  EXPECT_EQ(json["map_slot_time"]["used_ms"], 61'500);
  EXPECT_EQ(json["holds"][0]["tracker"], "tt1");
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

TEST_F(Commands, QueueListLeavesOutTheStateFirstWhileItSaysNothing) {
  fake.queue_list = {queue_status("research"), queue_status("production")};
  const std::string all_run = on_terminal(80, {"queue", "list"});
  EXPECT_THAT(all_run, AllOf(HasSubstr("ALLOC"), Not(HasSubstr("STATE"))));
  fake.queue_list[1].state = "STOPPED";
  const std::string stopped = on_terminal(80, {"queue", "list"});
  EXPECT_THAT(stopped, AllOf(HasSubstr("STOPPED"), HasSubstr("PEND"), Not(HasSubstr("ALLOC"))));
  EXPECT_THAT(on_terminal(60, {"queue", "list"}), AllOf(HasSubstr("MAP GUAR"), HasSubstr("PEND")));
}

TEST_F(Commands, ATrackerThatIsAwaitedHasNotBeenHeardOf) {
  wire::TrackerStatus tracker;
  tracker.name = "tt1";
  tracker.last_heartbeat_ms_ago = 1200;
  for (const char* state : {"AWAITED", "RETURNING"}) {
    tracker.state = state;
    fake.tracker_list = {tracker};
    EXPECT_THAT(weir({"tracker", "list"}).out, Not(HasSubstr("ago"))) << state;
    EXPECT_THAT(weir({"tracker", "show", "tt1"}).out,
                HasSubstr("since the JobTracker started, 1.2s ago"));
    EXPECT_EQ(json({"tracker", "list"})[0]["last_heartbeat_ms_ago"], nullptr);
  }
  fake.tracker_list[0].state = "LIVE";
  EXPECT_THAT(weir({"tracker", "list"}).out, HasSubstr("1.2s ago"));
  EXPECT_EQ(json({"tracker", "list"})[0]["last_heartbeat_ms_ago"], 1200);
}

TEST_F(Commands, QueuesPolicyAndServer) {
  EXPECT_THAT(weir({"queue", "stop", "research"}).out, HasSubstr("queue research stopped"));
  EXPECT_THAT(weir({"queue", "start", "research"}).out, HasSubstr("queue research started"));
  EXPECT_EQ(weir({"policy", "set", "fifo"}).code, 0);
  EXPECT_THAT(fake.asked, ElementsAre("set_queue_state research stopped",
                                      "set_queue_state research running", "set_policy fifo"));
  EXPECT_EQ(json({"policy", "show"})["current"], "capacity");
  EXPECT_EQ(json({"info"})["frames_refused"], 2);
  fake.refuse =
      refusal(wire::ErrorCode::UNKNOWN_POLICY, "policy 'quick': must be capacity or fifo");
  EXPECT_EQ(weir({"policy", "set", "quick"}).code, 2);
}

TEST_F(Commands, PolicyShowComparesWhatEachPolicyWouldGive) {
  wire::PolicyOutlook capacity, fair;
  capacity.policy = "capacity";
  capacity.shares.resize(1);
  capacity.shares[0].name = "research";
  capacity.shares[0].maps.running = 30;
  capacity.shares[0].maps.pending = 200;
  capacity.shares[0].maps.__set_guaranteed(40);
  capacity.shares[0].maps.__set_allocated(35);
  fair.policy = "fair";
  fair.pools = true;
  fair.shares.resize(2);
  fair.shares[0] = capacity.shares[0];
  fair.shares[0].maps.__isset = {};
  fair.shares[0].maps.__set_share_thousandths(33333);
  fair.shares[0].maps.__set_min_share(10);
  fair.shares[1].name = "guests.summer";
  fair.shares[1].reduces.pending = 3;
  fair.shares[1].reduces.__set_share_thousandths(2000);
  fair.shares[1].reduces.__set_min_share(0);
  fake.outlooks = {capacity, fair};
  const auto ran = weir({"policy", "show"});
  EXPECT_THAT(ran.out, ContainsRegex("research +map +30 +200 +40 +35 +10 +33.33\n"));
  EXPECT_THAT(ran.out, ContainsRegex("guests.summer +reduce +0 +3 +- +- +0 +2\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("research       reduce")));
  expect_fits({"policy", "show"});
  const auto outlooks = json({"policy", "show"})["outlooks"];
  EXPECT_EQ(outlooks[0]["shares"][0]["maps"]["allocated"], 35);
  EXPECT_EQ(outlooks[1]["of"], "pools");
  EXPECT_EQ(outlooks[1]["shares"][0]["maps"]["share"], 33.333);
  fake.outlooks[1].shares[1].reduces.__set_copying(4);
  const auto copies = weir({"policy", "show"});
  EXPECT_THAT(copies.out, ContainsRegex("guests.summer +reduce +0 +3 +4 +- +- +0 +2\n"));
  expect_fits({"policy", "show"});
  EXPECT_THAT(copies.out, Not(HasSubstr("killed")));
  fake.outlooks[1].shares[1].reduces.__set_unmet(2);
  EXPECT_THAT(weir({"policy", "show"}).out,
              HasSubstr("Pools that lack slots, and nobody may be killed for them:\n"
                        "  guests.summer: 2 reduce slots (runs 0, min share 0, fair share 2)\n"));
  EXPECT_EQ(json({"policy", "show"})["outlooks"][1]["shares"][1]["reduces"]["unmet"], 2);
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

TEST_F(Commands, ConfDiffAndApplySendTheFile) {
  TemporaryDirectory dir;
  const auto file = dir.write("weir.yaml", "policy: fifo\n");
  EXPECT_EQ(weir({"conf", "diff", file}).out, "heartbeat.expiry: 10m -> 5m\n");
  EXPECT_THAT(weir({"conf", "apply", file}).out, HasSubstr("applied"));
  EXPECT_THAT(fake.asked,
              ElementsAre("diff_settings policy: fifo\n", "diff_settings policy: fifo\n",
                          "apply_settings policy: fifo\n"));
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
  EXPECT_EQ(Json::parse(run({"conf", "check", bad, "-o", "json"}).out)[0]["ok"], false);
}

TEST(Edge, NobodyListens) {
  const auto ran = run({"queue", "list", "--jobtracker", "127.0.0.1:1"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(
      ran.err,
      HasSubstr("cannot reach the JobTracker at 127.0.0.1:1 (connection refused); start it with"));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
}

TEST(Edge, WrongUseNamesTheMend) {
  EXPECT_THAT(run({"quue"}).err, HasSubstr("did you mean 'queue'?"));
  EXPECT_THAT(run({"job", "lst"}).err,
              HasSubstr("'lst' is no command of 'weir job', did you mean 'list'?"));
  EXPECT_THAT(run({"job", "status"}).err,
              HasSubstr("ID is required; see 'weir job status --help'"));
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

TEST(Edge, Version) {
  EXPECT_THAT(run({"version"}).out, testing::StartsWith("weir "));
  EXPECT_TRUE(Json::parse(run({"version", "-o", "json"}).out).contains("version"));
}

}  // namespace
}  // namespace weir::cli
