// Names as dense ids, in the order in which they came: of users, of racks.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace weir {

template <class Id>
class NameTable {
 public:
  Id intern(const std::string& name) {
    const auto [found, added] = by_name_.try_emplace(name, Id(names_.size()));
    if (added) names_.push_back(name);
    return found->second;
  }
  const std::string& name(Id id) const { return names_[id.index()]; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, Id> by_name_;  // looked up, never walked
};

}  // namespace weir
