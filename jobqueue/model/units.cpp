#include "jobqueue/model/units.h"

#include <set>

namespace weir {

const Units& UnitsInUse::grant(const AttemptKey& attempt,
                               const std::map<std::string, std::int64_t>& asked) {
  Units granted;
  for (const auto& [name, amount] : asked) {
    if (amount <= 0) continue;
    std::set<std::uint32_t> taken;
    for (const auto& [other, units] : units_) {
      if (const auto found = units.find(name); found != units.end())
        taken.insert(found->second.begin(), found->second.end());
    }
    std::vector<std::uint32_t>& numbers = granted[name];
    for (std::uint32_t unit = 0; std::ssize(numbers) < amount; ++unit) {
      if (!taken.contains(unit)) numbers.push_back(unit);
    }
  }
  return units_[attempt] = std::move(granted);
}

void UnitsInUse::adopt(const AttemptKey& attempt, const Units& units) {
  if (!units.empty()) units_[attempt] = units;
}

const Units* UnitsInUse::of(const AttemptKey& attempt) const {
  const auto found = units_.find(attempt);
  return found == units_.end() ? nullptr : &found->second;
}

}  // namespace weir
