#include "sim/checker/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::check {

namespace {

std::optional<std::string> over_maximum_of(const Census& census,
                                           const std::vector<ExpectedQueue>& lines, QueueId leaf,
                                           std::int64_t width, bool declared) {
  const QueueTree& tree = census.state->tree();
  for (QueueId q = leaf; q != QueueTree::root(); q = tree.node(q).parent) {
    const ExpectedQueue& line = lines[q.index()];
    if (declared && !tree.node(q).settings.maximum_hundredths) continue;
    if (line.running + width <= line.maximum) continue;
    return fmt::format("queue {} would run {} + {} slots, its maximum is {}", tree.node(q).path,
                       line.running, width, line.maximum);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> over_maximum(const Census& census,
                                        const std::vector<ExpectedQueue>& lines, QueueId leaf,
                                        std::int64_t width) {
  return over_maximum_of(census, lines, leaf, width, false);
}

std::optional<std::string> over_declared_maximum(const Census& census,
                                                 const std::vector<ExpectedQueue>& lines,
                                                 QueueId leaf, std::int64_t width) {
  return over_maximum_of(census, lines, leaf, width, true);
}

std::optional<std::string> over_hard_limit(const Census& census,
                                           const std::vector<ExpectedQueue>& lines,
                                           const JobCount& job, TaskKind kind) {
  const QueueId leaf = job.job->queue;
  const UserLimit& limit = census.state->tree().node(leaf).settings.user_limit;
  if (limit.mode != UserLimit::Mode::kHard) return std::nullopt;
  const ExpectedQueue& line = lines[leaf.index()];
  const auto& users = census.user_running[index(kind)];
  const auto own = users.find({leaf, job.job->user});
  const std::int64_t running = own == users.end() ? 0 : own->second;
  const std::int64_t allowed =
      user_limit(limit, line.guaranteed, std::max(line.guaranteed, line.allocated), line.running,
                 job.width, line.active_users);
  if (running + job.width <= allowed) return std::nullopt;
  return fmt::format("user {} would have {} + {} slots in queue {}, their hard limit is {}",
                     census.state->user_name(job.job->user), running, job.width,
                     census.state->tree().node(leaf).path, allowed);
}

namespace {

// Of the tasks that were lost with two trackers those of one job start on a tracker in a minute.
bool lost_twice(const Job& job, TaskKind kind, std::uint32_t task) {
  const auto losses = job.losses.find({kind, task});
  return losses != job.losses.end() && losses->second >= 2;
}

bool kept_apart(const ClusterState& state, const Job& job, const TrackerState& tracker) {
  return std::any_of(tracker.attempts.begin(), tracker.attempts.end(), [&](AttemptSlot slot) {
    const Attempt& attempt = state.attempt(slot);
    const TaskKey& task = attempt.key.task;
    const Job& other = state.job(task.job);
    const bool waits_for_maps =
        task.kind == TaskKind::kReduce &&
        other.tasks(TaskKind::kMap).succeeded < other.tasks(TaskKind::kMap).total;
    return other.id != job.id && !waits_for_maps &&
           lost_twice(other, task.kind, task.index) &&
           state.now() < attempt.launched_at + kSuspectMs;
  });
}

}  // namespace

bool has_task_for(const Census& census, const JobCount& job, TaskKind kind,
                  const TrackerState& tracker, const std::function<bool(std::uint32_t)>& suits) {
  const auto& tasks = job.job->tasks(kind).tasks;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].state != Task::State::kPending) continue;
    if (!suits(i)) continue;
    if (lost_twice(*job.job, kind, i) && kept_apart(*census.state, *job.job, tracker))
      continue;
    const auto failed = job.job->failed_on.find({kind, i});
    if (failed == job.job->failed_on.end()) return true;
    const auto failed_at = [&](TrackerId id) {
      return std::find(failed->second.begin(), failed->second.end(), id) != failed->second.end();
    };
    if (!failed_at(tracker.id)) return true;
    const auto& all = census.state->trackers();
    const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const TrackerState& other) {
      return in_pool(other) && !failed_at(other.id) && !avoids(census, *job.job, other) &&
             has_room(census, job.job->need(kind), other, Resources{});
    });
    if (!elsewhere) return true;
  }
  return false;
}

}  // namespace weir::check
