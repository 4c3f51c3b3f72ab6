// `removed_queues:` against the queues of the same file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/findings.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kQueues =
    "queues: [{name: research, queues: [{name: vision}]}, {name: production}]\n";

std::vector<std::string> found(const std::string& entries) {
  return findings(kQueues + ("removed_queues: " + entries) + "\n");
}

TEST(RemovedQueues, AreReadWithTheirTargetsByPath) {
  const auto removed =
      good(std::string(kQueues) +
           "removed_queues: [{queue: research.old, move_to: vision}, {queue: research, move_to: "
           "production}]\n")
          .settings.removed_queues;
  EXPECT_THAT(removed, ElementsAre(RemovedQueue{"research.old", "research.vision"},
                                   RemovedQueue{"research", "production"}));
  EXPECT_TRUE(good(std::string(kQueues) + "removed_queues:\n").settings.removed_queues.empty());
}

TEST(RemovedQueues, EveryMistakeIsNamed) {
  EXPECT_THAT(found("all"), ElementsAre("f:2:17: removed_queues is \"all\", allowed: a list of "
                                        "{queue: PATH, move_to: PATH}"));
  EXPECT_THAT(found("[{queue: x}, {queue: y, to: production}]"),
              ElementsAre(HasSubstr("f:2:18: removed_queues[0] has no move_to, allowed: a list of"),
                          HasSubstr("f:2:30: removed_queues[1] has no move_to"),
                          HasSubstr("unknown key \"to\" in removed_queues[1]")));
  EXPECT_THAT(found("[{queue: production, move_to: vision}]"),
              ElementsAre(HasSubstr("removed_queues[0].queue is \"production\", which is declared "
                                    "in queues, allowed: ")));
  EXPECT_THAT(
      found("[{queue: a, move_to: research}, {queue: a, move_to: nowhere}]"),
      ElementsAre(HasSubstr("removed_queues[0].move_to is \"research\", which has queues of its "
                            "own, allowed: a leaf queue of this file"),
                  HasSubstr("removed_queues[1].queue is \"a\", named already at line 2, column 26"),
                  HasSubstr("removed_queues[1].move_to is \"nowhere\", which is not declared")));
}

}  // namespace
}  // namespace weir
