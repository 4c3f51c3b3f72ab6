#include "sim/saboteur.h"

#include <functional>
#include <map>

#include "jobqueue/engine.h"
#include "sim/checker/rules.h"
#include "sim/saboteur_policy.h"

namespace weir {
namespace {

// Acts on the state after a step; true once it found an occasion.
using Act = std::function<bool(ClusterState&)>;

bool first_leaf(ClusterState& state, const std::function<void(QueueState&)>& change) {
  change(const_cast<QueueState&>(state.queue(state.tree().leaves().front())));
  return true;
}

bool break_user_sums(ClusterState& state) {
  for (const QueueId leaf : state.tree().leaves()) {
    auto& users = const_cast<QueueState&>(state.queue(leaf)).users;
    if (users.empty()) continue;
    ++users.begin()->second.running_slots[0];
    return true;
  }
  return false;
}

// The tracker that is to publish a job's output forgets it: the job never ends.
bool break_job_end(ClusterState& state) {
  for (const auto& [id, job] : state.jobs()) {
    if (job->duty != Job::Duty::kSucceed || !job->duty_tracker.valid()) continue;
    auto& duties = state.mutable_tracker(job->duty_tracker).duties;
    if (std::erase(duties, id) > 0) return true;
  }
  return false;
}

const std::map<std::string, Act, std::less<>>& acts_on_state() {
  static const std::map<std::string, Act, std::less<>> all = {
      {"negative-counter",
       [](ClusterState& s) {
         return first_leaf(s, [](QueueState& queue) { queue.running_slots[0] = -1; });
       }},
      {"cluster-total",
       [](ClusterState& s) {
         ++const_cast<Resources&>(s.total()).slots(TaskKind::kMap);
         return true;
       }},
      {"tracker-used",
       [](ClusterState& s) {
         if (s.trackers().empty()) return false;
         ++s.mutable_tracker(TrackerId(0)).used.slots(TaskKind::kMap);
         return true;
       }},
      {"job-counts",
       [](ClusterState& s) {
         return first_leaf(s, [](QueueState& queue) { ++queue.jobs_waiting; });
       }},
      {"user-sums", break_user_sums},
      {"running",
       [](ClusterState& s) {
         return first_leaf(s, [](QueueState& queue) { ++queue.running_slots[0]; });
       }},
      {"job-unended", break_job_end},
  };
  return all;
}

}  // namespace

Result<std::unique_ptr<Saboteur>> Saboteur::create(const std::string& rule,
                                                   std::uint64_t from_input) {
  if (!rule.empty() && check::find_rule(rule) == nullptr) {
    std::string known;
    for (const check::Rule& r : check::rules()) {
      known += (known.empty() ? "" : ", ") + std::string(r.name);
    }
    return Error{ErrorCode::kBadRequest, "there is no rule '" + rule + "'", "rules: " + known};
  }
  auto sabotage = std::make_shared<Sabotage>();
  sabotage->rule = rule;
  sabotage->from_input = from_input;
  return std::unique_ptr<Saboteur>(new Saboteur(std::move(sabotage)));
}

PolicyFactory Saboteur::wrap(PolicyFactory inner) const {
  return [inner = std::move(inner), sabotage = sabotage_](
             std::string_view name, const ClusterState& state,
             const Settings& settings) -> std::unique_ptr<Policy> {
    auto policy = inner(name, state, settings);
    if (policy == nullptr) return nullptr;
    return std::make_unique<SabotagedPolicy>(std::move(policy), state, sabotage);
  };
}

void Saboteur::on_step(const Engine& engine, const Input&, const Output&) {
  ++sabotage_->inputs;
  const auto act = acts_on_state().find(sabotage_->rule);
  if (act == acts_on_state().end() || !sabotage_->active(act->first) || sabotage_->done > 0) return;
  if (act->second(const_cast<ClusterState&>(engine.state()))) ++sabotage_->done;
}

}  // namespace weir
