// What a leaf's wanted tasks are owed, one after the other (capacity.md, "Which queue, which job").
#include <gtest/gtest.h>

#include "jobqueue/policy/leaf_need.h"

namespace weir {
namespace {

TEST(OwedList, EndsWithWhatWouldFitIfTheQueueRanNothing) {
  OwedList list(3, 4);
  EXPECT_EQ(list.take(1, 2), 2);
  EXPECT_EQ(list.take(2, 1), 0);  // one slot is left, and four would be
  EXPECT_TRUE(list.ended());
  EXPECT_EQ(list.take(1, 1), 0);  // though it would fit
  EXPECT_EQ(list.left(), 1);
}

TEST(OwedList, PassesWhatCouldNeverFit) {
  OwedList list(3, 2);
  EXPECT_EQ(list.take(4, 1), 0);
  EXPECT_FALSE(list.ended());
  EXPECT_EQ(list.take(1, 5), 3);
  EXPECT_TRUE(list.ended());
}

TEST(OwedList, EndsWithinAJob) {
  OwedList list(5, 5);
  EXPECT_EQ(list.take(2, 3), 2);
  EXPECT_TRUE(list.ended());
  EXPECT_EQ(list.left(), 1);
}

}  // namespace
}  // namespace weir
