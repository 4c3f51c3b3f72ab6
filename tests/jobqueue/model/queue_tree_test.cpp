#include "jobqueue/model/queue_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::HasSubstr;

QueueSettings leaf(std::string name) {
  QueueSettings queue;
  queue.name = std::move(name);
  return queue;
}

std::vector<QueueSettings> two_orgs() {
  QueueSettings research = leaf("research");
  research.queues = {leaf("vision"), leaf("speech")};
  QueueSettings production = leaf("production");
  production.queues = {leaf("speech")};
  return {research, production};
}

TEST(QueueTree, KeepsFamiliesTogetherInTheOrderOfTheSettings) {
  const auto tree = QueueTree::build(two_orgs());
  ASSERT_TRUE(tree.ok());
  std::vector<std::string> paths;
  for (const auto& node : tree->nodes()) paths.push_back(node.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"", "research", "research.vision", "research.speech",
                                             "production", "production.speech"}));
  EXPECT_EQ(tree->leaves().size(), 3u);
  EXPECT_TRUE(tree->is_ancestor(QueueId(1), QueueId(3)));
  EXPECT_FALSE(tree->is_ancestor(QueueId(1), QueueId(4)));
}

TEST(QueueTree, FindsAFullPathOrAnUnambiguousLastPart) {
  const auto tree = QueueTree::build(two_orgs());
  EXPECT_EQ(tree->find("research.speech").value(), QueueId(3));
  EXPECT_EQ(tree->find("vision").value(), QueueId(2));
  const auto ambiguous = tree->find("speech");
  ASSERT_FALSE(ambiguous.ok());
  EXPECT_THAT(ambiguous.error().hint, HasSubstr("research.speech, production.speech"));
  const auto unknown = tree->find("sales");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnknownQueue);
  EXPECT_THAT(unknown.error().hint, HasSubstr("research.vision"));
}

TEST(QueueTree, RefusesDuplicatesNamelessQueuesAndNothing) {
  EXPECT_THAT(QueueTree::build({leaf("a"), leaf("a")}).error().message,
              HasSubstr("'a' is declared twice"));
  EXPECT_THAT(QueueTree::build({leaf("")}).error().message, HasSubstr("has no name"));
  EXPECT_THAT(QueueTree::build({}).error().message, HasSubstr("no queue"));
}

}  // namespace
}  // namespace weir
