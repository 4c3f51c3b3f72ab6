// What the fair policy says of queues, pools and jobs, and why tasks wait.
#include <algorithm>

#include "fair/fair_policy.h"
#include "fair/pool_clocks.h"
#include "fair/pool_names.h"
#include "fair/shares.h"
#include "jobqueue/policy/slot_reasons.h"

namespace weir {
namespace {

std::string_view parent_path(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

}  // namespace

std::string_view FairPolicy::pool_of(JobId id) const {
  if (const JobEntry* entry = find_entry(id)) {
    answer_ = tree_.node(entry->pool).path;
  } else if (const Job* job = state_.find_job(id)) {
    answer_ = places_.last_place(*job);
  } else {
    answer_.clear();
  }
  return answer_;
}

QueueFigures FairPolicy::figures(QueueId queue, Dimension dimension) const {
  const TaskKind kind = dimension.kind();
  settle();
  const std::int64_t running = state_.queue(queue).running[kind];
  const std::int64_t maximum = queue_maximum_[index(kind)][queue.index()];
  std::int64_t pending = queue_pending_[index(kind)][queue.index()];
  if (queue_limited_[queue.index()]) {
    pending = std::min(pending, std::max<std::int64_t>(0, queue_room(queue, kind)));
  }
  QueueFigures figures{.guaranteed = 0,
                       .allocated = running,
                       .running = running,
                       .pending = pending,
                       .demand = std::min(maximum, running + pending),
                       .maximum = maximum};
  // As last dealt, if the queue is a pool.
  const PoolId pool = tree_.find(state_.tree().node(queue).path);
  if (pool.valid()) figures.share = standings_[index(kind)].line(pool).share;
  return figures;
}

// Pools that nobody has declared and no job is in are there for people to see: `default`, that of
// each leaf queue, and those above them. Nothing is decided by them.
std::set<std::string> FairPolicy::empty_pools() const {
  std::set<std::string> empty;
  const auto add = [&](std::string_view path) {
    while (!path.empty() && !tree_.find(path).valid()) {
      if (!empty.emplace(path).second) return;
      path = parent_path(path);
    }
  };
  add(kDefaultPool);
  for (const QueueId leaf : state_.tree().leaves()) add(state_.tree().node(leaf).path);
  return empty;
}

PoolFigures FairPolicy::figures_of_empty(const std::string& path) const {
  const PoolSettings& settings = settings_->undeclared;
  PoolFigures figures{.pool = path,
                      .parent = std::string(parent_path(path)),
                      .mode = weir::name(settings.mode),
                      .weight_millionths = settings.weight};
  for (const TaskKind kind : kTaskKinds) {
    figures.of[index(kind)] = {.maximum = settings.max_share[index(kind)].value_or(-1),
                               .share = 0,
                               .min_share = settings.min_share[index(kind)]};
  }
  if (copies_) figures.copying = 0;
  return figures;
}

std::vector<PoolFigures> FairPolicy::pool_figures(TimeMs now) const {
  deal_shares();
  std::vector<std::uint32_t> running(tree_.size(), 0);
  std::vector<std::uint32_t> waiting(tree_.size(), 0);
  jobs_.each([&](JobId, const JobEntry& entry) {
    if (entry.listed) ++(entry.runnable ? running : waiting)[entry.pool.index()];
  });
  std::vector<PoolFigures> all;
  const auto add = [&](PoolId pool) {
    const PoolTree::Node& node = tree_.node(pool);
    PoolFigures figures{.pool = node.path,
                        .parent = tree_.node(node.parent).path,
                        .declared = node.declared,
                        .mode = weir::name(node.settings->mode),
                        .weight_millionths = node.settings->weight,
                        .jobs_running = running[pool.index()],
                        .jobs_waiting = waiting[pool.index()]};
    const auto stamps = memory_.pools.find(node.path);
    for (const TaskKind kind : kTaskKinds) {
      const std::size_t k = index(kind);
      const Standings::Line& line = standings_[k].line(pool);
      const bool limited = line.maximum != INT64_MAX;
      figures.of[k] = {
          .allocated = line.running,
          .running = line.running,
          .pending = limited ? std::min(line.pending,
                                        std::max<std::int64_t>(0, line.maximum - line.running))
                             : line.pending,
          .demand = line.demand,
          .maximum = limited ? line.maximum : -1,
          .share = line.share,
          .min_share = line.minimum};
      if (stamps == memory_.pools.end()) continue;
      figures.below_min_share_ms[k] = passed(now, stamps->second.at_min_share[k]);
      figures.below_half_share_ms[k] = passed(now, stamps->second.at_half_share[k]);
      figures.unmet[k] = unmet(pool, kind, now);
    }
    if (copies_) figures.copying = copies_->line(pool).running;
    all.push_back(std::move(figures));
  };
  for (std::size_t p = 1; p < tree_.size(); ++p) {
    if (tree_.node(PoolId(p)).exists) add(PoolId(p));
  }
  for (const std::string& path : empty_pools()) all.push_back(figures_of_empty(path));
  std::sort(all.begin(), all.end(),
            [](const PoolFigures& a, const PoolFigures& b) { return a.pool < b.pool; });
  return all;
}

JobFigures FairPolicy::job_figures(JobId id, TaskKind kind) const {
  JobFigures figures{.share = 0, .weight_millionths = 0};
  const JobEntry* entry = find_entry(id);
  if (entry != nullptr && entry->runnable) {
    deal_shares();
    const JobStand& stand = entry->stand[index(kind)];
    figures.share = standings_[index(kind)].job_share(stand);
    figures.weight_millionths = stand.facts.weight / 1000;
  }
  if (kind == TaskKind::kMap && delay_.on() && state_.has_locations(id)) {
    figures.locality = {.allowed = delay_.allowed(id, false), .left_ms = delay_.left(id)};
  }
  if (by_deficit_) {
    const Int128 deficit = memory_.of(id).account[index(kind)].deficit;
    const Int128 half = deficit < 0 ? -kFineSlot / 2 : kFineSlot / 2;
    figures.deficit_ms = static_cast<std::int64_t>((deficit + half) / kFineSlot);
  }
  return figures;
}

Policy::RuleCounts FairPolicy::rule_counts() const {
  static constexpr std::array<std::string_view, kRuleCount> kNames = {
      "served_needy",        "served_hold",   "reserved",       "wide_passed",
      "passed_for_locality", "load_capped",   "dealt_shares",   "pool_over_budget",
      "deficit_order",       "granted_slots", "gathered_places"};
  RuleCounts counts;
  for (std::size_t i = 0; i < kRuleCount; ++i) counts.emplace_back(kNames[i], rules_[i]);
  return counts;
}

std::vector<Reason> FairPolicy::explain(JobId id, TaskKind kind, TimeMs now) const {
  const Job& job = state_.job(id);
  const JobEntry* entry = find_entry(id);
  const bool launches = job.launchable(kind) > 0;
  const bool waits = splits(kind) && job.tasks(kind).copied > 0;
  if (entry == nullptr || !entry->runnable || !(launches || waits)) return {};
  deal_shares();
  std::vector<Reason> reasons;
  const JobStand& stand = splits(kind) ? *entry->copies : entry->stand[index(kind)];
  if (launches && stand.facts.pending == 0) {
    const std::int64_t largest = state_.largest_tracker().slots(kind);
    return {{"no_tracker_large_enough",
             "no live tracker is large enough for a task of " + to_string(job.need(kind)) +
                 ", or all that are have failed the job too often; the largest has " +
                 slots_text(largest, kind),
             {{"need", job.width(kind)}, {"largest", largest}}}};
  }
  if (auto never = explain_width(*entry, job, kind)) return {*never};
  if (launches && splits(kind)) reasons.push_back(explain_copies(job));
  if (waits || !splits(kind)) explain_slots(*entry, job, kind, reasons);
  explain_unmet(entry->pool, kind, now, reasons);
  return reasons;
}

// What the pool, or one above it, lacks for too long, and why that goes on.
void FairPolicy::explain_unmet(PoolId pool, TaskKind kind, TimeMs now,
                               std::vector<Reason>& reasons) const {
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const std::int64_t lacks = unmet(p, kind, now);
    if (lacks == 0) continue;
    const Standings::Line& line = standings_[index(kind)].line(p);
    reasons.push_back({"need_unmet",
                       "pool " + tree_.node(p).path + " runs " + std::to_string(line.running) +
                           " of its minimum share of " + std::to_string(line.minimum) +
                           " and its fair share of " + share_text(line.share) + " " +
                           weir::name(kind) + " slots, and no task may be killed for " +
                           (lacks == 1 ? "the one" : "the " + std::to_string(lacks)) +
                           " that it lacks",
                       {{"lacks", lacks},
                        {"running", line.running},
                        {"min_share", line.minimum},
                        {"share_thousandths", thousandths(line.share)}}});
  }
}

// Its tasks are wider than a pool or queue on the way may ever run: nothing else is of interest.
std::optional<Reason> FairPolicy::explain_width(const JobEntry& entry, const Job& job,
                                                TaskKind kind) const {
  const std::int64_t width = entry.stand[index(kind)].width;
  for (PoolId p = entry.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const std::int64_t maximum = standings_[index(kind)].line(p).maximum;
    if (width > maximum)
      return wider_than_maximum("pool " + tree_.node(p).path, kind, width, maximum);
  }
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    const std::int64_t maximum = queue_maximum_[index(kind)][q.index()];
    if (width > maximum)
      return wider_than_maximum("queue " + state_.tree().node(q).path, kind, width, maximum);
  }
  return std::nullopt;
}

// Why tasks wait that nothing but slots is missing to.
void FairPolicy::explain_slots(const JobEntry& entry, const Job& job, TaskKind kind,
                               std::vector<Reason>& reasons) const {
  const JobStand& stand = entry.stand[index(kind)];
  if (splits(kind)) {
    const std::int64_t waiting = job.tasks(kind).copied;
    reasons.push_back({"waiting_to_compute",
                       std::to_string(waiting) + (waiting == 1 ? " reduce has" : " reduces have") +
                           " copied and " + (waiting == 1 ? "waits" : "wait") +
                           " for a slot on the same tracker",
                       {{"waiting", waiting}}});
  }
  for (PoolId p = entry.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const Standings::Line& line = standings_[index(kind)].line(p);
    if (line.running + stand.width <= line.maximum) continue;
    reasons.push_back({"pool_at_maximum",
                       "pool " + tree_.node(p).path + " holds " + std::to_string(line.running) +
                           " of its max_share of " + slots_text(line.maximum, kind),
                       {{"running", line.running}, {"maximum", line.maximum}}});
  }
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().node(q).parent) {
    const std::int64_t running = state_.queue(q).running[kind];
    const std::int64_t maximum = queue_maximum_[index(kind)][q.index()];
    if (running + stand.width <= maximum || maximum >= state_.total_slots(kind)) continue;
    reasons.push_back({"queue_at_maximum",
                       "queue " + state_.tree().node(q).path + " holds " + std::to_string(running) +
                           " of its maximum of " + slots_text(maximum, kind),
                       {{"running", running}, {"maximum", maximum}}});
  }
  if (auto reason = reason_of_wait(delay_, job.id, kind)) reasons.push_back(std::move(*reason));
  const Standings::Line& line = standings_[index(kind)].line(entry.pool);
  const std::string& pool = tree_.node(entry.pool).path;
  if (reaches(line.running + stand.width - 1, line.share)) {
    reasons.push_back({"pool_at_share",
                       "pool " + pool + " runs " + std::to_string(line.running) +
                           ", its fair share is " + share_text(line.share) + " of " +
                           slots_text(state_.total_slots(kind), kind),
                       {{"running", line.running},
                        {"share_thousandths", thousandths(line.share)}}});
  } else {
    reasons.push_back({"pool_below_share",
                       "pool " + pool + " runs " + std::to_string(line.running) +
                           " of its fair share of " + share_text(line.share) + " " +
                           weir::name(kind) +
                           " slots and comes before pools that run more for their weight",
                       {{"running", line.running},
                        {"share_thousandths", thousandths(line.share)}}});
  }
}

}  // namespace weir
