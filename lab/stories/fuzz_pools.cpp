#include "lab/stories/fuzz_pools.h"

#include <algorithm>

namespace weir {
namespace {

using Mode = LocalityDelaySettings::Mode;

DurationMs draw_timeout(Dice& dice, std::int64_t seconds) {
  return dice.below(seconds + 1) * (dice.chance(80) ? 1000 : 333);
}

// What a pool is set to, but for its name and its children.
void draw_pool(Dice& dice, PoolSettings& pool) {
  pool.weight = dice.chance(30) ? kWeightOne : dice.between(1, 40) * (dice.chance(20) ? 7 : 125000);
  for (const TaskKind kind : kTaskKinds) {
    std::int64_t& minimum = pool.min_share[index(kind)];
    auto& maximum = pool.max_share[index(kind)];
    minimum = dice.chance(45) ? dice.between(1, 7) : 0;
    maximum.reset();
    if (dice.chance(20)) maximum = minimum + dice.below(6);
  }
  pool.max_running_jobs.reset();
  if (dice.chance(25)) pool.max_running_jobs = dice.between(1, 4);
  pool.mode = dice.chance(25) ? PoolSettings::Mode::kFifo : PoolSettings::Mode::kFair;
  pool.min_share_timeout_ms = dice.chance(75) ? draw_timeout(dice, 6) : kNever;
  pool.fair_share_timeout_ms = kNever;
  if (dice.chance(75)) {
    const bool never = pool.min_share_timeout_ms == kNever;
    pool.fair_share_timeout_ms =
        (never ? 0 : pool.min_share_timeout_ms) + (dice.chance(30) ? 0 : draw_timeout(dice, 6));
  }
  pool.kill_budget.reset();
  if (dice.chance(20)) pool.kill_budget = dice.between(0, 60);
}

void draw_pool_family(Dice& dice, std::vector<PoolSettings>& pools) {
  for (PoolSettings& pool : pools) {
    draw_pool(dice, pool);
    draw_pool_family(dice, pool.pools);
  }
}

// The names of queues among them.
std::vector<PoolSettings> draw_pool_tree(Dice& dice, int depth) {
  std::vector<PoolSettings> pools;
  for (const char* name : {"a", "b", "c", "default", "p", "u1"}) {
    if (dice.chance(45)) continue;
    PoolSettings pool;
    pool.name = name;
    const bool leaf = pool.name == "default" || depth == 1;
    if (!leaf && dice.chance(30)) pool.pools = draw_pool_tree(dice, depth - 1);
    pools.push_back(std::move(pool));
  }
  return pools;
}

void draw_limits(Dice& dice, FairSettings& settings) {
  settings.user_max_running_jobs.clear();
  settings.default_user_max_running_jobs.reset();
  for (const char* user : {"u1", "u2"}) {
    if (!dice.chance(15)) continue;
    settings.user_max_running_jobs[user] = dice.chance(20) ? kUnlimitedJobs : dice.between(1, 3);
  }
  if (dice.chance(15)) settings.default_user_max_running_jobs = dice.between(1, 4);
}

LocalityDelaySettings draw_delay(Dice& dice) {
  LocalityDelaySettings delay;
  delay.mode = dice.one_of<Mode>(
      {Mode::kOff, Mode::kOff, Mode::kAuto, Mode::kAdaptive, Mode::kFixed, Mode::kFixed});
  if (delay.mode != Mode::kFixed) return delay;
  delay.node_ms = draw_timeout(dice, 8);
  delay.rack_ms = draw_timeout(dice, 4);
  return delay;
}

// All but pools and users.
void draw_whole(Dice& dice, FairSettings& settings) {
  using Algorithm = FairSettings::Algorithm;
  using Preemption = FairSettings::Preemption;
  settings.algorithm = dice.chance(30) ? Algorithm::kDeficit : Algorithm::kShare;
  settings.preemption =
      dice.one_of<Preemption>({Preemption::kOn, Preemption::kOn, Preemption::kOn, Preemption::kOn,
                               Preemption::kLogOnly, Preemption::kOff});
  settings.preemption_interval_ms = dice.chance(40) ? 0 : draw_timeout(dice, 5);
  settings.assign_multiple = !dice.chance(25);
  for (auto& most : settings.max_per_heartbeat) {
    most.reset();
    if (dice.chance(20)) most = dice.between(1, 3);
  }
  settings.size_based_weight = dice.chance(30);
  settings.new_job_booster.reset();
  if (dice.chance(30)) {
    settings.new_job_booster = FairSettings::Booster{.factor = dice.between(1, 40) * 125000,
                                                     .duration_ms = draw_timeout(dice, 20)};
  }
  settings.load_manager = dice.chance(60) ? "cap" : "none";
  settings.load_max_diff_millionths = dice.chance(40) ? dice.below(1000001) : 0;
  settings.locality_delay = draw_delay(dice);
  settings.copy_compute_split = dice.chance(25);
  settings.copy_factor = dice.between(1, 4);
}

void lift_max_shares(std::vector<PoolSettings>& pools) {
  for (PoolSettings& pool : pools) {
    pool.max_share = {};
    lift_max_shares(pool.pools);
  }
}

void collect_leaf_pools(const std::vector<PoolSettings>& pools, const std::string& above,
                        std::vector<std::string>& leaves) {
  for (const PoolSettings& pool : pools) {
    if (pool.pools.empty()) leaves.push_back(above + pool.name);
    collect_leaf_pools(pool.pools, above + pool.name + ".", leaves);
  }
}

}  // namespace

std::shared_ptr<FairSettings> draw_fair(Dice& dice) {
  auto settings = std::make_shared<FairSettings>();
  settings->pools = draw_pool_tree(dice, 3);
  draw_pool_family(dice, settings->pools);
  draw_pool(dice, settings->undeclared);
  draw_limits(dice, *settings);
  draw_whole(dice, *settings);
  settings->pool_name_property =
      dice.one_of<std::string>({"queue", "queue", "queue", "user", "group", kTeamProperty});
  settings->undeclared_pools_allowed = !dice.chance(10);
  return settings;
}

std::shared_ptr<FairSettings> redraw_fair(Dice& dice, const FairSettings& before) {
  if (dice.chance(15)) return draw_fair(dice);
  auto settings = std::make_shared<FairSettings>(before);
  if (dice.chance(15)) settings->pools = draw_pool_tree(dice, 3);
  if (dice.chance(70)) draw_pool_family(dice, settings->pools);
  if (dice.chance(30)) draw_pool(dice, settings->undeclared);
  if (dice.chance(30)) draw_limits(dice, *settings);
  if (dice.chance(50)) draw_whole(dice, *settings);
  return settings;
}

std::string draw_pool_name(Dice& dice, const FairSettings& settings) {
  std::vector<std::string> leaves;
  collect_leaf_pools(settings.pools, "", leaves);
  if (!leaves.empty() && dice.chance(75)) return dice.one_of(leaves);
  return dice.one_of<std::string>({"x", "x.y", "x.z", "p", "a.b", "root.b", "default"});
}

std::shared_ptr<FairSettings> without_maximums(const FairSettings& before) {
  auto settings = std::make_shared<FairSettings>(before);
  lift_max_shares(settings->pools);
  settings->undeclared.max_share = {};
  return settings;
}

}  // namespace weir
