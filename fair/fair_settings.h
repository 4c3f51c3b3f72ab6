// The `fair:` section of the settings (fair.md, "Settings"): the tree of pools with their minimum
// shares, weights, limits and timeouts, and how the policy works as a whole. conf/ makes it from
// YAML (inline, or from an allocations file of its own) and has checked all of it: names are legal
// and unique among siblings, weights are above 0, no max_share is below its min_share, no
// fair_share_timeout is shorter than its min_share_timeout, `default` is no inner pool.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/time.h"
#include "jobqueue/policy/locality_delay.h"

namespace weir {

inline constexpr std::int64_t kWeightOne = 1'000'000;  // weights are in millionths
// Of a user who is named as one without a limit, whatever the default says.
inline constexpr std::int64_t kUnlimitedJobs = std::numeric_limits<std::int64_t>::max();

// What a pool is set to; what it does not say is filled in from the defaults by conf/.
struct PoolSettings {
  enum class Mode : std::uint8_t { kFair, kFifo };
  std::string name;  // last part; dotted paths come from nesting
  std::int64_t weight = kWeightOne;
  std::array<std::int64_t, kTaskKindCount> min_share{};                 // slots
  std::array<std::optional<std::int64_t>, kTaskKindCount> max_share{};  // slots; absent: no limit
  std::optional<std::int64_t> max_running_jobs;                         // of the whole subtree
  Mode mode = Mode::kFair;
  // Where containers count: how its children share, or in a leaf its jobs (`mode` is the old name
  // of that), and its bounds in the dimensions that are named; absent: nothing is promised, or
  // there is no limit.
  enum class Sharing : std::uint8_t { kDrf, kFair, kFifo } sharing = Sharing::kDrf;
  using Amounts = std::array<std::optional<std::int64_t>, kDimensionCount>;
  Amounts minimum{}, maximum{};
  std::optional<QueueBound> lend;  // of its minimum share; nothing: all
  DurationMs min_share_timeout_ms = kNever;
  DurationMs fair_share_timeout_ms = kNever;
  std::optional<std::int64_t> kill_budget;  // slot-seconds an hour that its tasks may lose
  std::vector<PoolSettings> pools;          // children
  friend bool operator==(const PoolSettings&, const PoolSettings&) = default;
};

struct FairSettings : PolicySettings {
  enum class Algorithm : std::uint8_t { kShare, kDeficit };
  enum class Preemption : std::uint8_t { kOff, kLogOnly, kOn };
  struct Booster {
    std::int64_t factor = 3 * kWeightOne;  // millionths
    DurationMs duration_ms = 5 * 60 * 1000;
    friend bool operator==(const Booster&, const Booster&) = default;
  };

  std::vector<PoolSettings> pools;  // top level
  PoolSettings undeclared;          // what a pool on demand is set to: the defaults, without a name
  std::map<std::string, std::int64_t> user_max_running_jobs;  // by user; kUnlimitedJobs: no limit
  std::optional<std::int64_t> default_user_max_running_jobs;
  std::string pool_name_property = "queue";  // queue | user | group | any job property
  bool undeclared_pools_allowed = true;
  Algorithm algorithm = Algorithm::kShare;
  DurationMs update_interval_ms = 500;
  Preemption preemption = Preemption::kOff;
  DurationMs preemption_interval_ms = 15'000;  // 0: at every update
  bool assign_multiple = true;
  std::array<std::optional<std::int64_t>, kTaskKindCount> max_per_heartbeat{};  // absent: all
  bool size_based_weight = false;
  std::optional<Booster> new_job_booster;
  std::string weight_adjuster;       // by name; empty: none, or the booster if that is set
  std::string load_manager = "cap";  // cap | none
  std::int64_t load_max_diff_millionths = 0;
  std::string task_selector = "default";
  LocalityDelaySettings locality_delay{.mode = LocalityDelaySettings::Mode::kAuto};
  bool copy_compute_split = false;
  std::int64_t copy_factor = 3;
  std::string allocations_file;  // empty: the pools stand in weir.yaml
};

// In the order of Mode, and of Sharing.
inline constexpr std::string_view kPoolModes[] = {"fair", "fifo"};
inline constexpr std::string_view kPoolSharing[] = {"drf", "fair", "fifo"};
inline std::string_view name(PoolSettings::Mode mode) {
  return kPoolModes[static_cast<std::size_t>(mode)];
}
inline std::string_view name(PoolSettings::Sharing sharing) {
  return kPoolSharing[static_cast<std::size_t>(sharing)];
}

}  // namespace weir
