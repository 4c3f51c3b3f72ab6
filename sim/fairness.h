// How evenly slots are shared: shares by water-filling, and Jain's index of what each has of its
// share. 1 is exactly max-min fair, 1/n is one who has all. For reports only: doubles. Pure
// functions.
#pragma once

#include <vector>

namespace weir {

struct Claimant {
  double demand = 0;
  double weight = 1;
  double has = 0;
};

// What max-min fairness gives each of `total`, by weight, none more than its demand.
std::vector<double> water_fill(const std::vector<Claimant>& claimants, double total);
// Jain's index of has / share, the total being what all have; 1 where fewer than two want anything.
double jain_index(const std::vector<Claimant>& claimants);

}  // namespace weir
