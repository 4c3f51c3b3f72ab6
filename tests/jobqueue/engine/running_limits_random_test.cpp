// Random stories of jobs under limits of groups: what the index of who runs and who waits finds is
// what the walk over all unfinished jobs finds. Seeds are fixed, so a failure repeats.
#include <gtest/gtest.h>

#include "jobqueue/engine/running_limits.h"
#include "jobqueue/jobtypes/table.h"
#include "lab/kit/seeds.h"
#include "support/admission_walk.h"
#include "support/grouped_fifo.h"
#include "support/random_story.h"

namespace weir::test {
namespace {

const char* const kPools[] = {"a", "a.b", "a.c", "d", "d.e", "f"};
const char* const kUsers[] = {"ann", "bob", "cat"};

// Changes of a bare state, several between two plans; any job may start or cease to keep its place
// at any moment, run without having been admitted, or stand in another pool.
class BareStory {
 public:
  BareStory(unsigned seed, const char* policy)
      : dice_(seed), state_(settings(), *QueueTree::build(settings()->queues), 1) {
    draw_limits();
    policy_ = grouped_fifo(rules_)(policy, state_, memory_);
    limits_.follow(*policy_);
  }

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      for (std::int64_t changes = upto(3); changes >= 0; --changes) change();
      if (limits_.across()) {
        compare_plans();
      } else {
        compare_turns();
      }
      RunningLimits anew(state_);
      anew.follow(*policy_);
      EXPECT_EQ(limits_.figures(), anew.figures());
    }
  }
  std::size_t admitted = 0, demoted = 0;

 private:
  static std::shared_ptr<Settings> settings() {
    auto settings = std::make_shared<Settings>();
    settings->queues = {queue("x"), queue("y"), queue("z")};
    settings->queues[0].max_running_jobs = 5;
    settings->queues[1].max_running_jobs_per_user = 2;
    settings->queues[2].max_running_jobs = 4;
    settings->queues[2].max_running_jobs_per_user = 2;
    settings->queues[2].priorities = true;
    return settings;
  }
  std::int64_t upto(std::int64_t n) { return dice_.below(n + 1); }
  bool one_in(std::int64_t n) { return upto(n - 1) == 0; }

  void draw_limits() {
    rules_.limits.clear();
    for (const char* pool : kPools) {
      if (!one_in(3)) rules_.limits["pool " + std::string(pool)] = upto(4);
    }
    for (const char* user : kUsers) {
      if (one_in(3)) rules_.limits["user " + std::string(user)] = upto(5);
    }
  }

  QueueId any_leaf() { return state_.tree().leaves()[static_cast<std::size_t>(upto(2))]; }
  Job& any_job() { return state_.mutable_job(jobs_[static_cast<std::size_t>(upto(last()))]); }
  std::int64_t last() const { return static_cast<std::int64_t>(jobs_.size()) - 1; }

  void change() {
    if (jobs_.empty() || one_in(3)) return submit();
    Job& job = any_job();
    if (one_in(40)) {
      draw_limits();
      return limits_.follow(*policy_);
    }
    switch (upto(6)) {
      case 0:
        state_.set_job_state(job, JobState::kKilled);
        std::erase(jobs_, job.id);
        break;
      case 1:
        state_.set_priority(job, static_cast<Priority>(upto(4)));
        return limits_.regroup(job);
      case 2:
      case 3: {
        std::uint32_t& reduces = job.tasks(TaskKind::kReduce).running;
        reduces = 1 - reduces;
        break;
      }
      case 4:
        if (one_in(4)) state_.set_job_state(job, JobState::kRunning);
        break;
      case 5:
        job.duty = one_in(8) ? Job::Duty::kSucceed : Job::Duty::kNone;
        break;
      default:
        state_.set_queue(job, any_leaf());
        rules_.instead[kPools[upto(5)]] = kPools[upto(5)];
        for (const JobId id : jobs_) limits_.regroup(state_.job(id));
    }
    limits_.update(job);
  }

  void submit() {
    auto spec = std::make_shared<JobSpec>();
    spec->name = one_in(2) ? "n" : "m";
    spec->user = kUsers[upto(2)];
    if (!one_in(8)) spec->conf["pool"] = kPools[upto(5)];
    auto job = std::make_unique<Job>();
    job->id = JobId(++submitted_);
    job->spec = spec;
    job->type = &job_type_of(*spec);
    job->queue = any_leaf();
    job->user = state_.intern_user(spec->user);
    job->priority = static_cast<Priority>(upto(4));
    job->submitted_at = 1 + submitted_ / 3;
    job->tasks(TaskKind::kMap).total = 1;
    Job& added = state_.add_job(std::move(job));
    jobs_.push_back(added.id);
    if (!one_in(20)) state_.set_durable(added);
    limits_.update(added);
  }

  void compare_plans() {
    const AdmissionPlan walked = AdmissionWalk(state_, *policy_).plan();
    const bool settled = limits_.settled();
    const AdmissionPlan plan = limits_.plan();
    EXPECT_EQ(plan.demote, walked.demote);
    EXPECT_EQ(plan.admit, walked.admit);
    EXPECT_TRUE(!settled || (walked.demote.empty() && walked.admit.empty()));
    carry_out(plan);
    EXPECT_TRUE(limits_.settled() || !plan.admit.empty()) << "what was planned is expected";
  }
  void compare_turns() {
    for (const QueueId leaf : state_.tree().leaves()) {
      AdmissionPlan turn;
      do {
        const AdmissionPlan found = QueueTurns(state_).turn(leaf);
        turn = limits_.turn(leaf);
        EXPECT_EQ(turn.demote, found.demote);
        EXPECT_EQ(turn.admit, found.admit);
        carry_out(turn);
      } while (!turn.admit.empty() && !::testing::Test::HasFailure());
    }
  }
  void carry_out(const AdmissionPlan& plan) {
    for (const JobId id : plan.demote) set(id, JobState::kWaiting);
    for (const JobId id : plan.admit) set(id, JobState::kRunning);
    admitted += plan.admit.size();
    demoted += plan.demote.size();
  }
  void set(JobId id, JobState to) {
    Job& job = state_.mutable_job(id);
    state_.set_job_state(job, to);
    limits_.update(job);
  }

  Dice dice_;
  GroupRules rules_;
  PolicyMemory memory_;
  ClusterState state_;
  std::unique_ptr<Policy> policy_;
  RunningLimits limits_{state_};
  std::vector<JobId> jobs_;  // unfinished
  std::uint32_t submitted_ = 0;
};

TEST(RunningLimitsRandom, APlanIsWhatTheWalkOverAllJobsFinds) {
  std::size_t admitted = 0, demoted = 0;
  for (unsigned seed = 1; seed <= some_seeds(600) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BareStory story(seed, "grouped");
    story.run(60);
    admitted += story.admitted;
    demoted += story.demoted;
  }
  EXPECT_GT(admitted, some_seeds(10000));
  EXPECT_GT(demoted, some_seeds(4000));
}

TEST(RunningLimitsRandom, ATurnOfAQueueIsWhatALookAtAllItsJobsFinds) {
  std::size_t admitted = 0, demoted = 0;
  for (unsigned seed = 1; seed <= some_seeds(400) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BareStory story(seed, "fifo");
    story.run(60);
    admitted += story.admitted;
    demoted += story.demoted;
  }
  EXPECT_GT(admitted, some_seeds(8000));
  EXPECT_GT(demoted, some_seeds(1000));
}

// The engine's own: it tells the index of all that matters, and plans when it is time.
class EngineStory : RandomStory<Harness> {
 public:
  explicit EngineStory(unsigned seed) : RandomStory(seed, grouped_fifo(rules_), "grouped") {
    for (const char* pool : kPools) {
      if (!one_in(3)) rules_.limits["pool " + std::string(pool)] = 1 + upto(2);
    }
    for (const char* user : kUsers) {
      if (one_in(3)) rules_.limits["user " + std::string(user)] = 1 + upto(3);
    }
    h_.add_queue(queue("x")).add_queue(queue("y"));
    if (one_in(2)) h_.settings().queues[0].max_running_jobs = 1 + upto(4);
    if (one_in(2)) h_.settings().queues[1].max_running_jobs_per_user = 1 + upto(2);
    h_.settings().heartbeat.expiry_ms = 4000;
    for (int i = 0; i < 3; ++i) add_tracker();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      random_step();
      const RunningLimits& limits = h_.engine().running_limits();
      RunningLimits anew(h_.state());
      anew.follow(h_.engine().policy());
      EXPECT_EQ(limits.figures(), anew.figures());
      if (h_.engine().policy().name() == "fifo") continue;
      ++(limits.settled() ? settled : unsettled);
      if (!limits.settled()) continue;
      const AdmissionPlan walked = AdmissionWalk(h_.state(), h_.engine().policy()).plan();
      EXPECT_TRUE(walked.demote.empty() && walked.admit.empty());
    }
  }
  std::size_t settled = 0, unsettled = 0;
  std::size_t demotions() const {
    std::size_t demoted = 0;
    for (const auto& change : h_.events<JobStateChanged>()) {
      demoted += change.state == JobState::kWaiting ? 1 : 0;
    }
    return demoted;
  }

 private:
  void random_step() {
    using S = EngineStory;
    static const Moves<S> moves = {
        {16, &S::submit},       {5, &S::change_a_priority},
        {5, &S::kill_a_job},    {5, &S::move_a_job},
        {5, &S::fail},          {5, &S::restart_a_tracker},
        {5, &S::go_on},         {5, &S::stand_elsewhere},
        {45, &S::end_and_beat},
    };
    h_.now += upto(700);
    if (h_.state().jobs().empty()) return submit();
    (this->*moves.draw(dice_))();
  }
  void go_on() {
    if (one_in(4)) h_.step(SetPolicy{{}, one_in(2) ? "fifo" : "grouped"});
    h_.advance(1000);
  }
  void end_and_beat() {
    const std::string tracker = random_tracker();
    if (one_in(2)) h_.finish_all(tracker);
    h_.heartbeat(tracker);
  }
  void submit() {
    h_.submit({.queue = one_in(2) ? "x" : "y",
               .user = kUsers[upto(2)],
               .maps = static_cast<std::uint32_t>(upto(4)),
               .reduces = static_cast<std::uint32_t>(upto(2)),
               .priority = static_cast<Priority>(upto(4)),
               .max_attempts = static_cast<std::uint32_t>(1 + upto(3)),
               .name = one_in(2) ? "n" : "m",
               .pool = kPools[upto(5)]});
  }
  // The policy places the jobs of a pool otherwise, and says so after the next step.
  void stand_elsewhere() {
    if (!one_in(3)) return;
    rules_.instead[kPools[upto(5)]] = kPools[upto(5)];
    for (const auto& [id, job] : h_.state().jobs()) rules_.regrouped.push_back(id);
    h_.advance(1);
  }

  GroupRules rules_;
};

TEST(RunningLimitsRandom, TheEngineTellsTheIndexAllThatMatters) {
  std::size_t settled = 0, unsettled = 0, demotions = 0;
  for (unsigned seed = 1; seed <= some_seeds(150) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EngineStory story(seed);
    story.run(300);
    settled += story.settled;
    unsettled += story.unsettled;
    demotions += story.demotions();
  }
  EXPECT_GT(settled, some_seeds(10000));
  EXPECT_GT(unsettled, some_seeds(100)) << "places come free between plans, too";
  EXPECT_GT(demotions, some_seeds(500));
}

}  // namespace
}  // namespace weir::test
