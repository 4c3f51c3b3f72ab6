#include "jobqueue/policy/locality_delay.h"

#include <algorithm>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/policy_memory.h"

namespace weir {
namespace {

// Never none: who does not wait at all cannot find out that waiting pays again.
constexpr std::int32_t kFullPatience = 16, kLeastPatience = 1;
constexpr DurationMs kShortestAutoMs = 1000, kLongestAutoMs = 15'000;

}  // namespace

LocalityDelay::LocalityDelay(const ClusterState& state, PolicyMemory& memory,
                             LocalityDelaySettings settings)
    : state_(state), memory_(memory), settings_(settings) {
  memory.jobs.each([this](JobId job, const JobMemory& of) {
    if (of.wait.passed_at >= 0) passed_.push_back(job);
  });
}

void LocalityDelay::begin(TimeMs now) {
  for (const JobId job : passed_) {
    JobMemory* memory = memory_.jobs.find(job);
    if (memory == nullptr) continue;  // it is over
    LocalityWait& wait = memory->wait;
    if (wait.passed_at >= 0) wait.waited_ms += now - wait.passed_at;
    wait.passed_at = -1;
  }
  passed_.clear();
  launched_.clear();
}

DurationMs LocalityDelay::delay_ms(const LocalityWait& wait, Locality level) const {
  using Mode = LocalityDelaySettings::Mode;
  if (settings_.mode == Mode::kOff) return 0;
  if (settings_.mode == Mode::kFixed) {
    return level == Locality::kNode ? settings_.node_ms : settings_.rack_ms;
  }
  const DurationMs full =
      std::clamp(state_.heartbeat_interval_ms() * 3 / 2, kShortestAutoMs, kLongestAutoMs);
  if (settings_.mode == Mode::kAuto) return full;
  const std::int32_t patience =
      wait.patience >= 0 ? wait.patience : memory_.locality_patience;
  return full * patience / kFullPatience;
}

DurationMs LocalityDelay::left(JobId id) const {
  const LocalityWait& wait = memory_.of(id).wait;
  if (!on() || !state_.has_locations(id) || wait.level == Locality::kAny) return 0;
  const DurationMs node = delay_ms(wait, Locality::kNode), rack = delay_ms(wait, Locality::kRack);
  if (wait.level == Locality::kRack) return std::max<DurationMs>(0, rack - wait.waited_ms);
  if (wait.waited_ms < node) return node - wait.waited_ms;
  return std::max<DurationMs>(0, node + rack - wait.waited_ms);
}

Locality LocalityDelay::allowed(JobId id, bool urgent) const {
  if (!on() || urgent || !state_.has_locations(id)) return Locality::kAny;
  const LocalityWait& wait = memory_.of(id).wait;
  if (wait.level == Locality::kAny) return Locality::kAny;
  const DurationMs rack = delay_ms(wait, Locality::kRack);
  if (wait.level == Locality::kRack) {
    return wait.waited_ms >= rack ? Locality::kAny : Locality::kRack;
  }
  const DurationMs node = delay_ms(wait, Locality::kNode);
  if (wait.waited_ms >= node + rack) return Locality::kAny;
  return wait.waited_ms >= node ? Locality::kRack : Locality::kNode;
}

void LocalityDelay::passed(JobId id) {
  if (!on() || !state_.has_locations(id)) return;
  if (std::find(launched_.begin(), launched_.end(), id) == launched_.end()) passed_.push_back(id);
}

void LocalityDelay::end(TimeMs now) {
  std::erase_if(passed_, [&](JobId id) {
    LocalityWait& wait = memory_.jobs[id].wait;
    const bool again = wait.passed_at >= 0;  // asked more than once
    wait.passed_at = now;
    return again;
  });
}

void LocalityDelay::launched(JobId id, Locality level, bool located) {
  if (!on() || !state_.has_locations(id)) return;
  LocalityWait& wait = memory_.jobs[id].wait;
  if (located) {
    learn(wait, level);
    wait.level = level;
  }
  wait.waited_ms = 0;
  launched_.push_back(id);
  std::erase(passed_, id);
}

std::optional<Reason> reason_of_wait(const LocalityDelay& delay, JobId job, TaskKind kind) {
  const DurationMs left = kind == TaskKind::kMap ? delay.left(job) : 0;
  if (left <= 0) return std::nullopt;
  return Reason{"waiting_for_locality",
                "its maps wait up to " + short_duration(left) +
                    " more for a tracker near their input",
                {{"milliseconds_left", left}}};
}

void LocalityDelay::learn(LocalityWait& wait, Locality level) {
  if (settings_.mode != LocalityDelaySettings::Mode::kAdaptive || wait.waited_ms == 0) return;
  std::int32_t& common = memory_.locality_patience;
  if (wait.patience < 0) wait.patience = common;
  const auto follow = [&](std::int32_t& patience) {
    patience = std::clamp(level == Locality::kNode ? 2 * patience : patience / 2, kLeastPatience,
                          kFullPatience);
  };
  follow(wait.patience);
  follow(common);
}

}  // namespace weir
