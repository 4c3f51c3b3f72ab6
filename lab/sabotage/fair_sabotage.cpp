#include "lab/sabotage/fair_sabotage.h"

#include <algorithm>
#include <utility>

#include "sim/checker/pools.h"
#include "sim/checker_observer.h"

namespace weir {
namespace {

// A heartbeat may not bring whatever fits.
bool is_limited(const check::FairRules& rules) {
  return !rules.assign_multiple || rules.per_heartbeat[0] || rules.per_heartbeat[1];
}

}  // namespace

check::FairRules FairSabotage::rules() const {
  return fair_rules(state_.settings());
}

// --- Figures ---

std::vector<PoolFigures> FairSabotage::pool_figures(TimeMs now) const {
  std::vector<PoolFigures> all = inner_pools_.pool_figures(now);
  if (all.empty()) return all;
  if (active("pool-figures")) ++all.front().of[0].demand;
  if (active("pool-share")) all.front().of[0].share += kWholeSlot;
  if (active("pool-figures") || active("pool-share")) count_act();
  return all;
}

JobFigures FairSabotage::job_figures(JobId job, TaskKind kind) const {
  JobFigures figures = inner_pools_.job_figures(job, kind);
  const bool owed = active("deficit") && figures.deficit_ms && launches() > 20;
  if (active("job-share")) figures.share += kWholeSlot;
  if (owed) *figures.deficit_ms += 1000;
  if (owed || active("job-share")) count_act();
  return figures;
}

// Nobody is told of limits.
void FairSabotage::running_groups(const Job& job, std::vector<RunningGroup>& groups) const {
  const std::size_t before = groups.size();
  inner_pools_.running_groups(job, groups);
  if (!active("running-jobs") || groups.size() == before) return;
  groups.resize(before);
  count_act();
}

// --- Launches ---

std::optional<Choice> FairSabotage::choose_instead(const Offer& offer) {
  if (active("pool-maximum")) return choose_over_pool_maximum(offer);
  if (active("heartbeat-limit")) return choose_too_many(offer);
  return SabotagedPolicy::choose_instead(offer);
}

bool FairSabotage::change_choice(const Offer& offer, std::optional<Choice>& choice) {
  if (active("locality-passed")) {
    if (!choice || !is_near(*choice)) return false;
    choice.reset();
    return true;
  }
  const bool out_of_turn = active("pool-order") || active("kind-turn") || active("deficit-order");
  std::optional<Choice> wrong;
  if (choice && out_of_turn) wrong = choose_out_of_turn(offer, *choice);
  if (!choice && active("load-cap")) wrong = choose_on_full_enough(offer);
  if (!choice && active("locality-early")) wrong = choose_too_far(offer);
  if (!wrong) return false;
  choice = wrong;
  return true;
}

// Whether nothing but its turn keeps the job from the tracker: no maximum, no wait for locality.
bool FairSabotage::only_turn_matters(const Job& job, TaskKind kind,
                                     const check::FairRules& rules) const {
  if (kind == TaskKind::kMap && rules.delays_maps && state_.has_locations(job.id)) return false;
  for (QueueId q = job.queue; q.valid(); q = state_.tree().parent(q)) {
    if (state_.tree().node(q).settings.maximum_hundredths) return false;
  }
  for (std::string p(inner_pools_.pool_of(job.id)); !p.empty(); p = check::parent_of(p)) {
    if (rules.of(p).maximum[index(kind)]) return false;
  }
  return true;
}

// Another task of the kind than that of `but`.
std::optional<Choice> FairSabotage::any_task(const Offer& offer, TaskKind kind, JobId but) const {
  if (offer.free[index(kind)] <= 0) return std::nullopt;
  const check::FairRules set = rules();
  for (const auto& [id, job] : state_.jobs()) {
    if (id == but || !job->schedulable() || !only_turn_matters(*job, kind, set)) continue;
    if (auto choice = launch_of(state_.pick_task(id, kind, offer.tracker))) return choice;
  }
  return std::nullopt;
}

// When the heartbeat has brought all that it may.
std::optional<Choice> FairSabotage::choose_too_many(const Offer& offer) const {
  if (state_.tracker(offer.tracker).keeps > 0) return std::nullopt;
  const check::FairRules set = rules();
  for (const TaskKind kind : kTaskKinds) {
    const auto most = set.per_heartbeat[index(kind)];
    const bool enough = (most && offer.launched[index(kind)] >= *most) ||
                        (!set.assign_multiple && offer.launched[0] + offer.launched[1] > 0);
    if (!enough) continue;
    if (auto choice = any_task(offer, kind, JobId{})) return choice;
  }
  return std::nullopt;
}

std::optional<Choice> FairSabotage::choose_over_pool_maximum(const Offer& offer) const {
  const std::vector<PoolFigures> all = inner_pools_.pool_figures(offer.now);
  for (const auto& [id, job] : state_.jobs()) {
    if (!job->schedulable()) continue;
    const std::string pool(inner_pools_.pool_of(id));
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

// Another job's task, or one of the kind whose turn it is not.
std::optional<Choice> FairSabotage::choose_out_of_turn(const Offer& offer,
                                                       const Choice& right) const {
  if (state_.tracker(offer.tracker).keeps > 0 || right.what != Choice::What::kLaunch) {
    return std::nullopt;
  }
  const check::FairRules set = rules();
  const TaskKind kind = right.task.kind;
  if (is_limited(set) || set.deficit != active("deficit-order") ||
      !only_turn_matters(state_.job(right.task.job), kind, set)) {
    return std::nullopt;
  }
  if (!active("kind-turn")) return any_task(offer, kind, right.task.job);
  if (set.load_cap) return std::nullopt;
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
std::optional<Choice> FairSabotage::choose_on_full_enough(const Offer& offer) const {
  if (state_.tracker(offer.tracker).keeps > 0) return std::nullopt;
  const check::FairRules set = rules();
  if (is_limited(set) || !set.load_cap) return std::nullopt;
  for (const TaskKind kind : kTaskKinds) {
    if (auto choice = any_task(offer, kind, JobId{})) return choice;
  }
  return std::nullopt;
}

// A map of a job that has just come, further out than it may have waited for.
std::optional<Choice> FairSabotage::choose_too_far(const Offer& offer) const {
  if (state_.tracker(offer.tracker).keeps > 0) return std::nullopt;
  check::FairRules set = rules();
  const bool room = offer.free[index(TaskKind::kMap)] > 0;
  if (is_limited(set) || set.load_cap || !room || !set.delays_maps) return std::nullopt;
  const DurationMs node = check::least_delays(set, state_).first;
  set.delays_maps = false;
  for (const auto& [id, job] : state_.jobs()) {
    if (!job->schedulable() || offer.now - job->submitted_at >= node ||
        !only_turn_matters(*job, TaskKind::kMap, set)) {
      continue;
    }
    if (memory_.of(id).wait.level != Locality::kNode) continue;
    auto choice = launch_of(state_.pick_task(id, TaskKind::kMap, offer.tracker));
    if (choice && choice->located && choice->locality != Locality::kNode) return choice;
  }
  return std::nullopt;
}

// A map on a node that has its input, which nothing keeps from there.
bool FairSabotage::is_near(const Choice& choice) const {
  if (choice.what != Choice::What::kLaunch || choice.hold != 0) return false;
  check::FairRules set = rules();
  if (choice.task.kind != TaskKind::kMap || !set.delays_maps || set.deficit || is_limited(set)) {
    return false;
  }
  set.delays_maps = false;
  return choice.located && choice.locality == Locality::kNode &&
         only_turn_matters(state_.job(choice.task.job), TaskKind::kMap, set);
}

}  // namespace weir
