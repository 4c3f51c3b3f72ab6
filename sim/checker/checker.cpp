#include "sim/checker/checker.h"

#include <utility>

#include "sim/checker/input_text.h"

namespace weir::check {

std::optional<CheckMode> parse_check_mode(std::string_view word) {
  for (const CheckMode mode : {CheckMode::kFull, CheckMode::kSampled, CheckMode::kOff}) {
    if (word == name(mode)) return mode;
  }
  return std::nullopt;
}

const char* name(CheckMode mode) {
  switch (mode) {
    case CheckMode::kFull:
      return "full";
    case CheckMode::kSampled:
      return "sampled";
    case CheckMode::kOff:
      return "off";
  }
  return "?";
}

Checker::Checker(CheckMode mode, ReadRules read_rules)
    : mode_(mode), read_rules_(std::move(read_rules)) {
  memory_.every_step = mode == CheckMode::kFull;
}

// Slow-start is met for good by a moment that the state after the step need not show any more.
void Checker::remember_events(const Engine& engine, const Output& output) {
  for (const Event& event : output.events) {
    JobId id;
    if (const auto* done = std::get_if<TaskSucceeded>(&event.fact)) {
      if (done->attempt.task.kind != TaskKind::kMap) continue;
      id = done->attempt.task.job;
      ++memory_.maps_done[id];
    } else if (const auto* again = std::get_if<TaskReopened>(&event.fact)) {
      --memory_.maps_done[again->task.job];
    } else if (const auto* change = std::get_if<JobStateChanged>(&event.fact)) {
      if (!is_over(change->state)) continue;
      memory_.maps_done.erase(change->job);
      memory_.reduces_eligible.erase(change->job);
    }
    const Job* job = id.valid() ? engine.state().find_job(id) : nullptr;
    if (job == nullptr || is_over(job->state) || job->spec->reduces == 0) continue;
    const Rational needed = Rational(job->spec->slowstart_millionths, 1000000) *
                            static_cast<std::int64_t>(job->spec->splits.size());
    if (memory_.maps_done[id] >= needed) memory_.reduces_eligible.insert(id);
  }
}

void Checker::remember_state(const Step& step) {
  for (const auto& [id, job] : step.state.jobs()) {
    if (is_over(job->state) || job->state != JobState::kRunning) continue;
    if (slow_start_met(memory_, *job)) memory_.reduces_eligible.insert(id);
  }
  for (const TrackerState& tracker : step.state.trackers()) {
    memory_.tracker_held[tracker.id] = step.census.trackers.at(tracker.id).held;
  }
}

std::optional<Breach> Checker::check(const Engine& engine, const Input& input,
                                     const Output& output) {
  ++steps_;
  if (mode_ == CheckMode::kOff) return std::nullopt;
  remember_events(engine, output);
  const bool now = mode_ == CheckMode::kFull || steps_ >= next_sample_;
  std::optional<Breach> found;
  if (now) {
    ++checked_;
    const Step step(engine, input, output, read_rules_(engine), memory_);
    Verdict verdict;
    check_counts(step, verdict);
    if (verdict.clean()) check_launches(step, verdict);
    if (verdict.clean()) check_figures(step, verdict);
    if (verdict.clean()) check_idle(step, verdict);
    found = std::move(verdict.found());
    remember_state(step);
    // A look costs by what there is to see: so a step costs the same however large the cluster.
    next_sample_ = steps_ + kSampleEvery +
                   2 * (engine.state().jobs().size() + engine.state().trackers().size());
  }
  memory_.holds = engine.state().claims().holds();
  std::string tracker;
  if (const auto* beat = std::get_if<Heartbeat>(&input.body)) tracker = beat->name;
  if (const auto* there = std::get_if<RegisterTracker>(&input.body)) tracker = there->name;
  if (const TrackerState* known = engine.state().find_tracker(tracker)) {
    memory_.sequences[tracker] = known->sequence;
  }
  if (!found) return std::nullopt;
  found->at = engine.now();
  found->step = steps_;
  found->input = describe(input);
  return found;
}

std::optional<Breach> Checker::check_end(const Engine& engine) const {
  if (mode_ == CheckMode::kOff) return std::nullopt;
  for (const auto& [id, job] : engine.state().jobs()) {
    if (is_over(job->state)) continue;
    return Breach{"job-unended", engine.now(),
                  job_name(id) + " in queue " + engine.state().tree().node(job->queue).path +
                      " is still " + name(job->state),
                  "the end of the run", steps_};
  }
  return std::nullopt;
}

}  // namespace weir::check
