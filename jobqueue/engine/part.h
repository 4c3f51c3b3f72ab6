// A part of the engine: what it works on (core.h), and the other parts, which it asks by name.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "jobqueue/engine/core.h"

namespace weir {

struct Parts;

class Part {
 public:
  Part(Core& core, Parts& parts)
      : core_(core),
        parts_(parts),
        state_(core.state),
        memory_(core.memory),
        policy_(core.policy),
        manager_(core.manager),
        limits_(core.limits),
        changes_(core.changes),
        now_(core.now),
        durable_seq_(core.durable_seq) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

 protected:
  std::unique_ptr<Policy> make_policy(std::string_view name) const {
    return core_.make_policy(name);
  }
  // How durable a fact is, is its type: durable ones have a number.
  std::uint64_t emit(Command command) { return core_.emit_written(std::move(command)); }
  template <class F>
    requires kIsOneOf<F, DurableFact>
  std::uint64_t emit(F fact) {
    return core_.emit_written(DurableFact(std::move(fact)));
  }
  template <class F>
    requires kIsOneOf<F, SoftFact>
  void emit(F fact) {
    core_.emit_soft(std::move(fact));
  }
  void tell(JobMoved moved) { core_.tell(std::move(moved)); }
  template <class Body>
  void reply(Token token, Body&& body) {
    core_.reply(token, std::forward<Body>(body));
  }
  void refuse(Token token, const char* what, Error error) {
    core_.refuse(token, what, std::move(error));
  }
  void touch(const Job& job) { core_.touch(job); }
  void touch(const TrackerState& tracker) { core_.touch(tracker); }
  void tell_listed(JobId job) { core_.tell_listed(job); }
  void pending_changed(Job& job, TaskKind kind);

  Core& core_;
  Parts& parts_;
  ClusterState& state_;
  PolicyMemory& memory_;
  std::unique_ptr<Policy>& policy_;
  JobQueueManager& manager_;
  RunningLimits& limits_;
  Changes& changes_;
  const TimeMs& now_;
  std::uint64_t& durable_seq_;
};

}  // namespace weir
