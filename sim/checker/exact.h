// Exact arithmetic of the checker: rationals of any size, shares by largest remainder,
// water-filling by definition. Written for reading, not for speed: it is what the policies' fast
// arithmetic is held against, so it shares nothing with them. Pure functions, any thread.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <vector>

namespace weir::check {

using Rational = boost::multiprecision::cpp_rational;

std::int64_t floor_of(const Rational& r);  // r >= 0
std::int64_t ceil_of(const Rational& r);   // r >= 0

// Rounds parts whose sum is a whole number: each down, then one more, in order of the largest
// remainder, ties in the order given, until the sum is right again.
std::vector<std::int64_t> round_by_largest_remainder(const std::vector<Rational>& parts,
                                                     std::int64_t total);
std::vector<std::int64_t> round_by_largest_remainder(const std::vector<Rational>& parts);

// `total` in proportion to the weights, rounded as above; weights that are all 0 count as equal.
std::vector<std::int64_t> share_out(std::int64_t total, const std::vector<Rational>& weights);

struct Bowl {
  Rational cap;     // takes no more
  Rational weight;  // rises this fast; 0 takes nothing
};
// Pours `amount` into the bowls: all rise together, each as fast as its weight, until it is full;
// what does not fit is not poured.
std::vector<Rational> pour(Rational amount, const std::vector<Bowl>& bowls);

}  // namespace weir::check
