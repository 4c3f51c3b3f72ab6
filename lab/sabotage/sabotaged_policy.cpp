#include "lab/sabotage/sabotaged_policy.h"

#include <algorithm>
#include <utility>

namespace weir {

SabotagedPolicy::SabotagedPolicy(std::unique_ptr<Policy> inner, const ClusterState& state,
                                 PolicyMemory& memory, std::shared_ptr<Sabotage> sabotage)
    : PassingPolicy(std::move(inner)),
      state_(state),
      memory_(memory),
      sabotage_(std::move(sabotage)) {}

check::Census SabotagedPolicy::census() const {
  return {state_, [](const Job& job) { return job.tasks(TaskKind::kReduce).open; }};
}

std::optional<Choice> SabotagedPolicy::choose(const Offer& offer) {
  if (active("idle-slot")) {
    count_act();
    return std::nullopt;
  }
  std::optional<Choice> choice = choose_instead(offer);
  bool wrong = choice.has_value();
  if (!wrong) {
    choice = inner_->choose(offer);
    wrong = change_choice(offer, choice);
  }
  if (wrong) count_act();
  return choice;
}

std::optional<Choice> SabotagedPolicy::choose_instead(const Offer& offer) {
  if (active("policy-choice")) return choose_refused();
  if (active("double-run")) return choose_twice(offer);
  if (active("launch-ended-job")) return choose_ended(offer);
  if (active("launch-slow-start")) return choose_early_reduce(offer);
  if (active("held")) return choose_on_full(offer);
  return std::nullopt;
}

std::optional<Choice> SabotagedPolicy::choose_of(
    const check::Census& census, TaskKind kind, const Offer& offer,
    const std::function<bool(const check::JobCount&)>& suits) const {
  for (const check::JobCount& count : census.jobs(kind)) {
    if (!suits(count)) continue;
    if (auto pick = state_.pick_task(count.job->id, kind, offer.tracker)) return launch_of(pick);
  }
  return std::nullopt;
}

void SabotagedPolicy::on_launched(AttemptSlot attempt) {
  ++launches_;
  if (undo_) std::exchange(undo_, nullptr)();
  inner_->on_launched(attempt);
}

// A policy made just now says less.
std::vector<Reason> SabotagedPolicy::explain(JobId job, TaskKind kind, TimeMs now) const {
  auto reasons = inner_->explain(job, kind, now);
  if (active("fresh-policy") && launches_ > 0) {
    reasons.push_back({"mood", "it does not feel like it", {}});
    count_act();
  }
  return reasons;
}

// --- Launches ---

// A task that runs already.
std::optional<Choice> SabotagedPolicy::choose_refused() const {
  for (const Attempt& attempt : state_.attempts()) {
    if (attempt.live) return Choice{attempt.key.task};
  }
  return std::nullopt;
}

std::optional<Choice> SabotagedPolicy::choose_twice(const Offer& offer) {
  const TrackerState& tracker = state_.tracker(offer.tracker);
  for (const Attempt& attempt : state_.attempts()) {
    if (!attempt.live || attempt.dying()) continue;
    const TaskKey key = attempt.key.task;
    Job& job = state().mutable_job(key.job);
    if (!job.schedulable() ||
        !fits(job.need(key.kind), tracker.total, tracker.used, state_.total())) {
      continue;
    }
    Task& task = job.tasks(key.kind).tasks[key.index];
    task.state = Task::State::kPending;
    task.attempt = AttemptSlot{};
    return Choice{key};
  }
  return std::nullopt;
}

std::optional<Choice> SabotagedPolicy::choose_ended(const Offer& offer) {
  const TrackerState& tracker = state_.tracker(offer.tracker);
  for (const auto& [id, over] : state_.jobs()) {
    if (over->state != JobState::kKilled || over->started_at == 0) continue;
    Job& job = state().mutable_job(id);
    const auto& maps = job.tasks(TaskKind::kMap).tasks;
    const auto task = std::find_if(maps.begin(), maps.end(), [](const Task& t) {
      return t.state == Task::State::kPending && !t.attempt.valid();
    });
    if (task == maps.end() ||
        !fits(job.need(TaskKind::kMap), tracker.total, tracker.used, state_.total())) {
      continue;
    }
    undo_ = [&job, duty = job.duty] {
      job.state = JobState::kKilled;
      job.duty = duty;
    };
    job.state = JobState::kRunning;
    job.duty = Job::Duty::kNone;
    return Choice{{id, TaskKind::kMap, static_cast<std::uint32_t>(task - maps.begin())}};
  }
  return std::nullopt;
}

std::optional<Choice> SabotagedPolicy::choose_early_reduce(const Offer& offer) {
  for (const auto& [id, waiting] : state_.jobs()) {
    if (!waiting->schedulable() || waiting->tasks(TaskKind::kReduce).open) continue;
    Job& job = state().mutable_job(id);
    job.tasks(TaskKind::kReduce).open = true;
    if (auto pick = state_.pick_task(id, TaskKind::kReduce, offer.tracker)) return launch_of(pick);
    job.tasks(TaskKind::kReduce).open = false;
  }
  return std::nullopt;
}

std::optional<Choice> SabotagedPolicy::choose_on_full(const Offer& offer) {
  TrackerState& tracker = state().mutable_tracker(offer.tracker);
  for (const TaskKind kind : kTaskKinds) {
    if (offer.free[index(kind)] > 0) continue;
    for (const auto& [id, job] : state_.jobs()) {
      if (job->launchable(kind) == 0) continue;
      const Resources used = tracker.used;
      tracker.used = Resources{};
      const auto choice = launch_of(state_.pick_task(id, kind, offer.tracker));
      if (choice) {
        undo_ = [&tracker, used] { tracker.used += used; };
        return choice;
      }
      tracker.used = used;
    }
  }
  return std::nullopt;
}

}  // namespace weir
