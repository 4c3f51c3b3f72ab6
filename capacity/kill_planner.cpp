#include "capacity/kill_planner.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "capacity/capacity_arithmetic.h"
#include "jobqueue/policy/leaf_need.h"
#include "jobqueue/policy/user_limit.h"

namespace weir {
KillPlanner::KillPlanner(const ClusterState& state, TaskKind kind, TimeMs now,
                         CapacitySettings::Preemption preemption, Figures figures)
    : state_(state),
      kind_(kind),
      now_(now),
      preemption_(preemption),
      figures_(std::move(figures)),
      reserved_(state, kind) {
  for (const Hold& hold : state.claims().holds()) {
    if (hold.kind != kind) continue;
    under_way_[hold.queue] += hold.slots;
    promised_[hold.tracker].slots(kind) += hold.kept();
    promise(hold.queue, hold.job, hold.tracker, hold.slots);
  }
}

void KillPlanner::plan(Preemption& plan) {
  for (const auto& [deadline, queue, id] : state_.claims().by_deadline(kind_)) {
    if (deadline > now_) return;
    serve(*state_.claims().find(queue, kind_, id), plan);
  }
}

void KillPlanner::serve(const Claim& claim, Preemption& plan) {
  ClaimFinding finding{claim.queue, kind_, claim.id, ClaimBlock::kNone, 0};
  if (preemption_ == CapacitySettings::Preemption::kOff) {
    finding.block = ClaimBlock::kPreemptionOff;
  } else {
    std::int64_t need = claim.slots - under_way(claim);
    if (need > 0) need -= usable_free(claim.queue, need);
    if (need > 0 && now_ < claim.kills_from) {
      finding.block = ClaimBlock::kRepeating;
    } else if (need > 0) {
      finding.block = kill_for(claim, need, plan);
    }
    if (preemption_ == CapacitySettings::Preemption::kLogOnly && need > 0 &&
        (finding.block == ClaimBlock::kNone || finding.block == ClaimBlock::kRepeating)) {
      finding.block = ClaimBlock::kLogOnly;
    }
  }
  if (finding.block == ClaimBlock::kUnservable) finding.width = narrowest(claim.queue);
  if (finding.block != claim.block || finding.width != claim.width)
    plan.findings.push_back(finding);
}

// Kills for the queue that are under way serve its earliest claims.
std::int64_t KillPlanner::under_way(const Claim& claim) {
  std::int64_t& left = under_way_[claim.queue];
  const std::int64_t taken = std::min(left, claim.slots);
  left -= taken;
  return taken;
}

// Free slots that the claimant could use now, up to `wanted`, beyond those that its shortfall
// already counted on when the claims arose.
std::int64_t KillPlanner::usable_free(QueueId claimant, std::int64_t wanted) {
  if (state_.free_slots(kind_) == 0) return 0;
  std::int64_t& older = covered_.try_emplace(claimant, expected_free(claimant)).first->second;
  std::int64_t usable = 0;
  for (const TrackerState& tracker : state_.trackers()) {
    std::int64_t free = state_.free_slots(tracker, kind_);
    if (free == 0) continue;
    Resources& promised = promised_[tracker.id];
    free -= promised.slots(kind_);
    while (free > 0 && usable < wanted) {
      Resources taken;
      taken -= promised;
      const std::int64_t widest =
          std::min({free, wanted - usable + older, room_above(claimant, {})});
      const auto job = could_start(claimant, widest, tracker.id, taken);
      if (!job) break;
      const std::int64_t width = width_of(*job);
      promised += state_.job(*job).need(kind_);
      promise(claimant, *job, tracker.id, width);
      free -= width;
      const std::int64_t for_older = std::min(older, width);
      older -= for_older;
      usable += width - for_older;
    }
    if (usable >= wanted) break;
  }
  return std::min(usable, wanted);
}

// Free slots that its claims count on already: what its own tasks have freed stands for them.
std::int64_t KillPlanner::expected_free(QueueId claimant) const {
  std::int64_t slots = state_.claims().counted_free(claimant, kind_);
  for (const FreedSlots& freed : state_.claims().freed()) {
    if (freed.queue == claimant && freed.kind == kind_) slots += freed.slots;
  }
  return slots;
}

ClaimBlock KillPlanner::kill_for(const Claim& claim, std::int64_t need, Preemption& plan) {
  while (need > 0) {
    const auto hopeless = hopeless_.find(claim.queue);
    if (hopeless != hopeless_.end() && need <= hopeless->second.first) {
      return hopeless->second.second;
    }
    bool over_budget = false;
    auto order = find_victims(claim, need, over_budget);
    if (!order) {
      const ClaimBlock block = over_budget ? ClaimBlock::kOverBudget : ClaimBlock::kUnservable;
      hopeless_[claim.queue] = {need, block};
      return block;
    }
    need -= order->slots;
    plan.kills.push_back(std::move(*order));
  }
  under_way_[claim.queue] -= need;  // what a wide victim frees beyond it is for the next claim
  return ClaimBlock::kNone;
}

KillOrder KillPlanner::commit(const Claim& claim, const Pile& pile, TrackerId tracker, JobId job) {
  // Also what is freed beyond the task's need is for the claimant, and counts as under way.
  const std::int64_t width = width_of(job);
  KillOrder order{.reason = KillReason::kReclaim,
                  .for_queue = claim.queue,
                  .claim = claim.id,
                  .kind = kind_,
                  .job = job,
                  .slots = std::max(width, pile.freed.slots(kind_)),
                  .log_only = preemption_ == CapacitySettings::Preemption::kLogOnly};
  for (const auto& [l, i] : pile.victims) {
    Leaf& leaf = leaves_[l];
    leaf.candidates[i].taken = true;
    const Attempt& attempt = state_.attempt(leaf.candidates[i].slot);
    order.victims.push_back(leaf.candidates[i].slot);
    leaf.running[attempt.user] -= slots_of(attempt);
    lost_[leaf.queue] += cost(attempt);
    for (QueueId q = leaf.queue; q.valid(); q = state_.tree().parent(q)) {
      killed_[q] += slots_of(attempt);
    }
  }
  for (const auto& [l, i] : pile.victims) {
    Leaf& leaf = leaves_[l];
    while (leaf.first < leaf.candidates.size() && leaf.candidates[leaf.first].taken) ++leaf.first;
    for (auto& [parent, ranks] : orders_) ranks.set(static_cast<std::uint32_t>(l), rank(parent, l));
  }
  promise(claim.queue, job, tracker, order.slots);
  Resources& promised = promised_[tracker];
  promised += state_.job(job).need(kind_);
  promised.slots(kind_) += order.slots - width;
  promised -= pile.freed;
  return order;
}

// --- Figures ---

std::optional<JobId> KillPlanner::could_start(QueueId claimant, std::int64_t widest,
                                              TrackerId tracker, const Resources& freed) const {
  const LeafJobs& jobs = figures_.jobs(claimant);
  const QueueLine& line = figures_.line(claimant);
  const QueueSettings& settings = state_.tree().node(claimant).settings;
  const bool hard = settings.user_limit.mode == UserLimit::Mode::kHard;
  const bool mixed = line.facts.wide_jobs > 0;
  OwedList owed(state_.claims().owed(claimant, kind_), std::min(line.guaranteed, line.maximum));
  std::optional<JobId> found;
  const auto may = [&](const LeafJobs::Bucket& bucket) {
    if (!mixed && bucket.width > widest) return false;
    if (!hard) return true;
    return bucket.user_running + bucket.width <=
           user_limit_slots(settings.user_limit, {.guaranteed = line.guaranteed,
                                                  .allocated = line.allocated,
                                                  .running = line.facts.running,
                                                  .need = bucket.width,
                                                  .active_users = jobs.active_users()});
  };
  jobs.visit(may, [&](JobId job) {
    const std::int64_t width = width_of(job);
    std::int64_t tasks = state_.job(job).launchable(kind_);
    if (mixed) tasks = owed.take(width, tasks);
    const auto planned = planned_.find(job);  // each kill is for a task of its own
    if (planned != planned_.end()) tasks -= planned->second;
    if (tasks > 0 && width <= widest) {
      Resources here = freed;
      here.slots(kind_) -= reserved_.kept_from(job, tracker);
      if (state_.could_start(job, kind_, tracker, here)) found = job;
    }
    return found.has_value() || (mixed && owed.ended());
  });
  return found;
}

std::int64_t KillPlanner::room_above(QueueId claimant, const Pile& pile) const {
  std::int64_t room = INT64_MAX;
  for (QueueId q = claimant; q != QueueTree::root(); q = state_.tree().parent(q)) {
    std::int64_t left = figures_.line(q).maximum - running(q);
    if (const auto gained = gained_.find(q); gained != gained_.end()) left -= gained->second;
    for (const auto& [leaf, slots] : pile.slots) {
      if (state_.tree().is_ancestor(q, leaf)) left += slots;
    }
    room = std::min(room, left);
  }
  return room;
}

void KillPlanner::promise(QueueId claimant, JobId job, TrackerId tracker, std::int64_t slots) {
  ++planned_[job];
  reserved_.plan(job, tracker);
  for (QueueId q = claimant; q.valid(); q = state_.tree().parent(q)) gained_[q] += slots;
}

std::int64_t KillPlanner::width_of(JobId job) const {
  return std::max<std::int64_t>(state_.job(job).width(kind_), 1);
}

std::int64_t KillPlanner::cost(const Attempt& attempt) const {
  return slots_of(attempt) * attempt.in_slots_ms(now_);
}

std::int64_t KillPlanner::slots_of(const Attempt& attempt) const {
  return state_.job(attempt.key.task.job).width(kind_);
}

std::int64_t KillPlanner::running(QueueId queue) const {
  const auto killed = killed_.find(queue);
  return figures_.line(queue).facts.running - (killed == killed_.end() ? 0 : killed->second);
}

bool KillPlanner::above_limit(const Leaf& leaf, UserId user) const {
  const QueueLine& line = figures_.line(leaf.queue);
  const auto held = leaf.running.find(user);
  if (held == leaf.running.end()) return false;
  return held->second >
         user_limit_slots(state_.tree().node(leaf.queue).settings.user_limit,
                          {.guaranteed = line.guaranteed,
                           .allocated = line.allocated,
                           .running = running(leaf.queue),
                           .need = 0,
                           .active_users = figures_.jobs(leaf.queue).active_users()});
}

std::int64_t KillPlanner::narrowest(QueueId claimant) const {
  return std::max<std::int64_t>(1, figures_.jobs(claimant).narrowest_width());
}

}  // namespace weir
