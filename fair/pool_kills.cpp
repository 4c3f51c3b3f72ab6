#include "fair/pool_kills.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weir {

PoolKills::PoolKills(const ClusterState& state, TaskKind kind, TimeMs now, bool log_only,
                     Figures figures)
    : state_(state),
      kind_(kind),
      now_(now),
      log_only_(log_only),
      figures_(std::move(figures)),
      reserved_(state, kind) {
  for (const Hold& hold : state.claims().holds()) {
    if (hold.kind != kind) continue;
    promised_[hold.tracker].slots(kind) += hold.kept();
    const PoolId pool = figures_.tree.find(hold.pool);
    if (!pool.valid()) continue;
    for (PoolId p = pool; p.valid(); p = figures_.tree.node(p).parent) got_[p] += hold.slots;
    if (state.find_job(hold.job) == nullptr) continue;
    const std::int64_t tasks = std::min<std::int64_t>(hold.slots / width_of(hold.job),
                                                      state.job(hold.job).launchable(kind));
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, tasks); ++i) {
      promise(pool, hold.job, hold.tracker);
    }
  }
}

void PoolKills::plan(std::vector<KillOrder>& kills) {
  figures_.tree.visit_children_first(PoolTree::root(), [&](PoolId pool) {
    if (const Due due = figures_.due(pool); due.slots() > 0) serve(pool, due, kills);
  });
}

// The minimum first: it may take more than the fair share.
void PoolKills::serve(PoolId needy, const Due& due, std::vector<KillOrder>& kills) {
  const auto need = [&](std::int64_t slots) { return slots - of(got_, needy); };
  if (need(due.slots()) > 0) take_free(needy, need(due.slots()), need(due.slots()));
  if (need(due.slots()) > 0) take_free(needy, need(due.slots()), INT64_MAX);
  if (need(due.slots()) <= 0) return;
  if (!collected_) collect();
  Search minimum{.needy = needy, .reason = KillReason::kMinShare, .owed_ms = due.minimum_ms};
  minimum.need = need(due.minimum);
  kill_for(minimum, kills);
  Search fair{.needy = needy, .reason = KillReason::kFairShare, .owed_ms = due.fair_ms};
  fair.need = need(due.fair);
  kill_for(fair, kills);
  if (need(due.slots()) > 0) unmet_[needy] = need(due.slots());
}

// What brings more than the need comes last: for a task that is wider, then of a victim that is.
void PoolKills::kill_for(const Search& need, std::vector<KillOrder>& kills) {
  if (need.need <= 0 || candidates_.empty()) return;
  Search narrow = need;
  search(narrow, kills);
  if (narrow.need <= 0) return;
  Search left = need;
  left.need = narrow.need;
  left.wide_tasks = true;
  if (wants_wider(need.needy, left.need)) {
    Search wide = left;
    search(wide, kills);
    if (wide.need <= 0) return;
  }
  for (auto width = widths_.upper_bound(left.need); width != widths_.end(); ++width) {
    Search wide = left;
    wide.widest = *width;
    search(wide, kills);
    if (wide.need <= 0) return;
  }
}

// First those whose job keeps its own share.
void PoolKills::search(Search& search, std::vector<KillOrder>& kills) {
  pass(search, kills);
  if (search.need <= 0 || !search.held_back) return;
  search.below_job_share = true;
  pass(search, kills);
}

void PoolKills::pass(Search& search, std::vector<KillOrder>& kills) {
  for (std::size_t i = 0; i < candidates_.size() && search.need > 0; ++i) {
    const Candidate& candidate = candidates_[i];
    if (candidate.taken || candidate.slots > search.widest_victim() ||
        figures_.tree.contains(search.needy, candidate.pool)) {
      continue;
    }
    const TrackerId tracker = state_.attempt(candidate.slot).tracker;
    Pile chosen;
    auto starts = gather(search, i, chosen);
    if (!starts) continue;
    prune(search, chosen, tracker, *starts);
    kills.push_back(commit(search, chosen, tracker, *starts));
    search.need -= kills.back().slots;
  }
}

// Puts the candidate on the pile of its tracker, if it may die. Whose task could start there when
// those `chosen` are dead.
std::optional<JobId> PoolKills::gather(Search& search, std::size_t candidate, Pile& chosen) {
  const TrackerId tracker = state_.attempt(candidates_[candidate].slot).tracker;
  Pile& gathered = search.piles[tracker];
  const auto& known = gathered.victims;
  if (std::find(known.begin(), known.end(), candidate) != known.end()) return std::nullopt;
  const auto others = std::exchange(gathered, {}).victims;
  for (const std::size_t other : others) {  // those that may still die: others have been taken
    if (candidates_[other].slots > search.widest_victim()) continue;
    if (may_die(candidates_[other], search, gathered)) add(gathered, other);
  }
  if (may_die(candidates_[candidate], search, gathered)) {
    add(gathered, candidate);
    chosen = gathered;
  } else {
    // What was gathered may leave its pool too poor for a wide task that would do by itself.
    if (gathered.victims.empty() || !may_die(candidates_[candidate], search, chosen)) {
      return std::nullopt;
    }
    add(chosen, candidate);
  }
  return could_start(search.needy, search.widest_task(), tracker, chosen);
}

// Nobody dies for nothing: who was gathered before a wide task that would have done without him is
// spared.
void PoolKills::prune(const Search& search, Pile& pile, TrackerId tracker, JobId& job) const {
  for (std::size_t i = pile.victims.size() - 1; i-- > 0;) {
    Pile fewer;
    for (std::size_t j = 0; j < pile.victims.size(); ++j) {
      if (j != i) add(fewer, pile.victims[j]);
    }
    const auto starts = could_start(search.needy, search.widest_task(), tracker, fewer);
    if (!starts) continue;
    pile = std::move(fewer);
    job = *starts;
  }
}

bool PoolKills::wants_wider(PoolId needy, std::int64_t than) const {
  if (!figures_.tree.node(needy).leaf()) {
    bool found = false;
    figures_.standings.visit(needy, [&](PoolId child) { return found = wants_wider(child, than); });
    return found;
  }
  const auto& members = figures_.standings.members(needy);
  return std::any_of(members.begin(), members.end(), [&](const JobStand* stand) {
    return stand->width > than && stand->facts.pending > 0;
  });
}

// Free slots that the pool could use now, up to `wanted`, for tasks of at most that width.
std::int64_t PoolKills::take_free(PoolId needy, std::int64_t wanted, std::int64_t widest) {
  if (state_.free_slots(kind_) == 0) return 0;
  std::int64_t taken = 0;
  for (const TrackerState& tracker : state_.trackers()) {
    if (state_.free_slots(tracker, kind_) == 0) continue;
    while (taken < wanted) {
      const std::int64_t width_limit = widest == INT64_MAX ? widest : wanted - taken;
      const auto job = could_start(needy, width_limit, tracker.id, {});
      if (!job) break;
      const std::int64_t width = width_of(*job);
      promised_[tracker.id] += state_.job(*job).need(kind_);
      promise(needy, *job, tracker.id);
      for (PoolId p = needy; p.valid(); p = figures_.tree.node(p).parent) got_[p] += width;
      taken += width;
    }
    if (taken >= wanted) break;
  }
  return taken;
}

// --- Victims ---

void PoolKills::collect() {
  collected_ = true;
  for (std::size_t i = 0; i < state_.attempts().size(); ++i) {
    const Attempt& attempt = state_.attempts()[i];
    if (!attempt.live || attempt.dying() || attempt.key.task.kind != kind_) continue;
    if (!attempt.has_slots()) continue;
    const TrackerState& tracker = state_.tracker(attempt.tracker);
    if (!tracker.in_pool()) continue;  // its slots are nobody's to have
    const PoolId pool = figures_.pool_of(attempt.key.task.job);
    if (!pool.valid()) continue;
    const Standings::Line& line = figures_.standings.line(pool);
    if (!exceeds(line.running, line.share)) continue;
    candidates_.push_back({AttemptSlot(i), pool, width_of(attempt.key.task.job)});
    widths_.insert(candidates_.back().slots);
  }
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
    const Attempt& x = state_.attempt(a.slot);
    const Attempt& y = state_.attempt(b.slot);
    return std::tie(y.launched_at, y.launch_order) < std::tie(x.launched_at, x.launch_order);
  });
}

bool PoolKills::may_die(const Candidate& candidate, Search& search, const Pile& pile) const {
  if (candidate.taken || !pools_permit(candidate, search, pile)) return false;
  if (!search.below_job_share && !keeps_job_share(candidate, pile)) {
    search.held_back = true;
    return false;
  }
  return within_budget(candidate, pile);
}

// Each pool on the way up to the common one runs more than its share, and keeps of it what it must:
// for a minimum its own minimum, for half of a share also the whole slots of its share; but a task
// too wide for that may go where its pool is better off without it than the needy one is.
bool PoolKills::pools_permit(const Candidate& candidate, const Search& search,
                             const Pile& pile) const {
  for (PoolId p = candidate.pool; !figures_.tree.contains(p, search.needy);
       p = figures_.tree.node(p).parent) {
    const Standings::Line& line = figures_.standings.line(p);
    const std::int64_t running = line.running - of(killed_, p) - slots_in(pile, p);
    const std::int64_t left = running - candidate.slots;
    if (!exceeds(running, line.share) || left < line.owed_minimum()) return false;
    if (search.reason == KillReason::kMinShare || left >= whole_slots(line.share)) continue;
    if (!better_off(left, line.share, search.needy)) return false;
  }
  return true;
}

// Whether a pool that runs `left` of its share has more of it than the needy pool of its own.
bool PoolKills::better_off(std::int64_t left, Share share, PoolId needy) const {
  const Standings::Line& line = figures_.standings.line(needy);
  const std::int64_t has = line.running + of(got_, needy);
  return exceeds_in_proportion(left, share, has, line.share);
}

bool PoolKills::keeps_job_share(const Candidate& candidate, const Pile& pile) const {
  const JobId job = state_.attempt(candidate.slot).key.task.job;
  std::int64_t left = state_.job(job).tasks(kind_).running * width_of(job) - of(job_killed_, job) -
                      candidate.slots;
  for (const std::size_t other : pile.victims) {
    if (state_.attempt(candidates_[other].slot).key.task.job == job) {
      left -= candidates_[other].slots;
    }
  }
  return reaches(left, figures_.job_share(job));
}

bool PoolKills::within_budget(const Candidate& candidate, const Pile& pile) const {
  const PoolTree::Node& node = figures_.tree.node(candidate.pool);
  if (!node.settings->kill_budget) return true;
  std::int64_t lost = state_.claims().losses().of_pool(node.path, now_) + of(lost_, candidate.pool);
  lost += cost(candidate.slot);
  for (const std::size_t other : pile.victims) {
    if (candidates_[other].pool == candidate.pool) lost += cost(candidates_[other].slot);
  }
  if (lost <= *node.settings->kill_budget * 1000) return true;
  ++spared_;
  return false;
}

void PoolKills::add(Pile& pile, std::size_t candidate) const {
  pile.victims.push_back(candidate);
  pile.freed += state_.job(state_.attempt(candidates_[candidate].slot).key.task.job).need(kind_);
}

// All that is freed is held for the needy pool.
KillOrder PoolKills::commit(const Search& search, const Pile& pile, TrackerId tracker, JobId job) {
  const PoolId needy = search.needy;
  const std::int64_t freed = slots_in(pile, PoolTree::root());
  KillOrder order{.reason = search.reason,
                  .for_pool = figures_.tree.node(needy).path,
                  .kind = kind_,
                  .job = job,
                  .slots = std::max(width_of(job), freed),
                  .log_only = log_only_,
                  .owed_ms = search.owed_ms};
  for (const std::size_t i : pile.victims) {
    Candidate& victim = candidates_[i];
    victim.taken = true;
    const Attempt& attempt = state_.attempt(victim.slot);
    order.victims.push_back(victim.slot);
    lost_[victim.pool] += cost(victim.slot);
    job_killed_[attempt.key.task.job] += victim.slots;
    for (PoolId p = victim.pool; p.valid(); p = figures_.tree.node(p).parent) {
      killed_[p] += victim.slots;
    }
    for (QueueId q = attempt.queue; q.valid(); q = state_.tree().node(q).parent) {
      in_queue_[q] -= victim.slots;
    }
  }
  promise(needy, job, tracker);
  for (PoolId p = needy; p.valid(); p = figures_.tree.node(p).parent) got_[p] += order.slots;
  promised_[tracker] += state_.job(job).need(kind_);
  promised_[tracker] -= pile.freed;
  promise_rest(needy, order.slots - width_of(job), tracker);
  return order;
}

// What a kill frees beyond the one task: for others of the pool, or for nobody.
void PoolKills::promise_rest(PoolId needy, std::int64_t slots, TrackerId tracker) {
  while (slots > 0) {
    const auto job = could_start(needy, slots, tracker, {});
    if (!job) break;
    promise(needy, *job, tracker);
    promised_[tracker] += state_.job(*job).need(kind_);
    slots -= width_of(*job);
  }
  promised_[tracker].slots(kind_) += slots;
}

}  // namespace weir
