#include "fair/shares.h"

#include <algorithm>

namespace weir {
namespace {

constexpr std::int64_t kLargestWeight = std::int64_t{1} << 50;  // products stay below 2^127

// A claimant as the computation sees it, nothing above what there is. Billionths of a slot are
// enough to see where r is, and between which turns; what comes of it is finer.
struct Bounds {
  Share least = 0;            // what it gets however small r is
  std::int64_t minimum = 0;   // in slots, also above what there is: minimums scale by these
  std::int64_t most_slots = 0;
  Share most = 0;
  std::int64_t weight = 0;
};

// Where a claimant's share as a function of r changes its course: it leaves its least at
// r = least / weight and stays at its most from r = most / weight on.
struct Turn {
  Share share = 0;
  std::int64_t weight = 1;
  std::uint32_t claimant = 0;
  bool leaves_least = false;
};

// Strict; no two turns are alike.
bool comes_first(const Turn& a, const Turn& b) {
  if (a.weight == b.weight) {
    if (a.share != b.share) return a.share < b.share;
  } else {
    const Int128 left = Int128(a.share) * b.weight;
    const Int128 right = Int128(b.share) * a.weight;
    if (left != right) return left < right;
  }
  if (a.claimant != b.claimant) return a.claimant < b.claimant;
  return a.leaves_least && !b.leaves_least;
}

std::vector<Bounds> bounds_of(Share total, const std::vector<ShareClaimant>& claimants) {
  std::int64_t heaviest = 0;
  for (const ShareClaimant& c : claimants) heaviest = std::max(heaviest, c.weight);
  int shift = 0;
  while ((heaviest >> shift) > kLargestWeight) ++shift;
  const auto up_to_total = [total](std::int64_t slots) {
    return slots > total / kWholeSlot ? total : share_of_slots(std::max<std::int64_t>(slots, 0));
  };
  std::vector<Bounds> bounds;
  bounds.reserve(claimants.size());
  for (const ShareClaimant& c : claimants) {
    Bounds b;
    b.most_slots = std::clamp<std::int64_t>(std::min(c.demand, c.maximum), 0, kMostSlots);
    b.minimum = std::clamp<std::int64_t>(c.minimum, 0, b.most_slots);
    b.most = up_to_total(b.most_slots);
    b.least = up_to_total(b.minimum);
    if (c.weight > 0) b.weight = std::max<std::int64_t>(1, c.weight >> shift);
    bounds.push_back(b);
  }
  return bounds;
}

// a * b / c to the nearest, for a <= c.
Int128 part_of(Int128 a, Int128 b, Int128 c) {
  return a * (b / c) + (a * (b % c) + c / 2) / c;
}

FineShare fine(std::int64_t slots, FineShare total) {
  return std::min(slots * kFineSlot, total);
}

std::vector<FineShare> scaled_minimums(FineShare total, const std::vector<Bounds>& bounds,
                                       Int128 sum) {
  std::vector<FineShare> shares;
  shares.reserve(bounds.size());
  for (const Bounds& b : bounds) shares.push_back(part_of(b.minimum, total, sum));
  return shares;
}

std::vector<Turn> turns_of(const std::vector<Bounds>& bounds) {
  std::vector<Turn> turns;
  turns.reserve(2 * bounds.size());
  for (std::uint32_t i = 0; i < bounds.size(); ++i) {
    const Bounds& b = bounds[i];
    if (b.weight == 0 || b.most == b.least) continue;
    turns.push_back({b.least, b.weight, i, true});
    turns.push_back({b.most, b.weight, i, false});
  }
  return turns;
}

// At ratio r the shares add up to `fixed` + r * `weight`, which changes at each turn.
struct Sum {
  Int128 fixed = 0;
  Int128 weight = 0;

  void pass(const Turn& turn) {
    fixed += turn.leaves_least ? -Int128(turn.share) : Int128(turn.share);
    weight += turn.leaves_least ? turn.weight : -turn.weight;
  }
  bool reaches(Share total, const Turn& turn) const {
    return fixed * turn.weight + turn.share * weight >= Int128(total) * turn.weight;
  }
};

const Turn& middle_of(const Turn& a, const Turn& b, const Turn& c) {
  if (comes_first(b, a)) return middle_of(b, a, c);
  if (comes_first(c, a)) return a;
  return comes_first(c, b) ? c : b;
}

// Passes the turns at which the sum is still below the total, calling `passed` for each; returns
// the sum then. It grows with r, so it is a search: each round splits what is left of the turns and
// goes on with one side, O(n) in all where sorting them would be O(n log n).
template <class Passed>
Sum pass_turns(std::vector<Turn> turns, Share total, Sum sum, Passed passed) {
  auto begin = turns.begin();
  auto end = turns.end();
  while (begin != end) {
    const Turn pivot = middle_of(*begin, *(begin + (end - begin) / 2), *(end - 1));
    const auto after =
        std::partition(begin, end, [&](const Turn& turn) { return comes_first(turn, pivot); });
    Sum before_pivot = sum;
    for (auto turn = begin; turn != after; ++turn) before_pivot.pass(*turn);
    if (before_pivot.reaches(total, pivot)) {
      end = after;
      continue;
    }
    sum = before_pivot;
    sum.pass(pivot);
    std::for_each(begin, after, passed);
    passed(pivot);
    begin = std::partition(after, end, [&](const Turn& turn) { return !comes_first(pivot, turn); });
  }
  return sum;
}

// Who rises with r at the r that is right: whoever has left its least and is not at its most.
struct Rising {
  std::vector<bool> left;
  std::vector<bool> full;
  bool operator()(std::size_t i) const { return left[i] && !full[i]; }
};

Rising find_rising(Share total, const std::vector<Bounds>& bounds) {
  Rising rising{std::vector<bool>(bounds.size()), std::vector<bool>(bounds.size())};
  Int128 least = 0;
  for (const Bounds& b : bounds) least += b.least;
  pass_turns(turns_of(bounds), total, {.fixed = least}, [&](const Turn& turn) {
    (turn.leaves_least ? rising.left : rising.full)[turn.claimant] = true;
  });
  return rising;
}

}  // namespace

std::vector<FineShare> fine_shares(FineShare total, const std::vector<ShareClaimant>& claimants) {
  total = std::max<FineShare>(total, 0);
  const std::vector<Bounds> bounds = bounds_of(coarse(total), claimants);
  Int128 minimums = 0;
  FineShare least = 0;
  FineShare most = 0;
  for (const Bounds& b : bounds) {
    minimums += b.minimum;
    least += fine(b.minimum, total);
    most += fine(b.most_slots, total);
  }
  if (least > total) return scaled_minimums(total, bounds, minimums);
  std::vector<FineShare> shares;
  shares.reserve(bounds.size());
  if (most <= total) {
    for (const Bounds& b : bounds) shares.push_back(fine(b.most_slots, total));
    return shares;
  }
  const Rising rising = find_rising(coarse(total), bounds);
  FineShare left = total;
  Int128 weight = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Bounds& b = bounds[i];
    shares.push_back(fine(rising.full[i] ? b.most_slots : b.minimum, total));
    if (rising(i)) {
      weight += b.weight;
    } else {
      left -= shares[i];
    }
  }
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!rising(i)) continue;
    const FineShare share = part_of(bounds[i].weight, left, weight);
    shares[i] = std::clamp(share, shares[i], fine(bounds[i].most_slots, total));
  }
  return shares;
}

std::vector<Share> fair_shares(Share total, const std::vector<ShareClaimant>& claimants) {
  std::vector<Share> shares;
  shares.reserve(claimants.size());
  for (const FineShare share : fine_shares(total * kFinePart, claimants)) {
    shares.push_back(coarse(share));
  }
  return shares;
}

std::string share_text(Share share) {
  const std::int64_t shown = thousandths(share);
  std::string text = std::to_string(shown / 1000);
  if (shown % 1000 == 0) return text;
  std::string decimals = std::to_string(1000 + shown % 1000).substr(1);
  while (decimals.back() == '0') decimals.pop_back();
  return text + "." + decimals;
}

}  // namespace weir
