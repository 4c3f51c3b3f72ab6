#include "fair/weights.h"

#include <algorithm>
#include <bit>

#include "jobqueue/model/share.h"

namespace weir {

std::int64_t priority_weight(Priority priority) {
  return 4 * kJobWeightOne >> static_cast<int>(priority);
}

// One bit of the result for each squaring of the mantissa, which stays in [1, 2).
std::int64_t log2_billionths(std::int64_t x) {
  constexpr int kMantissaBits = 62;
  constexpr int kResultBits = 40;
  if (x <= 1) return 0;
  const int whole = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1;
  Int128 mantissa = Int128(x) << (kMantissaBits - whole);
  std::int64_t fraction = 0;
  for (int i = 0; i < kResultBits; ++i) {
    mantissa = mantissa * mantissa >> kMantissaBits;
    fraction *= 2;
    if ((mantissa >> (kMantissaBits + 1)) == 0) continue;
    mantissa /= 2;
    ++fraction;
  }
  return whole * kJobWeightOne +
         static_cast<std::int64_t>(Int128(fraction) * kJobWeightOne >> kResultBits);
}

std::int64_t job_weight(Priority priority, bool size_based, std::int64_t demand) {
  std::int64_t weight = priority_weight(priority);
  if (size_based) {
    const Int128 sized = Int128(weight) * log2_billionths(1 + std::max<std::int64_t>(demand, 0));
    weight = static_cast<std::int64_t>(sized / kJobWeightOne);
  }
  return std::max<std::int64_t>(weight, 1);
}

}  // namespace weir
