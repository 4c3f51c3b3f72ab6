// What settings of containers are told of: sizes, names of resources, parts of queues by dimension.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/findings.h"

namespace weir {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> findings_of(const std::string& rest) {
  return findings("resources: containers\n" + rest + "\n");
}

TEST(ContainersSection, AMaximumBelowWhatAMapOrReduceTakesIsAWarning) {
  EXPECT_THAT(findings_of("containers: {maximum: {memory_mb: 1000}, reduce: {memory_mb: 500}}"),
              ElementsAre("f:2:23: warning: containers.maximum.memory_mb is 1000, below the 1024 "
                          "of a map that says nothing (containers.map): jobs with such maps are "
                          "refused"));
  EXPECT_THAT(findings_of("containers: {maximum: {memory_mb: 1024}}"), IsEmpty());
}

TEST(ContainersSection, SecondAttemptsThatThereAreNoneOfAreAWarning) {
  EXPECT_THAT(findings_of("speculation: {after: 30s}"),
              ElementsAre("f:2:14: warning: speculation has no effect where "
                          "`resources: containers` is set"));
  EXPECT_THAT(findings_of("speculation: off"), IsEmpty());
}

// And no other error about names that are in the list.
TEST(ContainersSection, AllThatIsWrongWithNamesOfResourcesIsSaidAtOnce) {
  const std::string uses =
      "queues: [{name: a, guaranteed: {memory_mb: 100%, vcores: 100%, gpu: 100%, \"a b\": 100%, "
      "cores: 1, x6: 1}}]";
  const std::string allowed =
      ", allowed: 1 to 30 of a-z 0-9 _ -, a letter first, none of map, reduce, memory_mb, vcores, "
      "each once";
  EXPECT_THAT(
      findings_of("containers: {resources: [gpu, cores, gpu, \"a b\", [y], x1, x2, x3, x4, x5, "
                  "x6]}\n" + uses),
      ElementsAre("f:2:25: containers.resources is a list, allowed: at most 6 names",
                  "f:2:31: containers.resources has \"cores\": every tracker has vcores, allowed: "
                  "names that are not like memory_mb or vcores",
                  "f:2:38: containers.resources has \"gpu\" twice" + allowed,
                  "f:2:43: containers.resources has \"a b\"" + allowed,
                  "f:2:50: containers.resources is a list, allowed: texts that are not empty, in a "
                  "list or one alone"));
  EXPECT_THAT(findings_of("containers: {resources: [gpu, gpu]}\n"
                          "queues: [{name: a, guaranteed: {gpu: 101%}}]"),
              ElementsAre("f:2:31: containers.resources has \"gpu\" twice" + allowed,
                          HasSubstr("f:3:38: queues.a.guaranteed.gpu is \"101%\"")));
  EXPECT_THAT(findings_of("containers: {resources: [gpu]}\nqueues: [{name: a, gpu: 1}]"),
              ElementsAre(HasSubstr("unknown key \"gpu\" in queues.a")));
}

TEST(ContainersSection, AMaximumBelowTheGuaranteeIsAWarningInEachDimension) {
  const std::string start = "queues: [{name: b}, {name: a, guaranteed: 50%, maximum: ";
  const std::string warning = "f:2:57: warning: queue \"a\" has a maximum of 10.00% of the cluster";
  const std::string but = " but is guaranteed 50.00%; the guarantee is the maximum then";
  EXPECT_THAT(findings_of(start + "10%}]"), ElementsAre(warning + but));
  EXPECT_THAT(findings_of(start + "{vcores: 10%}}]"), ElementsAre(warning + "'s vcores" + but));
  EXPECT_THAT(findings_of(start + "{vcores: 50%, memory_mb: 1}}]"), IsEmpty());
  // A child has a part of that.
  EXPECT_THAT(findings_of(start + "{vcores: 50%}, queues: [{name: c, guaranteed: 80%, maximum: "
                                  "{vcores: 40%}}, {name: d}]}]"),
              ElementsAre("f:2:117: warning: queue \"a.c\" has a maximum of 20.00% of the "
                          "cluster's vcores but is guaranteed 40.00%; the guarantee is the "
                          "maximum then"));
}

TEST(ContainersSection, AQueueHasAMaximumOfWhatEveryTaskTakes) {
  const std::string start = "containers: {resources: [gpu]}\nqueues: [{name: a, maximum: ";
  for (const std::string key : {"memory_mb", "vcores"}) {
    for (const std::string none : {"0%", "0"}) {
      const std::string at = key == "vcores" ? "f:3:38" : "f:3:41";
      EXPECT_THAT(findings_of(start + "{" + key + ": " + none + "}}]"),
                  ElementsAre(at + ": queues.a.maximum." + key + " is \"" + none +
                              "\", allowed: a percentage from 0.01% to 100% with at most two "
                              "decimals, or an amount from 1 up to 1000000000"));
    }
  }
  EXPECT_THAT(findings_of(start + "{vcores: 100%, gpu: 0%}, guaranteed: {memory_mb: 100%, vcores: "
                                  "100%, gpu: 0%}}, {name: b}]"),
              Not(Contains(HasSubstr("allowed"))));
}

}  // namespace
}  // namespace weir
