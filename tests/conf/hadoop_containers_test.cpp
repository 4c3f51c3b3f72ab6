// What Hadoop's files say of memory, cores and other resources, and what of that becomes settings
// of containers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/hadoop_texts.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HadoopContainers, AmountsOfYarnAreThoseOfContainers) {
  const std::string allocations =
      "<allocations>\n"
      "<queue name='sales'><minResources>10000 mb,4vcores</minResources>\n"
      "  <maxResources>8000 mb, 40 vcores</maxResources></queue>\n"
      "<queue name='eng'><maxResources>50% memory, 40% cpu</maxResources>\n"
      "  <schedulingPolicy>fifo</schedulingPolicy>\n"
      "  <queue name='a'><maxResources>memory-mb=4096, vcores=8, yarn.io/gpu=2</maxResources>\n"
      "    <schedulingPolicy>fifo</schedulingPolicy></queue>\n"
      "  <queue name='b'><maxResources>memory-mb=25%, vcores=60%</maxResources></queue></queue>\n"
      "<queueMaxResourcesDefault>40000 mb,20vcores</queueMaxResourcesDefault>\n"
      "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>\n"
      "</allocations>\n";
  const HadoopImport result = imported_texts({{"f.xml", allocations}});
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("f.xml: warning: a tracker offers nothing, and no job fits it, "
                                    "until its own settings say `tracker: {offer: "),
                          HasSubstr("f.xml:2:1: warning: pool sales has a minimum of 10000 "
                                    "memory_mb above its maximum of 8000; it is 8000"),
                          HasSubstr("f.xml:4:1: warning: pool eng is fifo, which is of pools "
                                    "without pools; it is drf")));
  EXPECT_THAT(result.yaml, HasSubstr("resources: containers\ncontainers:\n  resources: [gpu]\n"));
  EXPECT_THAT(result.yaml, HasSubstr("    - name: sales\n"
                                     "      min_share: {memory_mb: 8000, vcores: 4}\n"
                                     "      max_share: {memory_mb: 8000, vcores: 40}\n"));
  EXPECT_THAT(result.yaml, HasSubstr("          max_share: {memory_mb: 4096, vcores: 8, gpu: 2}\n"
                                     "          policy: fifo\n"));
  // Who has one of its own, in percent, has not that of the others.
  EXPECT_THAT(result.yaml, HasSubstr("        - name: b\n"
                                     "          max_share: unlimited\n"));
  // Percentages are of the cluster in YARN, of the parent's maximum here.
  EXPECT_THAT(result.yaml, HasSubstr("  - name: eng\n"
                                     "    maximum: {memory_mb: 50%, vcores: 40%}\n"));
  EXPECT_THAT(result.yaml, HasSubstr("      - name: b\n"
                                     "        maximum: {memory_mb: 50%}\n"));
  EXPECT_THAT(result.yaml, HasSubstr("  defaults:\n"
                                     "    policy: drf\n"
                                     "    max_share: {memory_mb: 40000, vcores: 20}\n"));
}

// They are the scheduler's, though they stand in yarn-site.xml.
TEST(HadoopContainers, SizesOfContainersAreTakenOver) {
  const HadoopImport result = imported_texts(
      {{"c.xml", properties({{"yarn.scheduler.capacity.root.queues", "a"},
                             {"yarn.scheduler.minimum-allocation-mb", "512"},
                             {"yarn.scheduler.maximum-allocation-mb", "16384"},
                             {"yarn.resource-types", "yarn.io/gpu, fpga"},
                             {"yarn.nodemanager.resource.memory-mb", "65536"},
                             {"mapreduce.map.memory.mb", "1536"},
                             {"yarn.nodemanager.vmem-check-enabled", "false"}})}});
  EXPECT_THAT(result.warnings,
              testing::UnorderedElementsAre(
                  HasSubstr("c.xml: warning: a tracker offers nothing"),
                  HasSubstr("yarn.nodemanager.resource.memory-mb = \"65536\" is not taken over: "
                            "say tracker.offer"),
                  "c.xml: warning: 1 other property is not the scheduler's"));
  EXPECT_THAT(result.yaml, HasSubstr("resources: containers\n"
                                     "containers:\n"
                                     "  resources: [gpu, fpga]\n"
                                     "  minimum: {memory_mb: 512}\n"
                                     "  maximum: {memory_mb: 16384}\n"
                                     "  map: {memory_mb: 1536}\n"));
  EXPECT_THAT(refusals_of({{"c.xml", properties({{"yarn.scheduler.capacity.root.queues", "a"},
                                                 {"yarn.scheduler.maximum-allocation-vcores",
                                                  "x"}})}}),
              ElementsAre(HasSubstr("allocation-vcores is \"x\", allowed: a number of cores")));
}

std::string with_maximum(const std::string& text) {
  return "<allocations>\n<queue name='x'><maxResources>" + text + "</maxResources></queue>\n" +
         "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy></allocations>\n";
}

TEST(HadoopContainers, FairAmountsAreReadAsYarnReadsThem) {
  const std::pair<const char*, const char*> kCases[] = {
      {"1024.5 mb, 1 vcores", "max_share: {memory_mb: 1024, vcores: 1}"},
      {"1024. MB 1.9vCores", "max_share: {memory_mb: 1024, vcores: 1}"},
      {"1024 mb, 1 vcores, 2 yarn.io/gpu", "max_share: {memory_mb: 1024, vcores: 1}"},
      {" vcores = 2 , memory-mb = 5120 ", "max_share: {vcores: 2, memory_mb: 5120}"},
      {"2147483647 mb, 7 vcores", "max_share: {memory_mb: 1000000000, vcores: 7}"},
      {"50 %memory , 40%cpu", "maximum: {memory_mb: 50%, vcores: 40%}"},
      {" vcores = 75 % , memory-mb = 40 % ", "maximum: {vcores: 75%, memory_mb: 40%}"},
      {"50 %", "maximum: {memory_mb: 50%, vcores: 50%}"},
  };
  for (const auto& [text, line] : kCases)
    EXPECT_THAT(imported_texts({{"f.xml", with_maximum(text)}}).yaml, HasSubstr(line)) << text;
  EXPECT_THAT(
      imported_texts({{"f.xml", with_maximum("1 mb, 1 vcores, 2 yarn.io/gpu")}}).warnings,
      testing::Contains(HasSubstr("has \" 2 yarn.io/gpu\", which YARN passes over, too")));
}

// The minimum and the maximum of Hadoop's own documentation: as long as memory alone counts, one
// container at a time runs there.
TEST(HadoopContainers, AMaximumOfNoCoresIsToldAsNothingRunsThen) {
  const std::string allocations =
      "<allocations>\n"
      "<queue name='a'><minResources>10000 mb,0vcores</minResources>\n"
      "<maxResources>90000 mb,0vcores</maxResources></queue>\n"
      "<queue name='b'><maxResources>memory-mb=9,vcores=9,gpu=0</maxResources></queue>\n"
      "<queue name='c'><maxResources>0 mb, 0 vcores</maxResources>\n"
      "<maxRunningApps>0</maxRunningApps></queue>\n"
      "<queueMaxResourcesDefault>40000 mb,0vcores</queueMaxResourcesDefault>\n"
      "</allocations>\n";
  const HadoopImport result = imported_texts({{"f.xml", allocations}});
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("a tracker offers nothing"),
                          "f.xml:3:1: warning: maxResources of pool a is \"90000 mb,0vcores\", "
                          "with which no task that takes of what is 0 ever runs",
                          HasSubstr("f.xml:5:17: warning: maxResources of pool c is \"0 mb, 0"),
                          "f.xml:6:1: warning: maxRunningApps of pool c is \"0\", with which no "
                          "job ever runs",
                          HasSubstr("f.xml:7:1: warning: queueMaxResourcesDefault is \"40000 mb")));
}

TEST(HadoopContainers, AQueueWhoseMaximumHasNoCoresIsStopped) {
  const std::string root = "yarn.scheduler.capacity.root.";
  const HadoopImport result = imported_texts(
      {{"c.xml", properties({{root + "queues", "a,b"},
                             {root + "a.capacity", "[memory=10,vcores=1]"},
                             {root + "a.maximum-capacity", "[memory=10,vcores=0]"},
                             {root + "b.capacity", "[memory=10,vcores=1]"},
                             {root + "b.max-parallel-apps", "0"}})}});
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("a tracker offers nothing"),
                          HasSubstr("a.maximum-capacity is [memory=10,vcores=0]: what is submitted "
                                    "there never runs in YARN; here the queue is stopped"),
                          HasSubstr("b.max-parallel-apps is \"0\", with which no job ever runs")));
  const auto queues = good(result.yaml).settings.queues;
  EXPECT_TRUE(queue_named(queues, "a").stopped);
  EXPECT_FALSE(queue_named(queues, "b").stopped);
}

TEST(HadoopContainers, FairAmountsThatYarnCouldNotReadAreRefused) {
  for (const char* text :
       {"10000 mb", "4 vcores", "5 apples", "-1 mb, 2 vcores", "3000000000 mb, 1 vcores",
        "memory-mb=1g, vcores=2", "memory-mb=1, vcores", "memory-mb=1 2", "50% memory",
        "95%, 50% memory", "50% memory, 2 vcores", "x% memory, 5% cpu"}) {
    EXPECT_THAT(refusals_of({{"f.xml", with_maximum(text)}}),
                ElementsAre(testing::AllOf(HasSubstr("f.xml:2:17: maxResources of pool x "),
                                           HasSubstr(", allowed: "))))
        << text;
  }
  EXPECT_THAT(
      refusals_of({{"f.xml",
                    "<allocations><queue name='x'><maxRunningApps>99999999999</maxRunningApps>"
                    "<schedulingPolicy>foo</schedulingPolicy></queue></allocations>"}}),
      ElementsAre(HasSubstr("allowed: an integer from -2147483648 to 2147483647"),
                  HasSubstr("is \"foo\", allowed: fair, fifo, drf")));
}

}  // namespace
}  // namespace weir
