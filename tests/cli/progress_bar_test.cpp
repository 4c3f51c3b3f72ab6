#include "cli/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_jobtracker.h"
#include "cli/format.h"
#include "thrift/wire_views.h"

namespace weir::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Half of its 10 maps are done, none of its 2 reduces.
JobView running_for(std::int64_t ms) {
  auto job = from_wire(job_status(7, "RUNNING", 10, 5));
  job.now_ms = *job.started_at_ms + ms;
  return job;
}

TEST(ProgressBar, ShowsBothKindsAndTheTimeLeft) {
  const auto job = running_for(60'000);
  const std::string text = progress_bar(job, {.columns = 120});
  EXPECT_THAT(text, HasSubstr("maps ["));
  EXPECT_THAT(text, HasSubstr(" 50%  reduces ["));
  EXPECT_THAT(text, HasSubstr("1 running  1m01s, about 1m24s left"));
}

TEST(ProgressBar, FitsAnyWidth) {
  const auto job = from_wire(job_status(7, "RUNNING", 10, 5));
  for (std::size_t columns = 1; columns < 160; ++columns) {
    EXPECT_LE(display_width(progress_bar(job, {.columns = columns})), columns);
  }
}

TEST(ProgressBar, ColoursOnlyIfAskedFor) {
  const auto job = from_wire(job_status(7, "RUNNING", 10, 5));
  EXPECT_THAT(progress_bar(job, {.columns = 120}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(progress_bar(job, {.columns = 120, .colours = true}), HasSubstr("\x1b[32m"));
}

TEST(ProgressBar, MapOnlyJobsHaveOneBar) {
  auto job = from_wire(job_status(7, "RUNNING", 10, 5));
  job.reduces = {};
  EXPECT_THAT(progress_bar(job, {}), Not(HasSubstr("reduces")));
  EXPECT_THAT(progress_line(job), Not(HasSubstr("reduces")));
}

TEST(ProgressBar, NoGuessWithoutEvidence) {
  auto job = running_for(60'000);
  EXPECT_EQ(milliseconds_left(job), 84'000);  // 5 tasks took 60 s, 7 are left
  EXPECT_FALSE(milliseconds_left(running_for(0)));
  job.maps.succeeded = 0;  // however far its maps have come
  EXPECT_FALSE(milliseconds_left(job));
}

TEST(ProgressBar, PlainLine) {
  auto job = from_wire(job_status(7, "RUNNING", 10, 5));
  job.now_ms = job.submitted_at_ms + 80'000;
  EXPECT_EQ(progress_line(job),
            "job_0007 RUNNING: maps 50% (5/10), reduces 0% (0/2), 1 running, 1m20s");
}

}  // namespace
}  // namespace weir::cli
