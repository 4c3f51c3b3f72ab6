#include "lab/stories/fuzz_settings.h"

#include <algorithm>

#include "capacity/capacity_settings.h"
#include "lab/stories/fuzz_pools.h"

namespace weir {

const FairSettings& fair_section(const Settings& settings) {
  return dynamic_cast<const FairSettings&>(*settings.policies.at("fair"));
}

namespace {

constexpr std::int64_t kWhole = 10000;  // 100% in hundredths

void draw_guarantees(Dice& dice, std::vector<QueueSettings>& family) {
  const auto count = static_cast<std::int64_t>(family.size());
  for (const TaskKind kind : kTaskKinds) {
    if (kind == TaskKind::kReduce && dice.chance(50)) {
      for (QueueSettings& queue : family) queue.guaranteed[1] = queue.guaranteed[0];
      return;
    }
    for (QueueSettings& queue : family) queue.guaranteed[index(kind)] = Guarantee{};
    const bool slots = dice.chance(25);
    if (!slots && dice.chance(15)) continue;  // nobody says anything: equal parts
    std::int64_t left = kWhole;
    for (std::int64_t i = 0; i < count; ++i) {
      Guarantee& g = family[static_cast<std::size_t>(i)].guaranteed[index(kind)];
      if (slots) {
        g = {Guarantee::Unit::kSlots, dice.chance(15) ? 0 : dice.between(1, 12)};
        continue;
      }
      // The last takes the rest, or says nothing and gets it anyway.
      std::int64_t amount = std::min(left, dice.below(2 * kWhole / count));
      if (dice.chance(20)) amount = std::min<std::int64_t>(left, dice.between(1, 900));
      if (i + 1 == count) amount = left;
      left -= amount;
      if (i + 1 < count || dice.chance(70)) g = {Guarantee::Unit::kPercent, amount};
    }
  }
}

std::optional<std::int64_t> maybe(Dice& dice, int percent, std::int64_t low, std::int64_t high) {
  if (!dice.chance(percent)) return std::nullopt;
  return dice.between(low, high);
}

void draw_queue(Dice& dice, QueueSettings& queue) {
  queue.maximum_hundredths = maybe(dice, 30, 500, kWhole);
  for (const TaskKind kind : kTaskKinds) {
    queue.reclaim_after_ms[index(kind)] = maybe(dice, 90, 0, 15);
    if (auto& after = queue.reclaim_after_ms[index(kind)]) *after *= dice.chance(80) ? 1000 : 333;
  }
  queue.lend_after_ms = dice.chance(25) ? dice.between(1, 12) * 1000 : 0;
  queue.user_limit = UserLimit{};
  if (dice.chance(60)) queue.user_limit.minimum_hundredths = dice.between(100, kWhole);
  if (dice.chance(25)) queue.user_limit.factor_millionths = dice.between(100000, 2500000);
  queue.user_limit.mode = dice.chance(40) ? UserLimit::Mode::kHard : UserLimit::Mode::kSoft;
  queue.priorities = dice.chance(60);
  queue.stopped = dice.chance(3);
  queue.max_jobs = maybe(dice, 15, 3, 12);
  queue.max_jobs_per_user = maybe(dice, 15, 2, 8);
  queue.max_tasks_per_job = maybe(dice, 10, 6, 20);
  queue.max_running_jobs = maybe(dice, 20, 1, 5);
  queue.max_running_jobs_per_user = maybe(dice, 20, 1, 3);
  queue.kill_budget = maybe(dice, 20, 1, 60);
}

void draw_family(Dice& dice, std::vector<QueueSettings>& family) {
  draw_guarantees(dice, family);
  for (QueueSettings& queue : family) {
    draw_queue(dice, queue);
    if (!queue.queues.empty()) draw_family(dice, queue.queues);
  }
}

std::vector<QueueSettings> draw_names(Dice& dice, int depth) {
  std::vector<QueueSettings> family(static_cast<std::size_t>(dice.between(depth == 3 ? 2 : 1, 4)));
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i].name = std::string(1, static_cast<char>('a' + i));
    if (depth > 1 && dice.chance(35)) family[i].queues = draw_names(dice, depth - 1);
  }
  return family;
}

std::size_t count_queues(const std::vector<QueueSettings>& family) {
  std::size_t count = 0;
  for (const QueueSettings& queue : family) count += 1 + count_queues(queue.queues);
  return count;
}

std::vector<QueueSettings> draw_tree(Dice& dice) {
  std::vector<QueueSettings> tree = draw_names(dice, 3);
  while (count_queues(tree) < 3) tree = draw_names(dice, 3);
  return tree;
}

std::shared_ptr<const CapacitySettings> draw_capacity(Dice& dice) {
  auto section = std::make_shared<CapacitySettings>();
  using By = CapacitySettings::RedistributeBy;
  using Preemption = CapacitySettings::Preemption;
  section->redistribute_by = dice.one_of<By>({By::kGuaranteed, By::kWaitingJobs, By::kDemand});
  section->preemption =
      dice.one_of<Preemption>({Preemption::kOn, Preemption::kOn, Preemption::kOn, Preemption::kOn,
                               Preemption::kLogOnly, Preemption::kOff});
  return section;
}

void lift_maximums(std::vector<QueueSettings>& family) {
  for (QueueSettings& queue : family) {
    queue.maximum_hundredths.reset();
    lift_maximums(queue.queues);
  }
}

}  // namespace

std::shared_ptr<Settings> draw_settings(Dice& dice) {
  auto settings = std::make_shared<Settings>();
  settings->policy = dice.chance(50) ? "capacity" : "fair";
  settings->heartbeat.interval_ms = 3000;
  settings->queues = draw_tree(dice);
  draw_family(dice, settings->queues);
  settings->policies["capacity"] = draw_capacity(dice);
  settings->policies["fair"] = draw_fair(dice);
  return settings;
}

void draw_speculation(Dice& dice, Settings& settings) {
  SpeculationSettings& speculation = settings.speculation;
  speculation = {};
  if (dice.chance(50)) return;
  for (bool& on : speculation.on) on = dice.chance(80);
  speculation.after_ms = dice.chance(15) ? 0 : dice.between(1, 15) * 1000;
  speculation.lag_millionths = dice.below(400'001);
}

std::shared_ptr<Settings> redraw_settings(Dice& dice, const Settings& before) {
  auto settings = std::make_shared<Settings>(before);
  const bool pools = dice.chance(50);
  if (pools) settings->policies["fair"] = redraw_fair(dice, fair_section(before));
  if (pools && dice.chance(60)) return settings;
  if (dice.chance(20)) settings->queues = draw_tree(dice);
  if (dice.chance(80)) draw_family(dice, settings->queues);
  if (dice.chance(50)) settings->policies["capacity"] = draw_capacity(dice);
  return settings;
}

std::shared_ptr<Settings> without_maximums(const Settings& before) {
  auto settings = std::make_shared<Settings>(before);
  lift_maximums(settings->queues);
  settings->policies["fair"] = without_maximums(fair_section(before));
  return settings;
}

}  // namespace weir
