// Whatever happens, the sums of the cluster state are what a count of its jobs, attempts and
// trackers gives: after every step of random stories with moves, lost and drained trackers, second
// attempts, reduces that copy without slots, and new settings.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "fifo/fifo_policy.h"
#include "jobqueue/policy/copy_split_facet.h"
#include "lab/kit/seeds.h"
#include "support/random_story.h"

namespace weir::test {
namespace {

// First in, first out; under the name of "copying" reduces copy without slots.
class SumsPolicy : public FifoPolicy, public CopySplit {
 public:
  SumsPolicy(const ClusterState& state, bool copies)
      : FifoPolicy(state), state_(state), copies_(copies) {}
  std::string_view name() const override { return copies_ ? "copying" : "fifo"; }
  CopySplit* copies() override { return this; }
  std::int64_t factor() const override { return copies_ ? 2 : 0; }
  std::optional<Choice> choose_compute(const Offer& offer) override {
    const TrackerState& tracker = state_.tracker(offer.tracker);
    for (const HeldAttempt& held : tracker.held) {
      const Job& job = state_.job(held.key.task.job);
      if (held.copy == CopyStage::kCopied && held.state != AttemptState::kDying &&
          !is_over(job.state) && state_.may_compute(job, tracker)) {
        return Choice{.task = held.key.task, .what = Choice::What::kCompute};
      }
    }
    return std::nullopt;
  }

 private:
  const ClusterState& state_;
  bool copies_;
};

PolicyFactory sums_policies() {
  return [](std::string_view name, const ClusterState& state,
            PolicyMemory&) -> std::unique_ptr<Policy> {
    if (name != "fifo" && name != "copying") return nullptr;
    return std::make_unique<SumsPolicy>(state, name == "copying");
  };
}

// What the comments in job.h, tracker_state.h and cluster_state.h say of each sum, counted anew.
class SumsCheck {
 public:
  explicit SumsCheck(const ClusterState& state) : state_(state) {}

  void everything() {
    for (const TrackerState& tracker : state_.trackers()) tracker_is_right(tracker);
    cluster_is_right();
    for (const auto& [id, job] : state_.jobs()) {
      std::uint32_t live = 0;
      for (const TaskKind kind : kTaskKinds) live += group_is_right(*job, kind);
      EXPECT_EQ(job->live_attempts, live) << job_name(id);
    }
    queues_are_right();
  }

 private:
  void tracker_is_right(const TrackerState& tracker) {
    ASSERT_EQ(tracker.attempts.size(), tracker.held.size());
    Resources used;
    std::int64_t copy_slots = 0;
    std::uint32_t copied = 0;
    for (std::size_t i = 0; i < tracker.attempts.size(); ++i) {
      const Attempt& attempt = state_.attempt(tracker.attempts[i]);
      const HeldAttempt& held = tracker.held[i];
      ASSERT_TRUE(attempt.live);
      EXPECT_EQ(attempt.tracker, tracker.id);
      EXPECT_EQ(attempt.tracker_place, i);
      EXPECT_EQ(held.key, attempt.key);
      EXPECT_EQ(held.state, attempt.state);
      EXPECT_EQ(held.copy, attempt.copy);
      EXPECT_EQ(state_.place_of(tracker, attempt.key), i);
      EXPECT_EQ(state_.find_attempt(attempt.key), tracker.attempts[i]);
      const Job& job = state_.job(attempt.key.task.job);
      EXPECT_EQ(attempt.queue, job.queue);
      EXPECT_EQ(attempt.user, job.user);
      Resources need = job.need(attempt.key.task.kind);
      if (!attempt.has_slots()) {
        copy_slots += need.slots(TaskKind::kReduce);
        need.slots(TaskKind::kReduce) = 0;
        copied += attempt.copy == CopyStage::kCopied && !attempt.dying() ? 1 : 0;
      }
      used += need;
    }
    EXPECT_EQ(tracker.used, used);
    EXPECT_EQ(tracker.copy_slots, copy_slots);
    EXPECT_EQ(tracker.copied, copied);
  }

  void cluster_is_right() {
    Resources total, largest;
    std::uint32_t live = 0;
    for (const TrackerState& tracker : state_.trackers()) {
      live += tracker.live() ? 1 : 0;
      if (tracker.counts()) total += tracker.total;
      if (!tracker.live() && !tracker.counts()) continue;
      for (std::size_t d = 0; d < kDimensionCount; ++d)
        largest.amount[d] = std::max(largest.amount[d], tracker.total.amount[d]);
    }
    EXPECT_EQ(state_.total(), total);
    EXPECT_EQ(state_.largest_tracker(), largest);
    EXPECT_EQ(state_.live_trackers(), live);
    for (const TaskKind kind : kTaskKinds) {
      std::int64_t free_slots = 0;
      std::map<std::int64_t, std::int64_t> trackers_with, slots_for;  // by width
      for (const TrackerState& tracker : state_.trackers()) {
        if (!tracker.in_pool()) continue;
        const std::int64_t free =
            std::max<std::int64_t>(0, tracker.total.slots(kind) - tracker.used.slots(kind));
        free_slots += free;
        for (std::int64_t width = 1; width <= 6; ++width) {
          trackers_with[width] += free >= width ? 1 : 0;
          slots_for[width] += free / width * width;
        }
      }
      EXPECT_EQ(state_.free_slots(kind), free_slots);
      for (std::int64_t width = 1; width <= 6; ++width) {
        EXPECT_EQ(state_.trackers_with_free(kind, width), trackers_with[width]);
        EXPECT_EQ(state_.free_slots_for(kind, width), slots_for[width]);
      }
    }
  }

  // Returns how many attempts there are.
  std::uint32_t group_is_right(const Job& job, TaskKind kind) {
    const TaskGroup& group = job.tasks(kind);
    std::uint32_t live = 0, running = 0, copying = 0, copied = 0, dying = 0, succeeded = 0;
    std::int64_t progress = 0;
    std::set<std::pair<std::int32_t, std::uint32_t>> aged;
    for (std::uint32_t i = 0; i < group.tasks.size(); ++i) {
      const Task& task = group.tasks[i];
      std::uint32_t alive = 0, all = 0;
      std::int64_t foremost = 0;
      const Attempt* only = nullptr;
      state_.each_attempt(task, [&](AttemptSlot slot) {
        const Attempt& attempt = state_.attempt(slot);
        EXPECT_EQ(attempt.key.task, (TaskKey{job.id, kind, i}));
        EXPECT_LE(attempt.progress_millionths, 1'000'000);
        EXPECT_GE(attempt.progress_millionths, 0);
        ++all;
        if (attempt.dying()) return;
        only = &attempt;
        ++alive;
        foremost = std::max<std::int64_t>(foremost, attempt.progress_millionths);
        running += attempt.has_slots() ? 1 : 0;
        copying += attempt.copy == CopyStage::kCopying ? 1 : 0;
        copied += attempt.copy == CopyStage::kCopied ? 1 : 0;
      });
      state_.each_attempt(
          task, [&](AttemptSlot slot) { EXPECT_EQ(state_.attempt(slot).paired, all > 1); });
      EXPECT_EQ(state_.alive_attempts(task), alive);
      live += all;
      succeeded += task.state == Task::State::kSucceeded ? 1 : 0;
      const bool runs = task.state == Task::State::kRunning && all > 0;
      dying += runs && alive == 0 ? 1 : 0;
      if (runs) progress += foremost;
      if (runs && alive == 1 && only->aged) aged.emplace(only->progress_millionths, i);
      const bool failed = task.failures > 0 || job.failed_on.contains({kind, i});
      const bool pending = task.state == Task::State::kPending;
      EXPECT_EQ(group.retries.contains(i), pending && failed);
      EXPECT_EQ(group.fresh.contains(i), pending && !failed);
    }
    if (is_over(job.state)) return live;  // of what is over only attempts count
    EXPECT_EQ(group.running, running);
    EXPECT_EQ(group.copying, copying);
    EXPECT_EQ(group.copied, copied);
    EXPECT_EQ(group.dying, dying);
    EXPECT_EQ(group.succeeded, succeeded);
    EXPECT_EQ(group.running_progress_millionths, progress);
    stragglers_are_right(job, kind, aged, succeeded, progress);
    return live;
  }

  void stragglers_are_right(const Job& job, TaskKind kind,
                            const std::set<std::pair<std::int32_t, std::uint32_t>>& aged,
                            std::uint32_t succeeded, std::int64_t progress) {
    const TaskGroup& group = job.tasks(kind);
    if (!job.speculates[index(kind)]) return;
    const std::int64_t lag = state_.settings().speculation.lag_millionths;
    const bool behind =
        !aged.empty() && group.pending() == 0 &&
        (aged.begin()->first + lag) * group.total <= std::int64_t{succeeded} * 1'000'000 + progress;
    EXPECT_EQ(state_.jobs_with_stragglers(kind).contains(job.id), behind) << job_name(job.id);
  }

  void queues_are_right() {
    const QueueTree& tree = state_.tree();
    std::vector<std::array<std::int64_t, kTaskKindCount>> running(tree.size());
    std::map<std::pair<QueueId, UserId>, UserInQueue> users;
    std::map<QueueId, std::uint32_t> waits, runs;
    std::map<QueueId, std::set<JobId>> unfinished;
    for (const Attempt& attempt : state_.attempts()) {
      if (!attempt.live || attempt.dying() || !attempt.has_slots()) continue;
      const std::size_t k = index(attempt.key.task.kind);
      const std::int64_t width = state_.job(attempt.key.task.job).width(attempt.key.task.kind);
      for (QueueId q = attempt.queue; q.valid(); q = tree.parent(q)) running[q.index()][k] += width;
      users[{attempt.queue, attempt.user}].running[TaskKind(k)] += width;
    }
    std::uint32_t waiting_jobs = 0;
    for (const auto& [id, job] : state_.jobs()) {
      if (is_over(job->state)) continue;
      const bool waiting = job->state == JobState::kWaiting;
      waiting_jobs += waiting ? 1 : 0;
      UserInQueue& user = users[{job->queue, job->user}];
      ++(waiting ? user.jobs_waiting : user.jobs_running);
      ++(waiting ? waits : runs)[job->queue];
      unfinished[job->queue].insert(id);
    }
    EXPECT_EQ(state_.waiting_jobs(), waiting_jobs);
    for (std::size_t q = 0; q < tree.size(); ++q) {
      const QueueState& queue = state_.queue(QueueId(q));
      const std::string& path = tree.node(QueueId(q)).path;
      for (const TaskKind kind : kTaskKinds)
        EXPECT_EQ(queue.running[kind], running[q][index(kind)]) << path;
      EXPECT_EQ(queue.jobs_waiting, waits[QueueId(q)]) << path;
      EXPECT_EQ(queue.jobs_running, runs[QueueId(q)]) << path;
      std::set<JobId> ids;
      for (const JobId id : queue.unfinished) ids.insert(id);
      EXPECT_EQ(ids, unfinished[QueueId(q)]) << path;
      std::size_t known = 0;
      for (const auto& [who, expected] : users) known += who.first == QueueId(q) ? 1 : 0;
      EXPECT_EQ(queue.users.size(), known) << path;
      std::uint32_t with_jobs = 0, lingering = 0;
      for (const auto& [id, user] : queue.users) {
        const UserInQueue& expected = users[{QueueId(q), id}];
        user_is_right(user, expected);
        with_jobs += expected.jobs_running > 0 ? 1 : 0;
        lingering += expected.lingers() ? 1 : 0;
      }
      EXPECT_EQ(queue.users_with_jobs, with_jobs) << path;
      EXPECT_EQ(queue.users_lingering, lingering) << path;
    }
  }

  void user_is_right(const UserInQueue& user, const UserInQueue& expected) {
    for (std::size_t k = 0; k < kTaskKindCount; ++k)
      EXPECT_EQ(user.running[TaskKind(k)], expected.running[TaskKind(k)]);
    EXPECT_EQ(user.jobs_waiting, expected.jobs_waiting);
    EXPECT_EQ(user.jobs_running, expected.jobs_running);
  }

  const ClusterState& state_;
};

class SumsStory : public RandomStory<Harness> {
 public:
  explicit SumsStory(unsigned seed) : RandomStory(seed, sums_policies(), "fifo") {
    QueueSettings a = queue("a");
    a.queues = {queue("x"), queue("y")};
    a.queues[0].priorities = true;
    a.queues[1].max_running_jobs = 2;
    QueueSettings b = queue("b");
    b.max_running_jobs_per_user = 1;
    h_.add_queue(a).add_queue(b);
    SpeculationSettings& speculation = h_.settings().speculation;
    for (bool& on : speculation.on) on = one_in(2);
    speculation.after_ms = 2000;
    speculation.lag_millionths = 100'000;
    h_.settings().finished_jobs_kept_ms = 20'000;
    for (int i = 0; i < 3; ++i) add_tracker();
    submit();
  }

  void play() {
    for (int step = 0; step < 150; ++step) {
      one_step();
      follow_launches();
      SumsCheck(h_.state()).everything();
      launches_are_right();
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed_ << ", step " << step;
    }
  }

 private:
  void submit() {
    JobOptions options{.queue = random_leaf(),
                       .user = "user" + std::to_string(upto(2)),
                       .maps = static_cast<std::uint32_t>(1 + upto(6)),
                       .reduces = static_cast<std::uint32_t>(upto(3)),
                       .priority = static_cast<Priority>(upto(4)),
                       .slots_per_map = one_in(4) ? 2 : 1,
                       .max_attempts = 3,
                       .locations = {{"tt0"}, {"tt1", "tt2"}, {}}};
    options.slots_per_reduce = one_in(4) ? 2 : 1;
    h_.submit(options);
  }

  void report() {
    const std::string tracker = random_tracker();
    for (auto& [key, attempt] : h_.tracker(tracker).held) {
      const std::int64_t said = upto(1'200'000) - 100'000;  // also what cannot be
      if (one_in(2)) attempt.progress_millionths = static_cast<std::int32_t>(said);
    }
    if (one_in(3)) h_.finish_all(tracker);
    if (one_in(8)) fail_one(tracker);
    if (one_in(10) && !h_.tracker(tracker).held.empty()) {  // its process is gone
      h_.tracker(tracker).held.erase(h_.tracker(tracker).held.begin());
    }
    h_.heartbeat(tracker);
  }

  void disturb_a_tracker() {
    const std::string tracker = random_tracker();
    switch (upto(5)) {
      case 0:
        h_.step(LoseTracker{tracker});
        return;
      case 1:
        return h_.connect(tracker);
      case 2:  // with other slots
        h_.tracker(tracker).options.map_slots = 1 + upto(4);
        h_.tracker(tracker).options.reduce_slots = upto(3);
        return h_.connect(tracker);
      case 3:
        return h_.add_tracker(tracker);  // another process
      default:
        h_.step(OrderTrackers{{"root", {}},
                              {tracker},
                              one_in(3)   ? TrackerOrder::kStopNow
                              : one_in(2) ? TrackerOrder::kDrain
                                          : TrackerOrder::kNone});
    }
  }

  void change_settings() {
    auto settings = std::make_shared<Settings>(h_.state().settings());
    std::swap(settings->queues[0], settings->queues[1]);  // queues get other numbers
    for (bool& on : settings->speculation.on) on = one_in(2);
    settings->speculation.after_ms = 1000 * (1 + upto(3));
    h_.step(ApplySettings{{"root", {}}, settings});
  }

  void switch_the_policy() { h_.step(SetPolicy{{"root", {}}, one_in(2) ? "copying" : "fifo"}); }
  void change_the_rules() { one_in(3) ? change_settings() : switch_the_policy(); }
  void go_on() { h_.advance(upto(3000)); }

  void one_step() {
    using S = SumsStory;
    static const Moves<S> moves = {
        {2, &S::submit},     {1, &S::kill_a_job},        {1, &S::change_a_priority},
        {1, &S::move_a_job}, {1, &S::disturb_a_tracker}, {1, &S::change_the_rules},
        {2, &S::go_on},      {12, &S::report},
    };
    if (h_.state().jobs().empty()) return submit();
    (this->*moves.draw(dice_))();
  }

  // Which launch was the latest in or below each queue, by the events.
  void follow_launches() {
    const QueueTree& tree = h_.state().tree();
    for (; seen_ < h_.log.size(); ++seen_) {
      const Fact& fact = h_.log[seen_].fact;
      const auto served = [&](const std::string& path, const AttemptKey& key) {
        std::uint64_t& last = latest_[{path, key.task.kind}];
        last = std::max(last, orders_[key]);
      };
      const auto in = [&](QueueId queue, const AttemptKey& key) {
        for (QueueId q = queue; q.valid(); q = tree.parent(q)) served(tree.node(q).path, key);
      };
      if (const auto* launched = fact_as<AttemptLaunched>(fact)) {
        orders_[launched->attempt] = ++launches_;
        if (!launched->to_copy) in(launched->queue, launched->attempt);
      } else if (const auto* granted = fact_as<ComputeGranted>(fact)) {
        in(granted->queue, granted->attempt);
      }
    }
  }

  void launches_are_right() {
    const QueueTree& tree = h_.state().tree();
    for (std::size_t q = 0; q < tree.size(); ++q) {
      const std::string& path = tree.node(QueueId(q)).path;
      for (const TaskKind kind : kTaskKinds) {
        const std::uint64_t last = h_.state().queue(QueueId(q)).last_launch[index(kind)];
        EXPECT_EQ(last, (latest_[{path, kind}])) << path;
      }
    }
  }

  std::size_t seen_ = 0;  // events
  std::uint64_t launches_ = 0;
  std::map<AttemptKey, std::uint64_t> orders_;
  std::map<std::pair<std::string, TaskKind>, std::uint64_t> latest_;
};

TEST(ClusterStateRandom, ItsSumsAreWhatACountGives) {
  for (unsigned seed = 1; seed <= some_seeds(60); ++seed) {
    SumsStory(seed).play();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace weir::test
