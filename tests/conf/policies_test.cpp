// The table of policies: what is in it works, and one more line makes a policy known to whatever
// walks the table.
#include "conf/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/describe.h"
#include "conf/diff.h"
#include "conf/findings.h"
#include "conf/live_notices.h"
#include "fifo/fifo_policy.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/policy_memory.h"

namespace weir {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

// Made by its table's factory of a cluster with these settings.
std::unique_ptr<Policy> made(std::string_view name, const Settings& settings,
                             PolicyTable policies) {
  static PolicyMemory memory;
  static std::unique_ptr<ClusterState> state;
  state = std::make_unique<ClusterState>(std::make_shared<const Settings>(settings),
                                         QueueTree::build(settings.queues).value(), 1);
  return policy_factory(policies)(name, *state, memory);
}

TEST(Policies, EveryNameHasAConstructor) {
  const Settings settings = good("policy: capacity").settings;
  for (const PolicyEntry& entry : policy_table()) {
    const auto policy = made(entry.name, settings, policy_table());
    ASSERT_NE(policy, nullptr) << entry.name;
    EXPECT_EQ(policy->name(), entry.name);
  }
  EXPECT_EQ(made("none", settings, policy_table()), nullptr);
  EXPECT_EQ(policy_names().front(), Settings().policy);
}

struct LotterySettings : PolicySettings {
  std::int64_t tickets = 1;
};

struct Lottery : FifoPolicy {
  using FifoPolicy::FifoPolicy;
  std::string_view name() const override { return "lottery"; }
};

std::unique_ptr<Policy> make_lottery(const ClusterState& state, PolicyMemory&) {
  return std::make_unique<Lottery>(state);
}

std::shared_ptr<const PolicySettings> read_lottery(const YamlNode* section, const ResourceSettings&,
                                                   const Allocations&,
                                                   Diagnostics& out) {
  auto settings = std::make_shared<LotterySettings>();
  MapReader(section, "lottery", out, {"tickets"}).read_integer("tickets", settings->tickets, {});
  return settings;
}

KeyValues describe_lottery(const PolicySettings& settings, const Space&) {
  return {{"tickets", std::to_string(dynamic_cast<const LotterySettings&>(settings).tickets)}};
}

std::vector<SettingsPart> lottery_parts(const PolicySettings& settings, const Space& space) {
  return {{"draws.first", describe_lottery(settings, space), {{"tickets", "1"}}}};
}

std::vector<std::string> lottery_notices(const Settings&, const QueueTree&, const Resources&) {
  return {"few tickets"};
}

class ALineMore : public testing::Test {
 protected:
  ALineMore() : table(policy_table().begin(), policy_table().end()) {
    table.push_back({"lottery", make_lottery, nullptr, read_lottery, describe_lottery,
                     lottery_parts, lottery_notices});
  }
  // Settings that must be good, or nothing with the findings.
  Settings read(std::string_view text) {
    Diagnostics out("f");
    const YamlNode::Ptr document = parse_yaml(text, out);
    Settings settings = read_settings(*document, std::nullopt, out, table).settings;
    errors = out.errors();
    return settings;
  }
  std::vector<PolicyEntry> table;
  std::vector<std::string> errors;
};

TEST_F(ALineMore, IsRead) {
  const Settings settings = read("policy: lottery\nlottery: {tickets: 3}\n");
  EXPECT_THAT(errors, ElementsAre());
  EXPECT_EQ(settings.policy, "lottery");
  const auto& section = *settings_of(settings, table.back());
  EXPECT_EQ(dynamic_cast<const LotterySettings&>(section).tickets, 3);
  read("policy: lotery\nlotery: {}\nlottery: {ticket: 3}\n");
  EXPECT_THAT(errors, ElementsAre(HasSubstr("allowed: capacity, fair, fifo, lottery"),
                                  HasSubstr("did you mean \"lottery\"?"),
                                  HasSubstr("unknown key \"ticket\" in lottery")));
  EXPECT_EQ(findings("policy: lottery\nlottery: {tickets: 3}\n").size(), 2u);  // without the line
}

TEST_F(ALineMore, IsOfferedAndMade) {
  EXPECT_THAT(policy_names(table), ElementsAre("capacity", "fair", "fifo", "lottery"));
  const auto policy = made("lottery", read("policy: lottery\n"), table);
  ASSERT_NE(policy, nullptr);
  EXPECT_EQ(policy->name(), "lottery");
}

TEST_F(ALineMore, IsComparedAndListed) {
  const Settings before = good("policy: capacity\n").settings;  // knows nothing of it: defaults
  const Settings after = read("lottery: {tickets: 3}\n");
  EXPECT_THAT(diff_settings(before, after, table),
              ElementsAre("lottery.tickets: 1 -> 3", "lottery.draws.first.tickets: 1 -> 3"));
  EXPECT_THAT(list_settings(after, before, table),
              Contains(Field(&SettingValue::name, "lottery.tickets")));
}

TEST_F(ALineMore, HasItsNoticesWhileItRules) {
  const Settings settings = good("policy: capacity\n").settings;
  EXPECT_THAT(live_notices(settings, "lottery", {}, table),
              ElementsAre("f: warning: few tickets"));
  EXPECT_THAT(live_notices(settings, "fifo", {}, table), ElementsAre());
}

}  // namespace
}  // namespace weir
