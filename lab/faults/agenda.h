// The clock of a simulated world and what is still to happen in it, in order of time and, at the
// same moment, of arrangement. Nothing else moves the clock. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "jobqueue/model/time.h"

namespace weir::faults {

class Agenda {
 public:
  using Deed = std::function<void()>;

  TimeMs now() const { return now_; }
  bool empty() const { return deeds_.empty(); }
  // Of the next deed; there must be one.
  TimeMs next() const { return deeds_.begin()->first.first; }

  void at(TimeMs when, Deed deed) {
    deeds_.emplace(std::pair{std::max(when, now_), ++arranged_}, std::move(deed));
  }
  void after(DurationMs wait, Deed deed) { at(now_ + wait, std::move(deed)); }

  // Goes on to the next deed and does it.
  void go_on() {
    auto first = deeds_.extract(deeds_.begin());
    now_ = first.key().first;
    first.mapped()();
  }

 private:
  TimeMs now_ = 1'000'000;
  std::uint64_t arranged_ = 0;
  std::map<std::pair<TimeMs, std::uint64_t>, Deed> deeds_;
};

}  // namespace weir::faults
