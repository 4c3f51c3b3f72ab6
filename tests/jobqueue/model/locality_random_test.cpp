// The index of locations against the plain way: a walk over all maps at every question. Lists are
// short, long, and of just the length at which they become long.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "jobqueue/model/job.h"
#include "jobqueue/model/locality.h"

namespace weir {
namespace {

constexpr std::uint32_t kPlaces = 4, kPlaceRacks = 2;

RackId rack_of_place(std::uint32_t tracker) {
  return RackId(tracker % kPlaceRacks);
}

struct PlacedMaps {
  PlacedMaps(std::uint32_t maps, std::mt19937& random) : places(maps) {
    group.fresh.fill(maps);
    for (std::uint32_t i = 0; i < maps; ++i) {
      // The last tracker has hardly any map, the first nearly all.
      for (std::uint32_t t = 0; t < kPlaces; ++t) {
        if (random() % (t * t + 2) == 0) places[i].insert(t);
      }
      for (const std::uint32_t t : places[i]) index.add(i, TrackerId(t), rack_of_place(t));
      if (places[i].empty()) index.add_unlocated(i);
    }
    index.finish();
  }

  Locality level(std::uint32_t map, std::uint32_t tracker) const {
    if (places[map].contains(tracker)) return Locality::kNode;
    const bool near = std::any_of(places[map].begin(), places[map].end(), [&](std::uint32_t t) {
      return rack_of_place(t) == rack_of_place(tracker);
    });
    return near ? Locality::kRack : Locality::kAny;
  }

  std::string walk(std::uint32_t tracker, Locality allowed) const {
    for (const Locality wanted : {Locality::kNode, Locality::kRack, Locality::kAny}) {
      for (std::uint32_t i = 0; i < places.size(); ++i) {
        if (!group.fresh.contains(i)) continue;
        const bool may = wanted <= allowed || (wanted == Locality::kAny && places[i].empty());
        // "Any" is every map that is left.
        if (may && (wanted == Locality::kAny || level(i, tracker) == wanted)) {
          return std::to_string(i) + " " + name(wanted);
        }
      }
    }
    return "none";
  }

  std::string ask(std::uint32_t tracker, Locality allowed) {
    const auto found = index.nearest(group, TrackerId(tracker), rack_of_place(tracker), allowed);
    return found ? std::to_string(found->index) + " " + name(found->locality) : "none";
  }

  std::vector<std::set<std::uint32_t>> places;  // of each map
  TaskGroup group;
  LocalityIndex index;
};

TEST(LocalityIndexRandom, FindsWhatAWalkFinds) {
  for (const std::uint32_t maps : {1u, 15u, 16u, 17u, 31u, 33u, 100u, 300u}) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      std::mt19937 random(seed * 1000 + maps);
      PlacedMaps world(maps, random);
      if (world.index.empty()) continue;
      for (int step = 0; step < 600; ++step) {
        const auto map = static_cast<std::uint32_t>(random() % maps);
        // What is launched, and comes back now and then: more of the first than of the second at
        // first, so that the long lists are used up before something of theirs returns.
        if (random() % 600 > static_cast<std::uint32_t>(step) / 2) {
          world.group.fresh.erase(map);
        } else if (world.group.fresh.insert(map)) {
          world.index.rewind(map);
        }
        const auto tracker = static_cast<std::uint32_t>(random() % kPlaces);
        const auto allowed = static_cast<Locality>(random() % 3);
        ASSERT_EQ(world.ask(tracker, allowed), world.walk(tracker, allowed))
            << maps << " maps, seed " << seed << ", step " << step << ", tracker " << tracker
            << ", at most " << name(allowed);
        ASSERT_EQ(world.index.of(map, TrackerId(tracker), rack_of_place(tracker)),
                  world.level(map, tracker));
        ASSERT_EQ(world.index.located(map), !world.places[map].empty());
      }
    }
  }
}

// 20 maps lie on one tracker: the list is not searched from its beginning every time.
TEST(LocalityIndexRandom, AMapOfALongListThatIsPendingAgainIsLocalAgain) {
  TaskGroup maps;
  maps.fresh.fill(21);
  LocalityIndex index;
  for (std::uint32_t i = 0; i < 20; ++i) index.add(i, TrackerId(0), RackId(0));
  index.add(20, TrackerId(1), RackId(1));
  index.finish();
  const auto next = [&] {
    const auto found = index.nearest(maps, TrackerId(0), RackId(0), Locality::kAny);
    return found ? std::to_string(found->index) + " " + name(found->locality) : "none";
  };
  for (std::uint32_t i = 0; i < 20; ++i) {
    ASSERT_EQ(next(), std::to_string(i) + " node");
    maps.fresh.erase(i);
  }
  EXPECT_EQ(next(), "20 any");
  for (const std::uint32_t again : {7u, 19u, 0u}) {  // each alone, also the first and the last
    maps.fresh.insert(again);
    index.rewind(again);
    EXPECT_EQ(next(), std::to_string(again) + " node");
    maps.fresh.erase(again);
    EXPECT_EQ(next(), "20 any");
  }
  for (const std::uint32_t again : {7u, 19u, 3u}) {
    maps.fresh.insert(again);
    index.rewind(again);
  }
  for (const char* found : {"3 node", "7 node", "19 node"}) {
    EXPECT_EQ(next(), found);
    maps.fresh.erase(static_cast<std::uint32_t>(std::stoul(found)));
  }
  EXPECT_EQ(next(), "20 any");
}

}  // namespace
}  // namespace weir
