// Jobs that came under another policy may want pools that cannot both be: x holds jobs, so there is
// no x.y. The first has its pool, the other is elsewhere until it can have its own; a policy that
// saw all of it places them as one made just now.
#include <gtest/gtest.h>

#include <algorithm>

#include "fair/container_fair.h"
#include "fair_harness.h"
#include "fifo/container_fifo.h"
#include "fifo/fifo_policy.h"
#include "lab/kit/seeds.h"
#include "support/random_story.h"

namespace weir::test {
namespace {

// Under FIFO any pool may be named.
struct FifoAndFair : Harness {
  FifoAndFair() : Harness(factory(), "fifo") {
    settings().policies["fair"] = std::make_shared<FairSettings>();
  }
  static PolicyFactory factory() {
    return [](std::string_view name, const ClusterState& state,
              PolicyMemory& memory) -> std::unique_ptr<Policy> {
      const bool containers = state.space().containers();
      if (name == "fair" && containers) return std::make_unique<ContainerFair>(state, memory);
      if (name == "fair") return std::make_unique<FairPolicy>(state, memory);
      if (containers) return std::make_unique<ContainerFifo>(state);
      return std::make_unique<FifoPolicy>(state);
    };
  }
  std::string pool_of(std::uint32_t job) {
    const std::string grown(weir::pool_of(engine().policy(), JobId(job)));
    const auto fresh = engine().make_policy("fair");
    EXPECT_EQ(weir::pool_of(*fresh, JobId(job)), grown) << "of a fresh policy";
    return grown;
  }
  void kill(std::uint32_t job) { step(KillJob{root, JobId(job)}); }

  Caller root{"root", {}};
};

struct FromFifo : FifoAndFair {
  FromFifo() {
    add_tracker("tt1");
    submit({.maps = 9, .pool = "x"});
    submit({.maps = 9, .pool = "x.y"});
    submit({.maps = 9, .pool = "x"});
    step(SetPolicy{root, "fair"});
  }
};

TEST(Displaced, WaitsInTheDefaultPoolForItsOwn) {
  FromFifo h;
  EXPECT_EQ(h.pool_of(1), "x");
  EXPECT_EQ(h.pool_of(2), "default");
  EXPECT_EQ(h.pool_of(3), "x");
  h.kill(3);
  EXPECT_EQ(h.pool_of(2), "default");
  h.kill(1);
  EXPECT_EQ(h.pool_of(2), "x.y");
}

TEST(Displaced, TheEarlierJobComesFirst) {
  FromFifo h;
  h.kill(1);
  EXPECT_EQ(h.pool_of(2), "x.y");
  EXPECT_EQ(h.pool_of(3), "default");
  h.kill(2);
  EXPECT_EQ(h.pool_of(3), "x");
}

TEST(Displaced, DoesNotBarSettingsThatDidNotDisplaceIt) {
  FromFifo h;
  auto settings = std::make_shared<Settings>(h.state().settings());
  settings->policy = "fair";
  h.step(ApplySettings{h.root, settings});
  EXPECT_EQ(h.events<SettingsChanged>().size(), 1u);
  EXPECT_EQ(h.pool_of(2), "default");
}

// Whoever may not submit to a queue has no part of its pool, whichever policy ruled when he named
// it: he is where he would be had he named none, and where that is not his either in his queue's.
TEST(Displaced, NobodyIsInThePoolOfAQueueThatHeMayNotSubmitTo) {
  FifoAndFair h;
  QueueSettings production = queue("production");
  production.submit = std::vector<std::string>{"alice", "@ops"};
  h.add_queue(queue("research")).add_queue(production);
  auto fair = std::make_shared<FairSettings>();
  fair->pool_name_property = "user";
  h.settings().policies["fair"] = fair;
  h.submit({.queue = "research", .user = "bob", .pool = "production"});
  h.submit({.queue = "research", .user = "bob", .pool = "production.night"});
  h.submit({.queue = "research", .user = "alice", .pool = "production"});
  h.submit({.queue = "research", .user = "carol", .groups = {"ops"}, .pool = "production"});
  h.submit({.queue = "research", .user = "production"});
  h.step(SetPolicy{h.root, "fair"});
  EXPECT_EQ(h.pool_of(1), "bob");
  EXPECT_EQ(h.pool_of(2), "bob");
  EXPECT_EQ(h.pool_of(3), "production");
  EXPECT_EQ(h.pool_of(4), "production");
  EXPECT_EQ(h.pool_of(5), "research");
}

// Spelled as no pool can be declared; a job that came with it before goes on.
TEST(PoolsThatAreNoNames, AreRefusedToNewJobsAndMoves) {
  FifoAndFair h;
  h.add_tracker("tt1");
  h.submit({.maps = 1, .pool = "a b"});
  h.step(SetPolicy{h.root, "fair"});
  EXPECT_EQ(h.pool_of(1), "a b");
  const auto moved = [&](const std::string& pool) {
    const auto replies = h.step(MoveJob{h.root, JobId(1), pool});
    const Error* refused = std::get_if<Error>(&replies.at(0).body);
    return refused == nullptr ? "moved" : refused->message;
  };
  for (const std::string& name : {std::string("m n"), std::string("x,y/z"), std::string("x.y/z"),
                                  std::string(150, 'p')}) {
    EXPECT_EQ(h.submit({.maps = 1, .pool = name}), 0U) << name;
    EXPECT_EQ(h.error.message, "'" + name + "' names no pool");
    EXPECT_EQ(h.error.hint.substr(0, 28), "1 to 100 printable character");
    EXPECT_EQ(moved(name), "'" + name + "' names no pool");
  }
  EXPECT_NE(h.submit({.maps = 1, .pool = " x." + std::string(100, 'p') + " "}), 0U);
  EXPECT_EQ(moved("root.é"), "moved");
}

// The name of a queue, user or group is not the job's to choose.
TEST(PoolsThatAreNoNames, AreRefusedWhereAnotherPropertyNamesThem) {
  FifoAndFair h;
  auto fair = std::make_shared<FairSettings>();
  fair->pool_name_property = "project";
  h.settings().policies["fair"] = fair;
  h.step(SetPolicy{h.root, "fair"});
  const auto refused = [&](const std::string& project) {
    auto spec = std::make_shared<JobSpec>();
    spec->user = "user";
    spec->queue = "default";
    spec->output = "/out/" + project;
    spec->splits.resize(1);
    spec->conf["project"] = project;
    const auto replies = h.step(SubmitJob{{"user", {}}, spec});
    const Error* error = std::get_if<Error>(&replies.at(0).body);
    return error == nullptr ? std::string() : error->message;
  };
  EXPECT_EQ(refused("a b"), "'a b' names no pool");
  EXPECT_EQ(refused("ab"), "");
  EXPECT_NE(h.submit({.user = "a b", .maps = 1}), 0U);
}

// Of events about what ends last.
TEST(PoolOfAJob, IsToldWhenItIsOver) {
  for (const bool containers : {false, true}) {
    FifoAndFair h;
    auto fair = std::make_shared<FairSettings>();
    fair->pool_name_property = "queue";
    h.settings().policies["fair"] = fair;
    h.add_queue(queue("research"));
    if (containers) h.settings().resources.mode = ResourceSettings::Mode::kContainers;
    h.add_tracker("tt1", {.map_slots = 1, .memory_mb = 4096, .vcores = 4});
    h.submit({.queue = "research", .maps = 1});
    h.step(SetPolicy{h.root, "fair"});
    h.kill(1);
    EXPECT_EQ(h.pool_of(1), "research") << containers;
  }
}

// Few names, most of them in each other's way, also those that jobs get instead of their own.
class DisplacedStory : RandomStory<FifoAndFair> {
 public:
  DisplacedStory(unsigned seed, bool containers) : RandomStory(seed) {
    auto fair = std::make_shared<FairSettings>();
    fair->pool_name_property = one_in(2) ? "queue" : "user";
    fair->pools = {pool("d", {})};
    fair->pools[0].pools = {pool("e", {})};
    if (one_in(2)) fair->undeclared.max_running_jobs = 1 + upto(3);
    h_.settings().policies["fair"] = fair;
    h_.add_queue(queue("x")).add_queue(queue("z"));
    if (containers) h_.settings().resources.mode = ResourceSettings::Mode::kContainers;
    for (int i = 0; i < 3; ++i) add_a_tracker();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      random_step();
      if (h_.engine().policy().name() == "fair") compare();
    }
  }
  std::size_t elsewhere = 0;  // jobs seen that wanted a pool and were in another
  std::size_t changes = 0;    // of a job's pool between two steps

 private:
  void add_a_tracker() {
    h_.add_tracker("tt" + std::to_string(trackers_++), {.map_slots = 1 + upto(4),
                                                        .reduce_slots = upto(3),
                                                        .memory_mb = 1024 * (1 + upto(7)),
                                                        .vcores = 8});
  }
  std::string any_name() {
    static const char* const kNames[] = {"x", "x.y", "x.y.z", "default", "default.k",   "d",
                                         "q", "q.x", "d.e",   "d.e.f",   "unplaced_1.a"};
    return kNames[upto(10)];
  }

  void random_step() {
    using S = DisplacedStory;
    static const Moves<S> moves = {
        {4, &S::submit},
        {2, &S::kill_a_job},
        {1, &S::move_two_jobs},
        {1, &S::change_a_priority},
        {1, &S::change_the_policy},
        {1, &S::fail},
        {1, &S::go_on},
        {5, &S::finish_and_beat},
    };
    h_.now += upto(900);
    if (h_.state().jobs().empty()) return submit();
    (this->*moves.draw(dice_))();
  }
  void change_the_policy() {
    if (one_in(3)) h_.step(SetPolicy{h_.root, one_in(3) ? "fifo" : "fair"});
  }
  void go_on() { h_.advance(1000); }
  void finish_and_beat() {
    const std::string tracker = random_tracker();
    h_.finish_all(tracker);
    h_.heartbeat(tracker);
  }
  void submit() {
    h_.submit({.queue = one_in(2) ? "x" : "z",
               .user = one_in(2) ? "x" : "q",
               .maps = static_cast<std::uint32_t>(1 + upto(3)),
               .reduces = static_cast<std::uint32_t>(upto(1)),
               .priority = static_cast<Priority>(upto(4)),
               .max_attempts = 1,
               .pool = one_in(4) ? "" : any_name()});
  }
  // Both are checked before either is done.
  void move_two_jobs() {
    h_.durable_at_once = false;
    for (int i = 0; i < 2; ++i) h_.step(MoveJob{h_.root, random_job(), any_name()});
    h_.durable_at_once = true;
    h_.step(Tick{});
  }

  void compare() {
    const Policy& grown = h_.engine().policy();
    const auto fresh = h_.engine().make_policy("fair");
    std::map<JobId, std::string> now;
    for (const auto& [id, job] : h_.state().jobs()) {
      if (is_over(job->state)) continue;
      const std::string pool(pool_of(grown, id));
      EXPECT_EQ(pool, pool_of(*fresh, id)) << "job " << id.value;
      now[id] = pool;
      const auto named = job->spec->conf.find("pool");
      elsewhere += job->pool.empty() && named != job->spec->conf.end() && named->second != pool;
      const auto before = pools_.find(id);
      changes += before != pools_.end() && before->second != pool;
    }
    pools_ = std::move(now);
    const auto grown_pools = pool_figures(grown, h_.now);
    const auto fresh_pools = pool_figures(*fresh, h_.now);
    ASSERT_EQ(grown_pools.size(), fresh_pools.size());
    for (std::size_t i = 0; i < grown_pools.size(); ++i) {
      EXPECT_EQ(grown_pools[i].pool, fresh_pools[i].pool);
      EXPECT_EQ(grown_pools[i].of[0].share, fresh_pools[i].of[0].share) << grown_pools[i].pool;
      const auto& grown_of = grown_pools[i].of_dimension;
      const auto& fresh_of = fresh_pools[i].of_dimension;
      EXPECT_TRUE(std::equal(grown_of.begin(), grown_of.end(), fresh_of.begin(), fresh_of.end(),
                             [](const auto& a, const auto& b) { return a.share == b.share; }))
          << grown_pools[i].pool;
    }
  }

  std::map<JobId, std::string> pools_;
};

class DisplacedStories : public ::testing::TestWithParam<bool> {};  // whether containers count

TEST_P(DisplacedStories, AtAnyTimeJobsAreWhereAFreshPolicyPlacesThem) {
  std::size_t elsewhere = 0, changes = 0;
  for (unsigned seed = 1; seed <= some_seeds(150) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    DisplacedStory story(seed, GetParam());
    story.run(200);
    elsewhere += story.elsewhere;
    changes += story.changes;
  }
  EXPECT_GT(elsewhere, some_seeds(2000));
  EXPECT_GT(changes, some_seeds(200));
}

INSTANTIATE_TEST_SUITE_P(WhatCounts, DisplacedStories, ::testing::Bool(), [](const auto& i) {
  return i.param ? "Containers" : "Slots";
});

}  // namespace
}  // namespace weir::test
