// What `job status` says of what a job was submitted with.
#include "cli/asked_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using ::testing::HasSubstr;

TEST(AskedLines, AGroupIsShownWithAllItHas) {
  AskedView asked;
  TaskGroupSpec group{.name = "w", .count = 4, .command = "train", .asked = {1024, 1, {}}};
  asked.spec.task_groups = {group};
  EXPECT_THAT(asked_lines(asked, 200), HasSubstr("4 x 1024 MB 1 vcore: train"));
  group.gang = 4;
  group.replace = true;
  group.ports = 2;
  group.spread = Spread{.by = "rack", .max_skew = 1};
  group.time_limit_ms = 7'200'000;
  asked.spec.task_groups = {group};
  EXPECT_THAT(asked_lines(asked, 200),
              HasSubstr("gang of 4 on_member: replace 2 ports spread by rack, max_skew 1 "
                        "time_limit 2h00m"));
}

}  // namespace
}  // namespace weir::cli
