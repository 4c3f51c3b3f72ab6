#include "capacity/service_order.h"

#include "capacity/capacity_arithmetic.h"
#include "jobqueue/model/check.h"

namespace weir {
namespace {

ServiceStep step_of(const QueueLine& line, std::int64_t first_width) {
  const std::int64_t then = line.facts.running + first_width;
  if (line.facts.running < line.kept() && then <= line.guaranteed) {
    return ServiceStep::kBelowGuarantee;
  }
  return then <= line.allocated ? ServiceStep::kBelowAllocation : ServiceStep::kBelowMaximum;
}

}  // namespace

bool operator<(const ServiceKey& a, const ServiceKey& b) {
  if (a.step != b.step) return a.step < b.step;
  if ((a.share == 0) != (b.share == 0)) return b.share == 0;
  if (a.share != 0) {
    const Int128 left = Int128(a.running) * b.share;
    const Int128 right = Int128(b.running) * a.share;
    if (left != right) return left < right;
  }
  if (a.step == ServiceStep::kBelowMaximum && a.running != b.running) return a.running < b.running;
  return a.place < b.place;
}

ServiceOrder::ServiceOrder(const QueueTree& tree)
    : tree_(tree), families_(tree.size()), standings_(tree.size()), places_(tree.size(), 0) {
  for (const QueueTree::Node& node : tree.nodes()) {
    if (node.leaf()) continue;
    const std::size_t parent = static_cast<std::size_t>(&node - tree.nodes().data());
    families_[parent].entries.resize(2 * node.children.size() + 1);
    for (std::uint32_t i = 0; i < node.children.size(); ++i) {
      places_[node.children[i].index()] = i;
    }
  }
}

void ServiceOrder::update(QueueId queue, const QueueLine& line, std::int64_t first_width,
                          std::uint64_t last_served) {
  const QueueId parent = tree_.parent(queue);
  if (!parent.valid()) return;
  Family& family = families_[parent.index()];
  Standing& standing = standings_[queue.index()];
  const std::uint32_t place = places_[queue.index()];
  std::optional<ServiceKey> main;
  std::optional<ServiceKey> behind;
  const std::int64_t running = line.facts.running;
  const bool has_room = running + first_width <= line.maximum;
  if (line.facts.pending > 0 && !line.under_one_slot && has_room) {
    const ServiceKey last{running, line.weight, place, ServiceStep::kBelowMaximum};
    const ServiceStep step = step_of(line, first_width);
    main = last;
    if (step == ServiceStep::kBelowGuarantee) main = {running, line.weight, place, step};
    if (step == ServiceStep::kBelowAllocation) main = {running, line.allocated, place, step};
    if (step != ServiceStep::kBelowMaximum && line.facts.wide_jobs > 0) behind = last;
  }
  // Equal keys must not meet: what goes, goes first.
  const std::size_t at = 2 * std::size_t{place};
  if (!behind) set(family.entries, at + 1, behind);
  set(family.entries, at, main);
  if (behind) set(family.entries, at + 1, behind);
  update_turn(family, standing, place, line, first_width, last_served);
}

void ServiceOrder::update_turn(Family& family, Standing& standing, std::uint32_t place,
                               const QueueLine& line, std::int64_t first_width,
                               std::uint64_t last_served) {
  const bool small = line.under_one_slot;
  if (!small && family.small == 0) return;
  const bool said = standing.says_something();
  const std::int64_t running = small ? line.facts.running : 0;
  const std::int64_t weight = small ? line.weight : 0;
  family.turns_running += running - standing.turns_running;
  family.turns_weight += weight - standing.turns_weight;
  standing.turns_running = running;
  standing.turns_weight = weight;
  if (standing.turn) family.turns.erase({*standing.turn, place});
  standing.turn.reset();
  if (small && line.facts.pending > 0 && running + first_width <= line.maximum) {
    standing.turn = last_served;
    family.turns.insert({last_served, place});
  }
  family.small += standing.says_something() ? 1 : 0;
  family.small -= said ? 1 : 0;
  std::optional<ServiceKey> entry;
  if (!family.turns.empty()) {
    entry = {family.turns_running, family.turns_weight, kTurns, ServiceStep::kBelowMaximum};
  }
  set(family.entries, family.entries.places() - 1, entry);
}

void ServiceOrder::set(WinnerTree<ServiceKey>& entries, std::size_t place,
                       const std::optional<ServiceKey>& now) {
  const ServiceKey* old = entries.at(place);
  if (!now) {
    if (old != nullptr) entries.clear(static_cast<std::uint32_t>(place));
    return;
  }
  if (old != nullptr && !(*old < *now) && !(*now < *old)) return;
  entries.set(static_cast<std::uint32_t>(place), *now);
}

}  // namespace weir
