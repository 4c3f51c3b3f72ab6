// The settings that the fair policy rules by, as whoever runs the checker reads them: plain values
// of the checker's own, so that it needs no code of the policy. Times in ms, shares in slots,
// weights and factors in millionths.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/time.h"

namespace weir::check {

struct PoolRules {
  std::int64_t weight = 1'000'000;
  std::array<std::int64_t, kTaskKindCount> minimum{};
  std::array<std::optional<std::int64_t>, kTaskKindCount> maximum{};
  std::optional<std::int64_t> running_jobs;
  bool fifo = false;
  DurationMs min_timeout = kNever;
  DurationMs fair_timeout = kNever;
  std::optional<std::int64_t> kill_budget;  // slot-seconds an hour
};

struct FairRules {
  enum class Preemption : std::uint8_t { kOff, kLogOnly, kOn };
  std::map<std::string, PoolRules> pools;  // declared, inner ones too, by dotted path
  PoolRules undeclared;
  std::map<std::string, std::int64_t> user_running_jobs;
  std::optional<std::int64_t> default_user_running_jobs;
  std::string pool_name_property;
  bool deficit = false;
  Preemption preemption = Preemption::kOff;
  DurationMs preemption_interval = 0;
  bool assign_multiple = true;
  std::array<std::optional<std::int64_t>, kTaskKindCount> per_heartbeat{};
  bool size_based = false;
  std::optional<std::int64_t> boost_factor;
  DurationMs boost_ms = 0;
  bool load_cap = true;
  std::int64_t load_max_diff = 0;
  // Maps may wait for a slot near their input: for one on a node that has it at least so long,
  // and so much longer for one in its rack; unless delays are set, of the automatic delay.
  bool delays_maps = false;
  bool delays_adapt = false;
  std::optional<std::pair<DurationMs, DurationMs>> delays;
  bool splits = false;  // launched reduces copy, and ask for slots when they have

  const PoolRules& of(const std::string& pool) const {
    const auto declared = pools.find(pool);
    return declared == pools.end() ? undeclared : declared->second;
  }
};

}  // namespace weir::check
