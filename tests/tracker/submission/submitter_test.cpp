// From a JSON object to a job in the JobTracker, with splits that it has made itself.
#include "tracker/submission/submitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "cli/temporary_directory.h"
#include "tracker/jobtracker/harness.h"

namespace weir {
namespace {

using testing::HasSubstr;

class SubmitterTest : public ::testing::Test {
 protected:
  Result<SubmittedView> submit(const nlohmann::ordered_json& body, const std::string& user) {
    std::promise<Result<SubmittedView>> answered;
    submitter_.submit({user, {}}, body, [&answered](Result<SubmittedView> answer) {
      answered.set_value(std::move(answer));
    });
    return answered.get_future().get();
  }
  nlohmann::ordered_json body() {
    return {{"queue", "default"},
            {"input_files", {dir_ / "in/*.txt"}},
            {"split_bytes", 4},
            {"output", "/out/a"},
            {"mapper", "cat"},
            {"reduces", 0}};
  }

  cli::TemporaryDirectory dir_;
  const std::unique_ptr<JobTracker> tracker_ = start_tracker(memory_store());
  InputLookups lookups_;
  Submitter submitter_{tracker_->jobs(), lookups_};
};

TEST_F(SubmitterTest, SplitsAreMadeByTheJobTracker) {
  dir_.write("in/a.txt", "0123456789");
  dir_.write("in/b.txt", "01");
  dir_.write("in/c.csv", "01");
  const auto job = submit(body(), "alice");
  ASSERT_TRUE(job.ok()) << job.error().message;
  EXPECT_EQ(job->queue, "default");
  std::promise<Result<JobView>> answered;
  tracker_->jobs().status(job->job, job->version, [&answered](Result<JobView> answer) {
    answered.set_value(std::move(answer));
  });
  const auto status = answered.get_future().get();
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(status->maps.total, 4);  // 4 + 4 + 2, and 2
  EXPECT_EQ(status->user, "alice");
}

TEST_F(SubmitterTest, WhatIsWrongIsSaidByWhoeverFindsIt) {
  const auto refusal = [this](const nlohmann::ordered_json& body, const std::string& user) {
    const auto submitted = submit(body, user);
    return submitted ? "taken" : submitted.error().message;
  };
  EXPECT_THAT(refusal(body(), ""), HasSubstr("caller.user: is empty"));
  EXPECT_THAT(refusal(nlohmann::ordered_json(7), "alice"), HasSubstr("is no JSON object"));
  EXPECT_THAT(refusal(body(), "alice"), HasSubstr("in/*.txt: matches nothing"));
  dir_.write("in/a.txt", "0123456789");
  auto elsewhere = body();
  elsewhere["queue"] = "small";
  EXPECT_THAT(refusal(elsewhere, "alice"), HasSubstr("alice"));  // may not submit there
  EXPECT_EQ(refusal(elsewhere, "carol"), "taken");
}

}  // namespace
}  // namespace weir
