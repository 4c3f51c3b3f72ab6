// The `fair:` section: what each key means, and that what is wrong is said where it is wrong.
#include "conf/fair_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capacity/capacity_settings.h"
#include "conf/diff.h"
#include "conf/findings.h"
#include "conf/load.h"
#include "fair/fair_settings.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using DelayMode = LocalityDelaySettings::Mode;

template <class Section>
Section section(const std::string& text, const std::string& name) {
  const auto loaded = good(text);
  const auto found = loaded.settings.policies.find(name);
  if (found == loaded.settings.policies.end()) return {};
  return dynamic_cast<const Section&>(*found->second);
}

FairSettings fair(const std::string& text) {
  return section<FairSettings>(text, "fair");
}

TEST(FairSection, AbsentKeysHaveTheDefaults) {
  const FairSettings settings = fair("policy: capacity\n");
  EXPECT_THAT(settings.pools, IsEmpty());
  EXPECT_EQ(settings.undeclared, PoolSettings{});
  EXPECT_EQ(settings.pool_name_property, "queue");
  EXPECT_TRUE(settings.undeclared_pools_allowed);
  EXPECT_EQ(settings.preemption, FairSettings::Preemption::kOff);
  EXPECT_EQ(settings.locality_delay.mode, DelayMode::kAuto);
  EXPECT_EQ(fair("fair:\n").update_interval_ms, 500);
}

TEST(FairSection, EveryKeyOfTheSectionIsRead) {
  const FairSettings settings = fair(R"(
fair:
  pool_name_property: user
  undeclared_pools: allow
  algorithm: deficit
  update_interval: 1s
  preemption: log_only
  preemption_interval: 0s
  assign_multiple: false
  max_maps: 3
  max_reduces: all
  size_based_weight: true
  new_job_booster: {factor: 2.5}
  load_manager: none
  load_max_diff: 0.2
  task_selector: default
  locality_delay: {node: 5s, rack: 10s}
  copy_compute_split: true
  copy_factor: 4
)");
  EXPECT_EQ(settings.pool_name_property, "user");
  EXPECT_EQ(settings.algorithm, FairSettings::Algorithm::kDeficit);
  EXPECT_EQ(settings.update_interval_ms, 1000);
  EXPECT_EQ(settings.preemption, FairSettings::Preemption::kLogOnly);
  EXPECT_EQ(settings.preemption_interval_ms, 0);
  EXPECT_FALSE(settings.assign_multiple);
  EXPECT_EQ(settings.max_per_heartbeat[0], 3);
  EXPECT_EQ(settings.max_per_heartbeat[1], std::nullopt);
  EXPECT_TRUE(settings.size_based_weight);
  EXPECT_EQ(settings.new_job_booster, (FairSettings::Booster{.factor = 2'500'000}));
  EXPECT_EQ(settings.load_manager, "none");
  EXPECT_EQ(settings.load_max_diff_millionths, 200'000);
  EXPECT_EQ(settings.locality_delay, (LocalityDelaySettings{DelayMode::kFixed, 5000, 10'000}));
  EXPECT_TRUE(settings.copy_compute_split);
  EXPECT_EQ(settings.copy_factor, 4);
}

TEST(FairSection, PreemptionIsSwitchedByWordsAndBooleans) {
  const auto preemption = [](const std::string& word) {
    return fair("fair: {preemption: " + word + "}\n").preemption;
  };
  EXPECT_EQ(preemption("true"), FairSettings::Preemption::kOn);
  EXPECT_EQ(preemption("on"), FairSettings::Preemption::kOn);
  EXPECT_EQ(preemption("false"), FairSettings::Preemption::kOff);
  EXPECT_EQ(preemption("off"), FairSettings::Preemption::kOff);
}

TEST(FairSection, LocalityDelayIsOfferedToBothPolicies) {
  const auto both = [](const std::string& value) {
    const std::string text =
        "capacity: {locality_delay: " + value + "}\nfair: {locality_delay: " + value + "}\n";
    const auto settings = section<CapacitySettings>(text, "capacity").locality_delay;
    EXPECT_EQ(fair(text).locality_delay, settings);
    return settings;
  };
  EXPECT_EQ(both("adaptive").mode, DelayMode::kAdaptive);
  EXPECT_EQ(both("off").mode, DelayMode::kOff);
  EXPECT_EQ(both("{rack: 1s}"), (LocalityDelaySettings{DelayMode::kFixed, 0, 1000}));
  EXPECT_EQ(both("7s"), (LocalityDelaySettings{DelayMode::kFixed, 7000, 7000}));
  EXPECT_EQ(both("1h").node_ms, 3'600'000);  // the longest there is
  EXPECT_EQ(section<CapacitySettings>("policy: capacity", "capacity").locality_delay.mode,
            DelayMode::kOff);
}

TEST(FairSection, PoolsHaveTheirValuesAndTheDefaults) {
  const FairSettings settings = fair(R"(
fair:
  pools:
    - {name: production, weight: 2.0, min_share: {map: 10, reduce: 5}, max_share: {map: 100},
       max_running_jobs: 10, mode: fifo, min_share_timeout: 1m, fair_share_timeout: 10m,
       kill_budget: 60}
    - {name: research, pools: [{name: vision, max_running_jobs: unlimited}]}
  users: [{name: alice, max_running_jobs: 6}, {name: bob, max_running_jobs: unlimited}]
  defaults: {pool_max_running_jobs: 15, user_max_running_jobs: 5, fair_share_timeout: 5m,
             min_share_timeout: 2m, kill_budget: 100}
)");
  ASSERT_EQ(settings.pools.size(), 2u);
  const PoolSettings& production = settings.pools[0];
  EXPECT_EQ(production.weight, 2 * kWeightOne);
  EXPECT_THAT(production.min_share, ElementsAre(10, 5));
  EXPECT_EQ(production.max_share[0], 100);
  EXPECT_EQ(production.max_share[1], std::nullopt);
  EXPECT_EQ(production.max_running_jobs, 10);
  EXPECT_EQ(production.mode, PoolSettings::Mode::kFifo);
  EXPECT_EQ(production.min_share_timeout_ms, 60'000);
  EXPECT_EQ(production.fair_share_timeout_ms, 600'000);
  EXPECT_EQ(production.kill_budget, 60);
  const PoolSettings& research = settings.pools[1];
  EXPECT_EQ(research.max_running_jobs, 15);
  EXPECT_EQ(research.min_share_timeout_ms, 120'000);
  EXPECT_EQ(research.kill_budget, 100);
  ASSERT_EQ(research.pools.size(), 1u);
  EXPECT_EQ(research.pools[0].name, "vision");
  EXPECT_EQ(research.pools[0].max_running_jobs, std::nullopt);
  EXPECT_EQ(research.pools[0].fair_share_timeout_ms, 300'000);
  const FairSettings path = fair(
      "fair: {pools: [{name: a.b, max_running_jobs: 1}], defaults: {pool_max_running_jobs: 7}}");
  EXPECT_EQ(path.pools[0].max_running_jobs, 7) << "a is named within a path alone";
  EXPECT_EQ(settings.undeclared.max_running_jobs, 15);
  EXPECT_EQ(settings.default_user_max_running_jobs, 5);
  EXPECT_EQ(settings.user_max_running_jobs.at("alice"), 6);
  EXPECT_EQ(settings.user_max_running_jobs.at("bob"), kUnlimitedJobs);
}

TEST(FairSection, NestedAndDottedPoolsMakeTheSameTree) {
  const auto pools = [](const std::string& list) {
    return fair("fair: {pools: " + list + "}").pools;
  };
  const auto nested = pools("[{name: a, weight: 2, pools: [{name: b}, {name: c}]}]");
  EXPECT_EQ(nested, pools("[{name: a.b}, {name: a.c}, {name: a, weight: 2}]"));
  EXPECT_EQ(nested, pools("[{name: root.a.b}, {name: root.a, weight: 2, pools: [{name: c}]}]"));
}

TEST(FairSection, ATimeoutOfNeverIsNotHeldAgainstTheOther) {
  EXPECT_THAT(findings("fair: {pools: [{name: a, fair_share_timeout: 10m}]}\n"), IsEmpty());
  EXPECT_THAT(findings("fair: {pools: [{name: a, min_share_timeout: 10m}]}\n"), IsEmpty());
}

TEST(FairSection, LimitsOfZeroAreWorthANotice) {
  EXPECT_THAT(
      findings("fair:\n"
               "  pools:\n"
               "    - {name: a, max_running_jobs: 0, max_share: {map: 0, reduce: 1}}\n"
               "    - {name: b, min_share: {map: 0}, kill_budget: 0}\n"
               "  users: [{name: al, max_running_jobs: 0}]\n"),
      ElementsAre("f:3:35: warning: fair.pools.a.max_running_jobs is 0, with which no job ever "
                  "runs",
                  "f:3:55: warning: fair.pools.a.max_share.map is 0, with which no map task ever "
                  "runs",
                  "f:5:40: warning: fair.users[0].max_running_jobs is 0, with which no job ever "
                  "runs"));
  EXPECT_THAT(findings("queues: [{name: a, max_running_jobs: 0}]\n"),
              ElementsAre(HasSubstr("queues.a.max_running_jobs is 0, with which no job ever")));
  EXPECT_THAT(findings("policy: fair\nresources: containers\ncontainers: {resources: [gpu]}\n"
                       "fair: {pools: [{name: a, max_share: {memory_mb: 9, vcores: 0, gpu: 0"
                       "}}]}\n"),
              ElementsAre("f:4:60: warning: fair.pools.a.max_share.vcores is 0, with which no task "
                          "that takes of it ever runs"));
}

struct BadFair {
  const char* text;
  const char* finding;  // the only one
};

class RefusedFair : public ::testing::TestWithParam<BadFair> {};

TEST_P(RefusedFair, SaysWhereWhatAndWhatIsAllowed) {
  EXPECT_FALSE(load_settings_text("f", GetParam().text).ok());
  EXPECT_THAT(findings(GetParam().text), ElementsAre(HasSubstr(GetParam().finding)));
}

INSTANTIATE_TEST_SUITE_P(
    Pools, RefusedFair,
    ::testing::Values(
        BadFair{"fair:\n  pools: [{name: a, weight: 0}]\n",
                "f:2:29: fair.pools.a.weight is \"0\", allowed: a number above 0 and up to 1000000 "
                "with at most six decimals"},
        BadFair{"fair:\n  pools: [{name: a, weight: -1}]\n", "f:2:29: fair.pools.a.weight is"},
        BadFair{"fair:\n  defaults: {weight: 0.0}\n", "f:2:22: fair.defaults.weight is \"0.0\""},
        BadFair{"fair:\n  pools: [{name: a, min_share: {map: 5}, max_share: {map: 4}}]\n",
                "f:2:59: fair.pools.a.max_share.map is 4, below min_share.map, which is 5, "
                "allowed: a max_share of at least the min_share"},
        BadFair{"fair:\n  defaults: {max_share: {reduce: 4}}\n"
                "  pools: [{name: b}, {name: a, min_share: {reduce: 5}}]\n",
                "f:3:52: fair.pools.a.max_share.reduce is 4, below min_share.reduce"},
        BadFair{"fair:\n  pools: [{name: a, min_share_timeout: 2m, fair_share_timeout: 1m}]\n",
                "f:2:64: fair.pools.a.fair_share_timeout is 1m, shorter than min_share_timeout, "
                "which is 2m, allowed: a fair_share_timeout at least as long"},
        BadFair{"fair:\n  defaults: {fair_share_timeout: 1m}\n"
                "  pools: [{name: b}, {name: a, min_share_timeout: 2m}]\n",
                "f:3:51: fair.pools.a.fair_share_timeout is 1m, shorter than"},
        BadFair{"fair:\n  pools: [{name: a}, {name: root.a}]\n",
                "f:2:29: a second pool \"a\", first at line 2, column 18, allowed: each pool once"},
        BadFair{"fair:\n  pools: [{name: a, pools: [{name: b}]}, {name: a.b}]\n",
                "f:2:49: a second pool \"a.b\", first at line 2, column 36"},
        BadFair{"fair:\n  pools: [{name: default, pools: [{name: b}]}]\n",
                "f:2:42: pool \"default.b\" is within \"default\", where the jobs are that name no "
                "pool, allowed: no pools within it"},
        BadFair{"fair:\n  pools: [{name: root, pools: [{name: b}]}]\n",
                "f:2:18: fair.pools[0].name is \"root\", allowed: no pool root"},
        BadFair{"fair:\n  pools: [{weight: 1}]\n", "f:2:11: fair.pools[0] has no name, allowed:"},
        BadFair{"fair:\n  pools: [{name: a b}]\n", "f:2:18: fair.pools[0].name is \"a b\""},
        BadFair{"fair:\n  pools: [{name: a..b}]\n", "f:2:18: fair.pools[0].name is \"a..b\""},
        BadFair{"fair:\n  pools: [{name: a, wieght: 2}]\n",
                "f:2:21: unknown key \"wieght\" in fair.pools.a, did you mean \"weight\"?"},
        BadFair{"fair:\n  pools: production\n",
                "f:2:10: fair.pools is \"production\", allowed: a list of pools, or {file: PATH}"},
        BadFair{"fair:\n  pools: [{name: a, max_running_jobs: -1}]\n",
                "f:2:39: fair.pools.a.max_running_jobs is \"-1\", allowed: an integer from 0 to "
                "1000000000, or unlimited"},
        BadFair{
            "fair:\n  pools: [{name: a, min_share: 5}]\n",
            "f:2:32: fair.pools.a.min_share is \"5\", allowed: a map with the keys map, reduce"},
        BadFair{"fair:\n  users: [{name: a}, {name: a}]\n",
                "f:2:29: a second user \"a\", first at line 2, column 18"},
        BadFair{"fair:\n  users: [{max_running_jobs: 1}]\n", "f:2:11: fair.users[0] has no name"},
        BadFair{"fair:\n  users: {alice: 5}\n", "f:2:10: fair.users is a map, allowed: a list"}));

TEST(FairSection, ARefusingClusterWithoutADefaultPoolIsWorthANotice) {
  const auto loaded =
      load_settings_text("f", "fair:\n  undeclared_pools: refuse\n  pools: [{name: a}]\n");
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->settings.notices.size(), 1u);
  EXPECT_NE(loaded->settings.notices[0].find("jobs that name no pool are refused"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Keys, RefusedFair,
    ::testing::Values(
        BadFair{"fair: {preemtion: on}\n",
                "f:1:8: unknown key \"preemtion\" in fair, did you mean \"preemption\"?"},
        BadFair{"fair: {preemption: yes}\n",
                "f:1:20: fair.preemption is \"yes\", allowed: off, log_only, on, false, true"},
        BadFair{
            "fair: {update_interval: 500}\n",
            "f:1:25: fair.update_interval is \"500\", allowed: a duration (300ms 5s 2m 1h) from "
            "10ms to 1h"},
        BadFair{"fair: {max_maps: 0}\n",
                "f:1:18: fair.max_maps is \"0\", allowed: all, or an integer from 1 to 100000"},
        BadFair{"fair: {load_manager: best}\n",
                "f:1:22: fair.load_manager is \"best\", allowed: cap, none"},
        BadFair{"fair: {weight_adjuster: x}\n",
                "f:1:25: fair.weight_adjuster is \"x\", allowed: none, new_job_booster"},
        BadFair{"fair: {weight_adjuster: none, new_job_booster: {factor: 2}}\n",
                "f:1:25: fair.weight_adjuster is none, but there is a new_job_booster"},
        BadFair{"fair: {new_job_booster: {factor: 0}}\n",
                "f:1:34: fair.new_job_booster.factor is \"0\", allowed: a number above 0"},
        BadFair{"fair: {load_max_diff: 1.5}\n",
                "f:1:23: fair.load_max_diff is \"1.5\", allowed: a number from 0 up to 1"},
        BadFair{"fair: {locality_delay: {node: 5}}\n",
                "f:1:31: fair.locality_delay.node is \"5\", allowed: a duration"},
        BadFair{"capacity: {locality_delay: soon}\n",
                "f:1:28: capacity.locality_delay is \"soon\", allowed: auto, off, adaptive, or"},
        BadFair{"fair: {copy_factor: 0}\n", "f:1:21: fair.copy_factor is \"0\", allowed:"},
        BadFair{"fair: {pool_name_property: ''}\n",
                "f:1:28: fair.pool_name_property is \"\", allowed: text that is not empty"}));

TEST(FairSection, EverythingWrongIsReportedAtOnce) {
  const auto all = findings(
      "fair:\n  pools: [{name: a, weight: 0, mode: best}, {name: a}, {weight: x}]\n"
      "  users: [{nam: x}]\n  defaults: {mode: x}\n  algorithm: best\n");
  EXPECT_EQ(all.size(), 9u) << ::testing::PrintToString(all);
}

TEST(FairSection, DepthAndNumberOfPoolsAreBounded) {
  std::string deep;
  for (int i = 0; i < 33; ++i) deep += "pools: [{name: a, ";
  deep += "weight: 1";
  for (int i = 0; i < 33; ++i) deep += "}]";
  EXPECT_THAT(findings("fair: {" + deep + "}\n"),
              ElementsAre(HasSubstr("is at depth 33, allowed: 32 levels of pools")));
  std::string many = "fair:\n  pools:\n";
  for (std::size_t i = 0; i < kMaxSettingsBytes / 200; ++i)
    many += "    - {name: p" + std::to_string(i) + ", weight: 2}\n";
  EXPECT_EQ(fair(many).pools.size(), kMaxSettingsBytes / 200);
  std::string path = "a";
  for (int i = 0; i < 40; ++i) path += ".a";
  EXPECT_THAT(findings("fair: {pools: [{name: " + path + "}]}\n"),
              ElementsAre(HasSubstr("is at depth 33, allowed: 32 levels of pools")));
}

TEST(FairSection, DiffNamesPoolsUsersAndKeys) {
  const auto settings = [](const std::string& text) { return good(text).settings; };
  const std::string queues = "queues: [{name: q}]\n";
  const auto before = settings(queues +
                               "fair:\n  pools: [{name: a, pools: [{name: b}]}, {name: old}]\n"
                               "  users: [{name: al, max_running_jobs: 3}]\n");
  const auto after =
      settings(queues +
               "fair:\n  pools: [{name: a, pools: [{name: b, weight: 2.5, max_share: {map: 7}}]}, "
               "{name: new, weight: 3}]\n  users: [{name: al, max_running_jobs: unlimited}]\n"
               "  preemption: on\n  locality_delay: {node: 5s, rack: 10s}\n"
               "  new_job_booster: {factor: 2}\n");
  EXPECT_THAT(
      diff_settings(before, after),
      ElementsAre(
          "fair.preemption: off -> on", "fair.new_job_booster: off -> {factor: 2, duration: 5m}",
          "fair.locality_delay: auto -> {node: 5s, rack: 10s}", "fair.pools.a.b.weight: 1 -> 2.5",
          "fair.pools.a.b.max_share.map: unlimited -> 7", "fair.pools.new: added (weight 3)",
          "fair.users.al.max_running_jobs: 3 -> unlimited", "fair.pools.old: removed"));
  EXPECT_THAT(diff_settings(before, before), IsEmpty());
}

TEST(FairContainers, APoolMayGoBeyondWhatTheOthersMay) {
  const std::string head = "policy: fair\nresources: containers\n";
  const FairSettings read = fair(head +
                                 "fair: {defaults: {max_share: {memory_mb: 512}}, pools: [{name: "
                                 "a, max_share: unlimited}, {name: b}]}");
  ASSERT_EQ(read.pools.size(), 2u);
  EXPECT_EQ(read.pools[0].maximum, PoolSettings::Amounts{});
  EXPECT_EQ(read.pools[1].maximum[Dimension::kMemoryMb.value()], 512);
  EXPECT_THAT(findings(head + "fair: {pools: [{name: a, max_share: never}]}"),
              ElementsAre("f:3:37: fair.pools.a.max_share is \"never\", allowed: unlimited, or a "
                          "map with the keys memory_mb, vcores"));
}

TEST(FairContainers, ThePolicyOfAPoolIsSaidOnce) {
  EXPECT_THAT(findings("policy: fair\nresources: containers\nfair: {pools: [{name: a, mode: fifo, "
                       "policy: drf}]}"),
              ElementsAre("f:3:32: fair.pools.a.mode stands beside fair.pools.a.policy, allowed: "
                          "policy alone, of which mode is the old name"));
}

}  // namespace
}  // namespace weir
