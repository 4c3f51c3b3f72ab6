#include "sim/checker/step.h"

#include <algorithm>

namespace weir::check {

bool slow_start_met(const Memory& memory, const Job& job) {
  if (memory.reduces_eligible.contains(job.id)) return true;
  const auto& maps = job.tasks(TaskKind::kMap).tasks;
  const auto done = std::count_if(maps.begin(), maps.end(), [](const Task& task) {
    return task.state == Task::State::kSucceeded;
  });
  // done / maps >= slow-start, without a division
  return Rational(done) >=
         Rational(job.spec->slowstart_millionths, 1000000) * static_cast<std::int64_t>(maps.size());
}

namespace {

const Heartbeat* taken_heartbeat(const Engine& engine, const Input& input, const Memory& memory) {
  const auto* beat = std::get_if<Heartbeat>(&input.body);
  if (beat == nullptr) return nullptr;
  const TrackerState* tracker = engine.state().find_tracker(beat->name);
  if (tracker == nullptr || tracker->state != TrackerState::State::kLive) return nullptr;
  if (tracker->incarnation != beat->incarnation || tracker->sequence != beat->sequence) {
    return nullptr;
  }
  const auto before = memory.sequences.find(beat->name);
  return before != memory.sequences.end() && before->second >= beat->sequence ? nullptr : beat;
}

NotLending queues_not_lending(const ClusterState& state) {
  NotLending result;
  for (std::size_t q = 1; q < state.tree().size(); ++q) {
    if (state.tree().nodes()[q].settings.lend_after_ms == 0) continue;
    for (const TaskKind kind : kTaskKinds) {
      if (!state.claims().lending(QueueId(q), kind).lends) result.emplace(QueueId(q), kind);
    }
  }
  return result;
}

}  // namespace

bool was_reported(const Heartbeat* beat, const AttemptKey& attempt) {
  return beat != nullptr &&
         std::any_of(beat->attempts.begin(), beat->attempts.end(),
                     [&](const AttemptReport& report) { return report.attempt == attempt; });
}

bool Memory::pending(HoldId hold) const {
  return std::any_of(holds.begin(), holds.end(), [&](const Hold& h) { return h.id == hold; });
}

Losses Memory::losses_at(TimeMs now) const {
  constexpr DurationMs kHour = 3600 * 1000;
  Losses sums;
  for (const Loss& loss : losses) {
    if (now - loss.at < kHour) sums[loss.queue] += loss.slot_ms;
  }
  return sums;
}

void follow_launch(const Step& step, const AttemptLaunched& launch, Waits& waits) {
  const TaskKey& task = launch.attempt.task;
  const Job* job = step.state.find_job(task.job);
  const bool fair = step.fair && step.fair->delays_maps;
  const bool capacity = step.rules && step.rules->delays_maps;
  if (task.kind != TaskKind::kMap || job == nullptr || !(fair || capacity)) return;
  if (!step.state.has_locations(job->id)) return;
  Wait& wait = waits[job->id];
  if (fair) wait.cleared_at = step.engine.now();
  if (!job->locality.located(task.index)) return;
  const Locality level = distance(step.state, *job, task.index, step.state.tracker(launch.tracker));
  wait.at_least = fair ? level : std::min(wait.at_least, level);
  wait.at_most = fair ? level : std::max(wait.at_most, level);
}

Step::Step(const Engine& e, const Input& in, const Output& out,
           std::optional<CapacityRules> capacity_rules, std::optional<FairRules> fair_rules,
           const Memory& remembered)
    : engine(e),
      state(e.state()),
      input(in),
      output(out),
      rules(capacity_rules),
      fair(std::move(fair_rules)),
      memory(remembered),
      not_lending(queues_not_lending(e.state())),
      census(e.state(), [&](const Job& job) { return slow_start_met(remembered, job); }) {
  heartbeat = taken_heartbeat(engine, input, memory);
  if (heartbeat != nullptr) tracker = state.find_tracker(heartbeat->name);
  if (rules) {
    for (const TaskKind kind : kTaskKinds) {
      expected[index(kind)] = expect(census, kind, *rules, not_lending);
    }
  }
  if (fair) where = place_jobs(state, *fair);
  const bool asked = heartbeat != nullptr && heartbeat->asks_for_tasks;
  reviewed = rules && !engine.recovering() && engine.unreported().empty() &&
             (asked || std::holds_alternative<Tick>(input.body));
  if (rules && memory.paused_at) paused_for = engine.now() - *memory.paused_at;
  for (const Event& event : output.events) {
    const auto* kill = fact_as<KillOrdered>(event.fact);
    if (kill == nullptr || !is_preemption(kill->reason)) continue;
    (kill->reason == KillReason::kReclaim ? kills : pool_kills).push_back(kill);
  }
  Census moment = census;
  for (auto event = output.events.rbegin(); event != output.events.rend(); ++event) {
    const auto* launch = fact_as<AttemptLaunched>(event->fact);
    if (launch == nullptr) continue;
    if (was_reported(heartbeat, launch->attempt)) {
      adopted = true;
      continue;
    }
    moment.take_back_launch(*launch);
    launches.push_back({launch, moment});
  }
  std::reverse(launches.begin(), launches.end());
}

// Whose reduces were killed may have lost his place for it, and another one has it.
Census Step::before_kills() const {
  if (pool_kills.empty()) return census;
  StatesBefore states;
  bool killed = false;
  for (const Event& event : output.events) {
    killed = killed || fact_as<KillOrdered>(event.fact) == pool_kills.front();
    const auto* change = fact_as<JobStateChanged>(event.fact);
    if (!killed || change == nullptr || is_over(change->state)) continue;
    const bool came = change->state == JobState::kRunning;
    states.emplace(change->job, came ? JobState::kWaiting : JobState::kRunning);
  }
  Census before(state, [&](const Job& job) { return slow_start_met(memory, job); }, states);
  for (const KillOrdered* kill : pool_kills) before.take_back_kill(kill->attempt);
  return before;
}

}  // namespace weir::check
