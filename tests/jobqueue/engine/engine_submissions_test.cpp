// A submission whose answer was lost is asked for again: by its id it is the same job, however
// often, before and after it is durable, after a restart, and as long as it is listed.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

struct Submissions : testing::Test {
  std::shared_ptr<JobSpec> spec(const std::string& submission, const std::string& output,
                                const std::string& user = "user") {
    auto made = std::make_shared<JobSpec>();
    made->user = user;
    made->queue = "default";
    made->submission = submission;
    made->input_files = {"/in"};
    made->splits.resize(1);
    made->reduces = 0;
    made->output = output;
    return made;
  }
  // The replies as words: a job's number, or the code of a refusal.
  std::string words(const std::vector<Reply>& replies) {
    std::string out;
    for (const Reply& reply : replies) {
      out += out.empty() ? "" : " ";
      if (const auto* submitted = std::get_if<Submitted>(&reply.body)) {
        out += std::to_string(submitted->job.value);
        EXPECT_EQ(submitted->queue, "default");
      } else if (const auto* error = std::get_if<Error>(&reply.body)) {
        out += error->code == ErrorCode::kStoreFailed  ? "store_failed"
               : error->code == ErrorCode::kBadRequest ? "bad_request"
                                                       : "refused";
      }
    }
    return out;
  }
  std::string submit(const std::shared_ptr<JobSpec>& spec) {
    return words(h.step(SubmitJob{{spec->user, {}}, spec}));
  }
  FifoHarness h;
};

TEST_F(Submissions, TheSameIdOfTheSameUserIsTheSameJob) {
  EXPECT_EQ(submit(spec("a", "/out/1")), "1");
  EXPECT_EQ(submit(spec("a", "/out/1")), "1");
  EXPECT_EQ(submit(spec("a", "/out/2", "other")), "2");
  EXPECT_EQ(submit(spec("b", "/out/1")), "refused");  // its output is being written
  EXPECT_EQ(submit(spec("a", "/out/3")), "bad_request");
  EXPECT_EQ(submit(spec("", "/out/4")), "3");
  EXPECT_EQ(submit(spec("", "/out/5")), "4");
  EXPECT_EQ(h.events<JobSubmitted>().size(), 4u);
}

TEST_F(Submissions, AnsweredAgainWhateverHappenedToItsQueueAndItSinceThen) {
  EXPECT_EQ(submit(spec("a", "/out/1")), "1");
  h.step(SetQueueState{{"root", {}}, "default", true});
  EXPECT_EQ(submit(spec("a", "/out/1")), "1");
  EXPECT_EQ(submit(spec("b", "/out/2")), "refused");
  h.step(KillJob{{"user", {}}, JobId(1)});
  EXPECT_EQ(submit(spec("a", "/out/1")), "1");
}

TEST_F(Submissions, BeforeItIsDurableAllWaitForTheOneAnswer) {
  h.durable_at_once = false;
  EXPECT_EQ(submit(spec("a", "/out/1")), "");
  EXPECT_EQ(submit(spec("b", "/out/2")), "");
  EXPECT_EQ(submit(spec("a", "/out/1")), "");
  EXPECT_EQ(words(h.step(Durable{h.engine().last_seq()})), "1 1 2");
}

TEST_F(Submissions, WhatTheStoreRefusedMayBeAskedForAnew) {
  h.durable_at_once = false;
  submit(spec("a", "/out/1"));
  submit(spec("a", "/out/1"));
  EXPECT_EQ(words(h.step(StoreFailed{h.engine().last_seq(), "full"})), "store_failed store_failed");
  h.durable_at_once = true;
  EXPECT_EQ(submit(spec("a", "/out/1")), "2");
}

TEST_F(Submissions, KnownAfterARestartAndForgottenWithTheJob) {
  h.settings().finished_jobs_kept_ms = 10'000;
  Snapshot snapshot{.epoch = 2, .next_job = 8};
  JobSnapshot old;
  old.job = JobId(7);
  old.spec = spec("a", "/out/1");
  old.queue = "default";
  snapshot.jobs.push_back(old);
  h.start(snapshot);
  EXPECT_EQ(submit(spec("a", "/out/1")), "7");
  h.step(KillJob{{"user", {}}, JobId(7)});
  h.add_tracker("tt1");
  h.settle("tt1");
  for (int i = 0; i < 30; ++i) {
    h.advance(1000);
    h.heartbeat("tt1");
  }
  EXPECT_EQ(submit(spec("a", "/out/1")), "8");
}

}  // namespace
}  // namespace weir::test
