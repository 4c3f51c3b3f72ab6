#include "lab/stories/fuzz_containers.h"

#include <algorithm>

#include "fair/fair_settings.h"
#include "lab/stories/fuzz_cluster.h"

namespace weir {
namespace {

constexpr std::int64_t kAllOfIt = 10'000;  // hundredths
constexpr std::int64_t kGb = 1024;
constexpr std::size_t kDimensions = 3;  // memory, vcores, gpu

QueueBound draw_bound(Dice& dice, std::int64_t least) {
  QueueBound bound;
  const std::int64_t all = dice.between(least, kAllOfIt);
  for (std::size_t d = 0; d < kDimensions; ++d) {
    if (dice.chance(15)) continue;
    const std::int64_t part = dice.chance(60) ? all : dice.between(least, kAllOfIt);
    bound.of[d] = {Guarantee::Unit::kPercent, part};
  }
  return bound;
}

void draw_family_of_containers(Dice& dice, std::vector<QueueSettings>& family) {
  // What was drawn for reduces is for cores; amounts are said by all siblings, or by none.
  for (QueueSettings& queue : family) {
    queue.guaranteed[2] = queue.guaranteed[0];
    queue.maximum.reset();
    queue.borrow.reset();
    queue.lend.reset();
    if (dice.chance(15)) queue.maximum = draw_bound(dice, 500);
    if (dice.chance(15)) queue.borrow = draw_bound(dice, 0);
    if (dice.chance(15)) queue.lend = draw_bound(dice, 0);
    queue.lend_after_ms = 0;
    draw_family_of_containers(dice, queue.queues);
  }
}

void draw_pool_of_containers(Dice& dice, PoolSettings& pool) {
  using Sharing = PoolSettings::Sharing;
  pool.sharing = dice.one_of<Sharing>({Sharing::kDrf, Sharing::kDrf, Sharing::kFair});
  if (pool.pools.empty() && dice.chance(20)) pool.sharing = Sharing::kFifo;
  pool.minimum = {};
  pool.maximum = {};
  pool.lend.reset();
  for (const Dimension d : {Dimension::kMemoryMb, Dimension::kVcores}) {
    const std::int64_t unit = d == Dimension::kMemoryMb ? kGb : 1;
    auto& least = pool.minimum[d.value()];
    if (dice.chance(35)) least = unit * dice.between(1, 7);
    if (dice.chance(15)) pool.maximum[d.value()] = least.value_or(0) + unit * dice.between(1, 8);
  }
  if (dice.chance(15)) pool.lend = draw_bound(dice, 0);
  for (PoolSettings& below : pool.pools) draw_pool_of_containers(dice, below);
}

FairSettings& own_fair_section(Settings& settings) {
  auto& section = settings.policies.at("fair");
  auto own = std::make_shared<FairSettings>(dynamic_cast<const FairSettings&>(*section));
  FairSettings& fair = *own;
  section = std::move(own);
  return fair;
}

void lift_bounds(std::vector<QueueSettings>& family) {
  for (QueueSettings& queue : family) {
    queue.maximum.reset();
    queue.borrow.reset();
    queue.lend.reset();
    lift_bounds(queue.queues);
  }
}

void lift_bounds(std::vector<PoolSettings>& pools) {
  for (PoolSettings& pool : pools) {
    pool.maximum = {};
    pool.lend.reset();
    lift_bounds(pool.pools);
  }
}

void draw_requirement(Dice& dice, TaskGroupSpec& group) {
  if (dice.chance(70)) {
    group.require.push_back({"disk", {"ssd"}, false});
  } else {
    group.require.push_back({"zone", {"c"}, true});
  }
}

}  // namespace

void draw_containers(Dice& dice, Settings& settings) {
  ResourceSettings& resources = settings.resources;
  resources.mode = ResourceSettings::Mode::kContainers;
  resources.named = {kUnits};
  resources.increment[Dimension::kMemoryMb] = dice.chance(50) ? 128 : 512;
  resources.reservations_hundredths = dice.one_of<std::int64_t>({500, 500, 3000, 10'000});
  resources.gang_hold_ms = dice.between(1, 20) * 1000;
  draw_family_of_containers(dice, settings.queues);
  FairSettings& fair = own_fair_section(settings);
  fair.algorithm = FairSettings::Algorithm::kShare;
  fair.copy_compute_split = false;
  for (PoolSettings& pool : fair.pools) draw_pool_of_containers(dice, pool);
  draw_pool_of_containers(dice, fair.undeclared);
}

void count_slots(Settings& settings, bool slots) {
  using Mode = ResourceSettings::Mode;
  settings.resources.mode = slots ? Mode::kSlots : Mode::kContainers;
}

void lift_container_maximums(Settings& settings) {
  lift_bounds(settings.queues);
  FairSettings& fair = own_fair_section(settings);
  lift_bounds(fair.pools);
  fair.undeclared.maximum = {};
  fair.undeclared.lend.reset();
}

void draw_offer(Dice& dice, Resources& total) {
  total[Dimension::kMemoryMb] = kGb * dice.between(1, 8);
  total[Dimension::kVcores] = dice.between(1, 8);
  total[Dimension::named(0)] = dice.chance(40) ? dice.between(1, 3) : 0;
}

Resources largest_offer() {
  return Resources{{0, 0, 64 * kGb, 64, 16}};
}

std::map<std::string, std::string> draw_labels(Dice& dice) {
  std::map<std::string, std::string> labels;
  if (dice.chance(50)) labels["disk"] = dice.chance(60) ? "ssd" : "hdd";
  if (dice.chance(70)) labels["zone"] = dice.one_of<std::string>({"a", "b", "c"});
  return labels;
}

std::map<std::string, std::string> all_labels() {
  return {{"disk", "ssd"}, {"zone", "a"}};
}

void draw_application(Dice& dice, JobSpec& spec) {
  spec.input_files.clear();
  spec.splits.clear();
  spec.reduces = 0;
  spec.service = dice.chance(10);
  const std::int64_t groups = dice.between(1, dice.chance(40) ? 3 : 1);
  const bool gang = dice.chance(30);
  for (std::int64_t i = 0; i < groups; ++i) {
    TaskGroupSpec group;
    group.name = "g" + std::to_string(i);
    group.command = "true";
    group.count = static_cast<std::uint32_t>(dice.between(1, dice.chance(20) ? 12 : 5));
    group.asked.memory_mb = dice.chance(70) ? kGb * dice.between(1, 3) : dice.between(1, 3 * kGb);
    group.asked.vcores = dice.between(0, 2);
    if (dice.chance(15)) group.asked.named[kUnits] = dice.between(1, 2);
    if (gang && dice.chance(80)) {
      group.gang = static_cast<std::uint32_t>(dice.between(1, std::min<int>(4, group.count)));
      group.replace = dice.chance(20);
    }
    if (dice.chance(15)) draw_requirement(dice, group);
    // What a gang's spread forbids for ever waits for ever (containers.md 8.6 refuses by count).
    if (dice.chance(8) && group.gang == 0)
      group.spread = Spread{dice.chance(60) ? "rack" : "zone", 1};
    if (dice.chance(15)) group.ports = static_cast<std::uint32_t>(dice.between(1, 2));
    if (dice.chance(20)) group.time_limit_ms = 1000 * dice.between(1, 60);
    group.retries = static_cast<std::uint32_t>(dice.below(5));
    spec.task_groups.push_back(std::move(group));
  }
}

void draw_sizes(Dice& dice, JobSpec& spec) {
  for (const TaskKind kind : kTaskKinds) {
    if (!dice.chance(40)) continue;
    spec.need[index(kind)][Dimension::kMemoryMb] = dice.between(1, 3 * kGb);
    spec.need[index(kind)][Dimension::kVcores] = dice.between(0, 2);
  }
}

}  // namespace weir
