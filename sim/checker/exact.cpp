#include "sim/checker/exact.h"

#include <algorithm>
#include <numeric>

namespace weir::check {

std::int64_t floor_of(const Rational& r) {
  return static_cast<std::int64_t>(numerator(r) / denominator(r));
}

std::int64_t ceil_of(const Rational& r) {
  const std::int64_t down = floor_of(r);
  return Rational(down) == r ? down : down + 1;
}

std::vector<std::int64_t> round_by_largest_remainder(const std::vector<Rational>& parts,
                                                     std::int64_t total) {
  std::vector<std::int64_t> rounded;
  for (const Rational& part : parts) rounded.push_back(floor_of(part));
  std::int64_t missing = total - std::reduce(rounded.begin(), rounded.end());
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts[a] - rounded[a] > parts[b] - rounded[b];
  });
  for (const std::size_t i : order) {
    if (missing == 0) break;
    ++rounded[i];
    --missing;
  }
  return rounded;
}

std::vector<std::int64_t> round_by_largest_remainder(const std::vector<Rational>& parts) {
  return round_by_largest_remainder(parts,
                                    floor_of(std::reduce(parts.begin(), parts.end(), Rational(0))));
}

std::vector<std::int64_t> share_out(std::int64_t total, const std::vector<Rational>& weights) {
  Rational sum = 0;
  for (const Rational& weight : weights) sum += weight;
  std::vector<Rational> parts;
  for (const Rational& weight : weights) {
    parts.push_back(sum == 0 ? Rational(total, static_cast<std::int64_t>(weights.size()))
                             : Rational(total) * weight / sum);
  }
  return round_by_largest_remainder(parts);
}

std::vector<Rational> pour(Rational amount, const std::vector<Bowl>& bowls) {
  std::vector<Rational> filled(bowls.size(), Rational(0));
  std::vector<bool> full(bowls.size(), false);
  while (amount > 0) {
    Rational weights = 0;
    for (std::size_t i = 0; i < bowls.size(); ++i) {
      if (!full[i]) weights += bowls[i].weight;
    }
    if (weights == 0) return filled;  // all are full
    // How high the level would rise; whoever is full before that takes his cap and is out.
    const Rational level = amount / weights;
    bool someone_is_full = false;
    for (std::size_t i = 0; i < bowls.size(); ++i) {
      if (full[i] || bowls[i].weight == 0 || bowls[i].cap > bowls[i].weight * level) continue;
      full[i] = someone_is_full = true;
      filled[i] = bowls[i].cap;
      amount -= bowls[i].cap;
    }
    if (someone_is_full) continue;
    for (std::size_t i = 0; i < bowls.size(); ++i) {
      if (!full[i]) filled[i] = bowls[i].weight * level;
    }
    return filled;
  }
  return filled;
}

}  // namespace weir::check
