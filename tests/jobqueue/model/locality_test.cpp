// Which map is near which tracker.
#include "jobqueue/model/locality.h"

#include <gtest/gtest.h>

#include "jobqueue/model/job.h"

namespace weir {
namespace {

constexpr TrackerId kA{0}, kB{1}, kC{7};
constexpr RackId kNear{0}, kFar{1};

// Maps 0 and 2 lie on A, 1 on B (the same rack), 3 on C (another rack), 4 nowhere.
struct LocalityIndexTest : testing::Test {
  LocalityIndexTest() {
    maps.fresh.fill(5);
    index.add(0, kA, kNear);
    index.add(1, kB, kNear);
    index.add(2, kA, kNear);
    index.add(2, kB, kNear);
    index.add(3, kC, kFar);
    index.add_unlocated(4);
    index.finish();
  }
  std::string nearest(TrackerId tracker, RackId rack, Locality allowed = Locality::kAny) {
    const auto found = index.nearest(maps, tracker, rack, allowed);
    return found ? std::to_string(found->index) + " " + name(found->locality) : "none";
  }
  TaskGroup maps;
  LocalityIndex index;
};

TEST_F(LocalityIndexTest, NearestFirstThenTheLowest) {
  EXPECT_EQ(nearest(kA, kNear), "0 node");
  maps.fresh.erase(0);
  EXPECT_EQ(nearest(kA, kNear), "2 node");
  maps.fresh.erase(2);
  EXPECT_EQ(nearest(kA, kNear), "1 rack");
  maps.fresh.erase(1);
  EXPECT_EQ(nearest(kA, kNear), "3 any");
}

TEST_F(LocalityIndexTest, NotFurtherThanAllowedUnlessNobodyKnowsWhere) {
  for (const std::uint32_t i : {0u, 1u, 2u}) maps.fresh.erase(i);
  EXPECT_EQ(nearest(kA, kNear, Locality::kNode), "4 any");
  maps.fresh.erase(4);
  EXPECT_EQ(nearest(kA, kNear, Locality::kRack), "none");
  EXPECT_EQ(nearest(kC, kFar, Locality::kNode), "3 node");
}

TEST_F(LocalityIndexTest, AMapThatIsPendingAgainIsFoundAgain) {
  maps.fresh.erase(0);
  maps.fresh.erase(2);
  EXPECT_EQ(nearest(kA, kNear), "1 rack");
  maps.fresh.insert(0);
  index.rewind(0);
  EXPECT_EQ(nearest(kA, kNear), "0 node");
}

TEST_F(LocalityIndexTest, HowNearAMapIs) {
  EXPECT_EQ(index.of(2, kB, kNear), Locality::kNode);
  EXPECT_EQ(index.of(0, kB, kNear), Locality::kRack);
  EXPECT_EQ(index.of(3, kB, kNear), Locality::kAny);
  EXPECT_TRUE(index.located(3));
  EXPECT_FALSE(index.located(4));
}

}  // namespace
}  // namespace weir
