// New settings: what lives in the queues is carried over by path; a removed queue hands its jobs,
// its running tasks and its counters to the queue that the settings name.
#include <algorithm>
#include <utility>

#include "jobqueue/model/check.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/containers.h"
#include "jobqueue/model/gone_queue.h"
#include "jobqueue/model/job_type.h"

namespace weir {
namespace {

void hand_over(QueueState& to, QueueState&& from) {
  to.running += from.running;
  for (const TaskKind kind : kTaskKinds) {
    to.last_launch[index(kind)] =
        std::max(to.last_launch[index(kind)], from.last_launch[index(kind)]);
  }
  to.jobs_waiting += from.jobs_waiting;
  to.jobs_running += from.jobs_running;
  to.jobs_pending += from.jobs_pending;
  for (const auto& [id, theirs] : from.users) {
    UserInQueue& ours = to.users[id];
    ours.running += theirs.running;
    ours.jobs_waiting += theirs.jobs_waiting;
    ours.jobs_running += theirs.jobs_running;
    ours.jobs_pending += theirs.jobs_pending;
  }
  to.users_with_jobs = to.users_lingering = 0;
  for (const auto& [id, user] : to.users) {
    to.users_with_jobs += unsigned{user.jobs_running > 0};
    to.users_lingering += unsigned{user.lingers()};
  }
  to.unfinished.merge(from.unfinished);
}

bool within(std::string_view path, std::string_view outer) {
  return path.starts_with(outer) && (path.size() == outer.size() || path[outer.size()] == '.');
}

}  // namespace

QueueId queue_after(const Settings& settings, const QueueTree& tree, std::string_view path) {
  const auto leaf = [&tree](std::string_view name) {
    const auto found = tree.find_path(name);
    return found && tree.leaf(*found) ? *found : QueueId{};
  };
  if (const QueueId kept = leaf(path); kept.valid()) return kept;
  // The nearest one named: the queue itself, or one that it stood in.
  const RemovedQueue* nearest = nullptr;
  for (const RemovedQueue& removed : settings.removed_queues) {
    if (within(path, removed.queue) &&
        (nearest == nullptr || removed.queue.size() > nearest->queue.size()))
      nearest = &removed;
  }
  return nearest == nullptr ? QueueId{} : leaf(nearest->move_to);
}

TotalsAfter totals_after(const Settings& settings, const QueueTree& tree, std::string_view path,
                         bool leaf) {
  TotalsAfter after{queue_after(settings, tree, path), {}};
  for (std::string_view at = path; !after.to.valid();) {
    if (const auto outer = tree.find_path(at)) after.to = *outer;
    const std::size_t dot = at.rfind('.');
    if (dot == std::string_view::npos) break;
    at = at.substr(0, dot);
  }
  if (const auto same = tree.find_path(path)) {
    after.lent_to = *same;
  } else if (leaf && after.to.valid() && !within(path, tree.node(after.to).path)) {
    after.lent_to = after.to;
  }
  return after;
}

namespace {

void hand_totals_over(QueueCounters&& from, const TotalsAfter& after,
                      std::vector<QueueState>& queues) {
  if (after.lent_to.valid()) {
    QueueCounters& to = queues[after.lent_to.index()].counters;
    to.lent_ms += from.lent_ms;
    to.borrowed_ms += from.borrowed_ms;
  }
  from.lent_ms = from.borrowed_ms = {};
  if (after.to.valid()) queues[after.to.index()].counters.add(from);
}

}  // namespace

void ClusterState::replace_settings(std::shared_ptr<const Settings> settings, QueueTree tree) {
  std::vector<QueueState> queues(tree.size());
  std::vector<QueueId> new_id(tree_.size());   // where a queue is, or its jobs go to
  std::vector<QueueId> by_name(tree_.size());  // where one of its name is
  std::vector<QueueId> same_id(tree_.size());  // and is what it was: claims stay with their queue
  for (std::size_t i = 0; i < tree.size(); ++i)
    queues[i].stopped = tree.nodes()[i].settings.stopped;
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    QueueState& old = queues_[i];
    const QueueTree::Node& node = tree_.nodes()[i];
    const auto same = i == 0 ? QueueTree::root() : tree.find_path(node.path);
    if (same) {
      queues[same->index()].stopped_by_command = old.stopped_by_command;
      queues[same->index()].stopped |= old.stopped_by_command;
      new_id[i] = by_name[i] = *same;
      if (tree.leaf(*same) == node.leaf()) same_id[i] = *same;
    }
    if (i == 0) continue;
    hand_totals_over(std::move(old.counters),
                     totals_after(*settings, tree, node.path, node.leaf()), queues);
    if (!node.leaf()) continue;
    const QueueId to = queue_after(*settings, tree, node.path);
    WEIR_CHECK(to.valid() || old.unfinished.empty(),
               "settings that drop a queue with jobs are refused before");
    new_id[i] = to;
    if (to.valid()) hand_over(queues[to.index()], std::move(old));
  }
  for (auto& [id, job] : jobs_) {
    const QueueId moved = new_id[job->queue.index()];
    if (!moved.valid()) job->spec = in_gone_queue(*job->spec, tree_.node(job->queue).path);
    job->queue = moved.valid() ? moved : QueueTree::root();
  }
  for (Attempt& attempt : attempts_) {
    if (attempt.live) attempt.queue = job(attempt.key.task.job).queue;
  }
  for (const QueueId leaf : tree.leaves()) {  // inner sums anew
    const QueueState& state = queues[leaf.index()];
    for (QueueId q = tree.parent(leaf); q.valid(); q = tree.parent(q)) {
      QueueState& above = queues[q.index()];
      above.running += state.running;
      for (const TaskKind kind : kTaskKinds) {
        above.last_launch[index(kind)] =
            std::max(above.last_launch[index(kind)], state.last_launch[index(kind)]);
      }
    }
  }
  claims_.renumber(same_id, by_name, tree.size());
  settings_ = std::move(settings);
  tree_ = std::move(tree);
  queues_ = std::move(queues);
  if (Space space(settings_->resources); !(space == space_)) replace_space(std::move(space));
  if (!outline_) follow_speculation();
  trackers_.forget_rooms();
  reserved_.assign(queues_.size(), {});
  for (const TrackerState& tracker : trackers()) mutable_tracker(tracker.id).keeps = 0;
  for (const Hold& hold : claims_.holds()) ++mutable_tracker(hold.tracker).keeps;
  claims_.mutable_reservations().change_all([&](Reservation& kept) {
    kept.queue = job(kept.job).queue;
    kept.size = space_.containers() ? &job(kept.job).size(kept.kind) : nullptr;
    ++mutable_tracker(kept.tracker).keeps;
    count_reserved(kept, 1);
  });
}

namespace {

// The same amounts where other resources may be named, or the same in another order.
Resources renamed(const Resources& amount, const Space& from, const Space& to) {
  Resources out = amount;
  for (std::size_t i = 0; i < kNamedCount; ++i) out[Dimension::named(i)] = 0;
  for (const Dimension d : from.dimensions()) {
    if (!d.is_named()) continue;
    if (const auto now = to.find(from.name(d))) out[*now] = amount[d];
  }
  return out;
}

}  // namespace

// Other dimensions count from now on: what runs and is held is counted anew, and nothing is owed.
void ClusterState::replace_space(Space space) {
  const Space before = std::exchange(space_, std::move(space));
  claims_.clear(space_.dimensions().size());
  for (KillRecord& record : claims_.mutable_records())
    record.container = renamed(record.container, before, space_);
  for (QueueState& queue : queues_) {
    queue.counters.rename(before, space_);
    queue.running = {};
    for (auto& [id, user] : queue.users) user.running = {};
    queue.users_lingering = 0;
  }
  for (auto& [id, job] : jobs_) {
    name_again(job->containers, *job->spec, space_);
    size_groups(*job);
    if (!job->type->needs_containers() || space_.containers()) continue;
    for (const TaskKind kind : job->items()) job->tasks(kind).open = false;
  }
  for (const TrackerState& known : trackers()) {
    TrackerState& tracker = mutable_tracker(known.id);
    trackers_.change(tracker, [&] {
      tracker.total = space_.with_named(renamed(tracker.total, before, space_), tracker.named);
      tracker.used = {};
      tracker.largest = renamed(tracker.largest, before, space_);
    });
  }
  for (const Attempt& attempt : attempts_) {
    if (!attempt.live) continue;
    hold(mutable_tracker(attempt.tracker), attempt, 1);
    if (attempt.dying() || !attempt.has_slots()) continue;
    const Job& job = this->job(attempt.key.task.job);
    add_running(attempt.queue, attempt.user, job.size(attempt.key.task.kind), 1);
  }
}

}  // namespace weir
