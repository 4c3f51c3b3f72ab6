// What queues and policies look like to people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands_fixture.h"
#include "tracker/port/sendable_host.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class QueueCommands : public Commands {};

TEST_F(QueueCommands, QueueListShowsFiguresUsersAndClaims) {
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

TEST_F(QueueCommands, QueueListShowsWhatTheRulingPolicyHas) {
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
  const char* kNote = "\nSHARE: of the pool of that name; all pools: weir policy show\n";
  EXPECT_THAT(weir({"queue", "show", "research"}).out,
              AllOf(Not(HasSubstr("GUARANTEED")), Not(HasSubstr(kNote))));
  fake.queue_list[0].maps.__set_share_thousandths(6'666);
  EXPECT_THAT(weir({"queue", "show", "research"}).out, HasSubstr(kNote));
  const std::string fair = weir({"queue", "list"}).out;
  EXPECT_THAT(fair, ContainsRegex("MAP SHARE +RUN +PEND +MAX +RED SHARE +RUN"));
  EXPECT_THAT(fair, ContainsRegex("research +RUNNING +6\\.7 +7 +12 +9 +- +1"));
  EXPECT_THAT(fair, HasSubstr("all pools: weir policy show"));
  expect_fits({"queue", "list"});
}

TEST_F(QueueCommands, AnInnerQueueHasTheUsersOfThoseBelowEachOnce) {
  const auto with_users = [](const char* name, const std::vector<std::string>& users) {
    auto queue = queue_status(name);
    for (const std::string& user : users) {
      wire::UserFigures& figures = queue.users.emplace_back();
      figures.user = user;
      figures.jobs = 1;
    }
    return queue;
  };
  fake.queue_list = {with_users("prod", {}), with_users("prod.a", {"ann", "bob"}),
                     with_users("prod.b", {"ann"}), with_users("prod2", {})};
  fake.queue_list[2].users.emplace_back().user = "gone";  // had a job once
  const std::string list = weir({"queue", "list"}).out;
  EXPECT_THAT(list, ContainsRegex("\nprod +RUNNING( +[0-9]+)+ +2 +-"));
  EXPECT_THAT(list, ContainsRegex("\n  a +RUNNING( +[0-9]+)+ +2 +-"));
  EXPECT_THAT(list, ContainsRegex("\n  b +RUNNING( +[0-9]+)+ +1 +-"));
  EXPECT_THAT(list, ContainsRegex("\nprod2 +RUNNING( +[0-9]+)+ +0 +-"));
}

TEST_F(QueueCommands, QueueListHasAColumnForReducesThatCopyIfAnyDo) {
  fake.queue_list = {queue_status("research"), queue_status("production")};
  EXPECT_THAT(weir({"queue", "list"}).out, Not(HasSubstr("COPY")));
  fake.queue_list[1].reduces.__set_copying(5);
  const auto ran = weir({"queue", "list"});
  EXPECT_THAT(ran.out, ContainsRegex("research +RUNNING +6 +8 +7 +12 +4 +2 +1 +3 +0 +0 "));
  EXPECT_THAT(ran.out, ContainsRegex("production +RUNNING +6 +8 +7 +12 +4 +2 +1 +3 +5 +0 "));
  expect_fits({"queue", "list"});
  EXPECT_EQ(json({"queue", "list"})[1]["reduces"]["copying"], 5);
}

TEST_F(QueueCommands, QueueListSaysWhyNothingPendsAtAMaximum) {
  auto full = queue_status("production");
  full.leaf = true;
  full.jobs_waiting = 0;
  full.__set_jobs_pending(2);
  full.maps.running = 4;
  full.maps.pending = 0;
  full.maps.__set_maximum(4);
  fake.queue_list = {full};
  EXPECT_THAT(weir({"queue", "list"}).out,
              HasSubstr("maps: production runs its maximum of 4, with 2 jobs waiting;"));
  fake.queue_list[0].maps.__set_maximum(5);
  EXPECT_THAT(weir({"queue", "list"}).out, Not(HasSubstr("its maximum")));
  fake.queue_list[0].maps.__set_maximum(4);
  fake.queue_list[0].__set_jobs_pending(0);
  fake.queue_list[0].jobs_waiting = 1;  // for a limit on running jobs
  EXPECT_THAT(weir({"queue", "list"}).out, Not(HasSubstr("its maximum")));
}

TEST_F(QueueCommands, QueueListSaysWhoLendsAndBorrows) {
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

TEST_F(QueueCommands, OfManyLendersThoseOfMostSlotsAreNamed) {
  auto borrower = queue_status("production");
  borrower.maps.__set_borrows(30);
  fake.queue_list = {borrower};
  for (int i = 1; i <= 9; ++i) {
    fake.queue_list.push_back(queue_status("team_" + std::to_string(i)));
    fake.queue_list.back().maps.__set_lends(i == 7 ? 20 : 1);
  }
  EXPECT_THAT(weir({"queue", "list"}).out,
              HasSubstr("lent by team_7 20, team_1 1, team_2 1, team_3 1, team_4 1 and 4 more\n"));
}

TEST_F(QueueCommands, AClaimThatStandsStillIsPausedAndNotDue) {
  auto queue = queue_status("research");
  wire::ClaimInfo claim;
  claim.kind = wire::TaskKind::MAP;
  claim.slots = 2;
  claim.milliseconds_left = -1;
  claim.__set_state("paused");
  queue.claims = {claim};
  fake.queue_list = {queue};
  EXPECT_THAT(weir({"queue", "list"}).out, HasSubstr("2 maps paused"));
  const std::string shown = weir({"queue", "show", "research"}).out;
  EXPECT_THAT(shown, HasSubstr("stands still: another policy rules"));
  EXPECT_THAT(shown, Not(HasSubstr("never")));
}

TEST_F(QueueCommands, QueueShowTellsEverything) {
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
  claim.__set_opened_at_ms(fake.server_now_ms - 99'000);  // it was down for a while
  claim.__set_owed_ms(65'000);
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
       {"maps              6          8        7       12       10      0        1             1m",
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
  fake.queue_list[0].kills[0].outcome = "finished_first";
  EXPECT_EQ(this->json({"queue", "show", "research"})["kills"][0]["lost_slot_ms"], 0);
  EXPECT_EQ(json["users"][0]["limit_maps"], 5);
  EXPECT_EQ(json["users"][0]["limit_reduces"], nullptr);
  EXPECT_EQ(json["map_slot_time"]["used_ms"], 61'500);
  EXPECT_EQ(json["holds"][0]["tracker"], "tt1");
}

TEST_F(QueueCommands, QueueListLeavesOutTheStateFirstWhileItSaysNothing) {
  fake.queue_list = {queue_status("research"), queue_status("production")};
  const std::string all_run = on_terminal(80, {"queue", "list"});
  EXPECT_THAT(all_run, AllOf(HasSubstr("ALLOC"), Not(HasSubstr("STATE"))));
  fake.queue_list[1].state = "STOPPED";
  const std::string stopped = on_terminal(80, {"queue", "list"});
  EXPECT_THAT(stopped, AllOf(HasSubstr("STOPPED"), HasSubstr("PEND"), Not(HasSubstr("ALLOC"))));
  EXPECT_THAT(on_terminal(60, {"queue", "list"}), AllOf(HasSubstr("MAP GUAR"), HasSubstr("PEND")));
}

TEST_F(QueueCommands, OfANameInANarrowTreeBothEndsStay) {
  fake.queue_list = {queue_status("research"), queue_status("research.language-understanding-en"),
                     queue_status("research.language-understanding-fr")};
  EXPECT_THAT(on_terminal(44, {"queue", "list"}),
              AllOf(HasSubstr("\n  la…ng-en "), HasSubstr("\n  la…ng-fr ")));
}

TEST_F(QueueCommands, StoppingSaysTheWholePath) {
  fake.queue_list = {queue_status("research.vision")};
  EXPECT_THAT(weir({"queue", "stop", "vision"}).out, HasSubstr("queue research.vision stopped"));
  EXPECT_EQ(json({"queue", "start", "vision"})["queue"], "research.vision");
}

TEST_F(QueueCommands, QueuesPolicyAndServer) {
  EXPECT_THAT(weir({"queue", "stop", "research"}).out, HasSubstr("queue research stopped"));
  EXPECT_THAT(weir({"queue", "start", "research"}).out, HasSubstr("queue research started"));
  EXPECT_EQ(weir({"policy", "set", "fifo"}).code, 0);
  EXPECT_THAT(fake.asked,
              ElementsAre("set_queue_state research stopped", "queues research",
                          "set_queue_state research running", "queues research",
                          "set_policy fifo"));
  EXPECT_EQ(json({"policy", "show"})["current"], "capacity");
  EXPECT_EQ(json({"info"})["frames_refused"], 2);
  fake.refuse =
      refusal(wire::ErrorCode::UNKNOWN_POLICY, "policy 'quick': must be capacity or fifo");
  EXPECT_EQ(weir({"policy", "set", "quick"}).code, 2);
}

TEST_F(QueueCommands, TheWebPagesAddressIsOneThatCanBeSent) {
  EXPECT_THAT(weir({"info"}).out, HasSubstr("none (listen.http)"));
  fake.web = "node7:9080";
  EXPECT_THAT(weir({"info"}).out, HasSubstr("http://node7:9080/"));
  for (const char* all : {"0.0.0.0:9080", "[::]:9080"}) {
    fake.web = all;
    const std::string own = sendable_host("0.0.0.0");
    EXPECT_THAT(own, Not(HasSubstr("0.0.0.0")));
    EXPECT_THAT(weir({"info"}).out, HasSubstr("http://" + own + ":9080/")) << all;
    EXPECT_EQ(json({"info"})["http"], own + ":9080") << all;
  }
}

TEST_F(QueueCommands, PolicyShowComparesWhatEachPolicyWouldGive) {
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
  EXPECT_THAT(ran.out, ContainsRegex("research +map +30 +200 +40 +35 +10 +33.3\n"));
  EXPECT_THAT(ran.out, ContainsRegex("guests.summer +reduce +0 +3 +- +- +0 +2.0\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("research       reduce")));
  expect_fits({"policy", "show"});
  const auto outlooks = json({"policy", "show"})["outlooks"];
  EXPECT_EQ(outlooks[0]["shares"][0]["maps"]["allocated"], 35);
  EXPECT_EQ(outlooks[1]["of"], "pools");
  EXPECT_EQ(outlooks[1]["shares"][0]["maps"]["share"], 33.333);
  fake.outlooks[1].shares[1].reduces.__set_copying(4);
  const auto copies = weir({"policy", "show"});
  EXPECT_THAT(copies.out, ContainsRegex("guests.summer +reduce +0 +3 +4 +- +- +0 +2.0\n"));
  expect_fits({"policy", "show"});
  EXPECT_THAT(copies.out, Not(HasSubstr("killed")));
  fake.outlooks[1].shares[1].reduces.__set_unmet(2);
  EXPECT_THAT(weir({"policy", "show"}).out,
              HasSubstr("Pools that lack slots, and nobody may be killed for them:\n"
                        "  guests.summer: 2 reduce slots (runs 0, min share 0, fair share 2.0)\n"));
  EXPECT_EQ(json({"policy", "show"})["outlooks"][1]["shares"][1]["reduces"]["unmet"], 2);
}

}  // namespace
}  // namespace weir::cli
