// Random stories where containers count: whatever happens, the head that the kept orders of pools
// and jobs name is the one that looking at all of them finds, and a policy made from the state just
// now answers alike. Seeds are fixed, so a failure repeats.
#include <gtest/gtest.h>

#include "fair/container_fair.h"
#include "lab/kit/seeds.h"
#include "support/container_story.h"

namespace weir::test {
namespace {

class PoolsStory : public ContainerStory {
 public:
  // `deep`: pools have siblings at three levels, and nothing but weights.
  PoolsStory(unsigned seed, bool all_sizes, bool deep = false)
      : ContainerStory(seed, all_sizes, compared<ContainerFair>, "fair"), deep_(deep) {
    auto section = std::make_shared<FairSettings>();
    if (!one_in(3)) section->preemption = FairSettings::Preemption::kOn;
    section->preemption_interval_ms = 1000;
    section->size_based_weight = one_in(3);
    if (one_in(2)) section->new_job_booster = FairSettings::Booster{.duration_ms = 1000 * upto(9)};
    for (QueueSettings& q : random_queues(3, section->pools)) h_.add_queue(q);
    h_.settings().policies["fair"] = section;
    if (deep) crowd();
    connect_trackers();
  }

 private:
  // Each with a pool of its name, or one that appears on demand.
  std::vector<QueueSettings> random_queues(int depth, std::vector<PoolSettings>& pools) {
    std::vector<QueueSettings> family;
    const std::int64_t count = deep_ ? 1 + upto(2) : 1 + upto(4);
    for (std::int64_t i = 0; i < count; ++i) {
      QueueSettings q = queue("q" + std::to_string(i));
      PoolSettings pool = random_pool(q.name);
      if (!deep_ && one_in(8)) q.maximum_hundredths = 2000 + upto(8000);
      if (depth > 1 && (deep_ || one_in(3))) q.queues = random_queues(depth - 1, pool.pools);
      if (!one_in(4)) pools.push_back(pool);
      family.push_back(q);
    }
    return family;
  }
  PoolSettings random_pool(const std::string& name) {
    PoolSettings pool;
    pool.name = name;
    pool.weight = kWeightOne * (1 + upto(2));
    if (deep_) return pool;
    pool.sharing = static_cast<PoolSettings::Sharing>(upto(2));
    for (const Dimension d : {Dimension::kMemoryMb, Dimension::kVcores}) {
      const std::int64_t unit = d == Dimension::kMemoryMb ? 1024 : 1;
      if (one_in(3)) pool.minimum[d.value()] = unit * upto(5);
      if (one_in(5)) pool.maximum[d.value()] = unit * (5 + upto(8));
    }
    if (one_in(12)) pool.lend = QueueBound{};
    pool.min_share_timeout_ms = one_in(2) ? 3000 : kNever;
    pool.fair_share_timeout_ms = one_in(2) ? 6000 : kNever;
    return pool;
  }

  bool deep_;
};

TEST(PoolHeadsRandom, AreThoseThatAWalkOverAllPoolsFinds) {
  std::size_t launched = 0, reserved = 0, kills = 0;
  for (unsigned seed = 1; seed <= some_seeds(150); ++seed) {
    PoolsStory story(seed, seed % 5 == 0);
    story.run(200);
    if (HasFailure()) return;
    launched += story.times<AttemptLaunched>();
    reserved += story.times<Reserved>();
    kills += story.times<KillOrdered>();
  }
  EXPECT_GT(launched, some_seeds(5'000));
  EXPECT_GT(reserved, some_seeds(200));
  EXPECT_GT(kills, some_seeds(50));
}

TEST(PoolHeadsRandom, InDeepTreesLikewise) {
  std::size_t reserved = 0;
  for (unsigned seed = 1; seed <= some_seeds(100); ++seed) {
    PoolsStory story(seed, false, true);
    story.run(200);
    if (HasFailure()) return;
    reserved += story.times<Reserved>();
  }
  EXPECT_GT(reserved, some_seeds(200));
}

TEST(PoolHeads, IdsGoAsText) {
  const JobId ids[] = {JobId(1), JobId(999), JobId(1000), JobId(9999), JobId(10000), JobId(10001),
                       JobId(20000), JobId(100000), JobId(4294967294)};
  for (const JobId a : ids) {
    for (const JobId b : ids)
      EXPECT_EQ(order_as_text(a) < order_as_text(b), job_name(a) < job_name(b));
  }
}

}  // namespace
}  // namespace weir::test
