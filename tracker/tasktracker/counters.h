// The counters of one task, `group -> name -> value`, bounded: a sum stops at the largest number,
// names are cut at 128 bytes, and after 200 counters new names are counted in one place instead of
// kept. Weir's own are in a group that no program adds to (stderr_sink.h). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "jobqueue/model/counters.h"
#include "jobqueue/model/own_counters.h"
#include "tracker/tasktracker/text.h"

namespace weir::tasktracker {

inline constexpr std::size_t kMaxCounters = 200;
inline constexpr std::size_t kMaxCounterName = 128;

class TaskCounters {
 public:
  void add(std::string_view group, std::string_view name, std::int64_t amount) {
    auto& names = counters_[printable(group, kMaxCounterName)];
    std::string key = printable(name, kMaxCounterName);
    if (auto found = names.find(key); found != names.end()) {
      std::int64_t& sum = found->second;
      if (__builtin_add_overflow(sum, amount, &sum)) sum = amount > 0 ? INT64_MAX : INT64_MIN;
    } else if (group == kOwnCounters) {
      names.emplace(std::move(key), amount);
    } else if (count_ < kMaxCounters) {
      ++count_;
      names.emplace(std::move(key), amount);
    } else {
      if (names.empty()) counters_.erase(printable(group, kMaxCounterName));
      ++counters_[kOwnCounters][kCountersOverLimit];
    }
  }
  void set(std::string_view name, std::int64_t value) {
    counters_[kOwnCounters][std::string(name)] = value;
  }
  const Counters& all() const { return counters_; }

 private:
  Counters counters_;
  std::size_t count_ = 0;
};

}  // namespace weir::tasktracker
