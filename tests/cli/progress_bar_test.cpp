#include "cli/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_jobtracker.h"
#include "cli/format.h"

namespace weir::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProgressBar, ShowsBothKindsAndTheTimeLeft) {
  const auto job = job_status(7, "RUNNING", 10, 5);
  const std::string text = progress_bar(job, job.started_at_ms + 60'000, {.columns = 120});
  EXPECT_THAT(text, HasSubstr("maps ["));
  EXPECT_THAT(text, HasSubstr(" 50%  reduces ["));
  EXPECT_THAT(text, HasSubstr("1 running  1m01s, about 1m24s left"));
}

TEST(ProgressBar, FitsAnyWidth) {
  const auto job = job_status(7, "RUNNING", 10, 5);
  for (std::size_t columns = 1; columns < 160; ++columns) {
    EXPECT_LE(display_width(progress_bar(job, job.started_at_ms, {.columns = columns})), columns);
  }
}

TEST(ProgressBar, ColoursOnlyIfAskedFor) {
  const auto job = job_status(7, "RUNNING", 10, 5);
  EXPECT_THAT(progress_bar(job, 0, {.columns = 120}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(progress_bar(job, 0, {.columns = 120, .colours = true}), HasSubstr("\x1b[32m"));
}

TEST(ProgressBar, MapOnlyJobsHaveOneBar) {
  auto job = job_status(7, "RUNNING", 10, 5);
  job.reduces = task_counts(0);
  EXPECT_THAT(progress_bar(job, 0, {}), Not(HasSubstr("reduces")));
  EXPECT_THAT(progress_line(job, 0), Not(HasSubstr("reduces")));
  EXPECT_EQ(overall_progress_millionths(job), 500'000);
}

TEST(ProgressBar, NoGuessWithoutEvidence) {
  EXPECT_FALSE(milliseconds_left(19'999, 60'000));
  EXPECT_EQ(milliseconds_left(20'000, 60'000), 49 * 60'000);
  EXPECT_FALSE(milliseconds_left(500'000, 0));
  EXPECT_EQ(milliseconds_left(500'000, 60'000), 60'000);
  EXPECT_EQ(milliseconds_left(1'000'000, 60'000), 0);
}

TEST(ProgressBar, PlainLine) {
  const auto job = job_status(7, "RUNNING", 10, 5);
  EXPECT_EQ(progress_line(job, job.submitted_at_ms + 80'000),
            "job_0007 RUNNING: maps 50% (5/10), reduces 0% (0/2), 1 running, 1m20s");
}

}  // namespace
}  // namespace weir::cli
