// What many ask for at once is made once.
#include "web/api/shared_answers.h"

#include <gtest/gtest.h>

#include "web/server/gate.h"

namespace weir::web {
namespace {

class SharedAnswersTest : public ::testing::Test {
 protected:
  // A reply to nobody: what counts is how often the answer is made.
  static Reply reply() { return Reply(HttpResponder(std::make_shared<Gate>(), {}, 0)); }
  void ask() {
    shared_.get("/x", reply(), [this](Answer<HttpAnswer> answer) {
      ++made_;
      answer_ = std::move(answer);
    });
  }
  SharedAnswers shared_;
  int made_ = 0;
  Answer<HttpAnswer> answer_;
};

TEST_F(SharedAnswersTest, OnceForAllWhoAskMeanwhile) {
  for (int i = 0; i < 200; ++i) ask();
  EXPECT_EQ(made_, 1);
  answer_(text_answer(200, "text/plain", "x"));
  ask();  // good for a moment
  EXPECT_EQ(made_, 1);
}

TEST_F(SharedAnswersTest, AnewAfterAChange) {
  ask();
  answer_(text_answer(200, "text/plain", "x"));
  shared_.drop();
  ask();
  EXPECT_EQ(made_, 2);
}

// One that was being made when the change came shows what was before it.
TEST_F(SharedAnswersTest, AnewForWhoAsksAfterAChangeWhileOneIsMade) {
  ask();
  const auto first = answer_;
  shared_.drop();
  ask();
  EXPECT_EQ(made_, 2);
  first(text_answer(200, "text/plain", "before"));
  ask();
  EXPECT_EQ(made_, 2);  // the second is still being made
}

TEST_F(SharedAnswersTest, AFailureIsNotKept) {
  ask();
  answer_(Error{ErrorCode::kBusy, "busy", "", {}});
  ask();
  EXPECT_EQ(made_, 2);
}

}  // namespace
}  // namespace weir::web
