#include "tracker/metrics/call_counters.h"

#include <algorithm>

namespace weir {

// From the name's place on, until an empty one, which is then its own.
CallCounters::Method* CallCounters::find(std::string_view method, std::size_t& place) const {
  place = std::hash<std::string_view>{}(method) % kPlaces;
  for (;; place = (place + 1) % kPlaces) {
    Method* there = table_[place].load(std::memory_order_acquire);
    if (there == nullptr || there->name == method) return there;
  }
}

CallCounters::Method& CallCounters::of(std::string_view method) {
  std::size_t place = 0;
  if (Method* known = find(method, place)) return *known;
  const std::lock_guard lock(mutex_);
  if (Method* known = find(method, place)) return *known;
  if (methods_.size() >= kMost) {
    method = "others";
    if (Method* known = find(method, place)) return *known;
  }
  methods_.push_back(std::make_unique<Method>(std::string(method)));
  table_[place].store(methods_.back().get(), std::memory_order_release);
  return *methods_.back();
}

void CallCounters::add(std::string_view method, std::size_t code,
                       std::chrono::steady_clock::duration took) {
  Method& counted = of(method);
  counted.seconds.observe(took);
  counted.codes[std::min(code, kCodes - 1)].add();
}

std::vector<const CallCounters::Method*> CallCounters::methods() const {
  std::vector<const Method*> out;
  for (const auto& place : table_) {
    if (const Method* method = place.load(std::memory_order_acquire)) out.push_back(method);
  }
  std::sort(out.begin(), out.end(),
            [](const Method* a, const Method* b) { return a->name < b->name; });
  return out;
}

}  // namespace weir
