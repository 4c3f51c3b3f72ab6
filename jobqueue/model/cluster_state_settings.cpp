// New settings: what lives in the queues is carried over by path; a removed queue hands its jobs,
// its running tasks and its counters to the queue that the settings name.
#include <algorithm>

#include "jobqueue/model/check.h"
#include "jobqueue/model/cluster_state.h"

namespace weir {
namespace {

void hand_over(QueueState& to, QueueState&& from) {
  for (const TaskKind kind : kTaskKinds) {
    to.running_slots[index(kind)] += from.running_slots[index(kind)];
    to.last_launch[index(kind)] =
        std::max(to.last_launch[index(kind)], from.last_launch[index(kind)]);
  }
  to.jobs_waiting += from.jobs_waiting;
  to.jobs_running += from.jobs_running;
  to.jobs_pending += from.jobs_pending;
  to.counters.add(from.counters);
  for (const auto& [id, theirs] : from.users) {
    UserInQueue& ours = to.users[id];
    for (const TaskKind kind : kTaskKinds)
      ours.running_slots[index(kind)] += theirs.running_slots[index(kind)];
    ours.jobs_waiting += theirs.jobs_waiting;
    ours.jobs_running += theirs.jobs_running;
    ours.jobs_pending += theirs.jobs_pending;
  }
  to.unfinished.merge(from.unfinished);
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
    const bool within = path.starts_with(removed.queue) &&
                        (path.size() == removed.queue.size() || path[removed.queue.size()] == '.');
    if (within && (nearest == nullptr || removed.queue.size() > nearest->queue.size()))
      nearest = &removed;
  }
  return nearest == nullptr ? QueueId{} : leaf(nearest->move_to);
}

void ClusterState::replace_settings(std::shared_ptr<const Settings> settings, QueueTree tree) {
  std::vector<QueueState> queues(tree.size());
  std::vector<QueueId> new_id(tree_.size());   // where a queue is, or its jobs go to
  std::vector<QueueId> same_id(tree_.size());  // where it is: claims stay with their queue
  for (std::size_t i = 0; i < tree.size(); ++i)
    queues[i].stopped = tree.nodes()[i].settings.stopped;
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    QueueState& old = queues_[i];
    const QueueTree::Node& node = tree_.nodes()[i];
    const auto same = i == 0 ? QueueTree::root() : tree.find_path(node.path);
    if (same) {
      queues[same->index()].stopped_by_command = old.stopped_by_command;
      queues[same->index()].stopped |= old.stopped_by_command;
      new_id[i] = *same;
      if (tree.leaf(*same) == node.leaf()) same_id[i] = *same;
    }
    if (i == 0 || !node.leaf()) {
      if (same && !tree.leaf(*same)) queues[same->index()].counters = std::move(old.counters);
      continue;
    }
    const QueueId to = queue_after(*settings, tree, node.path);
    WEIR_CHECK(to.valid() || old.unfinished.empty(),
               "settings that drop a queue with jobs are refused before");
    new_id[i] = to;
    if (to.valid()) hand_over(queues[to.index()], std::move(old));
  }
  for (auto& [id, job] : jobs_) {
    const QueueId moved = new_id[job->queue.index()];
    job->queue = moved.valid() ? moved : QueueTree::root();
  }
  for (Attempt& attempt : attempts_) {
    if (attempt.live) attempt.queue = job(attempt.key.task.job).queue;
  }
  for (const QueueId leaf : tree.leaves()) {  // inner sums anew
    const QueueState& state = queues[leaf.index()];
    for (QueueId q = tree.parent(leaf); q.valid(); q = tree.parent(q)) {
      QueueState& above = queues[q.index()];
      for (const TaskKind kind : kTaskKinds) {
        above.running_slots[index(kind)] += state.running_slots[index(kind)];
        above.last_launch[index(kind)] =
            std::max(above.last_launch[index(kind)], state.last_launch[index(kind)]);
      }
    }
  }
  claims_.renumber(same_id, tree.size());
  settings_ = std::move(settings);
  tree_ = std::move(tree);
  queues_ = std::move(queues);
  follow_speculation();
  for (const TrackerState& tracker : trackers()) mutable_tracker(tracker.id).keeps = 0;
  for (const Hold& hold : claims_.holds()) ++mutable_tracker(hold.tracker).keeps;
  for (const Reservation& kept : claims_.reservations()) ++mutable_tracker(kept.tracker).keeps;
}

}  // namespace weir
