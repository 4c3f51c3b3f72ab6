// Weights, the load manager, names and labels: the small parts of the fair policy.
#include "fair/weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fair/load_manager.h"
#include "fair/order_labels.h"
#include "fair/pool_names.h"
#include "fair/weight_adjuster.h"

namespace weir {
namespace {

TEST(Weights, FactorsOfPriorities) {
  EXPECT_EQ(priority_weight(Priority::kVeryHigh), 4 * kJobWeightOne);
  EXPECT_EQ(priority_weight(Priority::kHigh), 2 * kJobWeightOne);
  EXPECT_EQ(priority_weight(Priority::kNormal), kJobWeightOne);
  EXPECT_EQ(priority_weight(Priority::kLow), kJobWeightOne / 2);
  EXPECT_EQ(priority_weight(Priority::kVeryLow), kJobWeightOne / 4);
}

TEST(Weights, TheLogarithmIsRight) {
  for (int i = 0; i < 62; ++i) {
    EXPECT_EQ(log2_billionths(std::int64_t{1} << i), i * 1'000'000'000LL);
  }
  for (std::int64_t x = 1; x < 40'000'000; x += x / 7 + 1) {
    EXPECT_NEAR(static_cast<double>(log2_billionths(x)), std::log2(static_cast<double>(x)) * 1e9, 2)
        << x;
  }
}

TEST(Weights, SizeCountsByItsLogarithm) {
  EXPECT_EQ(job_weight(Priority::kHigh, true, 7), 2 * 3 * kJobWeightOne);
  EXPECT_EQ(job_weight(Priority::kHigh, false, 7), 2 * kJobWeightOne);
  EXPECT_EQ(job_weight(Priority::kNormal, true, 0), 1);
}

TEST(Weights, TheBoosterSaysUntilWhen) {
  FairSettings settings;
  EXPECT_EQ(make_weight_adjuster(settings), nullptr);
  settings.new_job_booster = FairSettings::Booster{};
  const auto booster = make_weight_adjuster(settings);
  Job job;
  job.submitted_at = 1000;
  const auto young = booster->adjust(job, TaskKind::kMap, kJobWeightOne / 4, 300'999);
  EXPECT_EQ(young.weight, 3 * kJobWeightOne / 4);
  EXPECT_EQ(young.until, 301'000);
  const auto old = booster->adjust(job, TaskKind::kMap, kJobWeightOne / 4, 301'000);
  EXPECT_EQ(old.weight, kJobWeightOne / 4);
  EXPECT_EQ(old.until, kNever);
}

// Section B of the worked cases, with exact arithmetic where the original had a rounding error.
TEST(LoadManagers, CapFillsEvenly) {
  const auto cap = [](std::int64_t max_diff, std::int64_t demand, std::int64_t slots,
                      std::int64_t total) {
    FairSettings settings;
    settings.load_max_diff_millionths = max_diff;
    return make_load_manager(settings)->cap(
        {.tracker_slots = slots, .cluster_slots = total, .demand = demand});
  };
  EXPECT_EQ(cap(0, 1, 1, 100), 1);
  EXPECT_EQ(cap(0, 1, 2, 100), 1);
  EXPECT_EQ(cap(0, 1, 10, 100), 1);
  EXPECT_EQ(cap(0, 200, 1, 100), 1);
  EXPECT_EQ(cap(0, 50, 5, 100), 3);
  EXPECT_EQ(cap(0, 100, 5, 100), 5);
  EXPECT_EQ(cap(0, 10, 5, 50), 1);
  EXPECT_EQ(cap(0, 11, 5, 50), 2);
  EXPECT_EQ(cap(200'000, 10, 5, 50), 2);
  EXPECT_EQ(cap(300'000, 6, 5, 50), 3);
  EXPECT_EQ(cap(1'000'000, 50, 5, 50), 5);
  EXPECT_EQ(cap(0, 0, 5, 50), 0);
}

TEST(PoolNames, ThePoolOfAJob) {
  JobSpec spec;
  spec.user = "a.b";
  spec.groups = {"staff", "other"};
  const auto of = [&](const std::string& property, const std::string& moved = "") {
    const auto name = pool_name_of(spec, "research.vision", moved, property);
    return name ? *name : "refused";
  };
  EXPECT_EQ(of("queue"), "research.vision");
  EXPECT_EQ(of("user"), "a_dot_b");
  EXPECT_EQ(of("group"), "staff");
  EXPECT_EQ(of("project"), "default");
  spec.conf["project"] = " x.y ";
  EXPECT_EQ(of("project"), "x.y");
  spec.conf["pool"] = "root.production";
  EXPECT_EQ(of("queue"), "production");
  EXPECT_EQ(of("queue", "elsewhere"), "elsewhere");
  for (const char* wrong : {".a", "a.", "a..b", "root.", "a\tb\nc"}) {
    EXPECT_FALSE(parse_pool_name(wrong)) << wrong;
  }
  EXPECT_FALSE(parse_pool_name(std::string(300, 'a')));
}

TEST(OrderLabels, SortAsTheirKeysDoWhateverTheOrderOfArrival) {
  OrderLabels<int> labels;
  int relabelled = 0;
  const auto add = [&](int key) { relabelled += labels.insert(key) ? 1 : 0; };
  for (int i = 0; i < 500; ++i) add(i * 1000);
  for (int i = 0; i < 500; ++i) add(250'000 - 500 + i);  // one gap, ever narrower
  for (int i = 1; i < 500; ++i) add(-i);                 // always at the front
  EXPECT_GT(relabelled, 0);
  std::uint64_t before = 0;
  labels.each([&](int, std::uint64_t label) {
    EXPECT_GT(label, before);
    before = label;
  });
}

}  // namespace
}  // namespace weir
