// What a switch of the policy would change, and that a terminal is asked.
#include "cli/policy_tables.h"

#include <gmock/gmock.h>

#include "cli/commands_fixture.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

OutlookView::Share share(const std::string& name, OutlookView::Figures maps) {
  OutlookView::Share out;
  out.name = name;
  out.maps = maps;
  return out;
}

OutlookView::Figures allocated(std::int64_t running, std::int64_t pending, std::int64_t slots) {
  OutlookView::Figures of;
  of.running = running;
  of.pending = pending;
  of.guaranteed = of.allocated = slots;
  return of;
}

OutlookView::Figures fair(std::int64_t running, std::int64_t pending, std::int64_t thousandths) {
  OutlookView::Figures of;
  of.running = running;
  of.pending = pending;
  of.share_thousandths = thousandths;
  return of;
}

// a runs 8 of 10 slots, b and p.c one each, and both want more.
PolicyView some_policy() {
  PolicyView policy;
  policy.current = "capacity";
  policy.available = {"capacity", "fair", "fifo"};
  OutlookView now, then, none;
  now.policy = "capacity";
  now.shares = {share("a", allocated(8, 4, 8)), share("b", allocated(1, 9, 1)),
                share("p", allocated(1, 2, 1)), share("p.c", allocated(1, 2, 1))};
  then.policy = "fair";
  then.pools = true;
  then.shares = {share("a", fair(8, 4, 3'500)), share("b", fair(1, 9, 3'500)),
                 share("p", fair(1, 2, 3'000)), share("p.c", fair(1, 2, 3'000))};
  none.policy = "fifo";
  none.shares = {share("a", {}), share("b", {})};
  policy.outlooks = {now, then, none};
  return policy;
}

TEST(PolicyChange, SaysWhoGainsAndWhoLoses) {
  const std::string text = change_text(some_policy(), "fair", 100);
  EXPECT_EQ(text,
            "QUEUE OR POOL  CLASS  RUNNING  WOULD RUN  CHANGE\n"
            "b              map        1.0        3.5    +2.5\n"
            "p.c            map        1.0        3.0    +2.0\n"
            "a              map        8.0        3.5    -4.5\n"
            "At most 4 running attempts may be killed for it, where fair preempts and its time "
            "limits are over; else as tasks end.\n");
}

TEST(PolicyTable, PoolsWithOtherJobsThanTheQueuesOfTheirNamesHaveLinesOfTheirOwn) {
  PolicyView policy = some_policy();
  EXPECT_THAT(outlook_table(policy, kUncut), Not(HasSubstr("pool ")));
  policy.outlooks[0].shares = {share("default", allocated(8, 82, 8))};
  policy.outlooks[1].shares = {share("default", fair(3, 27, 3'000)),
                               share("research", fair(5, 55, 5'000))};
  policy.outlooks[2].shares = policy.outlooks[0].shares;
  const std::string table = outlook_table(policy, kUncut);
  EXPECT_THAT(table, ContainsRegex("\ndefault +map +8 +82 +8 +8 +- +-\n"));
  EXPECT_THAT(table, ContainsRegex("\npool default +map +3 +27 +- +- +- +3.0\n"));
  EXPECT_THAT(table, ContainsRegex("\npool research +map +5 +55 +- +- +- +5.0\n"));
  policy.current = "fair";
  EXPECT_EQ(outlook_table(policy, kUncut), table);
}

TEST(PolicyChange, OfContainersItGoesByDimension) {
  PolicyView policy = some_policy();
  policy.outlooks.pop_back();
  for (OutlookView& outlook : policy.outlooks) {
    for (OutlookView::Share& one : outlook.shares) {
      OutlookView::Figures memory = one.maps;
      memory.running *= 1024;
      memory.pending *= 1024;
      if (memory.guaranteed) memory.guaranteed = memory.allocated = 1024 * *memory.guaranteed;
      if (memory.share_thousandths) *memory.share_thousandths *= 1024;
      one.amounts = {{"memory_mb", memory}, {"gpu", one.maps}};
      one.maps = {};
    }
  }
  const std::string table = outlook_table(policy, 120);
  EXPECT_THAT(table, HasSubstr("a              memory_mb     8192     4096        8192       8192  "
                               "        -      3584.0\n"));
  EXPECT_THAT(table, HasSubstr("a              gpu              8        4           8          8  "
                               "        -         3.5\n"));
  EXPECT_THAT(table, Not(HasSubstr("map ")));
  const std::string change = change_text(policy, "fair", 120);
  EXPECT_THAT(change, AllOf(HasSubstr("a              memory_mb   8192.0     3584.0  -4608.0\n"),
                            HasSubstr("a              gpu            8.0        3.5     -4.5\n"),
                            HasSubstr("\nRunning attempts may be killed for it, where fair")));
}

TEST(PolicyChange, NobodyRunsMoreThanHeWants) {
  PolicyView policy = some_policy();
  policy.outlooks[1].shares[1] = share("b", fair(1, 1, 3'500));
  EXPECT_THAT(change_text(policy, "fair", 100),
              HasSubstr("b              map        1.0        2.0"));
}

TEST(PolicyChange, WhereNothingChangesItSaysSo) {
  EXPECT_EQ(change_text(some_policy(), "capacity", 100),
            "Nobody would gain or lose as things are now.\n");
  EXPECT_EQ(change_text(some_policy(), "fifo", 100),
            "Nobody would gain or lose as things are now.\n");
  EXPECT_EQ(change_text(some_policy(), "lottery", 100), "");
}

// Its jobs' queue is b, and their pool is a.
TEST(PolicyChange, WhatRunsIsCountedAsThePolicyToComeCountsIt) {
  PolicyView policy;
  policy.current = "fair";
  OutlookView now, then;
  now.policy = "fair";
  now.shares = {share("a", fair(6, 0, 6'000)), share("b", fair(0, 0, 0))};
  then.policy = "capacity";
  then.shares = {share("a", allocated(0, 0, 0)), share("b", allocated(6, 0, 6))};
  policy.outlooks = {now, then};
  EXPECT_EQ(change_text(policy, "capacity", 100), "Nobody would gain or lose as things are now.\n");
}

TEST(PolicyChange, OfNewSettingsOnlyWhatTheyChangeIsSaid) {
  OutlookView now, then;
  now.policy = then.policy = "capacity";
  now.shares = {share("a", allocated(3, 3, 5)), share("b", allocated(5, 0, 3))};
  then.shares = now.shares;
  EXPECT_EQ(change_text(now, then, 100), "Nobody would gain or lose as things are now.\n");
  then.shares.front().maps.allocated = 6;
  EXPECT_EQ(change_text(now, then, 100),
            "QUEUE OR POOL  CLASS  RUNNING  WOULD RUN  CHANGE\n"
            "a              map        3.0        6.0    +3.0\n"
            "No kills are expected for it; open claims may kill once their time is over.\n");
}

// Claims serve guarantees alone.
TEST(PolicyChange, NobodyIsKilledForMoreThanAGuarantee) {
  OutlookView now, then;
  now.policy = then.policy = "capacity";
  now.shares = {share("a", allocated(3, 3, 3)), share("b", allocated(5, 0, 5))};
  then.shares = {share("a", allocated(3, 3, 5)), share("b", allocated(5, 0, 3))};
  then.shares[0].maps.guaranteed = 3;
  EXPECT_THAT(change_text(now, then, 100), HasSubstr("\nNo kills are expected for it; "));
  then.shares[0].maps.guaranteed = 4;
  EXPECT_THAT(change_text(now, then, 100), HasSubstr("\nAt most 1 running attempt may be killed"));
}

class PolicySet : public Commands {
 protected:
  Ran set(const std::string& policy, const std::string& typed, bool terminal,
          std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"policy", "set", policy, "--jobtracker", fake.address()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, {.err = terminal, .in = terminal}, typed);
  }
  bool was_set() const {
    return !fake.asked.empty() && fake.asked.back().starts_with("set_policy");
  }
};

TEST_F(PolicySet, ATerminalIsAskedFirst) {
  const Ran no = set("fifo", "n\n", true);
  EXPECT_EQ(no.code, 1);
  EXPECT_THAT(no.err, AllOf(HasSubstr("? [y/N] "), HasSubstr("nothing was changed")));
  EXPECT_FALSE(was_set());
  EXPECT_EQ(set("fifo", "y\n", true).code, 0);
  EXPECT_TRUE(was_set());
}

TEST_F(PolicySet, ScriptsAreNot) {
  EXPECT_THAT(set("fifo", "", false).err, Not(HasSubstr("[y/N]")));
  EXPECT_TRUE(was_set());
  EXPECT_THAT(set("fifo", "", true, {"--yes"}).err, Not(HasSubstr("[y/N]")));
  EXPECT_TRUE(was_set());
}

}  // namespace
}  // namespace weir::cli
