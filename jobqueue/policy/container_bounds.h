// The one rule for bounds, where containers count (containers.md, section 3): a task is within a
// bound of a queue if what runs and the task are, wherever it takes something; the queue is short
// of the bound for it if what runs alone is below it there. Slots are the case of one dimension.
// Pure functions, any thread.
#pragma once

#include <compare>
#include <cstdint>

#include "jobqueue/model/per_dimension.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/share.h"
#include "jobqueue/model/space.h"

namespace weir {

using Amounts = PerDimension<std::int64_t>;

inline bool within(const Space& space, const Amounts& run, const Resources& task,
                   const Amounts& bound) {
  for (const Dimension d : space.dimensions()) {
    if (task[d] > 0 && run[d] + task[d] > bound[d]) return false;
  }
  return true;
}

inline bool is_short(const Space& space, const Amounts& run, const Resources& task,
                     const Amounts& bound) {
  for (const Dimension d : space.dimensions()) {
    if (task[d] > 0 && run[d] >= bound[d]) return false;
  }
  return true;
}

// In one dimension more, in none less.
inline bool is_larger(const Space& space, const Resources& a, const Resources& b) {
  bool more = false;
  for (const Dimension d : space.dimensions()) {
    if (a[d] < b[d]) return false;
    more = more || a[d] > b[d];
  }
  return more;
}

inline Amounts plus(const Space& space, Amounts run, const Resources& task) {
  for (const Dimension d : space.dimensions()) run[d] += task[d];
  return run;
}
inline Amounts minus(const Space& space, Amounts run, const Resources& task) {
  for (const Dimension d : space.dimensions()) run[d] -= task[d];
  return run;
}

// A number, below 2^60, that orders quotients as they are, but for those that it does not tell
// apart: it is the quotient times 2^32, rounded down.
inline std::uint64_t coarse_quotient(std::int64_t part, Int128 whole) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 60) - 1;
  if (whole == 0) return part > 0 ? kMost : 0;
  if (part < 0) return 0;
  if (part >> 31 == 0 && whole <= INT64_MAX)
    return std::min(kMost, (static_cast<std::uint64_t>(part) << 32) /
                               static_cast<std::uint64_t>(whole));
  return static_cast<std::uint64_t>(std::min(Int128(kMost), (Int128(part) << 32) / whole));
}

// A part of something: RUN of a guarantee. 0/0 is 0, x/0 is more than anything else.
struct Fraction {
  std::int64_t part = 0, whole = 1;
  friend std::weak_ordering operator<=>(const Fraction& a, const Fraction& b) {
    if (a.whole == 0 || b.whole == 0) return a.part_of_nothing() <=> b.part_of_nothing();
    if (a.whole == b.whole) return a.part <=> b.part;
    return Int128(a.part) * b.whole <=> Int128(b.part) * a.whole;
  }
  friend std::uint64_t coarse(const Fraction& f) { return coarse_quotient(f.part, f.whole); }

 private:
  int part_of_nothing() const { return whole == 0 && part > 0 ? 1 : 0; }
};

// The largest of run/of over the dimensions of which the cluster has anything.
inline Fraction dominant(const Space& space, const Amounts& run, const Amounts& of,
                         const Resources& cluster) {
  Fraction most{0, 1};
  for (const Dimension d : space.dimensions()) {
    if (cluster[d] == 0) continue;
    const Fraction here{run[d], of[d]};
    if (most < here) most = here;
  }
  return most;
}

}  // namespace weir
