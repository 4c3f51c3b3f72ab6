// The order of waiting jobs behind queues that have a maximum.
#include "fifo/waiting_jobs.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/harness.h"

namespace weir::test {
namespace {

QueueSettings at_most(const std::string& name, std::vector<QueueSettings> below = {}) {
  QueueSettings settings = queue(name);
  settings.maximum_hundredths = 5000;
  settings.queues = std::move(below);
  return settings;
}

// org (maximum) holds in (maximum) and out (none); free has none above it.
class WaitingBehindMaximums : public ::testing::Test {
 protected:
  WaitingBehindMaximums()
      : tree_(*QueueTree::build({at_most("org", {at_most("in"), queue("out")}), queue("free")})),
        waiting_(tree_) {
    waiting_.follow_all([](QueueId) { return kMaximum; }, [](QueueId) { return 0; });
  }
  QueueId id(const std::string& path) const { return *tree_.find_path(path); }
  static JobOrder order(std::uint32_t job) { return {Priority::kNormal, job, JobId(job)}; }
  void add(std::uint32_t job, const std::string& leaf, std::int64_t width = 1) {
    waiting_.insert(order(job), id(leaf), width);
  }
  void take(std::uint32_t job, const std::string& leaf, std::int64_t width = 1) {
    waiting_.erase(order(job), id(leaf), width);
  }
  void set_room(const std::string& path, std::int64_t slots) {
    running_[id(path)] = kMaximum - slots;
    waiting_.follow(id(path), [&](QueueId q) { return running_[q]; });
  }
  std::string offered(std::int64_t widest = 100) {
    std::string jobs;
    waiting_.visit(widest, [&](JobId job) {
      jobs += (jobs.empty() ? "" : " ") + std::to_string(job.value);
      return false;
    });
    return jobs;
  }

  static constexpr std::int64_t kMaximum = 100;  // of org and org.in
  QueueTree tree_;
  WaitingJobs waiting_;
  std::map<QueueId, std::int64_t> running_;
};

TEST_F(WaitingBehindMaximums, TheNearestLimitingQueueIsFound) {
  EXPECT_EQ(waiting_.limiter(id("org.in")), id("org.in"));
  EXPECT_EQ(waiting_.limiter(id("org.out")), id("org"));
  EXPECT_EQ(waiting_.limiter(id("free")), QueueTree::root());
}

TEST_F(WaitingBehindMaximums, OneOrderOverAllQueuesAndWidths) {
  add(4, "free", 2);
  add(3, "org.in");
  add(1, "org.out", 2);
  add(2, "free");
  add(5, "org.in", 3);
  EXPECT_EQ(offered(), "1 2 3 4 5");
  EXPECT_EQ(offered(2), "1 2 3 4");
  EXPECT_EQ(offered(1), "2 3");
  EXPECT_EQ(offered(0), "");
}

TEST_F(WaitingBehindMaximums, AVisitEndsWithTheFirstThatIsTaken) {
  add(1, "org.in");
  add(2, "free");
  std::string seen;
  waiting_.visit(1, [&](JobId job) {
    seen += std::to_string(job.value);
    return true;
  });
  EXPECT_EQ(seen, "1");
}

TEST_F(WaitingBehindMaximums, AFullQueueIsPassedAndAWideTaskThereIsNot) {
  add(1, "org.in", 2);
  add(2, "org.in");
  add(3, "org.out");
  add(4, "free");
  set_room("org.in", 1);
  EXPECT_EQ(offered(), "3 4") << "what is behind job 1 in its queue leaves it the room";
  set_room("org.in", 2);
  EXPECT_EQ(offered(), "1 3 4") << "after a task of job 2 there would be too little";
  EXPECT_EQ(offered(1), "3 4") << "also where it is too wide for the tracker";
  set_room("org.in", 3);
  EXPECT_EQ(offered(), "1 2 3 4");
  set_room("org.in", 0);
  EXPECT_EQ(offered(), "3 4");
  set_room("org", 0);
  EXPECT_EQ(offered(), "4");
  set_room("org.in", 2);
  EXPECT_EQ(offered(), "4");
  set_room("org", 5);
  EXPECT_EQ(offered(), "1 3 4");
  set_room("org", -3);
  EXPECT_EQ(offered(), "4");
  EXPECT_EQ(waiting_.room(id("org.in")), -3);
  EXPECT_EQ(waiting_.room(id("free")), INT64_MAX);
}

TEST_F(WaitingBehindMaximums, WhatIsBeforeAWideTaskStartsAndWhatCouldNeverStartHoldsNobodyUp) {
  add(1, "org.in");
  add(2, "org.in", 2);
  add(3, "org.in");
  set_room("org.in", 1);
  EXPECT_EQ(offered(), "1");
  take(1, "org.in");
  EXPECT_EQ(offered(), "");
  EXPECT_FALSE(waiting_.has_room_beside(id("org.in"), 1));
  EXPECT_TRUE(waiting_.has_room_beside(id("org.out"), 1));
  take(2, "org.in", 2);
  add(2, "org.in", kMaximum + 1);
  EXPECT_EQ(offered(), "3");
  EXPECT_TRUE(waiting_.has_room_beside(id("org.in"), 1));
}

// Nor does what only a queue further up will never have room for.
TEST_F(WaitingBehindMaximums, TheLeastMaximumOnTheWaySaysWhatCouldStart) {
  waiting_.follow_all([&](QueueId q) { return q == id("org") ? 50 : kMaximum; },
                      [](QueueId) { return 40; });
  EXPECT_EQ(waiting_.widest_ever(id("org.in")), 50);
  add(1, "org.in", 60);
  add(2, "org.in");
  EXPECT_EQ(offered(), "2");
}

TEST_F(WaitingBehindMaximums, NothingOfAnInnerQueuePassesAWideTaskOfTheOuter) {
  add(1, "org.in");
  add(3, "org.out", 3);
  add(5, "org.in");
  set_room("org", 3);
  EXPECT_EQ(offered(), "1 3");
}

// What the inner queue has room for stands in the outer one, and is not overtaken there.
TEST_F(WaitingBehindMaximums, AWideTaskIsNotOvertakenFromAQueueBesideItsOwn) {
  add(1, "org.in", 3);
  add(2, "org.out");
  add(3, "free");
  set_room("org", 2);
  EXPECT_EQ(offered(), "3");
  set_room("org.in", 2);
  EXPECT_EQ(offered(), "2 3") << "it waits for its own queue";
  set_room("org.in", 3);
  set_room("org", 4);
  EXPECT_EQ(offered(), "1 2 3");
}

TEST_F(WaitingBehindMaximums, JobsComeAndGoWhileTheirQueueIsFull) {
  add(3, "org.in");
  add(4, "free");
  set_room("org.in", 0);
  add(1, "org.in");
  take(3, "org.in");
  EXPECT_EQ(offered(), "4");
  set_room("org.in", 1);
  EXPECT_EQ(offered(), "1 4");
  take(1, "org.in");
  EXPECT_EQ(offered(), "4");
  add(5, "org.in");
  add(2, "org.in");
  EXPECT_EQ(offered(), "2 4 5");
  take(2, "org.in");
  EXPECT_EQ(offered(), "4 5");
}

TEST_F(WaitingBehindMaximums, WhoIsHeldBackAloneIsBeforeNobody) {
  add(1, "org.in");
  add(2, "org.out", 2);
  add(3, "free");
  const auto before = [&](std::uint32_t job, const std::string& leaf, std::int64_t width = 1) {
    return waiting_.before(order(job), id(leaf), width);
  };
  EXPECT_EQ(before(9, "free"), 3);
  set_room("org.in", 0);
  EXPECT_EQ(before(9, "free"), 2) << "job 1 waits for room in its queue";
  EXPECT_EQ(before(9, "org.out"), 2);
  EXPECT_EQ(before(9, "org.in"), 3) << "and has it before a later one there";
  set_room("org", 1);
  EXPECT_EQ(before(9, "org.in"), 3) << "job 2 waits for the room that is left";
  EXPECT_EQ(before(9, "org.in", 2), 3);
  EXPECT_EQ(before(9, "org.out", 2), 2) << "jobs 2 and 3: not one held by org.in alone";
  set_room("org", 0);
  EXPECT_EQ(before(9, "free"), 1);
  EXPECT_EQ(before(9, "org.in"), 3);
}

}  // namespace
}  // namespace weir::test
