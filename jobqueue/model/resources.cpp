#include "jobqueue/model/resources.h"

namespace weir {

Resources& Resources::operator+=(const Resources& other) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) amount[i] += other.amount[i];
  return *this;
}

Resources& Resources::operator-=(const Resources& other) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) amount[i] -= other.amount[i];
  return *this;
}

bool Resources::any_negative() const {
  for (const std::int64_t a : amount) {
    if (a < 0) return true;
  }
  return false;
}

std::string to_string(const Resources& r) {
  static constexpr const char* kUnits[][2] = {{"map slot", "map slots"},
                                              {"reduce slot", "reduce slots"},
                                              {"MB", "MB"},
                                              {"vcore", "vcores"}};
  std::string out;
  for (std::size_t i = 0; i < std::size(kUnits); ++i) {
    if (r.amount[i] == 0) continue;
    if (!out.empty()) out += ", ";
    out += std::to_string(r.amount[i]) + " " + kUnits[i][r.amount[i] == 1 ? 0 : 1];
  }
  return out.empty() ? "nothing" : out;
}

}  // namespace weir
