// What all parts of the engine work on: the state, who rules, the step that is being handled, and
// what it makes happen. Engine's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "jobqueue/engine/job_queue_manager.h"
#include "jobqueue/engine/running_limits.h"
#include "jobqueue/model/changed_ids.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/event.h"
#include "jobqueue/model/input.h"
#include "jobqueue/model/job_type.h"
#include "jobqueue/model/snapshot.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/policy_memory.h"

namespace weir {

// Attempt numbers grow by start of the JobTracker, so that none repeats although running attempts
// are not stored.
inline constexpr std::uint32_t kAttemptsPerEpoch = 10000;

// What changed since it was last asked, for those who publish records to readers.
struct Changes {
  ChangedIds<JobId> jobs;
  ChangedIds<TrackerId> trackers;
  bool queues = false;
  void clear() {
    jobs.clear();
    trackers.clear();
    queues = false;
  }
};

struct Core {
  Core(std::shared_ptr<const Settings> settings, QueueTree tree, PolicyFactory policy_factory,
       const Snapshot& snapshot, TimeMs at);

  ClusterState state;
  PolicyMemory memory;
  PolicyFactory factory;
  std::unique_ptr<Policy> policy;  // that rules
  JobQueueManager manager;
  RunningLimits limits;  // those of the policy
  const std::vector<Downtime> downtimes;  // before this start
  TimeMs now = 0;
  TimeMs policy_since = 0;
  SettingsStamp settings_stamp;            // of those in force
  std::uint64_t last_settings_number = 0;  // that was given to a change of settings or policy
  std::uint64_t last_seq = 0;
  std::uint64_t durable_seq = 0;
  Changes changes;
  Output* output = nullptr;  // of the step that is being handled

  std::unique_ptr<Policy> make_policy(std::string_view name);
  void follow_policy();  // another one rules: what the state and the limits have of it

  // A command, or another durable fact: its number.
  template <class Written>
  std::uint64_t emit_written(Written&& fact) {
    output->events.push_back(Event{++last_seq, now, std::forward<Written>(fact)});
    return last_seq;
  }
  template <class F>
  void emit_soft(F fact) {
    output->events.emplace_back(now, std::move(fact));
  }
  // For logs alone: the store writes it as a part of what is being applied.
  void tell(JobMoved moved) {
    output->events.push_back(Event{0, now, Command(std::move(moved))});
  }
  template <class Body>
  void reply(Token token, Body&& body) {
    if (token != 0) output->replies.emplace_back(token, std::forward<Body>(body));
  }
  // To be filled in where it is, before anything else is said.
  template <class Body, class... Begin>
  Body& begin_reply(Token token, Begin... begin) {
    Reply& begun = output->replies.emplace_back(token, Done{});
    return begun.body.template emplace<Body>(begin...);
  }
  void refuse(Token token, const char* what, Error error);
  void touch(const Job& job);  // whatever it was that changed of it
  void touch(const TrackerState& tracker) { changes.trackers.insert(tracker.id); }
  void tell_listed(JobId job);  // a policy with pools
  void pending_changed(Job& job, TaskKind kind);
};

}  // namespace weir
