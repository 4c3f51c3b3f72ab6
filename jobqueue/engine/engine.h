// The engine: inputs with time in; events, replies and kills out. Single-threaded, no I/O, no
// clock, no randomness: the same inputs give the same events, byte for byte, in the daemon, the
// simulator and the benchmark alike.
//
// It is the mechanism: it keeps the ClusterState, asks the policy what to launch and what to kill,
// and checks each answer again, so that a wrong policy can be unfair but cannot corrupt. Promises
// wait for the store: a command takes effect at Durable{seq >= its own}, and is refused at
// StoreFailed; a commit is granted, and a reported end is acknowledged, only when durable.
//
// This is the table of contents: which input goes to which part (parts.h) stands in engine.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/engine/core.h"
#include "jobqueue/engine/job_bytes.h"

namespace weir {

struct Parts;

class Engine {
 public:
  // `snapshot` is what the store gave back; `settings` are validated. Time starts at `now` >=
  // snapshot.last_time. An error names what in the settings does not fit the jobs in the snapshot
  // (a queue with jobs that is gone).
  static Result<std::unique_ptr<Engine>> create(std::shared_ptr<const Settings> settings,
                                                PolicyFactory factory, Snapshot snapshot,
                                                TimeMs now);
  ~Engine();

  // One step. Appends to `output`.
  void handle(const Input& input, Output& output);

  const ClusterState& state() const { return core_.state; }
  const JobQueueManager& queues() const { return core_.manager; }
  const Policy& policy() const { return *core_.policy; }
  const PolicyMemory& memory() const { return core_.memory; }
  const RunningLimits& running_limits() const { return core_.limits; }
  const JobBytes& job_bytes() const;
  TimeMs now() const { return core_.now; }
  TimeMs policy_since() const { return core_.policy_since; }
  const SettingsStamp& settings_stamp() const { return core_.settings_stamp; }
  // When a Tick is due at the latest.
  TimeMs next_tick() const;
  std::uint64_t last_seq() const { return core_.last_seq; }
  std::uint64_t durable_seq() const { return core_.durable_seq; }
  DurationMs heartbeat_interval_ms() const { return core_.state.heartbeat_interval_ms(); }
  Changes& changes() { return core_.changes; }
  // The state that readers may see: an end counts once it is durable.
  JobState visible_state(const Job& job) const;
  // After a restart nothing is launched until every tracker that the store names has reported what
  // it runs, or is lost; and not for longer than a tracker needs to come back.
  bool recovering() const;
  // After a restart: trackers that counted in the totals and have not reported yet. Until they
  // have, or are lost, no claim opens and nobody is preempted.
  const std::set<TrackerId>& unreported() const;
  // A faulty tracker: when enough of its faults are forgotten for it to be back in the pool.
  std::optional<TimeMs> back_at(const TrackerState& tracker) const;
  // Under a policy without claims the time by which they age stands still.
  bool claims_paused() const;
  TimeMs claims_now() const;
  // Why an unfinished job's tasks wait; empty if nothing does.
  std::vector<Reason> explain(JobId job) const;
  // Whether new settings fit the live state (queues with jobs that would vanish...), besides being
  // valid themselves.
  Status check_settings(const Settings& settings) const;
  // Makes the named policy from the state as it is, without switching to it; null if there is none
  // of that name.
  std::unique_ptr<Policy> make_policy(std::string_view name) const;
  // The policy as it would be under settings that check_settings() lets pass, and the state that it
  // looks at; where containers count, or would, there is none. Costs about what two switches do.
  struct Rehearsal {
    std::unique_ptr<const ClusterState> state;
    std::unique_ptr<Policy> policy;
  };
  std::optional<Rehearsal> rehearse(std::shared_ptr<const Settings> settings) const;

 private:
  Engine(std::shared_ptr<const Settings> settings, QueueTree tree, PolicyFactory factory,
         const Snapshot& snapshot, TimeMs now);
  void tick(Token token);
  void count_slot_time();

  mutable Core core_;  // a policy that is made to be looked at may keep its memory
  std::unique_ptr<Parts> parts_;
  TimeMs last_tick_ = 0;
  Output restored_;  // what restoring made happen; goes out with the first step
};

}  // namespace weir
