// A setting is named by a text or not, whatever its value.
#include "conf/named_settings.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(NamedSettings, KeysListsAndWholes) {
  Diagnostics findings("f");
  const auto document = parse_yaml(
      "policy: capacity\n"
      "heartbeat: {interval: auto}\n"
      "queues:\n"
      "  - name: research\n"
      "    maximum: 100%\n"
      "    queues: [{name: vision, reclaim_after: 5m}, {name: speech}]\n"
      "  - {name: res}\n",
      findings);
  ASSERT_NE(document, nullptr);
  for (const char* named :
       {"policy", "heartbeat.interval", "queues.research.maximum",
        "queues.research.vision.reclaim_after.map", "queues.research.vision.reclaim_after.reduce"})
    EXPECT_TRUE(names_setting(*document, named)) << named;
  for (const char* other :
       {"heartbeat.floor", "queues.res.maximum", "queues.research.speech.reclaim_after.map",
        "queues.research.vision.maximum", "queues.research.reclaim_after.map", "polic", "research"})
    EXPECT_FALSE(names_setting(*document, other)) << other;
}

}  // namespace
}  // namespace weir
