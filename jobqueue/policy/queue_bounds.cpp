#include "jobqueue/policy/queue_bounds.h"

#include <algorithm>

namespace weir {
namespace {

// A percentage of `whole`, rounded down, or the amount itself.
std::int64_t part_of(const Guarantee& part, std::int64_t whole) {
  if (part.unit != Guarantee::Unit::kPercent) return part.amount;
  return static_cast<std::int64_t>(Int128(whole) * part.amount / kWholeInHundredths);
}

}  // namespace

std::int64_t kept_amount(const QueueSettings& queue, Dimension dimension, std::int64_t guaranteed) {
  if (!queue.lend) return 0;
  const Guarantee& lent = (*queue.lend)[dimension];
  if (lent.unit == Guarantee::Unit::kUnset) return 0;
  if (lent.unit != Guarantee::Unit::kPercent)
    return std::max<std::int64_t>(0, guaranteed - lent.amount);
  return guaranteed - part_of(lent, guaranteed);
}

std::vector<std::int64_t> maximum_amounts(const QueueTree& tree, Dimension dimension,
                                          std::int64_t total,
                                          const std::vector<std::int64_t>& guaranteed) {
  std::vector<std::int64_t> maximum(tree.size(), total);
  for (std::size_t q = 1; q < tree.size(); ++q) {
    const QueueTree::Node& node = tree.nodes()[q];
    const QueueSettings& settings = node.settings;
    const std::size_t parent = node.parent.index();
    std::int64_t most = maximum[parent];
    if (settings.maximum_hundredths)
      most = part_of({Guarantee::Unit::kPercent, *settings.maximum_hundredths}, most);
    if (settings.maximum && (*settings.maximum)[dimension].unit != Guarantee::Unit::kUnset)
      most = part_of((*settings.maximum)[dimension], maximum[parent]);
    if (settings.borrow && (*settings.borrow)[dimension].unit != Guarantee::Unit::kUnset) {
      const std::int64_t borrowed = part_of((*settings.borrow)[dimension], guaranteed[parent]);
      most = std::min(most, guaranteed[q] + borrowed);
    }
    maximum[q] = std::max(std::min(most, maximum[parent]), guaranteed[q]);
  }
  return maximum;
}

QueueBounds::QueueBounds(const QueueTree& tree, const Space& space, const Resources& total)
    : tree_(tree), space_(space), of_(tree.size()) {
  for (const Dimension d : space.dimensions()) shares_.push_back(exact_shares(tree, d));
  for (std::size_t q = 1; q < tree.size(); ++q) {
    const QueueSettings& settings = tree.nodes()[q].settings;
    of_[q].has_maximum =
        settings.maximum_hundredths.has_value() || settings.maximum || settings.borrow;
  }
  resize(total);
}

void QueueBounds::resize(const Resources& total) {
  any_keeps_ = false;
  for (const Dimension d : space_.dimensions()) {
    const auto guaranteed = guaranteed_slots(tree_, shares_[d.place()], total[d]);
    const auto maximum = maximum_amounts(tree_, d, total[d], guaranteed);
    for (std::size_t q = 0; q < of_.size(); ++q) {
      of_[q].guaranteed[d] = guaranteed[q];
      of_[q].maximum[d] = maximum[q];
      of_[q].keep[d] = q == 0 ? 0 : kept_amount(tree_.nodes()[q].settings, d, guaranteed[q]);
      any_keeps_ = any_keeps_ || of_[q].keep[d] > 0;
    }
  }
}

// --- Guarantees that are not lent ---

std::optional<KeptRoom> room_kept_by_queues(const ClusterState& state, const QueueBounds& bounds,
                                            KeptRoom::Stands stands,
                                            KeptRoom::ComesBefore comes_before) {
  if (!bounds.any_keeps()) return std::nullopt;
  const QueueTree& tree = state.tree();
  std::vector<KeptAmounts::Keeper> keepers(1);
  std::vector<std::size_t> children_first;
  for (std::size_t q = 1; q < tree.size(); ++q) {  // parents come before their children
    const QueueId queue(q);
    keepers.push_back({tree.parent(queue).index(), bounds.keep(queue), state.queue(queue).running});
    children_first.push_back(tree.size() - q);
  }
  KeptAmounts amounts(state, std::move(keepers), children_first,
                      [](const Job& job) { return job.queue.index(); });
  return KeptRoom(std::move(amounts), state, std::move(stands), std::move(comes_before));
}

}  // namespace weir
