// What settings of containers are told of: sizes, names of resources, parts of queues by dimension.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/findings.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
                          ::testing::HasSubstr("f:3:38: queues.a.guaranteed.gpu is \"101%\"")));
  EXPECT_THAT(findings_of("containers: {resources: [gpu]}\nqueues: [{name: a, gpu: 1}]"),
              ElementsAre(::testing::HasSubstr("unknown key \"gpu\" in queues.a")));
}

}  // namespace
}  // namespace weir
