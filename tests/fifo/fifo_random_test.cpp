// Random stories over random trees of queues with maximums. After each step the policy is compared
// with a walk over all jobs in order, each held against the maximums of its queue and of those
// above, counted one by one from the attempts; and with a policy made from the state just now.
// Seeds are fixed, so a failure repeats.
#include <gtest/gtest.h>

#include <algorithm>

#include "jobqueue/model/queue_guarantees.h"
#include "lab/kit/seeds.h"
#include "support/fifo_harness.h"
#include "jobqueue/policy/placeable.h"
#include "support/random_story.h"

namespace weir::test {
namespace {

// The cluster counted: what each queue runs and may run.
struct Count {
  explicit Count(const ClusterState& s) : state(s) {
    for (const TaskKind kind : kTaskKinds) {
      const std::int64_t total = s.total_slots(kind);
      maximum[index(kind)] =
          maximum_slots(s.tree(), total, guaranteed_slots(s.tree(), kind, total));
      running[index(kind)].assign(s.tree().size(), 0);
    }
    for (const Attempt& attempt : s.attempts()) {
      if (!attempt.live || attempt.dying() || !attempt.has_slots()) continue;
      const TaskKey& task = attempt.key.task;
      const Job& job = s.job(task.job);
      for (QueueId q = job.queue; q.valid(); q = s.tree().parent(q)) {
        running[index(task.kind)][q.index()] += job.width(task.kind);
      }
    }
    for (const auto& [id, job] : s.jobs()) {
      if (job->schedulable()) in_order.push_back(job.get());
    }
    std::sort(in_order.begin(), in_order.end(), before);
  }
  static bool before(const Job* a, const Job* b) {
    if (a->priority != b->priority) return a->priority < b->priority;
    if (a->submitted_at != b->submitted_at) return a->submitted_at < b->submitted_at;
    return a->id < b->id;
  }
  bool limits(QueueId q) const {
    return state.tree().node(q).settings.maximum_hundredths.has_value();
  }
  bool below(QueueId q, QueueId above) const {
    while (q.valid() && q != above) q = state.tree().parent(q);
    return q.valid();
  }
  std::int64_t widest_ever(QueueId q, TaskKind kind) const {
    std::int64_t widest = INT64_MAX;
    for (; q.valid(); q = state.tree().parent(q)) {
      if (limits(q)) widest = std::min(widest, maximum[index(kind)][q.index()]);
    }
    return widest;
  }
  // Whether a wider job before this place that could run here, and that nothing beneath the queue
  // holds, would find no room in the queue after a task of `width`.
  bool overtakes(QueueId q, std::int64_t width, TaskKind kind, const Job* place) const {
    const std::int64_t room = maximum[index(kind)][q.index()] - running[index(kind)][q.index()];
    return std::any_of(in_order.begin(), in_order.end(), [&](const Job* other) {
      const std::int64_t needs = other->width(kind);
      if ((place != nullptr && !before(other, place)) || other->launchable(kind) == 0) return false;
      if (needs <= width || needs > widest_ever(q, kind) || !below(other->queue, q)) return false;
      if (needs + width <= room) return false;
      const auto held = held_at(*other, kind);
      return std::all_of(held.begin(), held.end(),
                         [&](QueueId h) { return h == q || !below(h, q); });
    });
  }
  // The queues where a task of the job finds no room below their maximum, or none but that which a
  // wider one before it waits for.
  std::vector<QueueId> held_at(const Job& job, TaskKind kind) const {
    std::vector<QueueId> queues;
    for (QueueId q = job.queue; q.valid(); q = state.tree().parent(q)) {
      if (!limits(q)) continue;
      const std::int64_t run = running[index(kind)][q.index()] + job.width(kind);
      if (run > maximum[index(kind)][q.index()] || overtakes(q, job.width(kind), kind, &job))
        queues.push_back(q);
    }
    return queues;
  }
  bool has_room_beside(const Job& job, TaskKind kind) const {
    for (QueueId q = job.queue; q.valid(); q = state.tree().parent(q)) {
      const std::int64_t run = running[index(kind)][q.index()] + job.width(kind);
      if (limits(q) && (run > maximum[index(kind)][q.index()] ||
                        overtakes(q, job.width(kind), kind, nullptr)))
        return false;
    }
    return true;
  }
  std::optional<Choice> expected(const Offer& offer) const {
    for (const TaskKind kind : kTaskKinds) {
      if (offer.free[index(kind)] <= 0) continue;
      if (auto choice = expected(offer, kind, offer.free[index(kind)])) return choice;
    }
    return std::nullopt;
  }
  std::optional<Choice> expected(const Offer& offer, TaskKind kind, std::int64_t free) const {
    for (const Reservation& kept : state.claims().reservations()) {
      if (kept.tracker != offer.tracker || kept.kind != kind) continue;
      const Job* job = state.find_job(kept.job);
      const bool lasts =
          job != nullptr && job->launchable(kind) > 0 && held_at(*job, kind).empty();
      if (lasts && free < kept.slots) return std::nullopt;
      const auto task =
          lasts ? state.pick_task(kept.job, kind, offer.tracker) : std::nullopt;
      if (task) return Choice{.task = task->task};
      return Choice{.task = {kept.job, kind, 0}, .what = Choice::What::kReleaseReservation};
    }
    bool first = true;
    for (const Job* job : in_order) {
      if (job->launchable(kind) == 0 || !held_at(*job, kind).empty()) continue;
      if (std::exchange(first, false) && job->width(kind) > free) {
        if (auto reserved = reserve_tracker(state, job->id, kind)) return reserved;
      }
      if (job->width(kind) > free) continue;
      if (const auto choice = state.pick_task(job->id, kind, offer.tracker))
        return Choice{.task = choice->task};
    }
    return std::nullopt;
  }
  std::int64_t jobs_before(const Job& job, TaskKind kind) const {
    const auto own = held_at(job, kind);
    return std::count_if(in_order.begin(), in_order.end(), [&](const Job* other) {
      if (!before(other, &job) || other->launchable(kind) == 0) return false;
      const auto held = held_at(*other, kind);
      return std::all_of(held.begin(), held.end(), [&](QueueId q) {
        return std::find(own.begin(), own.end(), q) != own.end();
      });
    });
  }

  const ClusterState& state;
  std::vector<std::int64_t> maximum[kTaskKindCount];
  std::vector<std::int64_t> running[kTaskKindCount];
  std::vector<const Job*> in_order;
};

class MaximumStory : RandomStory<FifoHarness> {
 public:
  explicit MaximumStory(unsigned seed) : RandomStory(seed) {
    for (QueueSettings& q : random_family(3)) h_.add_queue(q);
    for (int i = 0; i < 4; ++i) add_tracker();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
      random_step();
      SCOPED_TRACE("seed " + std::to_string(seed_) + " step " + std::to_string(i));
      compare();
    }
  }
  std::int64_t held = 0;    // jobs seen at a maximum
  std::int64_t passed = 0;  // offers that a job behind one at its maximum got
  std::int64_t reserved = 0;  // trackers that were kept for a wide task, or given free again

 private:
  std::vector<QueueSettings> random_family(int depth) {
    std::vector<QueueSettings> family;
    const std::int64_t count = 1 + upto(3);
    for (std::int64_t i = 0; i < count; ++i) {
      QueueSettings q = queue("q" + std::to_string(i));
      if (one_in(2)) q.maximum_hundredths = upto(10000);
      if (depth > 1 && one_in(2)) q.queues = random_family(depth - 1);
      family.push_back(q);
    }
    return family;
  }
  void change_maximums(std::vector<QueueSettings>& family) {
    for (QueueSettings& q : family) {
      if (one_in(3)) q.maximum_hundredths = upto(10000);
      if (one_in(4)) q.maximum_hundredths.reset();
      change_maximums(q.queues);
    }
  }
  void submit() {
    h_.submit({.queue = random_leaf(),
               .maps = static_cast<std::uint32_t>(1 + upto(9)),
               .reduces = static_cast<std::uint32_t>(upto(3)),
               .priority = static_cast<Priority>(upto(4)),
               .slowstart_millionths = upto(1000000),
               .slots_per_map = one_in(3) ? 1 + upto(3) : 1,
               .slots_per_reduce = one_in(3) ? 1 + upto(2) : 1});
  }
  void change_settings() {
    auto settings = std::make_shared<Settings>(h_.state().settings());
    change_maximums(settings->queues);
    h_.step(ApplySettings{{"user", {}}, settings});
  }
  void random_step() {
    using S = MaximumStory;
    static const Moves<S> moves = {
        {12, &S::submit},           {46, &S::beat},
        {18, &S::finish},           {4, &S::fail},
        {3, &S::kill_a_job},        {8, &S::move_a_job},
        {3, &S::change_a_priority}, {2, &S::add_another_tracker},
        {2, &S::change_settings},   {2, &S::restart_a_tracker},
    };
    if (h_.state().jobs().empty()) return submit();
    (this->*moves.draw(dice_))();
  }

  void compare() {
    const Count count(h_.state());
    const auto fresh = h_.engine().make_policy("fifo");
    Policy& grown = const_cast<Policy&>(h_.engine().policy());
    for (const TrackerState& tracker : h_.state().trackers()) {
      if (!tracker.in_pool()) continue;
      const Offer offer = whole_offer(tracker, h_.now);
      const auto expected = count.expected(offer);
      for (Policy* policy : {&grown, fresh.get()}) {
        const auto choice = policy->choose(offer);
        ASSERT_EQ(choice ? spelled(*choice) : "-", expected ? spelled(*expected) : "-");
      }
      const Job* first = count.in_order.empty() ? nullptr : count.in_order.front();
      if (expected && first->id != expected->task.job &&
          !count.held_at(*first, expected->task.kind).empty())
        ++passed;
      if (expected && expected->what != Choice::What::kLaunch) ++reserved;
      for (const Job* job : count.in_order) compare_room(grown, count, *job, offer);
    }
    compare_words(grown, *fresh, count);
  }
  static std::string spelled(const Choice& choice) {
    const char* what = choice.what == Choice::What::kReserve              ? "reserve for "
                       : choice.what == Choice::What::kReleaseReservation ? "release of "
                                                                          : "";
    return what + FifoHarness::spell(choice.task);
  }

  void compare_room(Policy& grown, const Count& count, const Job& job, const Offer& offer) {
    for (const TaskKind kind : kTaskKinds) {
      ASSERT_EQ(grown.speculation()->may_speculate(job.id, kind, offer),
                count.has_room_beside(job, kind));
    }
  }
  void compare_words(const Policy& grown, const Policy& fresh, const Count& count) {
    for (const TaskKind kind : kTaskKinds) {
      for (std::size_t q = 0; q < h_.state().tree().size(); ++q) {
        const QueueFigures a = grown.figures(QueueId(q), kind);
        const QueueFigures b = fresh.figures(QueueId(q), kind);
        ASSERT_EQ(a.running, count.running[index(kind)][q]);
        ASSERT_EQ(a.maximum, count.maximum[index(kind)][q]);
        ASSERT_EQ(a.pending, b.pending);
        ASSERT_LE(a.demand, a.maximum);
      }
      for (const Job* job : count.in_order) {
        if (job->launchable(kind) == 0) continue;
        const bool full = !count.held_at(*job, kind).empty();
        if (full) ++held;
        std::int64_t before = 0;
        bool said = false, never = false;
        for (const Reason& reason : grown.explain(job->id, kind, h_.now)) {
          if (reason.code == "jobs_before") before = reason.numbers[0].second;
          said = said || reason.code == "queue_at_maximum";
          never = never || reason.code == "wider_than_maximum";
        }
        ASSERT_EQ(never, job->width(kind) > count.widest_ever(job->queue, kind));
        if (never) continue;
        ASSERT_EQ(before, count.jobs_before(*job, kind));
        ASSERT_LE(said, full);
      }
    }
  }
};

TEST(FifoRandom, DecidesAsAWalkOverAllJobsInOrder) {
  std::int64_t held = 0, passed = 0, reserved = 0;
  for (unsigned seed = 1; seed <= some_seeds(60) && !HasFatalFailure(); ++seed) {
    MaximumStory story(seed);
    story.run(150);
    held += story.held;
    passed += story.passed;
    reserved += story.reserved;
  }
  EXPECT_GT(held, static_cast<int>(some_seeds(1000)));
  EXPECT_GT(passed, static_cast<int>(some_seeds(100)));
  EXPECT_GT(reserved, static_cast<int>(some_seeds(50)));
}

}  // namespace
}  // namespace weir::test
