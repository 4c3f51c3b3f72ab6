#include "web/server/authority.h"

#include <gtest/gtest.h>

namespace weir::web {
namespace {

TEST(Authority, NamesAndAddressesWithAndWithoutAPort) {
  EXPECT_EQ(parse_authority("Node7.Cluster.:9080"), (Authority{"node7.cluster", 9080}));
  EXPECT_EQ(parse_authority("[::1]:80"), (Authority{"::1", 80}));
  EXPECT_EQ(parse_authority("[::1]"), (Authority{"::1", {}}));
  EXPECT_EQ(parse_authority("127.0.0.1:"), (Authority{"127.0.0.1", {}}));
  EXPECT_EQ(parse_authority(""), (Authority{"", {}}));
}

TEST(Authority, IsNone) {
  for (const char* text : {"127.0.0.1:x", "a:99999999", ":80", "[::1", "[::1]x", "[evil]:80",
                           "a:1:2", "user@a", "a b", "a/b", "a:-1", "a:+1"})
    EXPECT_EQ(parse_authority(text), std::nullopt) << text;
}

}  // namespace
}  // namespace weir::web
