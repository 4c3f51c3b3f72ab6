#include "fair/drf_shares.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <utility>

namespace weir {
namespace {

// Without a heap, and wide enough for the widest product below: a level (2^191) times a slope
// (2^243).
using Wide = boost::multiprecision::int512_t;

// A level is a dominant share, f * max(D/T), in 2^-128; a rate what a claimant gets of a dimension
// for a level of 1, in 2^-128 of a unit; so an amount, their product, is in 2^-256 of a unit.
constexpr int kLevelBits = 128;
constexpr int kAmountBits = 256;

struct Part {
  std::int64_t part = 0;
  std::int64_t of = 1;

  bool operator<(const Part& other) const {
    return Int128(part) * other.of < Int128(other.part) * of;
  }
};

struct Factors {
  Part lo{0, 1};
  Part hi{1, 1};
};

Factors factors_of(const DrfClaimant& claimant, const std::vector<std::size_t>& dimensions) {
  Factors factors;
  std::optional<Part> lo;
  for (const std::size_t d : dimensions) {
    const std::int64_t demand = claimant.demand[d];
    if (demand <= 0) continue;
    if (claimant.maximum[d]) {
      const Part hi{std::max<std::int64_t>(*claimant.maximum[d], 0), demand};
      factors.hi = std::min(factors.hi, hi);
    }
    if (claimant.minimum[d]) {
      const Part part{std::clamp<std::int64_t>(*claimant.minimum[d], 0, demand), demand};
      lo = lo ? std::min(*lo, part) : part;
    }
  }
  if (lo) factors.lo = std::min(*lo, factors.hi);
  return factors;
}

std::vector<std::size_t> counted_dimensions(const std::vector<std::int64_t>& total,
                                            std::size_t most) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < std::min(most, total.size()); ++d) {
    if (total[d] > 0) dimensions.push_back(d);
  }
  return dimensions;
}

// A claimant as the computation sees it.
struct Riser {
  bool takes_part = false;  // wants of some dimension that counts
  Part hi;              // of all it wants, for who takes no part
  Wide least, most, level;  // level: where it is once it has stopped
  std::vector<Wide> rate;   // by dimension
  bool rising = false;
  bool stopped = false;
};

// Where a riser leaves its least, or reaches its most: at x = level / weight.
struct RiserTurn {
  std::uint32_t riser = 0;
  bool leaves_least = false;
};

class Family {
 public:
  Family(const std::vector<std::int64_t>& total, const std::vector<Share>& divide,
         const std::vector<DrfClaimant>& claimants, Contested contested)
      : claimants_(claimants),
        total_(total),
        divide_(divide),
        dimensions_(counted_dimensions(total, contested == Contested::kFirst ? 1 : total.size())),
        full_(total.size()),
        fixed_(total.size()),
        slope_(total.size()) {
    for (const Share share : divide) there_is_.push_back((Wide(share) << kAmountBits) / kWholeSlot);
    risers_.reserve(claimants.size());
    for (const DrfClaimant& claimant : claimants) risers_.push_back(riser_of(claimant));
  }

  DrfShares deal() {
    scale_leasts();
    for (const Riser& riser : risers_) add_to(fixed_, riser, riser.least);
    rise();
    DrfShares shares{.of = {},
                     .full = std::vector<bool>(total_.size()),
                     .sum = std::vector<Int128>(total_.size())};
    shares.of.reserve(risers_.size());
    for (std::size_t i = 0; i < risers_.size(); ++i) shares.of.push_back(share_of(i));
    for (const std::vector<Share>& share : shares.of) {
      for (std::size_t d = 0; d < share.size(); ++d) shares.sum[d] += share[d];
    }
    for (const std::size_t d : dimensions_) shares.full[d] = is_given_out(shares.sum[d], d);
    return shares;
  }

 private:
  Riser riser_of(const DrfClaimant& claimant) const {
    const Factors factors = factors_of(claimant, dimensions_);
    Riser riser;
    riser.hi = factors.hi;
    std::size_t dominant = 0;
    for (const std::size_t d : dimensions_) {
      if (claimant.demand[d] <= 0) continue;
      if (!riser.takes_part || Int128(claimant.demand[dominant]) * total_[d] <
                                   Int128(claimant.demand[d]) * total_[dominant]) {
        dominant = d;
      }
      riser.takes_part = true;
    }
    if (!riser.takes_part) return riser;
    const Wide most_wanted = claimant.demand[dominant];
    const auto level = [&](const Part& f) {
      return Wide(((most_wanted * f.part) << kLevelBits) / (Wide(f.of) * total_[dominant]));
    };
    riser.least = level(factors.lo);
    riser.most = level(factors.hi);
    for (const std::int64_t demand : claimant.demand) {
      const Wide product = Wide(total_[dominant]) * std::max<std::int64_t>(demand, 0);
      riser.rate.push_back((product << (kAmountBits - kLevelBits)) / most_wanted);
    }
    return riser;
  }

  bool wants(const Riser& riser, std::size_t d) const {
    return riser.takes_part && riser.rate[d] > 0;
  }
  std::int64_t weight(std::size_t riser) const {
    return std::max<std::int64_t>(claimants_[riser].weight, 0);
  }
  void add_to(std::vector<Wide>& sums, const Riser& riser, const Wide& level) const {
    if (!riser.takes_part) return;
    for (const std::size_t d : dimensions_) sums[d] += level * riser.rate[d];
  }

  // All dimensions judge the unscaled minimums, so that no order of them matters.
  void scale_leasts() {
    std::vector<Wide> sums(total_.size());
    for (const Riser& riser : risers_) add_to(sums, riser, riser.least);
    for (Riser& riser : risers_) {
      const Wide unscaled = riser.least;
      for (const std::size_t d : dimensions_) {
        if (sums[d] <= there_is_[d] || !wants(riser, d)) continue;
        const Wide scaled = unscaled * there_is_[d] / sums[d];
        riser.least = std::min(riser.least, scaled);
      }
    }
  }

  const Wide& level_at(const RiserTurn& turn) const {
    const Riser& riser = risers_[turn.riser];
    return turn.leaves_least ? riser.least : riser.most;
  }

  std::vector<RiserTurn> turns_in_order() const {
    std::vector<RiserTurn> turns;
    for (std::uint32_t i = 0; i < risers_.size(); ++i) {
      const Riser& riser = risers_[i];
      if (!riser.takes_part || weight(i) == 0 || riser.least == riser.most) continue;
      turns.push_back({i, true});
      turns.push_back({i, false});
    }
    std::sort(turns.begin(), turns.end(), [this](const RiserTurn& a, const RiserTurn& b) {
      const Wide left = level_at(a) * weight(b.riser);
      const Wide right = level_at(b) * weight(a.riser);
      if (left != right) return left < right;
      return std::pair(a.riser, !a.leaves_least) < std::pair(b.riser, !b.leaves_least);
    });
    return turns;
  }

  // Where the first of the dimensions is full, if nobody turns before.
  std::optional<Wide> next_full() const {
    std::optional<Wide> next;
    for (const std::size_t d : dimensions_) {
      if (full_[d] || slope_[d] <= 0) continue;
      const Wide x =
          there_is_[d] > fixed_[d] ? Wide((there_is_[d] - fixed_[d]) / slope_[d]) : Wide();
      if (!next || x < *next) next = x;
    }
    return next;
  }

  bool all_full() const {
    return std::all_of(dimensions_.begin(), dimensions_.end(),
                       [this](std::size_t d) { return full_[d]; });
  }
  // Without a division; level and weight are those of one riser.
  bool fills_before(const Wide& level, std::int64_t weight) const {
    return std::any_of(dimensions_.begin(), dimensions_.end(), [&](std::size_t d) {
      return !full_[d] && slope_[d] > 0 &&
             slope_[d] * level > (there_is_[d] - fixed_[d]) * weight;
    });
  }

  // Dimensions that are full at x, to the last digits: all who want of them stop. One that just
  // misses it is full a hair later, with the same shares to the billionth.
  void fill(const Wide& x) {
    for (const std::size_t d : dimensions_) {
      if (full_[d] || fixed_[d] + slope_[d] * (x + 1) <= there_is_[d]) continue;
      full_[d] = true;
      for (std::size_t i = 0; i < risers_.size(); ++i) {
        if (wants(risers_[i], d)) stop(i, x);
      }
    }
  }

  void stop(std::size_t i, const Wide& x) {
    Riser& riser = risers_[i];
    if (std::exchange(riser.stopped, true)) return;
    riser.level = std::clamp(Wide(x * weight(i)), riser.least, riser.most);
    if (!std::exchange(riser.rising, false)) return;
    settle(i, riser.level);
  }

  // From rising to a level that is its own from now on.
  void settle(std::size_t i, const Wide& level) {
    add_to(slope_, risers_[i], Wide(-weight(i)));
    add_to(fixed_, risers_[i], level);
  }

  void pass(const RiserTurn& turn) {
    Riser& riser = risers_[turn.riser];
    if (riser.stopped) return;
    riser.rising = turn.leaves_least;
    if (turn.leaves_least) {
      add_to(slope_, riser, Wide(weight(turn.riser)));
      add_to(fixed_, riser, Wide(-riser.least));
    } else {
      settle(turn.riser, riser.most);
      riser.stopped = true;
      riser.level = riser.most;
    }
  }

  void rise() {
    fill(0);
    for (const RiserTurn& turn : turns_in_order()) {
      const Wide& level = level_at(turn);
      if (fills_before(level, weight(turn.riser))) {
        const Wide x = level / weight(turn.riser);
        for (auto next = next_full(); next && *next < x; next = next_full()) fill(*next);
        if (all_full()) break;  // nobody rises any more
      }
      pass(turn);
    }
    for (auto next = next_full(); next; next = next_full()) fill(*next);
    for (Riser& riser : risers_) {
      if (!riser.stopped) riser.level = riser.least;  // no weight, or nothing between its bounds
    }
  }

  std::vector<Share> share_of(std::size_t i) const {
    const Riser& riser = risers_[i];
    std::vector<Share> share(total_.size());
    for (std::size_t d = 0; d < total_.size(); ++d) {
      Wide billionths;
      if (riser.takes_part) {
        // By way of the nearest 10^-12, so that a share of 2 is 2.
        billionths = riser.level * riser.rate[d] * kWholeSlot * 1000;
        billionths = (billionths + (Wide(1) << (kAmountBits - 1))) >> kAmountBits;
        billionths /= 1000;
      } else {
        const Wide wanted = std::max<std::int64_t>(claimants_[i].demand[d], 0);
        billionths = wanted * riser.hi.part * kWholeSlot / riser.hi.of;
      }
      share[d] = std::min(billionths, Wide(divide_[d])).convert_to<Share>();
    }
    return share;
  }

  bool is_given_out(Int128 sum, std::size_t d) const {
    const bool wanted = std::any_of(risers_.begin(), risers_.end(),
                                    [&](const Riser& riser) { return wants(riser, d); });
    // Each share is short of what is exact by a billionth at the most.
    return wanted && divide_[d] - sum <= kShareTolerance + static_cast<Int128>(risers_.size());
  }

  const std::vector<DrfClaimant>& claimants_;
  const std::vector<std::int64_t>& total_;
  const std::vector<Share>& divide_;
  const std::vector<std::size_t> dimensions_;
  std::vector<Wide> there_is_;
  std::vector<Riser> risers_;
  std::vector<bool> full_;
  // At x the shares of a dimension add up to fixed + x * slope.
  std::vector<Wide> fixed_, slope_;
};

}  // namespace

DrfShares drf_shares(const std::vector<std::int64_t>& total, const std::vector<Share>& divide,
                     const std::vector<DrfClaimant>& claimants, Contested contested) {
  return Family(total, divide, claimants, contested).deal();
}

std::vector<Share> divided_below(const DrfShares& shares, const std::vector<Share>& divide,
                                 std::size_t claimant) {
  std::vector<Share> below;
  for (std::size_t d = 0; d < divide.size(); ++d) {
    const Int128 product = Int128(shares.of[claimant][d]) * divide[d];
    below.push_back(shares.sum[d] > 0 ? static_cast<Share>(product / shares.sum[d]) : 0);
  }
  return below;
}

std::vector<std::int64_t> wanted_above(const std::vector<std::int64_t>& total,
                                       const DrfClaimant& claimant) {
  const Part hi = factors_of(claimant, counted_dimensions(total, total.size())).hi;
  std::vector<std::int64_t> wanted;
  for (const std::int64_t demand : claimant.demand) {
    const Int128 product = Int128(std::max<std::int64_t>(demand, 0)) * hi.part;
    wanted.push_back(static_cast<std::int64_t>((product + hi.of - 1) / hi.of));
  }
  return wanted;
}

}  // namespace weir
