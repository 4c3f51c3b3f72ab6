#include "live/top_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TopJob job_of_user(std::int64_t number, const std::string& user, const std::string& state) {
  TopJob job;
  job.number = number;
  job.name = "n" + std::to_string(number);
  job.user = user;
  job.queue = "research";
  job.state = state;
  return job;
}

TopModel three_jobs() {
  TopModel model;
  model.jobs = {job_of_user(1, "alice", "RUNNING"), job_of_user(2, "bob", "WAITING"),
                job_of_user(3, "alice", "PENDING")};
  model.queues.resize(2);
  model.queues[0].name = "research";
  model.queues[1].name = "prod";
  return model;
}

TopAction type(TopView& view, const TopModel& model, const std::string& letters) {
  TopAction last;
  for (const char letter : letters) {
    last = press(view, model, {Key::What::kCharacter, letter});
  }
  return last;
}

std::vector<std::int64_t> numbers(const TopModel& model, const TopView& view) {
  std::vector<std::int64_t> result;
  for (const TopJob* shown : shown_jobs(model, view)) result.push_back(shown->number);
  return result;
}

TEST(TopView, TheChosenJobStaysChosenWhateverComesAndGoes) {
  TopModel model = three_jobs();
  TopView view;
  press(view, model, {Key::What::kDown});
  EXPECT_EQ(view.job, 2);
  model.jobs.push_back(job_of_user(4, "carol", "PENDING"));
  EXPECT_EQ(chosen_job(shown_jobs(model, view), view), 2);  // one row lower, the same job
  press(view, model, {Key::What::kEnd});
  EXPECT_EQ(view.job, 1);
  press(view, model, {Key::What::kDown});
  EXPECT_EQ(view.job, 1);
  press(view, model, {Key::What::kHome});
  press(view, model, {Key::What::kUp});
  EXPECT_EQ(view.job, 4);
  press(view, model, {Key::What::kPageDown});
  EXPECT_EQ(view.job, 1);
}

TEST(TopView, EnterAsksWhyTheChosenJobWaits) {
  const TopModel model = three_jobs();
  TopView view;
  press(view, model, {Key::What::kDown});
  const TopAction action = press(view, model, {Key::What::kEnter});
  EXPECT_EQ(action.what, TopAction::What::kExplain);
  EXPECT_EQ(action.job, 2);
  press(view, model, {Key::What::kTab});
  EXPECT_EQ(press(view, model, {Key::What::kEnter}).what, TopAction::What::kNone);
  EXPECT_THAT(view.message, HasSubstr("choose a job"));
}

TEST(TopView, AKillIsAskedForFirst) {
  const TopModel model = three_jobs();
  TopView view;
  EXPECT_EQ(type(view, model, "x").what, TopAction::What::kNone);
  EXPECT_EQ(view.mode, TopMode::kKill);
  EXPECT_EQ(type(view, model, "n").what, TopAction::What::kNone);
  EXPECT_EQ(view.mode, TopMode::kPlain);
  EXPECT_EQ(type(view, model, "q").what, TopAction::What::kQuit);
  type(view, model, "x");
  EXPECT_EQ(press(view, model, {Key::What::kEnter}).what, TopAction::What::kNone);
  const TopAction action = type(view, model, "xy");
  EXPECT_EQ(action.what, TopAction::What::kKill);
  EXPECT_EQ(action.job, 3);
  // No job: no question.
  type(view, {}, "x");
  EXPECT_EQ(view.mode, TopMode::kPlain);
}

TEST(TopView, JAndKGoFromRowToRow) {
  const TopModel model = three_jobs();
  TopView view;
  EXPECT_EQ(type(view, model, "jj").what, TopAction::What::kNone);
  EXPECT_EQ(view.job, 1);
  EXPECT_EQ(type(view, model, "k").what, TopAction::What::kNone);
  EXPECT_EQ(view.mode, TopMode::kPlain);  // nobody is killed by it
  EXPECT_EQ(view.job, 2);
}

TEST(TopView, AMoveAsksForTheQueue) {
  const TopModel model = three_jobs();
  TopView view;
  type(view, model, "mproq");
  press(view, model, {Key::What::kBackspace});
  type(view, model, "d");
  const TopAction action = press(view, model, {Key::What::kEnter});
  EXPECT_EQ(action.what, TopAction::What::kMove);
  EXPECT_EQ(action.job, 3);
  EXPECT_EQ(action.value, "prod");
  type(view, model, "mprod");
  EXPECT_EQ(press(view, model, {Key::What::kEscape}).what, TopAction::What::kNone);
  type(view, model, "m");
  EXPECT_EQ(view.move_to, "");
  EXPECT_EQ(press(view, model, {Key::What::kEnter}).what, TopAction::What::kNone);
}

TEST(TopView, AReleaseIsOfWhatIsHeld) {
  TopModel model = three_jobs();
  TopView view;
  EXPECT_EQ(type(view, model, "ry").what, TopAction::What::kNone);
  model.jobs[2].state = "HELD";
  const TopAction action = type(view, model, "ry");
  EXPECT_EQ(action.what, TopAction::What::kRelease);
  EXPECT_EQ(action.job, 3);
  EXPECT_EQ(type(view, model, "rn").what, TopAction::What::kNone);
}

TEST(TopView, DownLeavesTheFilterForTheRows) {
  const TopModel model = three_jobs();
  TopView view;
  type(view, model, "/alice");
  press(view, model, {Key::What::kDown});
  EXPECT_EQ(view.mode, TopMode::kPlain);
  EXPECT_EQ(view.filter, "alice");
}

TEST(TopView, APriorityIsOneOfFive) {
  const TopModel model = three_jobs();
  TopView view;
  const TopAction action = type(view, model, "p1");
  EXPECT_EQ(action.what, TopAction::What::kPriority);
  EXPECT_EQ(action.value, "VERY_HIGH");
  EXPECT_EQ(type(view, model, "p5").value, "VERY_LOW");
  EXPECT_EQ(type(view, model, "p6").what, TopAction::What::kNone);
  EXPECT_EQ(view.mode, TopMode::kPlain);
}

TEST(TopView, AFilterIsOfAnyPartAndCaseAndEscapeEndsIt) {
  const TopModel model = three_jobs();
  TopView view;
  type(view, model, "/ALI");
  EXPECT_THAT(numbers(model, view), ElementsAre(3, 1));
  press(view, model, {Key::What::kEnter});
  EXPECT_EQ(type(view, model, "q").what, TopAction::What::kQuit);  // typed no more
  EXPECT_EQ(shown_queues(model, view).size(), 2);                  // it is about no queue
  press(view, model, {Key::What::kEscape});
  EXPECT_THAT(numbers(model, view), ElementsAre(3, 2, 1));
  type(view, model, "/job_0002");
  EXPECT_THAT(numbers(model, view), ElementsAre(2));
  for (int i = 0; i < 20; ++i) press(view, model, {Key::What::kBackspace});
  EXPECT_EQ(view.filter, "");
  type(view, model, "prod");
  EXPECT_EQ(shown_queues(model, view).size(), 1);
}

TEST(TopView, OrdersGoRound) {
  const TopModel model = three_jobs();
  TopView view;
  type(view, model, "s");
  EXPECT_THAT(numbers(model, view), ElementsAre(2, 3, 1));  // what waits comes first
  type(view, model, "ss");
  EXPECT_THAT(numbers(model, view), ElementsAre(3, 1, 2));  // by user
  type(view, model, "ss");
  EXPECT_THAT(numbers(model, view), ElementsAre(3, 2, 1));
}

}  // namespace
}  // namespace weir::live
