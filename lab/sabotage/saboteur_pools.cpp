// What breaks a rule of the fair policy, for the saboteur's policy: lies about pools, launches out
// of turn, kills that are not due.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "fair/fair_settings.h"
#include "lab/sabotage/saboteur_policy.h"
#include "sim/checker/pools.h"
#include "sim/checker_observer.h"

namespace weir {
namespace {

FairSettings* fair_settings(const ClusterState& state) {
  const auto& sections = state.settings().policies;
  const auto found = sections.find("fair");
  if (found == sections.end()) return nullptr;
  return const_cast<FairSettings*>(dynamic_cast<const FairSettings*>(found->second.get()));
}

void each_pool(std::vector<PoolSettings>& pools, const std::function<void(PoolSettings&)>& change) {
  for (PoolSettings& pool : pools) {
    change(pool);
    each_pool(pool.pools, change);
  }
}

}  // namespace

// --- Figures ---

std::vector<PoolFigures> SabotagedPolicy::pools(TimeMs now) const {
  std::vector<PoolFigures> all = inner_->pools(now);
  if (all.empty() || name() != "fair") return all;
  if (active("pool-figures")) ++all.front().of[0].demand;
  if (active("pool-share")) all.front().of[0].share += kWholeSlot;
  if (active("pool-figures") || active("pool-share")) ++sabotage_->done;
  return all;
}

JobFigures SabotagedPolicy::job_figures(JobId job, TaskKind kind) const {
  JobFigures figures = inner_->job_figures(job, kind);
  if (name() != "fair") return figures;
  const bool owed = active("deficit") && figures.deficit_ms && launches_ > 20;
  if (active("job-share")) figures.share += kWholeSlot;
  if (owed) *figures.deficit_ms += 1000;
  if (owed || active("job-share")) ++sabotage_->done;
  return figures;
}

// Nobody is told of limits.
void SabotagedPolicy::running_groups(const Job& job, std::vector<RunningGroup>& groups) const {
  const std::size_t before = groups.size();
  inner_->running_groups(job, groups);
  if (!active("running-jobs") || groups.size() == before) return;
  groups.resize(before);
  ++sabotage_->done;
}

// --- Launches ---

// Whether nothing but its turn keeps the job from the tracker: no maximum, no wait for locality.
bool SabotagedPolicy::only_turn_matters(const Job& job, TaskKind kind) const {
  return only_turn_matters(job, kind, fair_rules(state_.settings()));
}

bool SabotagedPolicy::only_turn_matters(const Job& job, TaskKind kind,
                                        const check::FairRules& rules) const {
  if (kind == TaskKind::kMap && rules.delays_maps && state_.has_locations(job.id)) return false;
  for (QueueId q = job.queue; q.valid(); q = state_.tree().parent(q)) {
    if (state_.tree().node(q).settings.maximum_hundredths) return false;
  }
  for (std::string p(inner_->pool_of(job.id)); !p.empty(); p = check::parent_of(p)) {
    if (rules.of(p).maximum[index(kind)]) return false;
  }
  return true;
}

// Another task of the kind than that of `but`.
std::optional<Choice> SabotagedPolicy::any_task(const Offer& offer, TaskKind kind,
                                                JobId but) const {
  if (offer.free[index(kind)] <= 0) return std::nullopt;
  for (const auto& [id, job] : state_.jobs()) {
    if (id == but || !job->schedulable() || !only_turn_matters(*job, kind)) continue;
    if (auto choice = launch_of(state_.pick_task(id, kind, offer.tracker))) return choice;
  }
  return std::nullopt;
}

// When the heartbeat has brought all that it may.
std::optional<Choice> SabotagedPolicy::choose_too_many(const Offer& offer) const {
  if (name() != "fair" || state_.tracker(offer.tracker).keeps > 0) return std::nullopt;
  const check::FairRules rules = fair_rules(state_.settings());
  for (const TaskKind kind : kTaskKinds) {
    const auto most = rules.per_heartbeat[index(kind)];
    const bool enough = (most && offer.launched[index(kind)] >= *most) ||
                        (!rules.assign_multiple && offer.launched[0] + offer.launched[1] > 0);
    if (!enough) continue;
    if (auto choice = any_task(offer, kind, JobId{})) return choice;
  }
  return std::nullopt;
}

// Another job's task, or one of the kind whose turn it is not.
std::optional<Choice> SabotagedPolicy::choose_out_of_turn(
    const Offer& offer, const std::optional<Choice>& right) const {
  if (name() != "fair" || state_.tracker(offer.tracker).keeps > 0 || !right ||
      right->what != Choice::What::kLaunch) {
    return std::nullopt;
  }
  const check::FairRules rules = fair_rules(state_.settings());
  const bool limited = !rules.assign_multiple || rules.per_heartbeat[0] || rules.per_heartbeat[1];
  const TaskKind kind = right->task.kind;
  if (limited || rules.deficit != active("deficit-order") ||
      !only_turn_matters(state_.job(right->task.job), kind)) {
    return std::nullopt;
  }
  if (!active("kind-turn")) return any_task(offer, kind, right->task.job);
  if (rules.load_cap) return std::nullopt;
  const TaskKind other = kind == TaskKind::kMap ? TaskKind::kReduce : TaskKind::kMap;
  if (offer.free[index(other)] <= 0) return std::nullopt;
  std::int64_t running[kTaskKindCount] = {0, 0};
  for (const AttemptSlot slot : state_.tracker(offer.tracker).attempts) {
    const Attempt& attempt = state_.attempt(slot);
    if (!attempt.dying()) ++running[index(attempt.key.task.kind)];
  }
  if (running[index(kind)] >= running[index(other)]) return std::nullopt;
  Offer of_other = offer;
  of_other.free[index(kind)] = 0;
  return inner_->choose(of_other);
}

// When nobody may launch there, for the load manager's sake.
std::optional<Choice> SabotagedPolicy::choose_on_full_enough(const Offer& offer) const {
  if (name() != "fair" || state_.tracker(offer.tracker).keeps > 0) return std::nullopt;
  const check::FairRules rules = fair_rules(state_.settings());
  const bool limited = !rules.assign_multiple || rules.per_heartbeat[0] || rules.per_heartbeat[1];
  if (limited || !rules.load_cap) return std::nullopt;
  for (const TaskKind kind : kTaskKinds) {
    if (auto choice = any_task(offer, kind, JobId{})) return choice;
  }
  return std::nullopt;
}

// A map of a job that has just come, further out than it may have waited for.
std::optional<Choice> SabotagedPolicy::choose_too_far(const Offer& offer) const {
  if (name() != "fair" || state_.tracker(offer.tracker).keeps > 0) return std::nullopt;
  check::FairRules rules = fair_rules(state_.settings());
  const bool limited = !rules.assign_multiple || rules.per_heartbeat[0] || rules.per_heartbeat[1];
  const bool room = offer.free[index(TaskKind::kMap)] > 0;
  if (limited || rules.load_cap || !room || !rules.delays_maps) return std::nullopt;
  const DurationMs node = check::least_delays(rules, state_).first;
  rules.delays_maps = false;
  for (const auto& [id, job] : state_.jobs()) {
    if (!job->schedulable() || offer.now - job->submitted_at >= node ||
        !only_turn_matters(*job, TaskKind::kMap, rules)) {
      continue;
    }
    if (memory_.of(id).wait.level != Locality::kNode) continue;
    auto choice = launch_of(state_.pick_task(id, TaskKind::kMap, offer.tracker));
    if (choice && choice->located && choice->locality != Locality::kNode) return choice;
  }
  return std::nullopt;
}

// A map on a node that has its input, which nothing keeps from there.
bool SabotagedPolicy::is_near(const Choice& choice) const {
  if (name() != "fair" || choice.what != Choice::What::kLaunch || choice.hold != 0) return false;
  check::FairRules rules = fair_rules(state_.settings());
  const bool limited = !rules.assign_multiple || rules.per_heartbeat[0] || rules.per_heartbeat[1];
  if (choice.task.kind != TaskKind::kMap || !rules.delays_maps || rules.deficit || limited) {
    return false;
  }
  rules.delays_maps = false;
  return choice.located && choice.locality == Locality::kNode &&
         only_turn_matters(state_.job(choice.task.job), TaskKind::kMap, rules);
}

std::optional<Choice> SabotagedPolicy::choose_over_pool_maximum(const Offer& offer) const {
  if (name() != "fair") return std::nullopt;
  const std::vector<PoolFigures> all = inner_->pools(offer.now);
  for (const auto& [id, job] : state_.jobs()) {
    if (!job->schedulable()) continue;
    const std::string pool(inner_->pool_of(id));
    for (const TaskKind kind : kTaskKinds) {
      const bool full = std::any_of(all.begin(), all.end(), [&](const PoolFigures& figures) {
        const QueueFigures& of = figures.of[index(kind)];
        return check::within(figures.pool, pool) && of.maximum >= 0 &&
               of.running + job->width(kind) > of.maximum;
      });
      if (!full) continue;
      if (auto choice = launch_of(state_.pick_task(id, kind, offer.tracker))) return choice;
    }
  }
  return std::nullopt;
}

// --- Kills ---

Preemption SabotagedPolicy::plan_pool_kills(TimeMs now) {
  const auto stamps_before = memory_.pools;
  if (active("pool-kill-early")) {  // everybody has been short for ever
    for (auto& [pool, stamps] : memory_.pools) {
      for (const TaskKind kind : kTaskKinds) {
        if (stamps.at_min_share[index(kind)] != kNever) stamps.at_min_share[index(kind)] = 1;
        if (stamps.at_half_share[index(kind)] != kNever) stamps.at_half_share[index(kind)] = 1;
      }
    }
  }
  FairSettings* settings = fair_settings(state_);
  std::vector<std::optional<std::int64_t>> budgets;
  const bool spends = active("pool-kill-budget") && settings != nullptr;
  if (spends) {  // the planner does not hear of budgets
    each_pool(settings->pools, [&](PoolSettings& pool) {
      budgets.push_back(std::exchange(pool.kill_budget, std::nullopt));
    });
  }
  Preemption plan = inner_->tick(now);
  for (const auto& [pool, before] : stamps_before) {  // else nobody would wait for locality
    const auto known = memory_.pools.find(pool);
    if (known == memory_.pools.end()) continue;
    for (const TaskKind kind : kTaskKinds) {
      TimeMs& at_min = known->second.at_min_share[index(kind)];
      TimeMs& at_half = known->second.at_half_share[index(kind)];
      if (at_min == 1) at_min = before.at_min_share[index(kind)];
      if (at_half == 1) at_half = before.at_half_share[index(kind)];
    }
  }
  if (spends) {
    auto budget = budgets.begin();
    each_pool(settings->pools, [&](PoolSettings& pool) { pool.kill_budget = *budget++; });
  }
  if (plan.kills.empty() || settings == nullptr) return plan;
  const bool on = settings->preemption == FairSettings::Preemption::kOn;
  if (active("pool-kill-forbidden")) {  // under log_only
    for (KillOrder& order : plan.kills) {
      if (std::exchange(order.log_only, false)) ++sabotage_->done;
    }
  }
  if (!on) return plan;
  if (active("pool-kill-missing")) {
    plan.kills.clear();
    ++sabotage_->done;
    return plan;
  }
  if (active("pool-kill-early") || spends) ++sabotage_->done;
  KillOrder& first = plan.kills.front();
  bool done = false;
  if (active("pool-kill-excess")) {
    first.slots += 100;
    done = true;
  }
  if (active("pool-kill-poor")) done = kill_poor_pool(first, now);
  if (active("pool-kill-order")) done = kill_older(first);
  if (active("pool-kill-useless")) done = kill_out_of_pool(first);
  if (done) {
    plan.kills.resize(1);
    ++sabotage_->done;
  }
  return plan;
}

bool SabotagedPolicy::replace_victim(KillOrder& order,
                                     const std::function<bool(const Attempt&)>& suits) const {
  for (std::size_t slot = 0; slot < state_.attempts().size(); ++slot) {
    const Attempt& attempt = state_.attempts()[slot];
    if (!attempt.live || attempt.dying() || attempt.key.task.kind != order.kind) continue;
    if (!suits(attempt)) continue;
    order.victims = {AttemptSlot(slot)};
    return true;
  }
  return false;
}

// A task of another pool that runs no more than its share.
bool SabotagedPolicy::kill_poor_pool(KillOrder& order, TimeMs now) const {
  const std::vector<PoolFigures> all = inner_->pools(now);
  return replace_victim(order, [&](const Attempt& attempt) {
    const std::string pool(inner_->pool_of(attempt.key.task.job));
    if (check::within(order.for_pool, pool)) return false;
    return std::any_of(all.begin(), all.end(), [&](const PoolFigures& figures) {
      const QueueFigures& of = figures.of[index(order.kind)];
      return figures.pool == pool && share_of_slots(of.running) <= of.share;
    });
  });
}

// One of the same job on the same tracker that has run for longer.
bool SabotagedPolicy::kill_older(KillOrder& order) const {
  if (order.victims.size() != 1) return false;
  const Attempt victim = state_.attempt(order.victims.front());
  const std::string pool(inner_->pool_of(victim.key.task.job));
  if (fair_rules(state_.settings()).of(pool).kill_budget) return false;
  return replace_victim(order, [&](const Attempt& attempt) {
    return attempt.key.task.job == victim.key.task.job && attempt.tracker == victim.tracker &&
           attempt.launch_order < victim.launch_order;
  });
}

// The latest of a tracker whose slots are nobody's to have; of the same job.
bool SabotagedPolicy::kill_out_of_pool(KillOrder& order) const {
  if (order.victims.size() != 1) return false;
  const Attempt victim = state_.attempt(order.victims.front());
  const std::string pool(inner_->pool_of(victim.key.task.job));
  if (fair_rules(state_.settings()).of(pool).kill_budget) return false;
  return replace_victim(order, [&](const Attempt& attempt) {
    const TrackerState& tracker = state_.tracker(attempt.tracker);
    if (attempt.key.task.job != victim.key.task.job || tracker.in_pool()) return false;
    return std::none_of(tracker.attempts.begin(), tracker.attempts.end(), [&](AttemptSlot slot) {
      return state_.attempt(slot).launch_order > attempt.launch_order;
    });
  });
}

}  // namespace weir
