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

}  // namespace
}  // namespace weir
