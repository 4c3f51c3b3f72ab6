// Dimensions, sizes and containers: what counts, how large a container is, who shares a size.
#include "jobqueue/model/containers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobqueue/model/per_dimension.h"
#include "jobqueue/model/size_table.h"
#include "jobqueue/model/space.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ResourceSettings with_gpus() {
  ResourceSettings settings;
  settings.mode = ResourceSettings::Mode::kContainers;
  settings.named = {"gpu", "fpga"};
  return settings;
}

Resources amounts(std::int64_t memory_mb, std::int64_t vcores) {
  return Resources{{0, 0, memory_mb, vcores}};
}

TEST(Space, HasTheKindsOfSlotOrMemoryVcoresAndWhatIsNamed) {
  const Space slots{ResourceSettings{}};
  EXPECT_THAT(slots.dimensions(), ElementsAre(Dimension::kMapSlots, Dimension::kReduceSlots));
  const Space space(with_gpus());
  EXPECT_THAT(space.dimensions(), ElementsAre(Dimension::kMemoryMb, Dimension::kVcores,
                                              Dimension::named(0), Dimension::named(1)));
  EXPECT_EQ(space.name(Dimension::named(1)), "fpga");
  EXPECT_EQ(space.find("gpu"), Dimension::named(0));
  EXPECT_EQ(space.find("map"), std::nullopt);
  EXPECT_FALSE(space == slots);
}

TEST(Space, LooksAtWhatTheClusterHasNothingOfForContainersAlone) {
  const Resources gpu = Space(with_gpus()).with_named({}, {{"gpu", 1}});
  EXPECT_FALSE(fits(gpu, {}, {}, Space(with_gpus()).looked_at({})));
  EXPECT_TRUE(fits(amounts(512, 1), {}, {}, Space(ResourceSettings{}).looked_at({})));
}

TEST(Space, PutsNamedResourcesInTheirPlacesAndIntoWords) {
  const Space space(with_gpus());
  const Resources all = space.with_named(amounts(1024, 1), {{"fpga", 2}, {"other", 9}});
  EXPECT_EQ(all[Dimension::named(1)], 2);
  EXPECT_EQ(space.text(all), "1024 MB, 1 vcore, 2 fpga");
  EXPECT_EQ(space.text({}), "nothing");
  EXPECT_EQ(space.unknown({{"gpu", 1}, {"other", 9}}), "other");
}

TEST(PerDimension, KeepsTwoHereAndTheRestApart) {
  PerDimension<std::int64_t> values;
  EXPECT_TRUE(values.all_zero());
  values[Dimension::kVcores] = 3;
  values[Dimension::named(5)] = 7;
  PerDimension<std::int64_t> copy = values;
  copy[Dimension::named(5)] += 1;
  EXPECT_EQ(values[Dimension::named(5)], 7);
  values += copy;
  EXPECT_EQ(values[Dimension::named(5)], 15);
  EXPECT_EQ(values[Dimension::kVcores], 6);
  EXPECT_EQ(std::as_const(values)[Dimension::named(0)], 0);
}

TEST(SizeTable, GivesGroupsThatNeedTheSameOneSizeAndNumbersAnew) {
  SizeTable table;
  const Size* small = table.intern(amounts(1024, 1));
  EXPECT_EQ(table.intern(amounts(1024, 1)), small);
  const Size* large = table.intern(amounts(2048, 1));
  EXPECT_NE(large->number, small->number);
  table.release(small);
  EXPECT_EQ(small->need, amounts(1024, 1));  // a group is left
  table.release(small);
  EXPECT_EQ(table.intern(amounts(4096, 1))->number, 0u);
  EXPECT_EQ(table.numbers(), 2u);
}

TEST(Containers, AreRaisedToTheMinimumAndRoundedUp) {
  ResourceSettings settings = with_gpus();
  settings.minimum = amounts(1024, 1);
  settings.increment = amounts(512, 2);
  EXPECT_EQ(rounded_container(amounts(0, 0), settings), amounts(1024, 2));
  EXPECT_EQ(rounded_container(amounts(1025, 3), settings), amounts(1536, 4));
}

JobSpec mapreduce(std::int64_t slots, std::int64_t memory_mb) {
  JobSpec spec;
  spec.splits.resize(1);
  spec.need[0] = Resources{{slots, 0, memory_mb, 0}};
  return spec;
}

TEST(Containers, OfMapsThatSayNothingAreAsSetTimesTheirSlots) {
  const Space space(with_gpus());
  EXPECT_EQ(containers_of(mapreduce(2, 0), with_gpus(), space)[0], amounts(2048, 2));
  EXPECT_EQ(containers_of(mapreduce(2, 3000), with_gpus(), space)[0], amounts(3072, 2));
}

TEST(Containers, OfReducesAreNotLookedAtWhereAJobHasNone) {
  ResourceSettings settings = with_gpus();
  settings.maximum = amounts(512, 0);  // less than a reduce that says nothing
  const Space space(settings);
  JobSpec spec = mapreduce(1, 256);
  EXPECT_THAT(check_containers(spec, settings, space).error().message,
              HasSubstr("a reduce of this job takes 1024 MB"));
  spec.reduces = 0;
  EXPECT_TRUE(check_containers(spec, settings, space).ok());
}

JobSpec application(Asked asked) {
  JobSpec spec;
  spec.task_groups.push_back({.name = "a", .asked = std::move(asked)});
  return spec;
}

TEST(Containers, OfWhatTheSettingsDoNotNameOrTooLargeAreRefused) {
  ResourceSettings settings = with_gpus();
  const Space space(settings);
  EXPECT_TRUE(check_containers(application({.named = {{"gpu", 2}}}), settings, space).ok());
  const auto unknown = check_containers(application({.named = {{"tpu", 2}}}), settings, space);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("no resource 'tpu'"));
  EXPECT_THAT(unknown.error().hint, HasSubstr("gpu, fpga"));
  settings.maximum = amounts(4096, 0);
  const auto large = check_containers(application({.memory_mb = 4097}), settings, space);
  ASSERT_FALSE(large.ok());
  EXPECT_THAT(large.error().message, HasSubstr("a task of group a takes 4224 MB"));
  EXPECT_TRUE(check_containers(application({.memory_mb = 4096, .vcores = 99}), settings, space)
                  .ok());
}

}  // namespace
}  // namespace weir
