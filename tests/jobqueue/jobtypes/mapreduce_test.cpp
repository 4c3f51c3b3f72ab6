// What maps and reduces are to each other. That the engine asks is tested where it does: slow-start
// in engine_bounds_test, commits and lost outputs in the engine's and the scenarios' tests.
#include "jobqueue/jobtypes/mapreduce.h"

#include <gtest/gtest.h>

#include "jobqueue/jobtypes/table.h"
#include "jobqueue/model/job.h"

namespace weir {
namespace {

constexpr TaskKind kMap = TaskKind::kMap, kReduce = TaskKind::kReduce;

class MapReduceTest : public ::testing::Test {
 protected:
  // 4 maps of which half must be done, 2 reduces.
  void SetUp() override {
    auto spec = std::make_shared<JobSpec>();
    spec->splits.resize(4);
    spec->reduces = 2;
    spec->slowstart_millionths = 500'000;
    job_.spec = spec;
    job_.type = &type_;
    job_.tasks(kMap).total = 4;
    job_.tasks(kReduce).total = 2;
  }
  void set_done(std::uint32_t maps, std::uint32_t reduces) {
    job_.tasks(kMap).succeeded = maps;
    job_.tasks(kReduce).succeeded = reduces;
  }

  const MapReduce type_;
  Job job_;
};

TEST_F(MapReduceTest, IsWhatAJobIs) {
  EXPECT_EQ(job_type_of(*job_.spec).name(), "mapreduce");
}

TEST_F(MapReduceTest, ReducesOpenWithTheirPartOfTheMapsOrWhenTheyWereOpenOnce) {
  EXPECT_TRUE(type_.open_at_once(kMap));
  EXPECT_FALSE(type_.open_at_once(kReduce));
  set_done(1, 0);
  EXPECT_FALSE(type_.may_open(job_, kReduce));
  set_done(2, 0);
  EXPECT_TRUE(type_.may_open(job_, kReduce));
  set_done(0, 1);
  EXPECT_TRUE(type_.may_open(job_, kReduce));
}

TEST_F(MapReduceTest, SaysWhatReducesWaitFor) {
  set_done(1, 0);
  job_.tasks(kReduce).fresh.fill(1);
  const Reason why = type_.why_closed(job_, kReduce);
  EXPECT_EQ(why.code, "slow_start");
  EXPECT_EQ(why.message, "1 reduce waits until 2 of 4 maps are done (slow-start); 1 are");
}

TEST_F(MapReduceTest, IsDoneWithAllOfBoth) {
  set_done(4, 1);
  EXPECT_FALSE(type_.done(job_));
  set_done(3, 2);
  EXPECT_FALSE(type_.done(job_));
  set_done(4, 2);
  EXPECT_TRUE(type_.done(job_));
}

TEST_F(MapReduceTest, ReducesPublishAndMapsOnlyWithoutThem) {
  EXPECT_TRUE(type_.publishes(*job_.spec, kReduce));
  EXPECT_FALSE(type_.publishes(*job_.spec, kMap));
  EXPECT_TRUE(type_.keeps_output(*job_.spec, kMap));
  EXPECT_FALSE(type_.keeps_output(*job_.spec, kReduce));
  JobSpec map_only = *job_.spec;
  map_only.reduces = 0;
  EXPECT_TRUE(type_.publishes(map_only, kMap));
  EXPECT_FALSE(type_.keeps_output(map_only, kMap));
}

TEST_F(MapReduceTest, OutputsAreNeededUntilTheLastReduceIsDone) {
  EXPECT_TRUE(type_.outputs_needed(*job_.spec, {4, 1}));
  EXPECT_FALSE(type_.outputs_needed(*job_.spec, {3, 2}));
}

TEST_F(MapReduceTest, ReducesThatRunWaitForMaps) {
  set_done(3, 0);
  EXPECT_FALSE(type_.waits_for_its_own(job_));
  job_.tasks(kReduce).running = 1;
  EXPECT_TRUE(type_.waits_for_its_own(job_));
  set_done(4, 0);
  EXPECT_FALSE(type_.waits_for_its_own(job_));
}

}  // namespace
}  // namespace weir
