#include "lab/experiments/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conf/policies.h"
#include "sim/scenario.h"

namespace weir::experiments {
namespace {

using testing::HasSubstr;

TEST(Experiments, EveryCaseIsAScenarioOfItsOwnMadeFromTheSeed) {
  std::set<std::string_view> names;
  for (const Experiment& experiment : experiments()) {
    EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name;
    std::set<std::string> cases;
    for (const Case& one : experiment.cases(0.01)) {
      EXPECT_TRUE(cases.insert(one.name).second) << one.name;
      const std::string text = one.scenario(7);
      EXPECT_EQ(text, one.scenario(7));
      EXPECT_NE(text, one.scenario(8));
      const auto scenario = load_scenario_text("s.yaml", text);
      EXPECT_TRUE(scenario) << one.name << ": " << (scenario ? "" : scenario.error().message);
    }
    EXPECT_FALSE(cases.empty());
  }
}

TEST(Experiments, TheTableHasOneValueASeedAndIsTheSameAgain) {
  const Experiment& experiment = experiments().front();
  const RunOptions options{.first_seed = 3, .seeds = 2, .size = 0.01};
  std::size_t heard = 0;
  const auto run = [&] {
    return run_experiment(experiment, options, policy_factory(),
                          [&](std::size_t done, std::size_t all, const std::string&) {
                            EXPECT_LT(done, all);
                            ++heard;
                          });
  };
  const auto lines = run();
  ASSERT_TRUE(lines);
  EXPECT_EQ(heard, 2 * experiment.cases(1).size());
  const auto again = run();
  ASSERT_TRUE(again);
  ASSERT_EQ(lines->size(), again->size());
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const Line& line = (*lines)[i];
    for (const Beats beats : kBeats) {
      const auto which = static_cast<std::size_t>(beats);
      EXPECT_EQ(line.measured[which].size(), 2u) << line.what;
      EXPECT_EQ(line.measured[which], (*again)[i].measured[which]) << line.what;
      EXPECT_EQ(line.met[which].has_value(), !line.bar.empty()) << line.what;
    }
  }
}

TEST(Experiments, SpreadIsThatOfASample) {
  EXPECT_DOUBLE_EQ(mean_of({1, 2, 6}), 3);
  EXPECT_DOUBLE_EQ(deviation_of({2, 4}), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(deviation_of({5}), 0);
}

TEST(Experiments, ARunThatIsNotWhatIsNeededSaysSo) {
  const std::string stuck =
      "cluster: {map_slots: 0, reduce_slots: 0}\nheartbeats: {interval: 3s}\n"
      "steps: [{submit: {id: J1}}, {run_until: jobs_ended}]\n";
  const auto run = run_case("stuck", stuck, policy_factory());
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("1 jobs wait and nothing has run"));
  EXPECT_FALSE(run_case("wrong", "steps: 5", policy_factory()));
}

}  // namespace
}  // namespace weir::experiments
