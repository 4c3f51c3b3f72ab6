#include "sim/checker/checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sim/checker/checks_containers.h"
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
    case CheckMode::kEach:
      return "each";
    case CheckMode::kSampled:
      return "sampled";
    case CheckMode::kOff:
      return "off";
  }
  return "?";
}

Checker::Checker(CheckMode mode, ReadRules read_rules, ReadFairRules read_fair_rules)
    : mode_(mode),
      read_rules_(std::move(read_rules)),
      read_fair_rules_(std::move(read_fair_rules)) {
  memory_.every_step = mode == CheckMode::kFull;
  to_take_over_ = mode == CheckMode::kEach;
}

// What the engine says of the past it has restored.
void Checker::take_over(const Engine& engine) {
  memory_.pools.slots_since = engine.now();
  for (const auto& [id, job] : engine.state().jobs()) {
    if (is_over(job->state)) continue;
    memory_.maps_done[id] = job->tasks(TaskKind::kMap).succeeded;
    if (job->tasks(TaskKind::kReduce).open) memory_.reduces_eligible.insert(id);
    if (job->tasks(TaskKind::kReduce).succeeded > 0) memory_.reduces_eligible.insert(id);
  }
}

// Slow-start is met for good by a moment that the state after the step need not show any more.
void Checker::remember_events(const Engine& engine, const Input& input, const Output& output) {
  for (const Event& event : output.events) {
    JobId id;
    if (const auto* end = fact_as<AttemptEnded>(event.fact);
        end != nullptr && end->how == AttemptEnded::How::kSucceeded) {  // before its kill, if any
      const auto not_lost = [&](const auto& loss) { return loss.attempt == end->attempt; };
      std::erase_if(memory_.losses, not_lost);
      std::erase_if(memory_.pools.losses, not_lost);
    }
    if (const auto* launch = fact_as<AttemptLaunched>(event.fact)) {
      const AttemptKey& attempt = launch->attempt;  // of a reduce: it was met before a restart
      if (attempt.task.kind != TaskKind::kReduce) continue;
      if (!was_reported(std::get_if<Heartbeat>(&input.body), attempt)) continue;
      memory_.reduces_eligible.insert(attempt.task.job);
    } else if (const auto* done = fact_as<TaskSucceeded>(event.fact)) {
      if (done->attempt.task.kind != TaskKind::kMap) continue;
      id = done->attempt.task.job;
      ++memory_.maps_done[id];
    } else if (const auto* again = fact_as<TaskReopened>(event.fact)) {
      --memory_.maps_done[again->task.job];
    } else if (const auto* change = fact_as<JobStateChanged>(event.fact)) {
      if (!is_over(change->state)) continue;
      memory_.maps_done.erase(change->job);
      memory_.reduces_eligible.erase(change->job);
    }
    const Job* job = id.valid() ? engine.state().find_job(id) : nullptr;
    if (job == nullptr || job->state != JobState::kRunning || job->spec->reduces == 0) continue;
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
  const ClaimBook& book = step.state.claims();
  memory_.born.clear();
  for (std::size_t q = 0; q < step.state.tree().size(); ++q) {
    for (const TaskKind kind : kTaskKinds) {
      for (const Claim& claim : book.claims(QueueId(q), kind)) memory_.born[claim.id] = claim.born;
    }
  }
  // A hold that is gone without a launch is a kill that was wasted.
  for (const Hold& hold : memory_.holds) {
    const auto& records = book.records();
    if (std::any_of(records.begin(), records.end(), [&](const KillRecord& record) {
          return record.hold == hold.id && record.outcome == KillRecord::Outcome::kWasted;
        })) {
      memory_.wasted[hold.id] = hold;
    }
  }
  memory_.holds = book.holds();
  memory_.reservations = book.reservations().all();
  // A queue loses to preemption under any policy.
  for (const auto* kills : {&step.kills, &step.pool_kills}) {
    for (const KillOrdered* kill : *kills) {
      const Job* job = step.state.find_job(kill->attempt.task.job);
      if (job == nullptr) continue;
      memory_.losses.push_back({step.engine.now(), step.path(job->queue),
                                job->width(kill->attempt.task.kind) * kill->ran_ms,
                                kill->attempt});
    }
  }
  constexpr DurationMs kHour = 3600 * 1000;
  std::erase_if(memory_.losses,
                [&](const Memory::Loss& loss) { return step.engine.now() - loss.at >= kHour; });
  std::erase_if(memory_.wasted,
                [&](const auto& hold) { return !memory_.born.contains(hold.second.claim); });
  if (step.rules) memory_.paused_at.reset();
  if (!step.rules && !memory_.paused_at) memory_.paused_at = step.engine.now();
  memory_.not_lending = step.not_lending;
  for (const LaunchMoment& at : step.launches) {
    // A second attempt has waited for nothing, and says nothing of the level of its job.
    if (!at.launch->speculative) follow_launch(step, *at.launch, memory_.waits);
  }
  std::erase_if(memory_.waits, [&](const auto& wait) {
    const Job* job = step.state.find_job(wait.first);
    return job == nullptr || is_over(job->state);
  });
}

// The policy that saw the state grow must be as one made from it just now.
void check_fresh(const Engine& engine, Verdict& verdict) {
  const Policy& grown = engine.policy();
  const auto fresh = engine.make_policy(grown.name());
  const QueueTree& tree = engine.state().tree();
  const auto numbers = [](const QueueFigures& f) {
    return std::vector<std::int64_t>{f.guaranteed, f.allocated, f.running, f.pending};
  };
  for (const TaskKind kind : kTaskKinds) {
    for (std::size_t q = 0; q < tree.size(); ++q) {
      const auto a = numbers(grown.figures(QueueId(q), kind));
      const auto b = numbers(fresh->figures(QueueId(q), kind));
      if (a == b) continue;
      verdict.breach(
          "fresh-policy",
          fmt::format("queue {} ({}): GC, AC, RUN, PEND {} of the ruling policy are not "
                      "{} as of one made now",
                      tree.nodes()[q].path, name(kind), fmt::join(a, " "), fmt::join(b, " ")));
    }
    for (const auto& [id, job] : engine.state().jobs()) {
      if (job->state != JobState::kRunning || job->tasks(kind).pending() == 0) continue;
      const auto text = [&](const Policy& policy) {
        std::string all;
        for (const Reason& reason : policy.explain(id, kind, engine.now())) {
          all += reason.code + ": " + reason.message + "; ";
        }
        return all;
      };
      const std::string a = text(grown);
      const std::string b = text(*fresh);
      if (a == b) continue;
      verdict.breach("fresh-policy", fmt::format("{} ({}) waits because '{}', says the ruling "
                                                 "policy; '{}', says one made now",
                                                 job_name(id), name(kind), a, b));
    }
  }
}

std::optional<Breach> Checker::check(const Engine& engine, const Input& input,
                                     const Output& output) {
  ++steps_;
  if (mode_ == CheckMode::kOff) return std::nullopt;
  if (engine.state().space().containers()) return check_of_containers(engine, input, output);
  if (std::exchange(to_take_over_, false)) {
    take_over(engine);
  } else {
    remember_events(engine, input, output);
  }
  const bool now = mode_ == CheckMode::kFull || mode_ == CheckMode::kEach || steps_ >= next_sample_;
  std::optional<Breach> found;
  if (now) {
    ++checked_;
    const Step step(engine, input, output, read_rules_(engine), read_fair_rules_(engine), memory_);
    Verdict verdict;
    check_attempts(step, verdict);
    if (verdict.clean()) check_counts(step, verdict);
    if (verdict.clean()) check_launches(step, verdict);
    if (verdict.clean()) check_lending(step, memory_, verdict);
    if (verdict.clean()) check_kills(step, verdict);
    if (verdict.clean()) check_kill_need(step, verdict);
    if (verdict.clean()) check_figures(step, verdict);
    if (verdict.clean()) check_idle(step, verdict);
    if (verdict.clean()) check_claims(step, verdict);
    if (verdict.clean()) check_owed(step, memory_, verdict);
    if (verdict.clean()) check_pools(step, verdict);
    if (verdict.clean()) check_turns(step, verdict);
    if (verdict.clean()) check_deficits(step, memory_, verdict);
    if (verdict.clean()) check_running_jobs(step, memory_, verdict);
    if (verdict.clean()) check_pool_kills(step, memory_, verdict);
    if (verdict.clean()) check_unserved(step, memory_, verdict);
    if (verdict.clean() && checked_ % kCompareEvery == 0) check_fresh(engine, verdict);
    found = std::move(verdict.found());
    remember_state(step);
    // A look costs by what there is to see: so a step costs the same however large the cluster.
    next_sample_ = steps_ + kSampleEvery +
                   2 * (engine.state().jobs().size() + engine.state().trackers().size());
  }
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

// Of slots what the engine says is remembered when they come back: nothing runs then.
std::optional<Breach> Checker::check_of_containers(const Engine& engine, const Input& input,
                                                   const Output& output) {
  const bool every_step = memory_.every_step;
  memory_ = Memory{};
  memory_.every_step = every_step;
  to_take_over_ = true;
  if (mode_ == CheckMode::kSampled && steps_ < next_sample_) return std::nullopt;
  ++checked_;
  next_sample_ = steps_ + kSampleEvery + engine.state().trackers().size();
  Verdict verdict;
  check_containers(engine, input, output, verdict);
  if (verdict.clean()) check_container_claims(engine, input, output, verdict);
  std::optional<Breach> found = std::move(verdict.found());
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
