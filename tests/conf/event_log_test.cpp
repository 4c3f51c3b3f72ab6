// `event_log:`, and the place in `fair:` where it stood before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "conf/diff.h"
#include "conf/findings.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Log = std::optional<EventLogSettings>;

Log log_of(const std::string& text) {
  return good(text).settings.event_log;
}

constexpr const char* kMoved =
    "f:1:19: warning: fair.event_log has moved: event_log at the top of the file does the same, "
    "whichever policy rules";

TEST(EventLogSection, IsReadWhicheverPolicyRules) {
  EXPECT_EQ(log_of("policy: fair\n"), std::nullopt);
  EXPECT_EQ(log_of("event_log: off\n"), std::nullopt);
  EXPECT_EQ(log_of("event_log: {path: e}\n"), (EventLogSettings{"e", 100'000'000, 10}));
  const std::string all = "event_log: {path: /tmp/e.jsonl, rotate: 1MB, keep: 2}\n";
  for (const char* policy : {"capacity", "fair", "fifo"}) {
    EXPECT_EQ(log_of(all + "policy: " + policy), (EventLogSettings{"/tmp/e.jsonl", 1'000'000, 2}));
  }
  EXPECT_THAT(findings(all), IsEmpty());
}

TEST(EventLogSection, DoesTheSameWhereItStoodBeforeWithANotice) {
  for (const char* policy : {"capacity", "fair", "fifo"}) {
    const std::string text =
        "fair: {event_log: {path: e, keep: 2}}\npolicy: " + std::string(policy) + "\n";
    EXPECT_EQ(log_of(text), (EventLogSettings{"e", 100'000'000, 2}));
    EXPECT_THAT(findings(text), ElementsAre(kMoved));
  }
  EXPECT_EQ(log_of("fair: {event_log: off}\n"), std::nullopt);
  EXPECT_THAT(findings("fair: {event_log: off}\n"), ElementsAre(kMoved));
}

TEST(EventLogSection, TheTwoPlacesMayNotDiffer) {
  const std::string old = "fair: {event_log: {path: e, rotate: 1MB}}\n";
  EXPECT_THAT(findings(old + "event_log: {rotate: 1000KB, path: e}\n"), ElementsAre(kMoved));
  const char* differ =
      "f:1:19: fair.event_log is another than event_log at line 2, column 12, allowed: event_log "
      "alone";
  for (const char* other : {"{path: e}", "{path: f, rotate: 1MB}", "off"}) {
    const std::string text = old + "event_log: " + other + "\n";
    EXPECT_FALSE(load_settings_text("f", text).ok());
    EXPECT_THAT(findings(text), ElementsAre(differ));
  }
  EXPECT_THAT(findings("fair: {event_log: off}\nevent_log: {path: e}\n"), ElementsAre(differ));
}

TEST(EventLogSection, WhatIsWrongIsNamedByItsPlace) {
  EXPECT_THAT(findings("event_log: {keep: 3}\n"),
              ElementsAre("f:1:12: event_log has no path, allowed: path: with a file"));
  EXPECT_THAT(findings("fair: {event_log: {keep: 3}}\n"),
              ElementsAre("f:1:19: fair.event_log has no path, allowed: path: with a file"));
  EXPECT_EQ(findings("event_log: {path: '', rotate: 1, keep: -1, kep: 2}\n").size(), 4u);
}

TEST(EventLogSection, AChangeIsADifference) {
  const Settings off = good("policy: fair\n").settings;
  const Settings on = good("event_log: {path: e, keep: 2}\n").settings;
  const Settings old = good("fair: {event_log: {path: e, keep: 2}}\n").settings;
  Settings before = off;
  before.policy = on.policy;
  EXPECT_THAT(diff_settings(before, on),
              ElementsAre("event_log: off -> {path: e, rotate: 100MB, keep: 2}"));
  EXPECT_THAT(diff_settings(on, old), IsEmpty());
}

TEST(EventLogSection, TheSamplesLineIsRight) {
  std::ifstream sample(conf_folder() + "/weir.yaml");
  std::string line;
  while (std::getline(sample, line) && !line.starts_with("#event_log:")) continue;
  ASSERT_FALSE(line.empty());
  EXPECT_EQ(log_of(line.substr(1)), (EventLogSettings{"/var/log/weir/events.jsonl"}));
}

}  // namespace
}  // namespace weir
