#include "jobqueue/engine/core.h"

#include <algorithm>

#include "jobqueue/policy/copy_split_facet.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {
namespace {

// The store says since when the policy rules that the snapshot names; another one begins now.
TimeMs policy_since_of(const Snapshot& snapshot, TimeMs now) {
  const bool known = !snapshot.policy.empty() && snapshot.policy_since > 0;
  return known ? snapshot.policy_since : now;
}

}  // namespace

Core::Core(std::shared_ptr<const Settings> settings, QueueTree tree, PolicyFactory policy_factory,
           const Snapshot& snapshot, TimeMs at)
    : state(std::move(settings), std::move(tree), snapshot.epoch),
      factory(std::move(policy_factory)),
      manager(state),
      limits(state),
      downtimes(snapshot.downtimes),
      now(std::max(at, snapshot.last_time)),
      policy_since(policy_since_of(snapshot, now)),
      settings_stamp(snapshot.settings_stamp),
      last_settings_number(std::max(snapshot.last_settings_number, snapshot.settings_stamp.number)),
      last_seq(snapshot.last_seq),
      durable_seq(snapshot.last_seq) {
  state.set_now(now);
  memory.policy_changed(now);
}

std::unique_ptr<Policy> Core::make_policy(std::string_view name) {
  return factory(name, state, memory);
}

void Core::follow_policy() {
  const CopySplit* copies = policy->copies();
  state.set_copy_factor(copies == nullptr ? 0 : copies->factor());
  limits.follow(*policy);
}

void Core::refuse(Token token, const char* what, Error error) {
  emit_soft(Refused{what, error});
  reply(token, std::move(error));
}

void Core::touch(const Job& job) {
  changes.jobs.insert(job.id);
  changes.queues = true;
  limits.update(job);
}

void Core::tell_listed(JobId job) {
  if (Pools* pools = policy->pools()) pools->on_job_listed(job);
}

// A policy of slots knows no groups: a service whose task has rested waits until containers count.
void Core::pending_changed(Job& job, TaskKind kind) {
  const bool known = state.space().containers() || !is_group(kind);
  if (known && job.schedulable()) policy->on_pending_changed(job.id, kind);
  touch(job);
}

}  // namespace weir
