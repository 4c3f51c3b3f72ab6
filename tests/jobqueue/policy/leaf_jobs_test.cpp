// What the tasks of a leaf's jobs come to where users have limits.
#include "jobqueue/policy/leaf_jobs.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr UserId kAnn{1};
constexpr UserId kBob{2};

JobOrder order_of(std::uint32_t job) {
  return {.priority = Priority::kNormal, .submitted_at = 0, .id = JobId(job)};
}

std::int64_t permitted(const LeafJobs& jobs, std::int64_t limit) {
  return jobs.pending_slots([limit](std::int64_t) { return limit; }, std::nullopt);
}

TEST(LeafJobs, AUsersLimitCountsHisWidestTasksFirst) {
  LeafJobs jobs;
  jobs.set_tasks(order_of(1), kAnn, 2, 0, 5);
  jobs.set_tasks(order_of(2), kAnn, 3, 0, 5);
  EXPECT_EQ(permitted(jobs, 4), 3);  // the task of 3, which leaves no room for one of 2
  EXPECT_EQ(permitted(jobs, 5), 5);
  EXPECT_EQ(permitted(jobs, 2), 2);
}

TEST(LeafJobs, AUserHasOneLimitForAllHisWidths) {
  LeafJobs jobs;
  jobs.set_tasks(order_of(1), kAnn, 3, 0, 9);
  jobs.set_tasks(order_of(2), kAnn, 1, 0, 9);
  EXPECT_EQ(permitted(jobs, 3), 3);
  EXPECT_EQ(permitted(jobs, 5), 5);
  jobs.set_user_running(kAnn, 2);
  EXPECT_EQ(permitted(jobs, 5), 3);
  jobs.set_tasks(order_of(3), kBob, 1, 0, 9);  // another user has his own
  EXPECT_EQ(permitted(jobs, 5), 8);
}

}  // namespace
}  // namespace weir
