// The counters of one task, `group -> name -> value`, bounded: names are cut at 128 bytes and after
// 200 counters new names are counted in one place instead of kept. Weir's own are in the group
// "weir". One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tracker/tasktracker/text.h"

namespace weir::tasktracker {

inline constexpr std::size_t kMaxCounters = 200;
inline constexpr std::size_t kMaxCounterName = 128;

class TaskCounters {
 public:
  using Map = std::map<std::string, std::map<std::string, std::int64_t>>;

  void add(std::string_view group, std::string_view name, std::int64_t amount) {
    auto& names = counters_[printable(group, kMaxCounterName)];
    std::string key = printable(name, kMaxCounterName);
    if (auto found = names.find(key); found != names.end()) {
      found->second = static_cast<std::int64_t>(static_cast<std::uint64_t>(found->second) +
                                                static_cast<std::uint64_t>(amount));
    } else if (count_ < kMaxCounters) {
      ++count_;
      names.emplace(std::move(key), amount);
    } else {
      if (names.empty()) counters_.erase(printable(group, kMaxCounterName));
      ++counters_["weir"]["COUNTERS_OVER_LIMIT"];
    }
  }
  void set(std::string_view name, std::int64_t value) {
    counters_["weir"][std::string(name)] = value;
  }
  const Map& all() const { return counters_; }

 private:
  Map counters_;
  std::size_t count_ = 0;
};

}  // namespace weir::tasktracker
