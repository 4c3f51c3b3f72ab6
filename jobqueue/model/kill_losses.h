// What queues and pools have lost to preemption within the last hour, in slot-milliseconds: what
// their kill budgets bound. By dotted path, so that settings which renumber queues change nothing.
// Changed by the engine only; a restart takes it from the store (SlotsLost).
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "jobqueue/model/time.h"

namespace weir {

struct KillLoss {
  std::string queue;  // of the victim, a leaf
  std::string pool;   // likewise, under a policy with pools
  TimeMs at = 0;      // when the kill was ordered
  std::int64_t slot_ms = 0;
  friend bool operator==(const KillLoss&, const KillLoss&) = default;
};

class KillLosses {
 public:
  static constexpr DurationMs kWindowMs = 3600 * 1000;

  // Slot-milliseconds lost in the hour before `now`.
  std::int64_t of_queue(std::string_view path, TimeMs now) const;
  std::int64_t of_pool(std::string_view path, TimeMs now) const;

  void add(const KillLoss& loss);  // none is earlier than those before
  void take_back(const KillLoss& loss);

 private:
  struct Loss {
    TimeMs at = 0;
    std::int64_t slot_ms = 0;
    friend bool operator==(const Loss&, const Loss&) = default;
  };
  using ByPath = std::map<std::string, std::deque<Loss>, std::less<>>;
  static std::int64_t sum_of(const ByPath& losses, std::string_view path, TimeMs now);
  void forget_before(TimeMs now);

  ByPath queues_, pools_;
  TimeMs forgotten_at_ = 0;
};

}  // namespace weir
