#include "lab/faults/durable_state.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace weir::faults {
namespace {

using Found = std::optional<std::string>;

template <class T>
Found differ(const std::string& what, const T& live, const T& stored) {
  if (live == stored) return std::nullopt;
  if constexpr (std::is_same_v<T, std::string>) {
    return what + " is \"" + live + "\" live and \"" + stored + "\" in the store";
  } else {
    return what + " is " + std::to_string(static_cast<std::int64_t>(live)) + " live and " +
           std::to_string(static_cast<std::int64_t>(stored)) + " in the store";
  }
}

using Tasks = std::map<std::pair<TaskKind, std::uint32_t>, std::int64_t>;

// `more`: the store may have some besides.
Found differ(const std::string& what, const Tasks& live, const Tasks& stored, bool more = false) {
  for (const auto& [task, value] : live) {
    const auto found = stored.find(task);
    if (found != stored.end() && found->second == value) continue;
    return what + " of " + name(task.first) + " " + std::to_string(task.second) + ": " +
           std::to_string(value) + " live, and " +
           (found == stored.end() ? "not" : std::to_string(found->second)) + " in the store";
  }
  for (const auto& [task, value] : stored) {
    if (more || live.contains(task)) continue;
    return what + " of " + name(task.first) + " " + std::to_string(task.second) + ": " +
           std::to_string(value) + " in the store, and not live";
  }
  return std::nullopt;
}

Found tasks_difference(const std::string& job_text, const Job& job, const JobSnapshot& stored) {
  Tasks done, done_stored, commits, commits_stored;
  for (const TaskKind kind : job.kinds()) {
    const auto& tasks = job.tasks(kind).tasks;
    for (std::uint32_t i = 0; i < tasks.size(); ++i) {
      const Task& task = tasks[i];
      if (task.state == Task::State::kSucceeded) done[{kind, i}] = task.done_attempt;
      if (task.state != Task::State::kSucceeded && task.commit_granted) {
        commits[{kind, i}] = task.commit_attempt;
      }
    }
  }
  for (const auto& each : stored.done) done_stored[{each.kind, each.index}] = each.attempt;
  for (const auto& each : stored.commits) {
    commits_stored[{each.attempt.task.kind, each.attempt.task.index}] = each.attempt.attempt;
  }
  if (auto found = differ(job_text + "what is done", done, done_stored)) return found;
  // A grant whose attempt was killed stays in the store until the task is done: a restart then
  // waits for the tracker's word.
  return differ(job_text + "the attempt that may publish", commits, commits_stored, true);
}

// By kind, as attempts that failed or were killed are counted.
using Lost = std::vector<std::pair<std::int64_t, std::int64_t>>;

Lost lost_of(const Job& job) {
  Lost out;
  for (const TaskKind kind : job.kinds()) {
    const TaskGroup& group = job.tasks(kind);
    out.emplace_back(group.failed_attempts, group.killed_attempts);
  }
  return out;
}

Lost stored_lost(const Job& job, const JobSnapshot& stored) {
  std::map<TaskKind, std::pair<std::int64_t, std::int64_t>> lost;
  for (const JobSnapshot::Failures& each : stored.failures) lost[each.kind].first += each.count;
  for (const JobSnapshot::Killed& each : stored.killed) lost[each.kind].second = each.count;
  Lost out;
  for (const TaskKind kind : job.kinds()) {
    if (stored.record == nullptr) {
      out.push_back(lost[kind]);
    } else {
      const JobRecord::Tasks& tasks = stored.record->of(kind);
      out.emplace_back(tasks.failed_attempts, tasks.killed_attempts);
    }
  }
  return out;
}

Found lost_difference(const std::string& job_text, const Job& job, const JobSnapshot& stored) {
  const Lost live = lost_of(job), kept = stored_lost(job, stored);
  for (std::size_t i = 0; i < live.size(); ++i) {
    const std::string kind = " of its kind " + std::to_string(i);
    if (auto found = differ(job_text + "failed attempts" + kind, live[i].first, kept[i].first))
      return found;
    if (auto found = differ(job_text + "killed attempts" + kind, live[i].second, kept[i].second))
      return found;
  }
  return std::nullopt;
}

Found job_difference(const Engine& engine, const Job& job, const JobSnapshot& stored) {
  const std::string text = "job " + std::to_string(job.id.value) + ": ";
  const bool over = is_over(job.state);
  if (over != is_over(stored.state)) {
    return text + (over ? "is over live and not in the store" : "is over in the store, not live");
  }
  if (auto found = lost_difference(text, job, stored)) return found;
  if (over) return differ(text + "its end", job.state, stored.state);
  const std::string& queue = engine.state().tree().node(job.queue).path;
  if (auto found = differ(text + "its queue", queue, stored.queue)) return found;
  if (auto found = differ(text + "its pool", job.pool, stored.pool)) return found;
  if (auto found = differ(text + "its priority", job.priority, stored.priority)) return found;
  const bool held = stored.spec->hold && !stored.released;
  if (auto found = differ(text + "whether it is held", job.held, held)) return found;
  if (auto found = differ(text + "its deadline", job.deadline, stored.deadline)) return found;
  if (stored.kill_requested && job.duty != Job::Duty::kAbort) {
    return text + "is to be killed in the store, and goes on live";
  }
  return tasks_difference(text, job, stored);
}

}  // namespace

std::optional<std::string> durable_difference(const Engine& engine, const Snapshot& stored) {
  const ClusterState& state = engine.state();
  const std::string ruling(engine.policy().name());
  const std::string policy = stored.policy.empty() ? state.settings().policy : stored.policy;
  if (auto found = differ("the policy", ruling, policy)) return found;
  if (!stored.settings_text.empty()) {
    if (auto found = differ("settings", state.settings().text, stored.settings_text)) return found;
    const std::uint64_t live = engine.settings_stamp().number;
    if (auto found = differ("the number of the settings", live, stored.settings_stamp.number))
      return found;
  }
  std::set<std::string> stopped(stored.stopped_queues.begin(), stored.stopped_queues.end());
  for (const QueueId leaf : state.tree().leaves()) {
    const std::string& path = state.tree().node(leaf).path;
    const bool live = state.queue(leaf).stopped_by_command;
    if (live != stopped.contains(path)) {
      return "queue " + path + " is " + (live ? "stopped" : "not stopped") +
             " live, and otherwise in the store";
    }
  }
  const KillLosses& losses = state.claims().losses();
  KillLosses losses_stored;
  for (const KillLoss& loss : stored.kill_losses) losses_stored.add(loss);
  for (const KillLoss& loss : stored.kill_losses) {
    if (auto found = differ("what pool " + loss.pool + " has lost to kills",
                            losses.of_pool(loss.pool, state.now()),
                            losses_stored.of_pool(loss.pool, state.now())))
      return found;
  }
  for (const QueueId leaf : state.tree().leaves()) {
    const std::string& path = state.tree().node(leaf).path;
    if (auto found = differ("what queue " + path + " has lost to kills",
                            losses.of_queue(path, state.now()),
                            losses_stored.of_queue(path, state.now())))
      return found;
  }
  std::map<std::string, std::string> ordered, ordered_stored;
  for (const TrackerState& tracker : state.trackers()) {
    if (tracker.order != TrackerOrder::kNone) ordered[tracker.name] = name(tracker.order);
  }
  for (const TrackerOrderSnapshot& order : stored.tracker_orders)
    ordered_stored[order.name] = name(order.order);
  if (ordered != ordered_stored) return "what is ordered of trackers differs live and in the store";
  std::set<std::string> lost, lost_stored;
  for (const TrackerState& tracker : state.trackers())
    if (tracker.stored_lost) lost.insert(tracker.name);
  for (const LostTrackerSnapshot& tracker : stored.lost_trackers) lost_stored.insert(tracker.name);
  if (lost != lost_stored) return "which trackers are lost differs live and in the store";
  std::map<JobId, const JobSnapshot*> jobs;
  for (const JobSnapshot& job : stored.jobs) jobs[job.job] = &job;
  for (const auto& [id, job] : state.jobs()) {
    if (!job->durable) continue;
    const auto found = jobs.find(id);
    if (found == jobs.end()) return "job " + std::to_string(id.value) + " is not in the store";
    if (auto difference = job_difference(engine, *job, *found->second)) return difference;
  }
  for (const auto& [id, job] : jobs) {
    if (state.find_job(id) == nullptr && !is_over(job->state)) {
      return "job " + std::to_string(id.value) + " is in the store and not live";
    }
  }
  return std::nullopt;
}

}  // namespace weir::faults
