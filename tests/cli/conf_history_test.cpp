// The settings in force and those before, as an administrator sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands_fixture.h"

namespace weir::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ConfHistory : public Commands {
 protected:
  void SetUp() override {
    record(3, "ann", "capacity", "");
    record(2, "bob", "fifo", "new.yaml");
    record(1, "", "capacity", "/etc/weir.yaml, as of 7");
    fake.settings_records.back().at_ms = 0;
    fake.settings_texts = {{0, "policy: fifo\n# \x1b[2J\n"}, {1, "policy: capacity\n"}};
  }
  void record(std::int64_t number, const char* by, const char* policy, const char* source) {
    wire::SettingsRecord row;
    row.number = number;
    row.at_ms = 1'700'000'000'000;
    row.by = by;
    row.policy = policy;
    row.source = source;
    fake.settings_records.push_back(row);
  }
};

TEST_F(ConfHistory, ListsWhoDidWhat) {
  const std::string out = weir({"conf", "history"}).out;
  EXPECT_THAT(out, HasSubstr("ann             policy set to capacity"));
  EXPECT_THAT(out, HasSubstr("bob             applied new.yaml"));
  EXPECT_THAT(out, HasSubstr("1  earlier              the JobTracker  read /etc/weir.yaml"));
  expect_fits({"conf", "history"});
  EXPECT_EQ(json({"conf", "history"}).at(1).at("source"), "new.yaml");
  fake.settings_records.clear();
  EXPECT_EQ(weir({"conf", "history"}).out, "no settings were applied yet\n");
}

// What it prints is a settings file again; a terminal is not steered by it.
TEST_F(ConfHistory, ShowsTheSettingsInForceAndWhoMadeThemSo) {
  const std::string out = weir({"conf", "show"}).out;
  EXPECT_THAT(out, HasSubstr("# applied new.yaml by bob, 20"));
  EXPECT_THAT(out, HasSubstr("(2 in `weir conf history`)\n"
                             "# but policy capacity rules, set by ann, 20"));
  EXPECT_THAT(out, HasSubstr("\npolicy: fifo\n# \x1b[2J\n"));
  EXPECT_THAT(on_terminal(100, {"conf", "show"}), HasSubstr("\n# ?[2J\n"));
  fake.settings_texts[0] = "policy: fair\n--- # allocations: pools.yaml\npools: []\n";
  EXPECT_THAT(weir({"conf", "show"}).out,
              HasSubstr("\npolicy: fair\n# allocations file pools.yaml:\n# pools: []\n"));
}

TEST_F(ConfHistory, SaysWhereEachSettingComesFrom) {
  const auto setting = [&](const char* name, const char* value, const char* origin) {
    wire::Setting row;
    row.name = name;
    row.value = value;
    row.origin = origin;
    fake.settings_list.push_back(row);
  };
  setting("policy", "capacity", "command");
  setting("heartbeat.expiry", "10m", "default");
  setting("queues.a.maximum", "40%", "settings");
  setting("queues.a.state", "stopped", "command");
  const std::string out = weir({"conf", "show", "--origin"}).out;
  EXPECT_THAT(out, HasSubstr("policy            capacity  command of ann, 20"));
  EXPECT_THAT(out, HasSubstr("heartbeat.expiry  10m       default\n"));
  EXPECT_THAT(out, HasSubstr("queues.a.maximum  40%       new.yaml\n"));
  EXPECT_THAT(out, HasSubstr("queues.a.state    stopped   command\n"));
  EXPECT_THAT(out, Not(HasSubstr("policy: fifo")));
  EXPECT_EQ(json({"conf", "show", "--origin"}).at("settings").size(), 4u);
  EXPECT_FALSE(json({"conf", "show"}).contains("settings"));
}

TEST_F(ConfHistory, RevertAppliesSettingsOrSetsAPolicy) {
  EXPECT_EQ(weir({"conf", "revert", "1"}).out, "/etc/weir.yaml, as of 1 applied\n");
  EXPECT_THAT(fake.asked,
              ElementsAre("settings_history", "settings_of 1", "diff_settings policy: capacity\n",
                          "apply_settings policy: capacity\n"));
  fake.asked.clear();
  EXPECT_THAT(weir({"conf", "revert", "3"}).out, HasSubstr("policy is capacity now"));
  EXPECT_THAT(fake.asked, ElementsAre("settings_history", "set_policy capacity"));
  const auto unknown = weir({"conf", "revert", "4"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err, "there is no number 4; see `weir conf history`\n");
  EXPECT_EQ(weir({"conf", "revert", "x"}).code, 2);
}

}  // namespace
}  // namespace weir::cli
