#include "lab/sabotage/saboteur.h"

#include <functional>
#include <map>

#include "jobqueue/engine/engine.h"
#include "lab/sabotage/saboteur_policy.h"
#include "sim/checker/rules.h"
#include "sim/checker/step.h"

namespace weir {
namespace {

// Acts on the state after a step; true once it found an occasion.
struct Scene {
  const Engine& engine;
  const Input& input;
  Output& output;
  ClusterState& state;
};
using Act = std::function<bool(ClusterState&)>;
using ActInScene = std::function<bool(const Scene&)>;

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

// Nobody is to publish a job's output any more: the job never ends.
bool break_job_end(ClusterState& state) {
  for (const auto& [id, job] : state.jobs()) {
    if (job->duty != Job::Duty::kSucceed || !job->duty_tracker.valid()) continue;
    auto& duties = state.mutable_tracker(job->duty_tracker).duties;
    if (std::erase(duties, id) == 0) continue;
    state.mutable_job(id).duty_tracker = TrackerId{};
    return true;
  }
  return false;
}

// --- What queues are owed ---

Claim* any_claim(ClusterState& state) {
  for (const QueueId leaf : state.tree().leaves()) {
    for (const TaskKind kind : kTaskKinds) {
      const auto& claims = state.claims().claims(leaf, kind);
      if (!claims.empty()) return const_cast<Claim*>(&claims.front());
    }
  }
  return nullptr;
}

// A claim of a queue that lacks nothing, right after claims were compared with the shortfalls.
bool break_claim_excess(const Scene& scene) {
  if (!std::holds_alternative<Tick>(scene.input.body)) return false;
  if (scene.engine.policy().name() != "capacity") return false;
  const QueueId leaf = scene.state.tree().leaves().front();
  const DurationMs after = check::reclaim_after(scene.state.tree(), leaf, TaskKind::kMap);
  scene.state.mutable_claims().open(leaf, TaskKind::kMap, 1000, scene.engine.now(), after);
  return true;
}

// A slot goes from an older claim to a younger one of the same queue, and nobody hears of it.
bool break_claim_book(const Scene& scene) {
  for (const QueueId leaf : scene.state.tree().leaves()) {
    for (const TaskKind kind : kTaskKinds) {
      auto& claims = const_cast<std::vector<Claim>&>(scene.state.claims().claims(leaf, kind));
      if (claims.size() < 2 || claims.front().slots < 2) continue;
      --claims.front().slots;
      ++claims.back().slots;
      return true;
    }
  }
  return false;
}

// Nobody hears that claims are due later now that their policy is back.
bool break_claim_resumed(const Scene& scene) {
  return std::erase_if(scene.output.events, [](const Event& event) {
           const auto* opened = std::get_if<ClaimOpened>(&event.fact);
           return opened != nullptr && opened->again;
         }) > 0;
}

// The slot of a kill counts as used, but nobody has started there.
bool break_kill_outcome(const Scene& scene) {
  if (scene.state.claims().holds().empty()) return false;
  const HoldId hold = scene.state.claims().holds().front().id;
  for (const KillRecord& record : scene.state.claims().records()) {
    if (record.hold != hold || record.at == scene.engine.now()) continue;
    scene.state.mutable_claims().settle_records(hold, KillRecord::Outcome::kUsed);
    return true;
  }
  return false;
}

bool break_lending(const Scene& scene) {
  if (scene.engine.policy().name() != "capacity") return false;
  for (std::size_t q = 1; q < scene.state.tree().size(); ++q) {
    if (scene.state.tree().nodes()[q].settings.lend_after_ms == 0) continue;
    auto& lending = scene.state.mutable_claims().mutable_lending(QueueId(q), TaskKind::kMap);
    if (lending.lends) continue;
    lending.lends = true;
    return true;
  }
  return false;
}

// The tracker that was just given a task was to get none.
bool break_pool(const Scene& scene) {
  const auto* beat = std::get_if<Heartbeat>(&scene.input.body);
  if (beat == nullptr || !beat->attempts.empty()) return false;
  const TrackerState* tracker = scene.state.find_tracker(beat->name);
  if (tracker == nullptr || tracker->attempts.empty()) return false;
  const Attempt& last = scene.state.attempt(tracker->attempts.back());
  if (last.state != AttemptState::kLaunching || last.launched_at != scene.engine.now())
    return false;
  scene.state.set_tracker_order(scene.state.mutable_tracker(tracker->id), TrackerOrder::kDrain);
  return true;
}

// --- Second attempts ---

// The two attempts of a task that has two.
std::vector<AttemptSlot> any_pair(const ClusterState& state) {
  for (const Attempt& attempt : state.attempts()) {
    if (!attempt.live || !attempt.speculative || attempt.dying()) continue;
    const TaskKey& key = attempt.key.task;
    const Task& task = state.job(key.job).tasks(key.kind).tasks[key.index];
    if (task.state != Task::State::kRunning || state.alive_attempts(task) != 2) continue;
    std::vector<AttemptSlot> pair;
    state.each_attempt(task, [&](AttemptSlot slot) {
      if (!state.attempt(slot).dying()) pair.push_back(slot);
    });
    return pair;
  }
  return {};
}

// A stranger passes for a third one.
bool break_pair(ClusterState& state) {
  const auto pair = any_pair(state);
  if (pair.empty()) return false;
  for (std::size_t i = 0; i < state.attempts().size(); ++i) {
    Attempt& other = state.mutable_attempt(AttemptSlot(i));
    if (!other.live || other.dying() || AttemptSlot(i) == pair[0] || AttemptSlot(i) == pair[1]) {
      continue;
    }
    other.key.task = state.attempt(pair[0]).key.task;
    other.speculative = true;
    return true;
  }
  return false;
}

bool break_places(ClusterState& state) {
  const auto pair = any_pair(state);
  if (pair.empty()) return false;
  state.mutable_attempt(pair[1]).tracker = state.attempt(pair[0]).tracker;
  return true;
}

bool break_loser(ClusterState& state) {
  for (std::size_t i = 0; i < state.attempts().size(); ++i) {
    Attempt& attempt = state.mutable_attempt(AttemptSlot(i));
    if (!attempt.live || !attempt.dying()) continue;
    const TaskKey& key = attempt.key.task;
    if (attempt.kill_reason != KillReason::kSpeculative ||
        state.job(key.job).tasks(key.kind).tasks[key.index].state != Task::State::kSucceeded) {
      continue;
    }
    state.set_attempt_state(attempt, Attempt::State::kRunning);
    return true;
  }
  return false;
}

// The first attempt of the pair is as young as the second.
bool break_wait(const Scene& scene) {
  const auto pair = any_pair(scene.state);
  if (pair.empty()) return false;
  Attempt& first = scene.state.mutable_attempt(pair[0]);
  if (scene.state.attempt(pair[1]).launched_at != scene.engine.now()) return false;
  if (!std::holds_alternative<Heartbeat>(scene.input.body)) return false;
  if (scene.state.settings().speculation.after_ms == 0) return false;
  first.launched_at = scene.engine.now();
  return true;
}

const std::map<std::string, ActInScene, std::less<>>& acts_in_scene() {
  static const std::map<std::string, ActInScene, std::less<>> all = {
      {"launch-out-of-pool", break_pool},   {"claim-excess", break_claim_excess},
      {"kill-outcome", break_kill_outcome}, {"lend-after", break_lending},
      {"speculative-early", break_wait},    {"claim-book", break_claim_book},
      {"claim-resumed", break_claim_resumed},
  };
  return all;
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
      {"copies",
       [](ClusterState& s) {
         if (s.trackers().empty()) return false;
         ++s.mutable_tracker(TrackerId(0)).copy_slots;
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
      {"speculative-excess", break_pair},
      {"speculative-tracker", break_places},
      {"speculative-loser", break_loser},
      {"claim-deadline",
       [](ClusterState& s) {
         Claim* claim = any_claim(s);
         if (claim != nullptr) ++claim->deadline;
         return claim != nullptr;
       }},
      {"hold-without-claim",
       [](ClusterState& s) {
         auto& holds = s.mutable_claims().mutable_holds();
         if (!holds.empty()) holds.front().claim = 0;
         return !holds.empty();
       }},
      {"reservation",
       [](ClusterState& s) {
         auto& all = s.mutable_claims().mutable_reservations();
         if (!all.empty()) all.push_back(Reservation(all.front()));
         return !all.empty();
       }},
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
             PolicyMemory& memory) -> std::unique_ptr<Policy> {
    auto policy = inner(name, state, memory);
    if (policy == nullptr) return nullptr;
    return std::make_unique<SabotagedPolicy>(std::move(policy), state, memory, sabotage);
  };
}

void Saboteur::on_step(const Engine& engine, const Input& input, const Output& output) {
  ++sabotage_->inputs;
  auto& state = const_cast<ClusterState&>(engine.state());
  const auto scene = acts_in_scene().find(sabotage_->rule);
  if (scene != acts_in_scene().end() && sabotage_->active(scene->first) && sabotage_->done == 0) {
    if (scene->second({engine, input, const_cast<Output&>(output), state})) ++sabotage_->done;
    return;
  }
  const auto act = acts_on_state().find(sabotage_->rule);
  if (act == acts_on_state().end() || !sabotage_->active(act->first) || sabotage_->done > 0) return;
  if (act->second(state)) ++sabotage_->done;
}

}  // namespace weir
