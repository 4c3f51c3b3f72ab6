#include "jobqueue/model/queue_guarantees.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <numeric>

namespace weir {

// Behind a pointer, so that what reads guarantees does not compile Boost's numbers.
struct ExactFraction {
  boost::multiprecision::cpp_rational value;
};

namespace {

using Exact = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;

Exact of_cluster(const QueueShare& share) {
  return share.exact ? share.exact->value : Exact(share.numerator, share.denominator);
}

std::vector<std::int64_t> weights_of(const QueueTree& tree, QueueId parent, Dimension d) {
  std::vector<Guarantee> guarantees;
  for (const QueueId child : tree.node(parent).children) {
    guarantees.push_back(tree.node(child).settings.guaranteed[d.place()]);
  }
  return sibling_weights(guarantees);
}

constexpr std::int64_t kMost62Bits = (std::int64_t{1} << 62) - 1;

// The smallest whole total of which `share` is at least one slot.
std::int64_t one_slot_from(const Exact& share) {
  if (share == 0) return INT64_MAX;
  const Integer num = numerator(share);
  const Integer den = denominator(share);
  const Integer total = (den + num - 1) / num;
  return total > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(total);
}

// What of a total is a queue's: whole slots, and the remainder as a fraction.
struct SmallPart {
  std::int64_t whole = 0, rest = 0, of = 1;
  SmallPart(const QueueShare& share, std::int64_t total) : of(share.denominator) {
    const Int128 product = Int128(share.numerator) * total;
    whole = static_cast<std::int64_t>(product / of);
    rest = static_cast<std::int64_t>(product % of);
  }
  bool leaves_more_than(const SmallPart& b) const {
    return Int128(rest) * b.of > Int128(b.rest) * of;
  }
};
struct ExactPart {
  std::int64_t whole = 0;
  Exact rest;
  ExactPart(const QueueShare& share, std::int64_t total) {
    const Exact g = of_cluster(share);
    const Integer of = denominator(g);
    Integer quotient, remainder;
    divide_qr(Integer(numerator(g) * total), of, quotient, remainder);
    whole = static_cast<std::int64_t>(quotient);
    rest = Exact(remainder, of);
  }
  bool leaves_more_than(const ExactPart& b) const { return rest > b.rest; }
};

// GC of the children of a queue that has `available`.
template <class Part>
void round_children(const std::vector<QueueId>& children, const std::vector<QueueShare>& shares,
                    std::int64_t total, std::int64_t available, std::vector<std::int64_t>& slots) {
  std::vector<Part> parts;
  std::vector<std::size_t> order;
  for (const QueueId child : children) {
    order.push_back(parts.size());
    parts.emplace_back(shares[child.index()], total);
    slots[child.index()] = parts.back().whole;
    available -= parts.back().whole;
  }
  if (children.empty() || available <= 0) return;
  const auto comes_before = [&](std::size_t a, std::size_t b) {
    if (parts[a].leaves_more_than(parts[b])) return true;
    return !parts[b].leaves_more_than(parts[a]) && a < b;
  };
  std::nth_element(order.begin(), order.begin() + (available - 1), order.end(), comes_before);
  for (std::int64_t k = 0; k < available; ++k) {
    ++slots[children[order[static_cast<std::size_t>(k)]].index()];
  }
}

}  // namespace

std::vector<std::int64_t> largest_remainder(std::int64_t total,
                                            const std::vector<std::int64_t>& weights) {
  std::vector<std::int64_t> parts(weights.size(), 0);
  if (weights.empty()) return parts;
  Int128 sum = 0;
  for (const std::int64_t w : weights) sum += w;
  const bool equal = sum == 0;
  if (equal) sum = static_cast<Int128>(weights.size());
  std::vector<std::pair<Int128, std::size_t>> remainders;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Int128 product = Int128(total) * (equal ? 1 : weights[i]);
    parts[i] = static_cast<std::int64_t>(product / sum);
    given += parts[i];
    remainders.emplace_back(-(product % sum), i);  // negated: the largest sorts first, then order
  }
  const auto missing = static_cast<std::size_t>(total - given);
  if (missing == 0) return parts;
  std::nth_element(remainders.begin(),
                   remainders.begin() + static_cast<std::ptrdiff_t>(missing - 1), remainders.end());
  for (std::size_t k = 0; k < missing; ++k) ++parts[remainders[k].second];
  return parts;
}

std::vector<std::int64_t> sibling_weights(const std::vector<Guarantee>& siblings) {
  std::int64_t unset = 0;
  std::int64_t said = 0;
  bool slots = false;
  for (const Guarantee& g : siblings) {
    if (g.unit == Guarantee::Unit::kUnset) ++unset;
    if (g.unit == Guarantee::Unit::kPercent) said += g.amount;
    if (g.unit == Guarantee::Unit::kSlots) slots = true;
  }
  // Percentages are scaled by the number of those that share the rest, so that all are integers.
  const std::int64_t scale = slots ? 1 : std::max<std::int64_t>(unset, 1);
  const std::int64_t rest = slots ? 0 : std::max<std::int64_t>(kWholeInHundredths - said, 0);
  std::vector<std::int64_t> weights;
  for (const Guarantee& g : siblings) {
    weights.push_back(g.unit == Guarantee::Unit::kUnset ? rest : g.amount * scale);
  }
  const bool all_zero = std::all_of(weights.begin(), weights.end(), [](auto w) { return w == 0; });
  if (all_zero) weights.assign(weights.size(), 1);
  return weights;
}

std::int64_t maximum_slots(std::optional<std::int64_t> maximum_hundredths,
                           std::int64_t parent_maximum, std::int64_t guaranteed) {
  const Int128 part =
      Int128(parent_maximum) * maximum_hundredths.value_or(kWholeInHundredths) / kWholeInHundredths;
  return std::max({static_cast<std::int64_t>(part), guaranteed, std::int64_t{1}});
}

std::vector<QueueShare> exact_shares(const QueueTree& tree, Dimension dimension) {
  std::vector<QueueShare> shares(tree.size());
  for (std::size_t q = 0; q < tree.size(); ++q) {  // parents come before their children
    const auto weights = weights_of(tree, QueueId(q), dimension);
    const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::size_t child = tree.nodes()[q].children[i].index();
      const Exact g = of_cluster(shares[q]) * Exact(weights[i], sum);
      QueueShare& share = shares[child];
      const bool small = denominator(g) <= kMost62Bits;
      share.numerator = small ? static_cast<std::int64_t>(numerator(g)) : 0;
      share.denominator = small ? static_cast<std::int64_t>(denominator(g)) : 0;
      if (!small) share.exact = std::make_shared<const ExactFraction>(ExactFraction{g});
      // A share of nothing is nothing, whatever its ratio among siblings.
      share.weight = g == 0 ? 0 : weights[i];
      share.one_slot_from = one_slot_from(g);
    }
  }
  return shares;
}

std::vector<std::int64_t> guaranteed_slots(const QueueTree& tree,
                                           const std::vector<QueueShare>& shares,
                                           std::int64_t total) {
  std::vector<std::int64_t> slots(tree.size(), 0);
  slots[QueueTree::root().index()] = total;
  for (std::size_t q = 0; q < tree.size(); ++q) {
    const auto& children = tree.nodes()[q].children;
    const bool small = std::all_of(children.begin(), children.end(), [&](QueueId child) {
      return shares[child.index()].denominator > 0;
    });
    if (small) {
      round_children<SmallPart>(children, shares, total, slots[q], slots);
    } else {
      round_children<ExactPart>(children, shares, total, slots[q], slots);
    }
  }
  return slots;
}

std::vector<std::int64_t> guaranteed_slots(const QueueTree& tree, Dimension dimension,
                                           std::int64_t total) {
  return guaranteed_slots(tree, exact_shares(tree, dimension), total);
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
