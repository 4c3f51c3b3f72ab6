// The fair policy against an exhaustive walk (walking_policy.h): the same random story, in which
// every map has replicas on three trackers, is told to both, and every event must be the same, to
// the byte. WEIR_WALK_SEEDS in the environment says how many seeds; 400 unless it does. A walk by
// other rules tells other stories, so each rule matters in some of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <sstream>

#include "conf/policies.h"
#include "lab/kit/dice.h"
#include "lab/kit/moves.h"
#include "lab/kit/seeds.h"
#include "lab/stories/fuzz_cluster.h"
#include "lab/stories/fuzz_pools.h"
#include "sim/event_log.h"
#include "walking_policy.h"

namespace weir::test {
namespace {

constexpr std::uint64_t kSeeds = some_seeds(400);
constexpr int kSteps = 200;

class Observed {
 public:
  explicit Observed(FuzzCluster& cluster) : log_(text_, names_) {
    cluster.watch(names_);
    cluster.watch(log_);
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  JobNames names_;
  EventLog log_;
};

class WalkStory {
 public:
  WalkStory(std::uint64_t seed, const PolicyFactory& factory)
      : dice_(seed), cluster_(draw(), factory), observed_(cluster_) {
    const std::int64_t trackers = dice_.between(4, 9);
    for (std::int64_t i = 0; i < trackers; ++i) {
      cluster_.add_tracker(Resources{{dice_.between(1, 3), dice_.between(0, 2), 0, 0}},
                           "r" + std::to_string(i % 3));
    }
  }
  void run() {
    for (int i = 0; i < kSteps; ++i) step();
  }
  std::string events() const { return observed_.text(); }

 private:
  std::shared_ptr<Settings> draw() {
    auto settings = std::make_shared<Settings>();
    settings->policy = "fair";
    settings->heartbeat.interval_ms = 3000;
    for (const char* name : {"a", "b"}) {
      QueueSettings queue;
      queue.name = name;
      if (dice_.chance(30)) queue.maximum_hundredths = dice_.between(1000, 10000);
      settings->queues.push_back(queue);
    }
    auto fair = draw_fair(dice_);
    fair->preemption = FairSettings::Preemption::kOff;
    fair->copy_compute_split = false;  // the walk knows slots only
    using Mode = LocalityDelaySettings::Mode;
    if (fair->locality_delay.mode == Mode::kAdaptive || dice_.chance(50)) {
      fair->locality_delay = {Mode::kFixed, dice_.below(9) * 500, dice_.below(5) * 500};
    }
    settings->policies["fair"] = fair;
    return settings;
  }

  FuzzTracker& random_tracker() {
    auto& trackers = cluster_.trackers();
    return trackers[static_cast<std::size_t>(
        dice_.below(static_cast<std::int64_t>(trackers.size())))];
  }
  const Job* random_job() {
    std::vector<const Job*> jobs;
    for (const auto& [id, job] : cluster_.state().jobs()) {
      if (!is_over(job->state)) jobs.push_back(job.get());
    }
    return jobs.empty() ? nullptr : dice_.one_of(jobs);
  }

  void step() {
    using S = WalkStory;
    static const Moves<S> moves = {
        {12, &S::submit}, {48, &S::beat},   {18, &S::finish},
        {14, &S::go_on},  {6, &S::disturb}, {2, &S::restart},
    };
    (this->*moves.draw(dice_))();
  }
  void beat() {
    FuzzTracker& tracker = random_tracker();
    if (tracker.live) cluster_.heartbeat(tracker);
  }
  void finish() {
    for (auto& [key, attempt] : random_tracker().held) {
      if (dice_.chance(60)) cluster_.end(attempt, true);
    }
  }
  void go_on() { cluster_.advance(dice_.between(1, 8) * 250); }
  void restart() {
    FuzzTracker& tracker = random_tracker();
    tracker.ends_in_order = true;     // the walk knows no suspects
    cluster_.connect(tracker, true);  // its tasks are wanted again
  }

  void submit() {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "J" + std::to_string(++jobs_);
    spec->user = "u" + std::to_string(dice_.between(1, 3));
    spec->groups = {"g" + std::to_string(dice_.between(1, 2))};
    spec->queue = dice_.chance(50) ? "a" : "b";
    spec->priority = static_cast<Priority>(dice_.below(5));
    spec->input_files = {"/in"};
    const auto& fair = fair_section(cluster_.state().settings());
    if (dice_.chance(60)) spec->conf["pool"] = draw_pool_name(dice_, fair);
    const std::int64_t maps = dice_.between(1, 9);
    for (std::int64_t i = 0; i < maps; ++i) {
      Split split;
      if (!dice_.chance(5)) {
        for (int replica = 0; replica < 3; ++replica) split.hosts.push_back(random_tracker().name);
      }
      spec->splits.push_back(split);
    }
    spec->output = "/out" + std::to_string(jobs_);
    spec->reduces = static_cast<std::uint32_t>(dice_.chance(50) ? dice_.between(1, 4) : 0);
    spec->slowstart_millionths = dice_.below(1000001);
    const Caller caller{spec->user, spec->groups};
    cluster_.step(SubmitJob{caller, std::move(spec)});
  }

  void disturb() {
    const Job* job = random_job();
    if (job == nullptr) return;
    const Caller owner{job->spec->user, job->spec->groups};
    const auto& fair = fair_section(cluster_.state().settings());
    switch (dice_.below(3)) {
      case 0:
        cluster_.step(KillJob{owner, job->id});
        return;
      case 1:
        cluster_.step(SetPriority{owner, job->id, static_cast<Priority>(dice_.below(5))});
        return;
      default:
        cluster_.step(MoveJob{owner, job->id, draw_pool_name(dice_, fair)});
    }
  }

  Dice dice_;
  FuzzCluster cluster_;
  Observed observed_;
  int jobs_ = 0;
};

using Change = std::function<void(FairSettings&)>;

// `change`: by what the walk goes instead of the settings.
PolicyFactory walking(const Change& change = {}) {
  return [inner = policy_factory(), change](std::string_view name, const ClusterState& state,
                                            PolicyMemory& memory) -> std::unique_ptr<Policy> {
    Settings rules = state.settings();
    if (change) {
      auto fair = std::make_shared<FairSettings>(fair_section(state.settings()));
      change(*fair);
      rules.policies["fair"] = fair;
    }
    return std::make_unique<WalkingPolicy>(inner(name, state, memory), state, memory, rules);
  };
}

void each_pool(std::vector<PoolSettings>& pools, const std::function<void(PoolSettings&)>& change) {
  for (PoolSettings& pool : pools) {
    change(pool);
    each_pool(pool.pools, change);
  }
}

std::uint64_t seeds_wanted() {
  const char* said = std::getenv("WEIR_WALK_SEEDS");
  return said == nullptr ? kSeeds : std::strtoull(said, nullptr, 10);
}

// The first line that differs, and what stands before it.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string x, y, before;
  for (int line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(left, x));
    if (!std::getline(right, y)) y = "(nothing)";
    if (!more) x = "(nothing)";
    if (x != y || !more) {
      return "line " + std::to_string(line) + "\nafter:  " + before + "\npolicy: " + x +
             "\nwalk:   " + y;
    }
    before = x;
  }
}

TEST(FairWalk, EveryEventIsThatOfAnExhaustiveWalk) {
  std::size_t launches = 0;
  const std::uint64_t seeds = seeds_wanted();
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    WalkStory fast(seed, policy_factory());
    fast.run();
    WalkStory slow(seed, walking());
    slow.run();
    const std::string events = fast.events();
    ASSERT_EQ(events == slow.events(), true)
        << "seed " << seed << ", " << first_difference(events, slow.events());
    for (std::size_t at = 0; (at = events.find("\"launch\"", at)) != std::string::npos; ++at) {
      ++launches;
    }
  }
  EXPECT_GT(launches, 20 * seeds);
}

struct OtherRule {
  const char* name;
  Change change;
};

class FairWalkByOtherRules : public ::testing::TestWithParam<OtherRule> {};

TEST_P(FairWalkByOtherRules, TellsAnotherStory) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    WalkStory fast(seed, policy_factory());
    fast.run();
    WalkStory slow(seed, walking(GetParam().change));
    slow.run();
    if (fast.events() != slow.events()) return;
  }
  FAIL() << "200 seeds told the same stories";
}

const OtherRule kOtherRules[] = {
    {"NobodyWaits", [](FairSettings& s) { s.locality_delay = {}; }},
    {"WaitsAreLonger",
     [](FairSettings& s) {
       s.locality_delay.node_ms += 700;
       s.locality_delay.rack_ms += 700;
     }},
    {"NobodyIsStarved",
     [](FairSettings& s) {
       each_pool(s.pools, [](PoolSettings& pool) {
         pool.min_share_timeout_ms = pool.fair_share_timeout_ms = kNever;
       });
     }},
    {"NoMinimums",
     [](FairSettings& s) { each_pool(s.pools, [](PoolSettings& pool) { pool.min_share = {}; }); }},
    {"NoMaximums", [](FairSettings& s) { s = *without_maximums(s); }},
    {"AllPoolsWeighTheSame",
     [](FairSettings& s) { each_pool(s.pools, [](PoolSettings& pool) { pool.weight = 7; }); }},
    {"AllPoolsAreFair",
     [](FairSettings& s) {
       each_pool(s.pools, [](PoolSettings& pool) { pool.mode = PoolSettings::Mode::kFair; });
     }},
    {"SizeDoesNotMatter", [](FairSettings& s) { s.size_based_weight = false; }},
    {"NobodyIsNew", [](FairSettings& s) { s.new_job_booster.reset(); }},
    {"NoDeficits", [](FairSettings& s) { s.algorithm = FairSettings::Algorithm::kShare; }},
    {"NoLoadCap", [](FairSettings& s) { s.load_manager = "none"; }},
    {"AllAtOnce", [](FairSettings& s) { s.assign_multiple = true; }},
    {"NoHeartbeatLimit", [](FairSettings& s) { s.max_per_heartbeat = {}; }},
};

INSTANTIATE_TEST_SUITE_P(Rules, FairWalkByOtherRules, ::testing::ValuesIn(kOtherRules),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace weir::test
