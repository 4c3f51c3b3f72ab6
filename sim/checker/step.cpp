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

// An attempt that the tracker itself reported was taken on again, not launched.
bool was_reported(const Heartbeat* beat, const AttemptKey& attempt) {
  return beat != nullptr &&
         std::any_of(beat->attempts.begin(), beat->attempts.end(),
                     [&](const AttemptReport& report) { return report.attempt == attempt; });
}

}  // namespace

Step::Step(const Engine& e, const Input& in, const Output& out,
           std::optional<CapacityRules> capacity_rules, const Memory& remembered)
    : engine(e),
      state(e.state()),
      input(in),
      output(out),
      rules(capacity_rules),
      memory(remembered),
      census(e.state(), [&](const Job& job) { return slow_start_met(remembered, job); }) {
  heartbeat = taken_heartbeat(engine, input, memory);
  if (heartbeat != nullptr) tracker = state.find_tracker(heartbeat->name);
  if (rules) {
    for (const TaskKind kind : kTaskKinds) {
      expected[index(kind)] = expect(census, kind, *rules, memory.not_lending);
    }
  }
  Census moment = census;
  for (auto event = output.events.rbegin(); event != output.events.rend(); ++event) {
    const auto* launch = std::get_if<AttemptLaunched>(&event->fact);
    if (launch == nullptr) continue;
    if (was_reported(heartbeat, launch->attempt)) {
      adopted = true;
      continue;
    }
    moment.take_back_launch(launch->attempt, launch->tracker);
    launches.push_back({launch, moment});
  }
  std::reverse(launches.begin(), launches.end());
}

}  // namespace weir::check
