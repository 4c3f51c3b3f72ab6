#include "jobqueue/policy/job_table.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weir {
namespace {

TEST(JobTableTest, AnEntryIsMadeOnceAndStaysWhereItIs) {
  JobTable<int> table;
  EXPECT_EQ(table.find(JobId(3)), nullptr);
  EXPECT_EQ(table.find(JobId{}), nullptr) << "no job has none";
  int& entry = table[JobId(3)];
  EXPECT_EQ(entry, 0);
  entry = 7;
  table[JobId(5'000)] = 9;  // which needs more room
  EXPECT_EQ(table.find(JobId(3)), &entry);
  EXPECT_EQ(table[JobId(3)], 7);
  EXPECT_EQ(table.find(JobId(4)), nullptr) << "it lies between two that have one";
}

TEST(JobTableTest, WhatIsErasedIsGoneAndMadeAnew) {
  JobTable<int> table;
  table[JobId(1)] = 7;
  table.erase(JobId(1));
  table.erase(JobId(40));  // which it never had
  EXPECT_EQ(table.find(JobId(1)), nullptr);
  EXPECT_EQ(table[JobId(1)], 0);
}

TEST(JobTableTest, EntriesAreVisitedInTheOrderOfIds) {
  JobTable<int> table;
  table[JobId(9)] = 1;
  table[JobId(2)] = 2;
  table[JobId(5)] = 3;
  table.erase(JobId(5));
  std::vector<std::pair<JobId, int>> seen;
  table.each([&](JobId id, int entry) { seen.emplace_back(id, entry); });
  const std::vector<std::pair<JobId, int>> expected = {{JobId(2), 2}, {JobId(9), 1}};
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace weir
