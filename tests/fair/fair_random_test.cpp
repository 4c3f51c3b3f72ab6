// Random stories over random settings. After each step the policy that saw the state grow is
// compared with one made from the state just now (figures of every queue, pool and job, and the
// first answer to an offer of every tracker), and with figures counted one by one from jobs and
// attempts. The engine's own check must have found nothing wrong with any answer. Seeds are fixed,
// so a failure repeats.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fair/pool_names.h"
#include "fair/shares.h"
#include "fair_harness.h"
#include "lab/kit/seeds.h"
#include "support/random_story.h"

namespace weir::test {
namespace {

class FairStory : RandomStory<FairHarness> {
 public:
  explicit FairStory(unsigned seed) : RandomStory(seed) {
    FairSettings& s = *h_.section;
    s.pools = random_pools(2);
    s.algorithm = one_in(3) ? FairSettings::Algorithm::kDeficit : FairSettings::Algorithm::kShare;
    s.preemption = one_in(3) ? FairSettings::Preemption::kOff : FairSettings::Preemption::kOn;
    s.preemption_interval_ms = upto(3000);
    s.assign_multiple = !one_in(4);
    if (one_in(4)) s.max_per_heartbeat[0] = 1 + upto(2);
    s.size_based_weight = one_in(3);
    if (one_in(3)) s.new_job_booster = FairSettings::Booster{.duration_ms = 1 + upto(5000)};
    s.load_manager = one_in(3) ? "none" : "cap";
    s.load_max_diff_millionths = upto(1) * 300'000;
    s.pool_name_property = one_in(2) ? "queue" : "user";
    if (one_in(3)) s.default_user_max_running_jobs = 1 + upto(3);
    if (one_in(4)) s.locality_delay = {LocalityDelaySettings::Mode::kFixed, upto(4000), 1000};
    for (const char* name : {"a", "b", "c"}) {
      QueueSettings q = queue(name);
      if (one_in(3)) q.maximum_hundredths = 1 + upto(9999);
      h_.add_queue(q);
    }
    for (int i = 0; i < 4; ++i) add_tracker();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
      random_step();
      SCOPED_TRACE("seed " + std::to_string(seed_) + " step " + std::to_string(i));
      compare_with_a_fresh_policy();
      compare_with_a_count();
      look_for_wrong_answers();
    }
  }

  template <class Fact>
  std::size_t times() const {
    return h_.events<Fact>().size();
  }
  std::size_t preemptions() const {
    const auto kills = h_.events<KillOrdered>();
    return static_cast<std::size_t>(std::count_if(
        kills.begin(), kills.end(), [](const KillOrdered& k) { return is_preemption(k.reason); }));
  }

 private:
  std::vector<PoolSettings> random_pools(int depth) {
    std::vector<PoolSettings> pools;
    for (const char* name : {"a", "p", "q"}) {
      if (one_in(3)) continue;
      PoolSettings p = pool(name, {.min_maps = upto(1) * upto(6),
                                   .min_reduces = upto(3),
                                   .weight_millionths = 1 + upto(3'000'000)});
      if (one_in(4)) p.max_share[0] = p.min_share[0] + upto(5);
      if (one_in(4)) p.mode = PoolSettings::Mode::kFifo;
      if (one_in(3)) p.max_running_jobs = 1 + upto(3);
      p.min_share_timeout_ms = upto(4000);
      p.fair_share_timeout_ms = p.min_share_timeout_ms + upto(4000);
      if (one_in(5)) p.kill_budget = upto(60);
      if (depth > 1 && one_in(2) && std::string(name) != "a") p.pools = random_pools(depth - 1);
      pools.push_back(p);
    }
    return pools;
  }

  std::string random_pool() {
    static const char* const kNames[] = {"",    "",      "p",     "q", "p.p",   "p.q",
                                         "q.a", "extra", "x.y.z", "x", "root.a"};
    return kNames[upto(10)];
  }
  void submit() {
    JobOptions options{.queue = std::string(1, static_cast<char>('a' + upto(2))),
                       .user = "u" + std::to_string(upto(3)),
                       .maps = static_cast<std::uint32_t>(1 + upto(12)),
                       .reduces = static_cast<std::uint32_t>(upto(3)),
                       .priority = static_cast<Priority>(upto(4)),
                       .slowstart_millionths = upto(1000000),
                       .slots_per_map = one_in(4) ? 1 + upto(3) : 1,
                       .name = "n" + std::to_string(upto(20)),
                       .pool = random_pool()};
    if (one_in(2)) options.locations = {{random_tracker()}, {random_tracker(), random_tracker()}};
    static_cast<Harness&>(h_).submit(options);
  }

  void move_to_a_pool() {
    const JobId job = random_job();
    const std::string to = random_pool();
    h_.step(MoveJob{owner(job), job, to.empty() ? "default" : to});
  }
  void lose_a_tracker() { h_.step(LoseTracker{random_tracker()}); }
  void go_on() { h_.advance(upto(2500)); }
  void random_step() {
    using S = FairStory;
    static const Moves<S> moves = {
        {14, &S::submit},           {36, &S::beat},
        {16, &S::finish},           {4, &S::fail},
        {3, &S::kill_a_job},        {5, &S::move_to_a_pool},
        {3, &S::change_a_priority}, {2, &S::add_another_tracker},
        {1, &S::lose_a_tracker},    {16, &S::go_on},
    };
    h_.now += upto(3) * upto(300);
    if (h_.state().jobs().empty()) return submit();
    (this->*moves.draw(dice_))();
  }

  static std::string text(const QueueFigures& f) {
    std::string all;
    for (const std::int64_t v : {f.running, f.pending, f.demand, f.maximum, f.share, f.min_share}) {
      all += std::to_string(v) + " ";
    }
    return all;
  }
  static std::string text(const PoolFigures& f) {
    std::string all = f.pool + " in " + f.parent + (f.declared ? " declared " : " ") +
                      std::to_string(f.jobs_running) + "+" + std::to_string(f.jobs_waiting);
    for (const TaskKind kind : kTaskKinds) {
      all += "; " + text(f.of[index(kind)]) + std::to_string(f.below_min_share_ms[index(kind)]) +
             " " + std::to_string(f.below_half_share_ms[index(kind)]);
    }
    return all;
  }

  void compare_with_a_fresh_policy() {
    auto& grown = const_cast<Policy&>(h_.engine().policy());
    const auto fresh = h_.engine().make_policy("fair");
    const auto ours = pool_figures(grown, h_.now);
    const auto theirs = pool_figures(*fresh, h_.now);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_EQ(text(ours[i]), text(theirs[i]));
    for (const TaskKind kind : kTaskKinds) {
      for (std::size_t q = 0; q < h_.state().tree().size(); ++q) {
        ASSERT_EQ(text(grown.figures(QueueId(q), kind)), text(fresh->figures(QueueId(q), kind)));
      }
      for (const auto& [id, job] : h_.state().jobs()) {
        const JobFigures a = job_figures(grown, id, kind);
        const JobFigures b = job_figures(*fresh, id, kind);
        ASSERT_EQ(a.share, b.share) << job_name(id);
        ASSERT_EQ(a.weight_millionths, b.weight_millionths) << job_name(id);
        ASSERT_EQ(a.deficit_ms, b.deficit_ms) << job_name(id);
      }
    }
    if (h_.section->locality_delay.mode != LocalityDelaySettings::Mode::kOff) return;
    for (const TrackerState& tracker : h_.state().trackers()) {
      const Offer offer = whole_offer(tracker, h_.now);
      grown.begin_offer(offer);
      fresh->begin_offer(offer);
      const auto a = grown.choose(offer);
      const auto b = fresh->choose(offer);
      ASSERT_EQ(a.has_value(), b.has_value());
      if (!a) continue;
      ASSERT_EQ(Harness::spell(a->task), Harness::spell(b->task));
      ASSERT_EQ(a->what, b->what);
    }
  }

  struct Counted {
    std::int64_t running = 0;
    std::int64_t demand = 0;
    std::int64_t children = 0;
  };

  // Running and demand one by one, the latter cut at every maximum on the way up; shares family by
  // family.
  void compare_with_a_count() {
    const ClusterState& state = h_.state();
    const Policy& policy = h_.engine().policy();
    const std::vector<PoolFigures> pools = pool_figures(policy, h_.now);
    for (const TaskKind kind : kTaskKinds) {
      std::map<std::string, Counted> counted;
      for (const auto& [id, job] : state.jobs()) {
        const std::string leaf(pool_of(policy, id));
        const std::int64_t width = std::max<std::int64_t>(job->width(kind), 1);
        const TaskGroup& group = job->tasks(kind);
        for (std::string p = leaf; group.running > 0; p = p.substr(0, p.rfind('.'))) {
          counted[p].running += group.running * width;
          if (p.find('.') == std::string::npos) break;
        }
        if (!job->schedulable()) continue;
        const bool somewhere = std::any_of(
            state.trackers().begin(), state.trackers().end(), [&](const TrackerState& t) {
              return t.in_pool() &&
                     fits(job->need(kind), t.total, Resources{}, Resources{{1, 1, 0, 0}}) &&
                     !state.avoided(*job, t.id);
            });
        const std::int64_t launchable = somewhere ? job->launchable(kind) : 0;
        counted[leaf].demand += (group.running + launchable + group.dying) * width;
      }
      for (auto p = pools.rbegin(); p != pools.rend(); ++p) {  // children before parents
        const QueueFigures& f = p->of[index(kind)];
        Counted& here = counted[p->pool];
        if (f.maximum >= 0) here.demand = std::min(here.demand, f.maximum);
        ASSERT_EQ(f.running, here.running) << p->pool;
        ASSERT_EQ(f.demand, here.demand) << p->pool;
        counted[p->parent].demand += here.demand;
      }
      compare_shares(pools, kind);
    }
  }

  void compare_shares(const std::vector<PoolFigures>& pools, TaskKind kind) {
    std::map<std::string, std::vector<const PoolFigures*>> families;
    std::map<std::string, Share> totals{{"", share_of_slots(h_.state().total_slots(kind))}};
    for (const PoolFigures& p : pools) {
      families[p.parent].push_back(&p);
      totals[p.pool] = p.of[index(kind)].share;
    }
    for (const auto& [parent, children] : families) {
      std::vector<ShareClaimant> claimants;
      for (const PoolFigures* p : children) {
        const QueueFigures& f = p->of[index(kind)];
        claimants.push_back({f.demand, f.min_share, p->weight_millionths});
      }
      const auto shares = fair_shares(totals[parent], claimants);
      for (std::size_t i = 0; i < shares.size(); ++i) {
        // The figures are rounded, at each level; what is dealt on is not.
        ASSERT_NEAR(children[i]->of[index(kind)].share, shares[i], 8) << children[i]->pool;
      }
    }
  }

  void look_for_wrong_answers() {
    for (; seen_ < h_.log.size(); ++seen_) {
      const auto* refused = fact_as<Refused>(h_.log[seen_].fact);
      if (refused != nullptr && std::string(refused->what) == "policy") {
        FAIL() << refused->error.message;
      }
    }
  }

  std::size_t seen_ = 0;
};

TEST(FairRandom, GrownFreshAndCountedAgree) {
  std::size_t moves = 0, kills = 0, waits = 0;  // or the story would prove little
  for (unsigned seed = 1; seed <= some_seeds(240) && !HasFailure(); ++seed) {
    FairStory story(seed);
    story.run(250);
    moves += story.times<JobMoved>();
    kills += story.preemptions();
    waits += story.times<JobStateChanged>();
  }
  EXPECT_GT(moves, some_seeds(300));
  EXPECT_GT(kills, some_seeds(300));
  EXPECT_GT(waits, some_seeds(3000));
}

}  // namespace
}  // namespace weir::test
