// Which ones of the countable resources that a tracker offers (gpu 0, gpu 3) its attempts have. A
// resource is counted by the scheduler; here it gets numbers, the lowest that are free, so that two
// tasks do not meet on one device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"

namespace weir {

using Units = std::map<std::string, std::vector<std::uint32_t>>;  // gpu: 0, 3

class UnitsInUse {
 public:
  // The lowest that nobody has, as many as are asked of each.
  const Units& grant(const AttemptKey& attempt, const std::map<std::string, std::int64_t>& asked);
  // It has them already, as its tracker says.
  void adopt(const AttemptKey& attempt, const Units& units);
  void release(const AttemptKey& attempt) { units_.erase(attempt); }
  // Null: none.
  const Units* of(const AttemptKey& attempt) const;
  bool empty() const { return units_.empty(); }
  const std::map<AttemptKey, Units>& all() const { return units_; }

 private:
  std::map<AttemptKey, Units> units_;
};

}  // namespace weir
