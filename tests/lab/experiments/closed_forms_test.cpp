// The closed forms, and that the engine agrees with them where their premises hold: small clusters,
// made by the same generator as the experiments.
#include "lab/experiments/closed_forms.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "conf/policies.h"
#include "lab/experiments/experiment.h"

namespace weir::experiments {
namespace {

constexpr int kNodes = 20;

// One slot a tracker, so that a job never has the same slot offered twice.
ClusterSetup small_cluster() {
  return {.racks = 4, .trackers_per_rack = kNodes / 4, .map_slots = 1, .reduce_slots = 0};
}

// Mean of a few seeds, in percent.
double node_locality(const ClusterSetup& cluster, Beats beats, const std::string& fair, int jobs,
                     int gap_ms, const std::string& job) {
  constexpr std::uint64_t kSeeds = 4;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::vector<Arrival> arrivals;
    for (int i = 0; i < jobs; ++i) {
      arrivals.push_back({i * gap_ms, fmt::format("id: J{}, user: u{}, {}", i, i, job)});
    }
    const auto run =
        run_case("test", scenario_text(cluster, beats, fair, seed, arrivals), policy_factory());
    EXPECT_TRUE(run) << (run ? "" : run.error().message);
    if (!run) return -1;
    sum += run->node;
  }
  return sum / kSeeds;
}

TEST(ClosedForms, AreThoseOfTheSpecification) {
  EXPECT_NEAR(naive_locality(1, 100, 3), 0.03, 1e-9);
  EXPECT_NEAR(naive_locality(2, 100, 3), 0.04455, 1e-9);  // 1 - (.97 + .9409) / 2
  EXPECT_NEAR(delayed_locality(1, 100, 3, 2), 1 - 0.9409, 1e-9);
  EXPECT_NEAR(delayed_locality(4, 100, 3, 1), naive_locality(4, 100, 3), 1e-9);
  EXPECT_NEAR(delayed_locality(3, 100, 3, 500), 1, 1e-6);
  // 93 / 72 / 46 / 22% for 5 / 10 / 20 / 50 jobs on 100 nodes with 4 slots.
  const double expected[] = {0.93, 0.72, 0.46, 0.22};
  const int jobs[] = {5, 10, 20, 50};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(sticky_locality(400 / jobs[i], 100, 4, 3), expected[i], 0.005);
  }
  EXPECT_NEAR(sticky_locality_spread(8, 100, 3), 0.2213, 1e-4);
  EXPECT_NEAR(sticky_locality_spread(400, 100, 3), 1, 1e-9);
}

// So many jobs at a time that each gets all it wants at once: a slot is on a node drawn by lot.
TEST(ClosedForms, NaiveSchedulingAgrees) {
  for (const int maps : {1, 2, 4}) {
    const std::string fair = fmt::format(
        "  fair:\n    locality_delay: off\n    pool_name_property: none\n"
        "    pools: [{{name: default, max_running_jobs: {}}}]\n",
        kNodes / maps / 2);
    const double measured = node_locality(small_cluster(), Beats::kOutOfBand, fair, 1000 / maps, 0,
                                          fmt::format("maps: {}, map_time: 9s", maps));
    EXPECT_NEAR(measured, 100 * naive_locality(maps, kNodes, kReplicas), 2) << maps;
  }
}

// Half of the slots are free, so that almost every heartbeat offers one. One rack: after its wait a
// job takes anything. A tracker reports once in 3 s, so waits are short against that: else no two
// offers are of the same tracker, which is better than lots are.
TEST(ClosedForms, DelaySchedulingAgrees) {
  const ClusterSetup cluster{.map_slots = 4, .reduce_slots = 0};
  for (const double delay_s : {0.1, 0.2, 0.3}) {
    const std::string fair = fmt::format("  fair: {{locality_delay: {}, load_manager: none}}\n",
                                         locality_delay(delay_s));
    const double measured =
        node_locality(cluster, Beats::kPlain, fair, 1500, 60, "maps: 1, map_time: 4s");
    const double offers = offers_while_waiting(delay_s, cluster.nodes() / 3.0);
    EXPECT_NEAR(measured, 100 * delayed_locality(1, cluster.nodes(), kReplicas, offers), 4)
        << delay_s;
  }
}

// Equal jobs, each with a pool: a slot that a job gives up makes it the one with the fewest.
TEST(ClosedForms, StickySlotsAgree) {
  const ClusterSetup cluster{.trackers_per_rack = 40, .map_slots = 4, .reduce_slots = 0};
  for (const int jobs : {8, 20, 40}) {
    const double measured = node_locality(
        cluster, Beats::kOutOfBand, "  fair: {pool_name_property: user, locality_delay: off}\n",
        jobs, 0, "maps: 400, map_time: 9s, input: data");
    EXPECT_NEAR(measured, 100 * sticky_locality_spread(160 / jobs, 40, kReplicas), 2) << jobs;
  }
}

}  // namespace
}  // namespace weir::experiments
