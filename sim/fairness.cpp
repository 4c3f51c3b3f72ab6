#include "sim/fairness.h"

#include <algorithm>
#include <numeric>

namespace weir {

std::vector<double> water_fill(const std::vector<Claimant>& claimants, double total) {
  std::vector<std::size_t> order(claimants.size());
  std::iota(order.begin(), order.end(), 0);
  // Those satisfied at the lowest level come first.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double left = claimants[a].demand * claimants[b].weight;
    const double right = claimants[b].demand * claimants[a].weight;
    return left != right ? left < right : a < b;
  });
  double weights = 0;
  for (const Claimant& claimant : claimants) weights += claimant.weight;
  std::vector<double> shares(claimants.size(), 0);
  for (const std::size_t i : order) {
    const Claimant& claimant = claimants[i];
    if (weights <= 0) break;
    shares[i] = std::min(claimant.demand, total * claimant.weight / weights);
    total -= shares[i];
    weights -= claimant.weight;
  }
  return shares;
}

double jain_index(const std::vector<Claimant>& claimants) {
  double total = 0;
  for (const Claimant& claimant : claimants) total += claimant.has;
  const std::vector<double> shares = water_fill(claimants, total);
  double sum = 0;
  double squares = 0;
  int count = 0;
  for (std::size_t i = 0; i < claimants.size(); ++i) {
    if (shares[i] <= 0) continue;
    const double x = claimants[i].has / shares[i];
    sum += x;
    squares += x * x;
    ++count;
  }
  return count < 2 || squares <= 0 ? 1 : sum * sum / (count * squares);
}

}  // namespace weir
