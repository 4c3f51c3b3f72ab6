// What every registered policy must hold to, whatever it decides: random stories run under each of
// them, with the same seeds. A policy that is added to the registry (conf/policies.cpp) is tested
// here without another line. Seeds are fixed, so a failure repeats.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "conf/load.h"
#include "conf/policies.h"
#include "support/random_story.h"

namespace weir::test {
namespace {

constexpr int kSteps = 250;
constexpr int kSeeds = 20;

// Queues without limits, tasks of one slot, and no rule that would rather leave a slot empty for a
// while: nothing but a missing slot keeps a task waiting.
constexpr const char* kSettings = R"(
capacity: {locality_delay: off}
fair: {locality_delay: off, load_manager: none}
)";

// The same where the fair policy's reduces copy without slots.
constexpr const char* kSplitting = R"(
capacity: {locality_delay: off}
fair: {locality_delay: off, load_manager: none, copy_compute_split: true}
)";

class Story : RandomStory<Harness> {
 public:
  Story(const std::string& policy, unsigned seed, const char* settings = kSettings)
      : RandomStory(seed, policy_factory(), policy) {
    const auto loaded = load_settings_text("contract", settings);
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    if (loaded.ok()) h_.settings().policies = loaded->settings.policies;
    QueueSettings research = queue("research", 60);
    research.queues = {queue("vision", 50), queue("speech", 50)};
    h_.add_queue(research).add_queue(queue("sales", 40));
    for (int i = 0; i < 4; ++i) {
      h_.add_tracker("tt" + std::to_string(i),
                     {.map_slots = upto(3), .reduce_slots = upto(3), .rack = i < 2 ? "r1" : "r2"});
    }
    trackers_ = 4;
  }

  Harness& harness() { return h_; }
  using RandomStory::upto;

  // The tracker that had its turn, if one had.
  std::string step() {
    static const Moves<Story> moves = {
        {15, &Story::submit},    {50, &Story::beat_in_turn},     {20, &Story::finish},
        {3, &Story::kill_a_job}, {3, &Story::change_a_priority}, {3, &Story::move_a_job},
        {6, &Story::go_on},
    };
    turn_.clear();
    if (h_.state().jobs().empty()) {
      submit();
    } else {
      (this->*moves.draw(dice_))();
    }
    return turn_;
  }
  // Until nothing is left to do.
  void drain() {
    for (int round = 0; round < 2000 && unfinished() > 0; ++round) {
      for (int t = 0; t < 4; ++t) {
        h_.finish_all("tt" + std::to_string(t));
        h_.heartbeat("tt" + std::to_string(t));
      }
      h_.advance(1000);
    }
  }
  std::size_t unfinished() {
    std::size_t jobs = 0;
    for (const QueueId leaf : h_.state().tree().leaves()) {
      jobs += h_.state().queue(leaf).unfinished.size();
    }
    return jobs;
  }
  std::string why_unfinished() {
    std::string all;
    for (const auto& [id, job] : h_.state().jobs()) {
      if (is_over(job->state)) continue;
      all += "\n" + job_name(id) + " is " + name(job->state);
      for (const Reason& reason : h_.engine().explain(id)) all += "; " + reason.message;
    }
    return all;
  }
  // Every launch, in order.
  std::string launches() {
    std::string all;
    for (const AttemptLaunched& launch : h_.events<AttemptLaunched>()) {
      all += attempt_name(launch.attempt) + "@" + std::to_string(launch.tracker.value) + " ";
    }
    return all;
  }

 private:
  void beat_in_turn() {
    turn_ = random_tracker();
    h_.heartbeat(turn_);
  }
  void go_on() { h_.advance(100 * upto(20)); }
  void submit() {
    JobOptions job{.queue = random_leaf(),
                   .user = "u" + std::to_string(upto(3)),
                   .maps = static_cast<std::uint32_t>(1 + upto(9)),
                   .reduces = static_cast<std::uint32_t>(upto(3)),
                   .priority = static_cast<Priority>(upto(4))};
    if (upto(1) == 0) job.locations = {{"tt0", "tt3"}, {"tt1"}};
    h_.submit(job);
  }

  std::string turn_;
};

class PolicyContract : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  std::string policy() const { return std::get<0>(GetParam()); }
  unsigned seed() const { return static_cast<unsigned>(std::get<1>(GetParam())); }
};

void expect_no_overcommit(Harness& h) {
  for (const TrackerState& tracker : h.state().trackers()) {
    for (const TaskKind kind : kTaskKinds) {
      EXPECT_LE(tracker.used.slots(kind), tracker.total.slots(kind)) << tracker.name;
    }
  }
}

// A wrong answer of a policy is refused by the mechanism, and told.
void expect_nothing_refused(Harness& h) {
  for (const Refused& refused : h.events<Refused>()) {
    EXPECT_NE(refused.what, "policy") << refused.error.message;
  }
}

std::string first_choices(Harness& h, Policy& policy) {
  std::string all;
  for (const TrackerState& tracker : h.state().trackers()) {
    const Offer offer = whole_offer(tracker, h.now);
    policy.begin_offer(offer);
    const auto choice = policy.choose(offer);
    policy.end_offer(offer);
    all += tracker.name + " " + (choice ? Harness::spell(choice->task) : "nothing") + "; ";
  }
  return all;
}

TEST_P(PolicyContract, NeverOvercommitsAndNeverLeavesASlotThatATaskCouldHave) {
  Story story(policy(), seed());
  Harness& h = story.harness();
  for (int i = 0; i < kSteps; ++i) {
    const std::string turn = story.step();
    expect_no_overcommit(h);
    if (turn.empty() || h.engine().recovering()) continue;
    const TrackerState& tracker = *h.state().find_tracker(turn);
    for (const TaskKind kind : kTaskKinds) {
      if (h.state().free_slots(tracker, kind) == 0 || tracker.keeps > 0) continue;
      for (const auto& [id, job] : h.state().jobs()) {
        EXPECT_FALSE(h.state().pick_task(id, kind, tracker.id).has_value())
            << "step " << i << ": a " << name(kind) << " of " << job_name(id) << " could run on "
            << turn;
      }
    }
  }
  expect_nothing_refused(h);
}

TEST_P(PolicyContract, IsDeterministic) {
  Story first(policy(), seed()), second(policy(), seed());
  for (int i = 0; i < kSteps; ++i) {
    first.step();
    second.step();
  }
  EXPECT_EQ(first.launches(), second.launches());
}

TEST_P(PolicyContract, DecidesTheSameHoweverTheStateCameAbout) {
  Story story(policy(), seed());
  Harness& h = story.harness();
  std::mt19937 random(seed());
  for (int i = 0; i < kSteps; ++i) {
    story.step();
    const auto fresh = h.engine().make_policy(policy());
    const std::string wanted = first_choices(h, *fresh);
    EXPECT_EQ(first_choices(h, const_cast<Policy&>(h.engine().policy())), wanted) << "step " << i;
    // The order in which jobs became known is nothing to go by.
    const auto shuffled = h.engine().make_policy(policy());
    std::vector<JobId> jobs;
    for (const auto& [id, job] : h.state().jobs()) {
      if (job->schedulable()) jobs.push_back(id);
    }
    for (const JobId job : jobs) shuffled->on_job_removed(job);
    std::shuffle(jobs.begin(), jobs.end(), random);
    for (const JobId job : jobs) shuffled->on_job_added(job);
    EXPECT_EQ(first_choices(h, *shuffled), wanted) << "step " << i;
  }
}

TEST_P(PolicyContract, CanBeSwitchedToAndFromAtAnyTime) {
  const std::vector<std::string> all = policy_names();
  Story story(policy(), seed());
  Harness& h = story.harness();
  for (int i = 0; i < kSteps; ++i) {
    story.step();
    if (story.upto(9) > 0) continue;
    const std::size_t live = static_cast<std::size_t>(
        std::count_if(h.state().attempts().begin(), h.state().attempts().end(),
                      [](const Attempt& a) { return a.live && !a.dying(); }));
    const std::size_t jobs = story.unfinished();
    const std::string to =
        h.engine().policy().name() == policy()
            ? all[static_cast<std::size_t>(story.upto(static_cast<std::int64_t>(all.size()) - 1))]
            : policy();
    h.step(SetPolicy{{"admin", {}}, to});
    EXPECT_EQ(h.engine().policy().name(), to);
    EXPECT_EQ(story.unfinished(), jobs);
    EXPECT_EQ(static_cast<std::size_t>(
                  std::count_if(h.state().attempts().begin(), h.state().attempts().end(),
                                [](const Attempt& a) { return a.live && !a.dying(); })),
              live)
        << "a switch costs no running task";
  }
  story.drain();
  EXPECT_EQ(story.unfinished(), 0u) << story.why_unfinished();
  expect_no_overcommit(h);
  expect_nothing_refused(h);
}

// Who copies when the policy is switched goes on, gets a slot of its own tracker and ends.
TEST_P(PolicyContract, CanBeSwitchedToAndFromWhileReducesCopy) {
  Story story("fair", seed(), kSplitting);
  Harness& h = story.harness();
  const auto reduces = [&h] {
    std::size_t alive = 0;
    for (const auto& [id, job] : h.state().jobs()) alive += job->tasks(TaskKind::kReduce).alive();
    return alive;
  };
  for (int i = 0; i < kSteps; ++i) {
    story.step();
    expect_no_overcommit(h);
    for (const TrackerState& tracker : h.state().trackers()) {
      EXPECT_LE(tracker.copy_slots, 3 * tracker.total.slots(TaskKind::kReduce)) << tracker.name;
    }
    if (story.upto(9) > 0) continue;
    const std::size_t before = reduces();
    h.step(SetPolicy{{"admin", {}}, h.engine().policy().name() == "fair" ? policy() : "fair"});
    EXPECT_EQ(reduces(), before) << "a switch costs no reduce, copying or not";
  }
  story.drain();
  EXPECT_EQ(story.unfinished(), 0u) << story.why_unfinished();
  EXPECT_EQ(reduces(), 0u);
  expect_no_overcommit(h);
  expect_nothing_refused(h);
}

INSTANTIATE_TEST_SUITE_P(All, PolicyContract,
                         testing::Combine(testing::ValuesIn(policy_names()),
                                          testing::Range(0, kSeeds)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace weir::test
