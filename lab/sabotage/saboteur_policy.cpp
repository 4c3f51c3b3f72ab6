#include "lab/sabotage/saboteur_policy.h"

#include <algorithm>

#include "sim/checker/limits.h"
#include "sim/checker_observer.h"

namespace weir {

SabotagedPolicy::SabotagedPolicy(std::unique_ptr<Policy> inner, const ClusterState& state,
                                 PolicyMemory& memory, std::shared_ptr<Sabotage> sabotage)
    : PassingPolicy(std::move(inner)),
      state_(state),
      memory_(memory),
      sabotage_(std::move(sabotage)) {}

std::optional<Choice> SabotagedPolicy::choose(const Offer& offer) {
  std::optional<Choice> wrong;
  if (active("idle-slot")) {
    ++sabotage_->done;
    return std::nullopt;
  }
  if (active("policy-choice")) wrong = choose_refused(offer);
  if (active("double-run")) wrong = choose_twice(offer);
  if (active("launch-ended-job")) wrong = choose_ended(offer);
  if (active("launch-slow-start")) wrong = choose_early_reduce(offer);
  if (active("held")) wrong = choose_on_full(offer);
  if (active("maximum")) wrong = choose_over_limit(offer, true);
  if (active("user-limit")) wrong = choose_over_limit(offer, false);
  if (active("pool-maximum")) wrong = choose_over_pool_maximum(offer);
  if (active("heartbeat-limit")) wrong = choose_too_many(offer);
  std::optional<Choice> right;
  if (!wrong) right = inner_->choose(offer);
  if (active("pool-order") || active("kind-turn") || active("deficit-order")) {
    wrong = choose_out_of_turn(offer, right);
  }
  if (active("load-cap") && !right) wrong = choose_on_full_enough(offer);
  if (active("locality-early") && !right) wrong = choose_too_far(offer);
  if (active("locality-passed") && right && is_near(*right)) {
    ++sabotage_->done;
    return std::nullopt;
  }
  if (!wrong) return right;
  ++sabotage_->done;
  return wrong;
}

void SabotagedPolicy::on_launched(AttemptSlot attempt) {
  ++launches_;
  if (undo_) std::exchange(undo_, nullptr)();
  inner_->on_launched(attempt);
}

void SabotagedPolicy::claim(std::vector<ClaimStep>& out) {
  inner_->claim(out);
  change_claims(out);
}

Preemption SabotagedPolicy::tick(TimeMs now) {
  if (name() == "fair") return plan_pool_kills(now);
  Preemption plan = plan_kills(now);
  if (active("claim-unserved") && !plan.kills.empty()) {
    plan.kills.clear();
    ++sabotage_->done;
  }
  if (active("kill-forbidden")) {  // under log_only
    for (KillOrder& order : plan.kills) {
      if (!std::exchange(order.log_only, false)) continue;
      ++sabotage_->done;
    }
  }
  return plan;
}

// A policy made just now says less.
std::vector<Reason> SabotagedPolicy::explain(JobId job, TaskKind kind, TimeMs now) const {
  auto reasons = inner_->explain(job, kind, now);
  if (active("fresh-policy") && launches_ > 0) {
    reasons.push_back({"mood", "it does not feel like it", {}});
    ++sabotage_->done;
  }
  return reasons;
}

// --- Launches ---

// A task that runs already.
std::optional<Choice> SabotagedPolicy::choose_refused(const Offer&) const {
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
    if (!waiting->schedulable() || waiting->reduces_eligible) continue;
    Job& job = state().mutable_job(id);
    job.reduces_eligible = true;
    if (auto pick = state_.pick_task(id, TaskKind::kReduce, offer.tracker)) return launch_of(pick);
    job.reduces_eligible = false;
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

std::optional<Choice> SabotagedPolicy::choose_over_limit(const Offer& offer, bool maximum) {
  const bool capacity = name() == "capacity";
  if (!capacity && !(maximum && name() == "fifo")) return std::nullopt;
  const check::Census census(state_, [](const Job& job) { return job.reduces_eligible; });
  for (const TaskKind kind : kTaskKinds) {
    const auto lines = capacity ? expected(census, kind) : check::expect_maximums(census, kind);
    for (const check::JobCount& count : census.jobs(kind)) {
      const auto above = capacity ? check::over_maximum : check::over_declared_maximum;
      const bool over = above(census, lines, count.job->queue, count.width).has_value();
      const bool user = capacity && check::over_hard_limit(census, lines, count, kind).has_value();
      if (maximum ? !over : over || !user) continue;
      if (auto pick = state_.pick_task(count.job->id, kind, offer.tracker)) return launch_of(pick);
    }
  }
  return std::nullopt;
}

// --- Figures ---

std::vector<check::ExpectedQueue> SabotagedPolicy::expected(const check::Census& census,
                                                            TaskKind kind) const {
  return check::expect(census, kind, capacity_rules(state_.settings()), {});
}

std::map<QueueId, std::int64_t> SabotagedPolicy::lie(TaskKind kind) const {
  const auto& leaves = state_.tree().leaves();
  if (active("guaranteed-sum") || active("pending") || active("allocated-sum")) {
    return {{leaves.front(), 1}};
  }
  if (active("guaranteed")) {
    if (leaves.size() < 2) return {};
    return {{leaves.front(), 1}, {leaves.back(), -1}};
  }
  const check::Census census(state_, [](const Job& job) { return job.reduces_eligible; });
  const auto lines = expected(census, kind);
  const auto allocated = [&](QueueId q) { return inner_->figures(q, kind).allocated; };
  for (const QueueId a : leaves) {
    const check::ExpectedQueue& one = lines[a.index()];
    const std::int64_t spare = allocated(a) - one.kept();
    for (const QueueId b : leaves) {
      if (a == b) continue;
      const check::ExpectedQueue& other = lines[b.index()];
      const std::int64_t room = std::max(other.maximum, other.guaranteed) - allocated(b);
      if (active("allocated-floor") && allocated(a) > 0) return {{a, -spare - 1}, {b, spare + 1}};
      if (active("allocated-ceiling") && spare > room) return {{a, -room - 1}, {b, room + 1}};
      if (active("allocated") && spare > 0 && room > 0) return {{a, -1}, {b, 1}};
    }
  }
  return {};
}

QueueFigures SabotagedPolicy::figures(QueueId queue, TaskKind kind) const {
  QueueFigures figures = inner_->figures(queue, kind);
  const bool guaranteed = active("guaranteed") || active("guaranteed-sum");
  const bool allocated = active("allocated") || active("allocated-sum") ||
                         active("allocated-floor") || active("allocated-ceiling");
  if (name() != "capacity" || !(guaranteed || allocated || active("pending"))) return figures;
  const auto falsified = lie(kind);
  const auto by = falsified.find(queue);
  if (by == falsified.end()) return figures;
  ++sabotage_->done;
  (guaranteed ? figures.guaranteed : allocated ? figures.allocated : figures.pending) += by->second;
  return figures;
}

}  // namespace weir
