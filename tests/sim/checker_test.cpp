// The checker's own arithmetic, on numbers that can be worked out by hand: an oracle that nobody
// checked would prove little.
#include "sim/checker/exact.h"
#include "sim/checker/expected.h"

#include <gtest/gtest.h>

#include "conf/policies.h"
#include "sim/checker_observer.h"
#include "support/harness.h"

namespace weir::test {
namespace {

using check::Bowl;
using check::Rational;

TEST(Exact, LargestRemaindersGetTheRestInOrder) {
  EXPECT_EQ(check::share_out(10, {1, 1, 1}), (std::vector<std::int64_t>{4, 3, 3}));
  EXPECT_EQ(check::share_out(10, {1, 2, 4}), (std::vector<std::int64_t>{1, 3, 6}));  // .43 .86 .71
  EXPECT_EQ(check::share_out(5, {0, 0}), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(check::share_out(0, {3, 4}), (std::vector<std::int64_t>{0, 0}));
}

TEST(Exact, WhatOneBowlCannotTakeGoesRoundAgain) {
  // 12 at 1:1:2; the first is full at 1, the rest share 11 at 1:2.
  const auto filled = check::pour(12, {Bowl{1, 1}, Bowl{100, 1}, Bowl{100, 2}});
  EXPECT_EQ(filled, (std::vector<Rational>{1, Rational(11, 3), Rational(22, 3)}));
  EXPECT_EQ(check::round_by_largest_remainder(filled), (std::vector<std::int64_t>{1, 4, 7}));
  // No more than fits is poured; nothing for a weight of 0.
  EXPECT_EQ(check::pour(9, {Bowl{2, 1}, Bowl{3, 5}, Bowl{9, 0}}), (std::vector<Rational>{2, 3, 0}));
}

TEST(Expected, UserLimits) {
  UserLimit limit;
  limit.minimum_hundredths = 2500;
  EXPECT_EQ(check::user_limit(limit, 10, 10, 4, 1, 2), 5);   // half of 10
  EXPECT_EQ(check::user_limit(limit, 10, 10, 4, 1, 9), 3);   // a quarter of 10, rounded up
  EXPECT_EQ(check::user_limit(limit, 10, 10, 14, 1, 3), 5);  // a third of 15
  limit.factor_millionths = 400000;
  EXPECT_EQ(check::user_limit(limit, 10, 10, 4, 1, 2), 4);  // 0.4 times what is guaranteed
  EXPECT_EQ(check::user_limit(limit, 0, 0, 0, 3, 1), 3);    // one task always
}

struct Cluster : Harness {
  Cluster() : Harness(policy_factory(), "capacity") {}
  check::ExpectedQueue expected(const std::string& path) {
    const check::Census census(state(),
                               [](const Job& job) { return job.tasks(TaskKind::kReduce).open; });
    const auto rules = capacity_rules(state().settings());
    return check::expect(census, TaskKind::kMap, rules,
                         {})[state().tree().find_path(path)->index()];
  }
};

TEST(Expected, AFamilySharesBeforeItLends) {
  Cluster c;
  QueueSettings research = queue("research", 60);
  research.queues = {queue("vision", 50), queue("speech", 50)};
  QueueSettings sales = queue("sales", 40);
  sales.maximum_hundredths = 5000;
  c.add_queue(research).add_queue(sales);
  c.add_tracker("tt1", {.map_slots = 10});
  c.submit({.queue = "research.vision", .maps = 4});
  c.submit({.queue = "sales", .maps = 20});
  EXPECT_EQ(c.expected("research").guaranteed, 6);
  EXPECT_EQ(c.expected("research.vision").demand, 4);
  EXPECT_EQ(c.expected("sales").maximum, 5);
  EXPECT_EQ(c.expected("sales").pending, 5);  // no more than its maximum
  EXPECT_EQ(c.expected("sales").allocated, 5);
  EXPECT_EQ(c.expected("research").allocated, 5);
  EXPECT_EQ(c.expected("research.vision").allocated, 4);  // 3 and one of its sibling's
  EXPECT_EQ(c.expected("research.speech").allocated, 1);
}

TEST(Expected, WhatCannotStartAtAllTakesNoRoomOfOthers) {
  Cluster c;
  QueueSettings narrow = queue("narrow", 20);
  narrow.maximum_hundredths = 3000;
  narrow.user_limit.mode = UserLimit::Mode::kHard;
  c.add_queue(narrow).add_queue(queue("other", 80));
  c.add_tracker("tt1", {.map_slots = 10});
  c.submit({.queue = "narrow", .maps = 3, .slots_per_map = 4});  // wider than its maximum
  c.submit({.queue = "narrow", .maps = 5});
  EXPECT_EQ(c.expected("narrow").maximum, 3);
  EXPECT_EQ(c.expected("narrow").pending, 2);  // what is guaranteed is its user's limit
}

// Sampled looks at every thousandth step only, off at none..
TEST(Checker, Modes) {
  for (const auto& [mode, looks] : {std::pair{check::CheckMode::kFull, 2500u},
                                    {check::CheckMode::kEach, 2500u},
                                    {check::CheckMode::kSampled, 2u},
                                    {check::CheckMode::kOff, 0u}}) {
    Cluster c;
    c.start();
    check::Checker checker(
        mode, [](const Engine& engine) { return capacity_rules(engine); },
        [](const Engine& engine) { return fair_rules(engine); });
    for (int i = 0; i < 2500; ++i) {
      const Input input{c.now, 0, Tick{}};
      Output output;
      c.engine().handle(input, output);
      ASSERT_FALSE(checker.check(c.engine(), input, output));
    }
    EXPECT_EQ(checker.checked(), looks);
    if (mode == check::CheckMode::kEach) continue;
    EXPECT_EQ(check::parse_check_mode(name(mode)), mode);
  }
}

}  // namespace
}  // namespace weir::test
