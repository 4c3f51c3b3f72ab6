// Random stories over random settings. After each step the policy that saw the state grow is
// compared with one made from the state just now (figures of every queue, and the whole run of
// answers to an offer), and with figures counted one by one from jobs and attempts. Seeds are
// fixed, so a failure repeats.
#include <gtest/gtest.h>

#include <algorithm>

#include "capacity/capacity_arithmetic.h"
#include "capacity_harness.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/policy/shortfalls.h"
#include "lab/kit/seeds.h"
#include "support/random_story.h"

namespace weir::test {
namespace {

using By = CapacitySettings::RedistributeBy;

class Story : RandomStory<CapacityHarness> {
 public:
  explicit Story(unsigned seed) : RandomStory(seed) {
    by_ = static_cast<By>(upto(2));
    auto section = std::make_shared<CapacitySettings>();
    section->redistribute_by = by_;
    h_.settings().policies["capacity"] = section;
    for (QueueSettings& q : random_family(2)) h_.add_queue(q);
    for (int i = 0; i < 4; ++i) add_tracker();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
      random_step();
      SCOPED_TRACE("seed " + std::to_string(seed_) + " step " + std::to_string(i));
      compare_with_a_fresh_policy();
      compare_with_a_count();
    }
  }

  std::size_t shortfalls() const { return shortfalls_; }
  // How often it was told of such a fact.
  template <class Fact>
  std::size_t times() const {
    return h_.events<Fact>().size();
  }

 private:
  std::vector<QueueSettings> random_family(int depth) {
    std::vector<QueueSettings> family;
    const std::int64_t count = 1 + upto(4);
    const bool slots = upto(3) == 0;
    std::int64_t left = 100;
    for (std::int64_t i = 0; i < count; ++i) {
      QueueSettings q = queue("q" + std::to_string(i));
      const std::int64_t percent = i + 1 == count ? left : upto(left);
      left -= percent;
      for (Guarantee& g : q.guaranteed) {
        if (slots) g = {Guarantee::Unit::kSlots, upto(9)};
        if (!slots) g = {Guarantee::Unit::kPercent, percent * 100};
      }
      if (upto(3) == 0) q.maximum_hundredths = upto(10000);
      q.user_limit.mode = upto(2) == 0 ? UserLimit::Mode::kHard : UserLimit::Mode::kSoft;
      q.user_limit.minimum_hundredths = 100 + upto(9900);
      q.priorities = upto(1) == 0;
      if (depth > 1 && upto(2) == 0) q.queues = random_family(depth - 1);
      family.push_back(q);
    }
    return family;
  }

  void submit() {
    h_.submit({.queue = random_leaf(),
               .user = "u" + std::to_string(upto(3)),
               .maps = static_cast<std::uint32_t>(1 + upto(12)),
               .reduces = static_cast<std::uint32_t>(upto(3)),
               .priority = static_cast<Priority>(upto(4)),
               .slowstart_millionths = upto(1000000),
               .slots_per_map = upto(3) == 0 ? 1 + upto(3) : 1});
  }
  void random_step() {
    static const Moves<Story> moves = {
        {12, &Story::submit},           {48, &Story::beat},
        {20, &Story::finish},           {6, &Story::fail},
        {3, &Story::kill_a_job},        {4, &Story::move_a_job},
        {2, &Story::change_a_priority}, {2, &Story::add_another_tracker},
        {3, &Story::silence_one},
    };
    if (h_.state().jobs().empty()) return submit();
    (this->*moves.draw(dice_))();
  }

  // All but one report for longer than the expiry; the silent one is lost, and comes back empty.
  void silence_one() {
    const std::string silent = random_tracker();
    for (int round = 0; round < 3; ++round) {
      h_.advance(240 * 1000);
      for (std::int64_t t = 0; t < trackers_; ++t) {
        const std::string name = "tt" + std::to_string(t);
        if (name != silent) h_.heartbeat(name);
      }
    }
    if (upto(1) == 0) h_.add_tracker(silent, h_.tracker(silent).options);
  }

  void compare_with_a_fresh_policy() {
    const auto fresh = h_.engine().make_policy("capacity");
    Policy& grown = const_cast<Policy&>(h_.engine().policy());
    for (std::size_t q = 0; q < h_.state().tree().size(); ++q) {
      for (const TaskKind kind : kTaskKinds) {
        const QueueFigures a = grown.figures(QueueId(q), kind);
        const QueueFigures b = fresh->figures(QueueId(q), kind);
        const auto text = [](const QueueFigures& f) {
          return std::vector<std::int64_t>{f.guaranteed, f.allocated, f.running, f.pending};
        };
        ASSERT_EQ(text(a), text(b)) << "queue " << h_.state().tree().nodes()[q].path;
      }
    }
    for (const TrackerState& tracker : h_.state().trackers()) {
      const Offer offer = whole_offer(tracker, h_.now);
      const auto a = grown.choose(offer);
      const auto b = fresh->choose(offer);
      ASSERT_EQ(a.has_value(), b.has_value());
      if (a) {
        ASSERT_EQ(a->task, b->task);
      }
    }
  }

  struct Counted {
    std::int64_t running = 0;
    std::int64_t wanted = 0;  // launchable, whatever limits say
    std::int64_t dying = 0;   // ordered to die and wanted again
    std::int64_t waiting_jobs = 0;
    std::int64_t demand = 0;
  };

  // RUN one by one; PEND as the policy says, bounded by what is launchable; AC by the arithmetic,
  // family by family.
  void compare_with_a_count() {
    const ClusterState& state = h_.state();
    const QueueTree& tree = state.tree();
    for (const TaskKind kind : kTaskKinds) {
      std::vector<Counted> counted = count(kind);
      const std::int64_t total = state.total_slots(kind);
      const auto gc = guaranteed_slots(tree, kind, total);
      const auto max = maximum_slots(tree, total, gc);
      const auto shares = exact_shares(tree, kind);
      std::vector<std::int64_t> pending(tree.size(), 0);
      std::vector<std::int64_t> children_demand(tree.size(), 0);
      for (std::size_t q = tree.size(); q-- > 0;) {
        const QueueTree::Node& node = tree.nodes()[q];
        const QueueFigures f = h_.engine().policy().figures(QueueId(q), kind);
        ASSERT_EQ(f.running, counted[q].running) << node.path;
        ASSERT_EQ(f.guaranteed, gc[q]);
        if (node.leaf()) {
          const bool limited = node.settings.maximum_hundredths ||
                               node.settings.user_limit.mode == UserLimit::Mode::kHard;
          ASSERT_LE(f.pending, counted[q].wanted) << node.path;
          if (!limited) {
            ASSERT_EQ(f.pending, counted[q].wanted) << node.path;
          }
          pending[q] = f.pending;
        }
        ASSERT_EQ(f.pending, pending[q]) << node.path;
        const std::int64_t wanted =
            node.leaf() ? f.running + f.pending + counted[q].dying : children_demand[q];
        counted[q].demand = std::min(max[q], wanted);
        if (q == 0) continue;
        pending[node.parent.index()] += pending[q];
        children_demand[node.parent.index()] += counted[q].demand;
        counted[node.parent.index()].waiting_jobs += counted[q].waiting_jobs;
      }
      compare_allocations(kind, counted, gc, max, shares);
      compare_shortfalls(kind);
    }
  }

  // What would be owed while another policy ruled is what this one finds.
  void compare_shortfalls(TaskKind kind) {
    const ClusterState& state = h_.state();
    Shortfalls paused(state);
    for (const QueueId leaf : state.tree().leaves()) {
      const QueueFigures f = h_.engine().policy().figures(leaf, kind);
      const std::int64_t gap =
          std::max<std::int64_t>(0, std::min(f.guaranteed, f.demand) - f.running);
      const std::int64_t found = paused.shortfall(leaf, kind);
      ASSERT_LE(found, gap);
      ASSERT_GE(found, state.claims().owed(leaf, kind));
      shortfalls_ += found > 0 ? 1 : 0;
    }
  }

  std::vector<Counted> count(TaskKind kind) {
    const ClusterState& state = h_.state();
    const QueueTree& tree = state.tree();
    std::vector<Counted> counted(tree.size());
    for (const auto& [id, job] : state.jobs()) {
      for (const Task& task : job->tasks(kind).tasks) {
        if (!task.attempt.valid()) continue;
        if (state.attempt(task.attempt).dying()) {
          if (job->schedulable()) counted[job->queue.index()].dying += job->width(kind);
          continue;
        }
        for (QueueId q = job->queue; q.valid(); q = tree.node(q).parent) {
          counted[q.index()].running += job->width(kind);
        }
      }
      const bool somewhere =
          std::any_of(state.trackers().begin(), state.trackers().end(), [&](const TrackerState& t) {
            return t.live() && t.total.slots(kind) >= job->width(kind) &&
                   !state.avoided(*job, t.id);
          });
      if (!somewhere || job->launchable(kind) == 0) continue;
      counted[job->queue.index()].wanted += job->launchable(kind) * job->width(kind);
      ++counted[job->queue.index()].waiting_jobs;
    }
    return counted;
  }

  void compare_allocations(TaskKind kind, const std::vector<Counted>& counted,
                           const std::vector<std::int64_t>& gc,
                           const std::vector<std::int64_t>& max,
                           const std::vector<QueueShare>& shares) {
    const QueueTree& tree = h_.state().tree();
    const auto figures = [&](QueueId q) { return h_.engine().policy().figures(q, kind); };
    std::int64_t leaves = 0;
    for (const QueueId leaf : tree.leaves()) leaves += figures(leaf).allocated;
    ASSERT_EQ(leaves, h_.state().total_slots(kind));
    for (std::size_t parent = 0; parent < tree.size(); ++parent) {
      const auto& children = tree.nodes()[parent].children;
      if (children.empty()) continue;
      std::vector<QueueNeed> needs;
      for (const QueueId c : children) {
        const std::size_t i = c.index();
        needs.push_back({gc[i], counted[i].demand, shares[i].weight, counted[i].waiting_jobs});
      }
      const auto expected = allocate(figures(QueueId(parent)).allocated, needs, by_);
      for (std::size_t i = 0; i < children.size(); ++i) {
        const std::size_t c = children[i].index();
        ASSERT_EQ(figures(children[i]).allocated, expected[i]) << tree.nodes()[c].path;
        ASSERT_GE(expected[i], std::min(gc[c], counted[c].demand));
        ASSERT_LE(expected[i], std::max(gc[c], max[c]));
      }
    }
  }

  By by_;
  std::size_t shortfalls_ = 0;
};

TEST(CapacityRandom, GrownFreshAndCountedAgree) {
  std::size_t moves = 0, kills = 0, losses = 0, shortfalls = 0;  // or the story would prove little
  for (unsigned seed = 1; seed <= some_seeds(120) && !HasFailure(); ++seed) {
    Story story(seed);
    story.run(250);
    moves += story.times<JobMoved>();
    kills += story.times<JobKillRequested>();
    losses += story.times<TrackerChanged>();
    shortfalls += story.shortfalls();
  }
  EXPECT_GT(moves, some_seeds(300));
  EXPECT_GT(kills, some_seeds(300));
  EXPECT_GT(losses, some_seeds(800));
  EXPECT_GT(shortfalls, some_seeds(1000));
}

// No slot stays empty while a permitted task of the queue could use it: with soft limits and no
// maximum, after every tracker has reported, either all slots are taken or nothing is pending.
TEST(CapacityRandom, NoSlotIsLeftEmptyWhileATaskWantsIt) {
  Dice dice(7);
  for (int round = 0; round < 60; ++round) {
    CapacityHarness h;
    const auto upto = [&](std::int64_t n) { return dice.below(n + 1); };
    h.add_queue(with_user_minimum(queue("a", 60), 25)).add_queue(queue("b", 39));
    h.add_queue(queue("c", 1));
    for (int t = 0; t < 5; ++t) h.add_tracker("tt" + std::to_string(t), {.map_slots = 3});
    for (int j = 0; j < 4; ++j) {
      h.submit({.queue = std::string(1, static_cast<char>('a' + upto(2))),
                .user = "u" + std::to_string(upto(2)),
                .maps = static_cast<std::uint32_t>(1 + upto(8))});
    }
    const std::int64_t wanted =
        h.engine().policy().figures(QueueTree::root(), TaskKind::kMap).pending;
    for (int t = 0; t < 5; ++t) h.heartbeat("tt" + std::to_string(t));
    const QueueFigures f = h.engine().policy().figures(QueueTree::root(), TaskKind::kMap);
    EXPECT_EQ(f.running, std::min<std::int64_t>(wanted, 15)) << "round " << round;
  }
}

}  // namespace
}  // namespace weir::test
