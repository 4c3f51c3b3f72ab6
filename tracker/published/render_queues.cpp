// Queues as readers see them: figures, users with their limits, claims, held slots, the last
// kills, counters.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "conf/describe.h"
#include "jobqueue/model/access_rights.h"
#include "jobqueue/model/share.h"
#include "jobqueue/policy/pools_facet.h"
#include "tracker/published/render.h"

namespace weir {
namespace {


// Only who is guaranteed something lends and borrows.
QueueView::Slots render_figures(const QueueFigures& figures, bool guarantees) {
  QueueView::Slots out;
  out.guaranteed = figures.guaranteed;
  out.allocated = figures.allocated;
  out.running = figures.running;
  out.pending = figures.pending;
  if (figures.maximum >= 0) out.maximum = figures.maximum;
  if (figures.share >= 0) out.share_thousandths = thousandths(figures.share);
  if (!guarantees) return out;
  out.lends = std::max<std::int64_t>(0, figures.guaranteed - figures.allocated);
  out.borrows = std::max<std::int64_t>(0, figures.running - figures.guaranteed);
  return out;
}

QueueView::SlotTime render_time(const QueueCounters& counters, Dimension d) {
  QueueView::SlotTime out;
  out.used_ms = counters.used_ms[d];
  out.lent_ms = counters.lent_ms[d];
  out.borrowed_ms = counters.borrowed_ms[d];
  out.lost_ms = counters.lost_ms[d];
  return out;
}

void add_past(const UserCounters& counters, const Space& space, QueueView::User* out) {
  out->jobs_succeeded = static_cast<std::int64_t>(counters.ended.succeeded);
  out->jobs_failed = static_cast<std::int64_t>(counters.ended.failed);
  out->jobs_killed = static_cast<std::int64_t>(counters.ended.killed);
  if (space.containers()) {
    out->amounts.resize(space.dimensions().size());
    for (std::size_t i = 0; i < out->amounts.size(); ++i) {
      const Dimension d = space.dimensions()[i];
      out->amounts[i].dimension = space.name(d);
      out->amounts[i].used_ms = counters.used_ms[d];
      out->amounts[i].lost_ms = counters.lost_ms[d];
    }
    return;
  }
  out->used_map_slot_ms = counters.used_ms[TaskKind::kMap];
  out->used_reduce_slot_ms = counters.used_ms[TaskKind::kReduce];
  out->lost_map_slot_ms = counters.lost_ms[TaskKind::kMap];
  out->lost_reduce_slot_ms = counters.lost_ms[TaskKind::kReduce];
}

// What users hold of a leaf, and up to where they may go.
class RunningOfUsers {
 public:
  RunningOfUsers(const Engine& engine, QueueId leaf, const QueueView& queue)
      : space_(engine.state().space()), queue_(queue) {
    for (const Dimension d : space_.dimensions())
      limits_.push_back(engine.policy().figures(leaf, d).user_limit);
  }

  void add(const PerDimension<std::int64_t>& running, QueueView::User* out) const {
    if (space_.containers()) {
      for (std::size_t i = 0; i < limits_.size(); ++i) {
        QueueView::UserAmounts& amounts = out->amounts[i];
        amounts.running = running[space_.dimensions()[i]];
        const std::int64_t maximum = queue_.amounts[i].figures.maximum.value_or(0);
        if (limits_[i] >= 0) amounts.limit = std::min(limits_[i], maximum);
      }
      return;
    }
    const std::int64_t map_limit = limits_[0], reduce_limit = limits_[1];
    out->running_maps = running[TaskKind::kMap];
    out->running_reduces = running[TaskKind::kReduce];
    if (map_limit >= 0) out->limit_maps = std::min(map_limit, queue_.maps.maximum.value_or(0));
    if (reduce_limit >= 0)
      out->limit_reduces = std::min(reduce_limit, queue_.reduces.maximum.value_or(0));
  }

 private:
  const Space& space_;
  const QueueView& queue_;
  std::vector<std::int64_t> limits_;  // by dimension
};

// Those who have a job or a task here, then the last ones who had.
void render_users(const Engine& engine, QueueId leaf, QueueView* out) {
  const ClusterState& state = engine.state();
  const QueueState& queue = state.queue(leaf);
  const RunningOfUsers held(engine, leaf, *out);
  const auto past = &queue.counters.users;
  for (const auto& [id, user] : queue.users) {
    QueueView::User figures;
    figures.user = state.user_name(id);
    figures.jobs = count(user.jobs_waiting + user.jobs_running);
    if (figures.jobs == 0 && user.running.all_zero()) continue;
    figures.jobs_waiting = count(user.jobs_waiting);
    figures.jobs_running = count(user.jobs_running - user.jobs_pending);
    figures.jobs_pending = count(user.jobs_pending);
    const auto known = past->find(id);
    add_past(known == past->end() ? UserCounters{} : known->second, state.space(), &figures);
    held.add(user.running, &figures);
    out->users.push_back(std::move(figures));
  }
  std::vector<std::pair<TimeMs, UserId>> gone;
  for (const auto& [id, counters] : *past) {
    if (!queue.users.contains(id)) gone.emplace_back(-counters.touched_at, id);
  }
  const std::size_t shown = std::min(gone.size(), Past::kUsersShown);
  std::partial_sort(gone.begin(), gone.begin() + static_cast<std::ptrdiff_t>(shown), gone.end());
  for (std::size_t i = 0; i < shown; ++i) {
    QueueView::User figures;
    figures.user = state.user_name(gone[i].second);
    figures.jobs_waiting = figures.jobs_running = figures.jobs_pending = 0;
    add_past(past->at(gone[i].second), state.space(), &figures);
    out->users.push_back(std::move(figures));
  }
}

const char* claim_state(const Engine& engine, const Claim& claim) {
  if (engine.claims_paused()) return "paused";
  if (engine.recovering() || !engine.unreported().empty()) return "recovering";
  if (engine.now() < claim.deadline) return "waiting";
  return claim.block == ClaimBlock::kNone ? "due" : name(claim.block);
}

void render_claims(const Engine& engine, QueueId leaf, const WallClock& wall, QueueView* out) {
  const TimeMs now = engine.claims_now();
  const bool still = engine.claims_paused();  // for as long as that is so it has no deadline
  const Space& space = engine.state().space();
  for (const Dimension d : space.dimensions()) {
    for (const Claim& claim : engine.state().claims().claims(leaf, d)) {
      QueueView::Claim info;
      if (space.containers()) {
        info.dimension = space.name(d);
      } else {
        info.kind = d.kind();
      }
      info.slots = claim.slots;
      const bool never = still || claim.deadline == kNever;
      info.milliseconds_left = never ? -1 : std::max<DurationMs>(0, claim.deadline - now);
      info.claim = static_cast<std::int64_t>(claim.id);
      info.opened_at_ms = wall.at(claim.born);
      info.owed_ms = now - claim.born;
      if (!never) info.deadline_ms = wall.at(claim.deadline);
      if (now >= claim.deadline) info.overdue_ms = now - claim.deadline;
      info.state = claim_state(engine, claim);
      if (claim.block == ClaimBlock::kUnservable) info.width = claim.width;
      out->claims.push_back(std::move(info));
    }
  }
}

QueueView::Hold render_hold(const ClusterState& state, const Hold& hold) {
  QueueView::Hold out;
  out.kind = hold.kind;
  out.tracker = state.tracker(hold.tracker).name;
  out.slots = hold.slots;
  out.claim = static_cast<std::int64_t>(hold.claim);
  out.dying = count(hold.dying);
  if (!state.space().containers()) return out;
  Resources room;
  for (const Dimension d : state.space().dimensions()) room[d] = hold.need[d];
  out.room = state.space().text(room);
  return out;
}

QueueView::Kill render_kill(const ClusterState& state, const KillRecord& record,
                            const WallClock& wall) {
  const auto path = [&](QueueId queue) {
    return queue.valid() ? state.tree().node(queue).path : std::string();
  };
  QueueView::Kill out;
  out.at_ms = wall.at(record.at);
  out.claim = static_cast<std::int64_t>(record.claim);
  out.claimant = record.for_pool.empty() ? path(record.claimant) : record.for_pool;
  out.owed_ms = record.owed_ms;
  out.victim = record.from_pool.empty() ? path(record.victim) : record.from_pool;
  out.user = state.user_name(record.user);
  out.job_name = job_name(record.attempt.task.job);
  out.attempt = attempt_name(record.attempt);
  out.tracker = state.tracker(record.tracker).name;
  out.slots = record.slots;
  for (const Dimension d : kContainerDimensions) {  // also where slots count by now
    if (record.container[d] > 0)
      out.container.push_back({std::string(state.space().name(d)), record.container[d]});
  }
  out.ran_ms = record.ran_ms;
  out.outcome = outcome_of(record);
  return out;
}

void render_amounts(const Engine& engine, QueueId id, QueueView& out) {
  const ClusterState& state = engine.state();
  std::int64_t dominant = 0;
  for (const Dimension d : state.space().dimensions()) {
    const QueueFigures figures = engine.policy().figures(id, d);
    QueueView::Amounts& amounts = out.amounts.emplace_back();
    amounts.dimension = state.space().name(d);
    amounts.reserved = state.reserved(id)[d];
    if (figures.kept >= 0) amounts.kept = figures.kept;
    if (figures.min_share >= 0) amounts.min_share = figures.min_share;
    amounts.time = render_time(state.queue(id).counters, d);
    const std::int64_t total = state.total()[d];
    if (total > 0) dominant = std::max(dominant, 1000 * figures.running / total);
  }
  out.dominant_thousandths = dominant;
}

QueueView render_queue(const Engine& engine, QueueId id, const WallClock& wall) {
  const ClusterState& state = engine.state();
  const QueueTree::Node& node = state.tree().node(id);
  const QueueState& queue = state.queue(id);
  QueueView out;
  out.name = node.path;
  out.leaf = node.leaf();
  out.state = "RUNNING";
  for (QueueId q = id; q != QueueTree::root(); q = state.tree().parent(q))
    if (state.queue(q).stopped) out.state = "STOPPED";  // it takes no jobs
  const bool guarantees = engine.policy().claims() != nullptr;
  const auto figures = [&](Dimension dimension) {
    return render_figures(engine.policy().figures(id, dimension), guarantees);
  };
  const Space& space = state.space();
  if (space.containers()) {
    render_amounts(engine, id, out);
    for (QueueView::Amounts& each : out.amounts)
      each.figures = figures(*space.find(each.dimension));
  } else {
    out.maps = figures(TaskKind::kMap);
    out.reduces = figures(TaskKind::kReduce);
    out.map_time = render_time(queue.counters, TaskKind::kMap);
    out.reduce_time = render_time(queue.counters, TaskKind::kReduce);
  }
  out.jobs_waiting = count(queue.jobs_waiting);
  out.jobs_running = count(queue.jobs_running - queue.jobs_pending);
  out.jobs_pending = count(queue.jobs_pending);
  out.jobs_succeeded = static_cast<std::int64_t>(queue.counters.ended.succeeded);
  out.jobs_failed = static_cast<std::int64_t>(queue.counters.ended.failed);
  out.jobs_killed = static_cast<std::int64_t>(queue.counters.ended.killed);
  out.guaranteed = format_guarantee(node.settings.guaranteed, state.space());
  out.submit = who_may_submit(state, id);
  out.administer = who_may_administer(state, id);
  const auto after = [&](TaskKind kind) {
    const DurationMs ms = reclaim_after_ms(state.tree(), id, kind);
    return ms == kNever ? std::int64_t{-1} : ms;
  };
  out.reclaim_after_map_ms = after(TaskKind::kMap);
  out.reclaim_after_reduce_ms = after(TaskKind::kReduce);
  out.kill_budget = node.settings.kill_budget;
  if (!node.leaf()) return out;
  out.priorities = engine.policy().figures(id, TaskKind::kMap).priorities;
  render_users(engine, id, &out);
  render_claims(engine, id, wall, &out);
  return out;
}

void add_up(const QueueView::SlotTime& from, QueueView::SlotTime* to) {
  to->used_ms += from.used_ms;
  to->lost_ms += from.lost_ms;  // lent and borrowed are the family's own
}

// Inner queues count their leaves' jobs, and what pends there; children stand behind their parents,
// so one walk backwards adds up.
void add_up_inner_queues(const QueueTree& tree, std::vector<QueueView>* queues) {
  for (QueueView& queue : *queues) {
    if (queue.leaf) continue;
    queue.maps.pending = queue.reduces.pending = 0;
    for (QueueView::Amounts& each : queue.amounts) each.figures.pending = 0;
  }
  for (std::size_t i = tree.size() - 1; i > 0; --i) {
    const QueueId parent = tree.node(QueueId(i)).parent;
    if (!parent.valid() || parent == QueueTree::root()) continue;
    const QueueView& from = (*queues)[i - 1];
    QueueView& to = (*queues)[parent.index() - 1];
    to.maps.pending += from.maps.pending;
    to.reduces.pending += from.reduces.pending;
    for (std::size_t d = 0; d < to.amounts.size(); ++d) {
      to.amounts[d].figures.pending += from.amounts[d].figures.pending;
      add_up(from.amounts[d].time, &to.amounts[d].time);
    }
    to.jobs_waiting += from.jobs_waiting;
    to.jobs_running += from.jobs_running;
    to.jobs_pending += from.jobs_pending;
    to.jobs_succeeded += from.jobs_succeeded;
    to.jobs_failed += from.jobs_failed;
    to.jobs_killed += from.jobs_killed;
    if (from.map_time) add_up(*from.map_time, &*to.map_time);
    if (from.reduce_time) add_up(*from.reduce_time, &*to.reduce_time);
  }
}

void add_holds_and_kills(const ClusterState& state, const WallClock& wall,
                         std::vector<QueueView>* queues) {
  for (const Hold& hold : state.claims().holds()) {
    if (!hold.queue.valid()) continue;  // a pool's
    (*queues)[hold.queue.index() - 1].holds.push_back(render_hold(state, hold));
  }
  const auto& records = state.claims().records();
  // What is only logged is logged again as long as it is owed: of that the last time is shown.
  std::set<std::tuple<ClaimId, std::string_view, AttemptKey>> logged;
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (record->outcome == KillRecord::Outcome::kLoggedOnly &&
        !logged.emplace(record->claim, record->for_pool, record->attempt).second)
      continue;
    const QueueId both[] = {record->claimant, record->victim};
    for (const QueueId queue : both) {
      if (!queue.valid() || queue == QueueTree::root()) continue;
      auto& kills = (*queues)[queue.index() - 1].kills;
      if (kills.size() < Past::kKillsShown) kills.push_back(render_kill(state, *record, wall));
    }
  }
}

// Seldom is there any tracker to look at.
void add_copies(const ClusterState& state, std::vector<QueueView>* out) {
  for (const TrackerState& tracker : state.trackers()) {
    if (tracker.copy_slots == 0) continue;
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = state.attempt(slot);
      if (attempt.has_slots() || attempt.dying()) continue;
      const std::int64_t slots = state.job(attempt.key.task.job).width(TaskKind::kReduce);
      for (QueueId q = attempt.queue; q != QueueTree::root(); q = state.tree().parent(q)) {
        QueueView::Slots& reduces = (*out)[q.index() - 1].reduces;
        reduces.copying = reduces.copying.value_or(0) + slots;
      }
    }
  }
}

void add_launchable(const Space& space, const Job& job, QueueView& out) {
  if (!space.containers()) {
    out.maps.pending += job.launchable(TaskKind::kMap) * job.width(TaskKind::kMap);
    out.reduces.pending += job.launchable(TaskKind::kReduce) * job.width(TaskKind::kReduce);
    return;
  }
  for (const TaskKind kind : job.kinds()) {
    for (std::size_t i = 0; i < out.amounts.size(); ++i)
      out.amounts[i].figures.pending +=
          job.launchable(kind) * job.need(kind)[space.dimensions()[i]];
  }
}

// Without any tracker a policy finds that nothing may run and counts nothing as pending. It pends.
void add_pending_without_trackers(const ClusterState& state, std::vector<QueueView>* out) {
  if (state.live_trackers() > 0) return;
  for (QueueView& queue : *out) {
    queue.maps.pending = queue.reduces.pending = 0;
    for (QueueView::Amounts& each : queue.amounts) each.figures.pending = 0;
  }
  for (const QueueId leaf : state.tree().leaves()) {
    for (const JobId id : state.queue(leaf).unfinished) {
      const Job& job = state.job(id);
      for (QueueId q = leaf; q != QueueTree::root(); q = state.tree().parent(q))
        add_launchable(state.space(), job, (*out)[q.index() - 1]);
    }
  }
}

}  // namespace

std::vector<QueueView> render_queues(const Engine& engine, const WallClock& wall,
                                     const Past& past) {
  const QueueTree& tree = engine.state().tree();
  std::vector<QueueView> out;
  out.reserve(tree.size());
  for (std::size_t i = 1; i < tree.size(); ++i) {
    out.push_back(render_queue(engine, QueueId(i), wall));
    past.add_totals(out.back());
  }
  add_up_inner_queues(tree, &out);
  add_holds_and_kills(engine.state(), wall, &out);
  for (QueueView& queue : out) past.add_kills(queue);
  add_copies(engine.state(), &out);
  add_pending_without_trackers(engine.state(), &out);
  return out;
}

}  // namespace weir
