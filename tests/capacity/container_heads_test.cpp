// Random stories where containers count: whatever happens, the head that the kept orders name is
// the one that looking at every queue finds, and a policy made from the state just now answers
// alike. Seeds are fixed, so a failure repeats.
#include <gtest/gtest.h>

#include "capacity/container_capacity.h"
#include "lab/kit/seeds.h"
#include "support/container_story.h"

namespace weir::test {
namespace {

class HeadsStory : public ContainerStory {
 public:
  // `deep`: queues have siblings at three levels, and no maximums.
  HeadsStory(unsigned seed, bool all_sizes, bool deep = false)
      : ContainerStory(seed, all_sizes, compared<ContainerCapacity>, "capacity"), deep_(deep) {
    auto section = std::make_shared<CapacitySettings>();
    section->redistribute_by = static_cast<CapacitySettings::RedistributeBy>(upto(2));
    h_.settings().policies["capacity"] = section;
    for (QueueSettings& q : random_family(3)) h_.add_queue(q);
    if (deep) crowd();
    connect_trackers();
  }

 private:
  std::vector<QueueSettings> random_family(int depth) {
    std::vector<QueueSettings> family;
    const std::int64_t count = deep_ ? 1 + upto(2) : 1 + upto(4);
    std::int64_t left = 100;
    for (std::int64_t i = 0; i < count; ++i) {
      QueueSettings q = queue("q" + std::to_string(i));
      const std::int64_t percent = i + 1 == count ? left : upto(left);
      left -= percent;
      for (Guarantee& g : q.guaranteed) g = {Guarantee::Unit::kPercent, percent * 100};
      if (!deep_ && one_in(5)) q.maximum_hundredths = upto(10000);
      for (auto& after : q.reclaim_after_ms) after = one_in(4) ? kNever : 1000 * upto(20);
      q.user_limit.mode = one_in(2) ? UserLimit::Mode::kHard : UserLimit::Mode::kSoft;
      q.user_limit.minimum_hundredths = one_in(2) ? 10000 : 100 + upto(9900);
      q.priorities = one_in(2);
      if (depth > 1 && (deep_ || one_in(3))) q.queues = random_family(depth - 1);
      family.push_back(q);
    }
    return family;
  }

  bool deep_;
};

TEST(ContainerHeadsRandom, AreThoseThatAWalkOverAllQueuesFinds) {
  std::size_t launched = 0, reserved = 0, claims = 0, kills = 0;
  for (unsigned seed = 1; seed <= some_seeds(150); ++seed) {
    HeadsStory story(seed, seed % 5 == 0);
    story.run(200);
    if (HasFailure()) return;
    launched += story.times<AttemptLaunched>();
    reserved += story.times<Reserved>();
    claims += story.times<ClaimOpened>();
    kills += story.times<KillOrdered>();
  }
  EXPECT_GT(launched, some_seeds(5'000));
  EXPECT_GT(reserved, some_seeds(200));
  EXPECT_GT(claims, some_seeds(200));
  EXPECT_GT(kills, some_seeds(50));
}

TEST(ContainerHeadsRandom, InDeepTreesLikewise) {
  std::size_t reserved = 0;
  for (unsigned seed = 1; seed <= some_seeds(100); ++seed) {
    HeadsStory story(seed, false, true);
    story.run(200);
    if (HasFailure()) return;
    reserved += story.times<Reserved>();
  }
  EXPECT_GT(reserved, some_seeds(200));
}

}  // namespace
}  // namespace weir::test
