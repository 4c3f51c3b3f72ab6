#include "capacity/guarantees.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <numeric>

#include "capacity/capacity_arithmetic.h"

namespace weir {
namespace {

using Exact = boost::multiprecision::cpp_rational;  // a deep tree multiplies many percentages

std::vector<std::int64_t> weights_of(const QueueTree& tree, QueueId parent, TaskKind kind) {
  std::vector<Guarantee> guarantees;
  for (const QueueId child : tree.node(parent).children) {
    guarantees.push_back(tree.node(child).settings.guaranteed[index(kind)]);
  }
  return sibling_weights(guarantees);
}

// The smallest whole total of which `share` is at least one slot.
std::int64_t one_slot_from(const Exact& share) {
  if (share == 0) return INT64_MAX;
  const auto num = boost::multiprecision::numerator(share);
  const auto den = boost::multiprecision::denominator(share);
  const boost::multiprecision::cpp_int total = (den + num - 1) / num;
  return total > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(total);
}

}  // namespace

std::vector<QueueShare> exact_shares(const QueueTree& tree, TaskKind kind) {
  std::vector<QueueShare> shares(tree.size());
  std::vector<Exact> exact(tree.size(), Exact(1));
  for (std::size_t q = 0; q < tree.size(); ++q) {  // parents come before their children
    const auto weights = weights_of(tree, QueueId(q), kind);
    const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::size_t child = tree.nodes()[q].children[i].index();
      exact[child] = exact[q] * Exact(weights[i], sum);
      // A share of nothing is nothing, whatever its ratio among siblings.
      shares[child].weight = exact[child] == 0 ? 0 : weights[i];
      shares[child].one_slot_from = one_slot_from(exact[child]);
    }
  }
  return shares;
}

std::vector<std::int64_t> guaranteed_slots(const QueueTree& tree, TaskKind kind,
                                           std::int64_t total) {
  std::vector<std::int64_t> slots(tree.size(), 0);
  slots[QueueTree::root().index()] = total;
  for (std::size_t q = 0; q < tree.size(); ++q) {
    const auto& children = tree.nodes()[q].children;
    const auto parts = largest_remainder(slots[q], weights_of(tree, QueueId(q), kind));
    for (std::size_t i = 0; i < children.size(); ++i) slots[children[i].index()] = parts[i];
  }
  return slots;
}

std::vector<std::int64_t> maximum_slots(const QueueTree& tree, std::int64_t total,
                                        const std::vector<std::int64_t>& guaranteed) {
  std::vector<std::int64_t> maximum(tree.size(), total);
  for (std::size_t q = 1; q < tree.size(); ++q) {
    const QueueTree::Node& node = tree.nodes()[q];
    maximum[q] = maximum_slots(node.settings.maximum_hundredths, maximum[node.parent.index()],
                               guaranteed[q]);
  }
  return maximum;
}

}  // namespace weir
