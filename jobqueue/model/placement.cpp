// Which task of a job a tracker should run next: retries elsewhere first, then by locality.
#include <algorithm>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/labels.h"

namespace weir {

// At most a quarter of the cluster; where labels say who may run a group, of those.
bool ClusterState::avoided(const Job& job, TrackerId id) const {
  if (!job.has_failures || !job.avoids(id)) return false;
  const auto few = [&](std::int64_t live, const std::vector<Requirement>& required) {
    const auto avoided = std::count_if(
        job.tracker_failures.begin(), job.tracker_failures.end(), [&](const auto& failed) {
          return failed.second >= kTrackerFailuresPerJob &&
                 meets(tracker(failed.first), *this, required);
        });
    return avoided * 4 <= live;
  };
  if (!few(static_cast<std::int64_t>(live_trackers()), {})) return false;
  const auto& groups = job.spec->task_groups;
  return std::all_of(groups.begin(), groups.end(), [&](const TaskGroupSpec& group) {
    if (group.require.empty() || !meets(tracker(id), *this, group.require)) return true;
    const auto live = std::count_if(
        trackers().begin(), trackers().end(),
        [&](const auto& other) { return other.live() && meets(other, *this, group.require); });
    return few(live, group.require);
  });
}

// Tasks of different jobs that were lost with a tracker do not start on one again within
// kSuspectMs: so the next loss shows which of them it was. A reduce that copies runs nothing of its
// job's, and may wait for another suspect.
bool ClusterState::keeps_apart(JobId id, const TrackerState& tracker) const {
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    const TaskKey& task = tracker.held[i].key.task;
    if (task.job == id) continue;
    const Job& other = job(task.job);
    if (!other.is_suspect(task.kind, task.index)) continue;
    const TaskGroup& maps = other.tasks(TaskKind::kMap);
    if (task.kind == TaskKind::kReduce && maps.succeeded < maps.total) continue;
    if (now_ - attempt(tracker.attempts[i]).launched_at < kSuspectMs) return true;
  }
  return false;
}

std::optional<std::uint32_t> ClusterState::pick_retry(const Job& job, TaskKind kind,
                                                      const TrackerState& tracker,
                                                      Locality allowed) const {
  const TaskGroup& group = job.tasks(kind);
  for (auto i = group.retries.first(); i; i = group.retries.at_or_after(*i + 1)) {
    if (allowed < Locality::kAny && kind == TaskKind::kMap && job.locality.located(*i) &&
        job.locality.of(*i, tracker.id, tracker.rack) > allowed) {
      continue;
    }
    if (job.is_suspect(kind, *i) && keeps_apart(job.id, tracker)) continue;
    if (!to_run_elsewhere(job, {job.id, kind, *i}, tracker.id)) return i;
  }
  return std::nullopt;
}

bool ClusterState::to_run_elsewhere(const Job& job, const TaskKey& task, TrackerId id) const {
  const auto failed = job.failed_on.find({task.kind, task.index});
  if (failed == job.failed_on.end()) return false;
  const auto& places = failed->second;
  if (std::find(places.begin(), places.end(), id) == places.end()) return false;
  return std::any_of(trackers().begin(), trackers().end(), [&](const TrackerState& other) {
    return other.in_pool() && fits_in(job.need(task.kind), other, Resources{}) &&
           (!is_group(task.kind) || allows(job, task.kind, other)) &&
           std::find(places.begin(), places.end(), other.id) == places.end() &&
           !avoided(job, other.id);
  });
}

bool ClusterState::may_run_on(const Job& job, TaskKind kind, const TrackerState& tracker) const {
  if (!tracker.in_pool() || !fits_in(job.need(kind), tracker, Resources{}) ||
      avoided(job, tracker.id))
    return false;
  const TaskGroup& group = job.tasks(kind);
  if (!group.fresh.empty()) return true;
  for (auto i = group.retries.first(); i; i = group.retries.at_or_after(*i + 1)) {
    if (!to_run_elsewhere(job, {job.id, kind, *i}, tracker.id)) return true;
  }
  return false;
}

bool ClusterState::could_start(JobId id, TaskKind kind, TrackerId tracker_id,
                               const Resources& freed) const {
  const Job& job = this->job(id);
  const TrackerState& tracker = trackers_.at(tracker_id);
  if (!tracker.in_pool() || job.launchable(kind) == 0 || job.is_gang(kind)) return false;
  Resources used = tracker.used;
  used -= freed;
  if (!fits_in(job.need(kind), tracker, used) || avoided(job, tracker_id)) return false;
  return !job.tasks(kind).fresh.empty() ||
         pick_retry(job, kind, tracker, Locality::kAny).has_value();
}

std::optional<TaskPick> ClusterState::pick_task(JobId id, TaskKind kind, TrackerId tracker_id,
                                              Locality allowed) const {
  const Job& job = this->job(id);
  const TrackerState& tracker = trackers_.at(tracker_id);
  if (job.is_gang(kind)) return std::nullopt;  // it is on many trackers (gang_search.h)
  if (job.launchable(kind) == 0 || !may_launch(job, kind, tracker) || avoided(job, tracker_id)) {
    return std::nullopt;
  }
  const TaskGroup& group = job.tasks(kind);
  if (kind == TaskKind::kMap) refresh_locations(id);
  const bool located = kind == TaskKind::kMap && job.has_locations;
  if (const auto retry = pick_retry(job, kind, tracker, located ? allowed : Locality::kAny)) {
    if (!located) return TaskPick{{id, kind, *retry}, Locality::kAny};
    return TaskPick{{id, kind, *retry},
                  job.locality.of(*retry, tracker_id, tracker.rack),
                  job.locality.located(*retry)};
  }
  if (group.fresh.empty()) return std::nullopt;
  if (!located) return TaskPick{{id, kind, *group.fresh.first()}, Locality::kAny};
  const auto found = job.locality.nearest(group, tracker_id, tracker.rack, allowed);
  if (!found) return std::nullopt;
  return TaskPick{{id, kind, found->index}, found->locality, job.locality.located(found->index)};
}

bool ClusterState::has_locations(JobId id) const {
  refresh_locations(id);
  return job(id).has_locations;
}

void ClusterState::refresh_locations(JobId id) const {
  const Job& job = this->job(id);
  if (job.locality_version != trackers_.address_version()) index_locations(job);
}

void ClusterState::index_locations(const Job& job) const {
  job.locality_version = trackers_.address_version();
  job.locality.clear();
  const JobSpec& spec = *job.spec;
  std::vector<std::vector<TrackerId>> by_file(spec.input_files.size());
  for (const TrackerState& tracker : trackers()) {
    for (const std::string& prefix : tracker.local_paths) {
      for (std::size_t file = 0; file < spec.input_files.size(); ++file) {
        if (spec.input_files[file].starts_with(prefix)) by_file[file].push_back(tracker.id);
      }
    }
  }
  for (std::uint32_t i = 0; i < spec.splits.size(); ++i) {
    const Split& split = spec.splits[i];
    bool located = false;
    const auto add = [&](TrackerId t) {
      job.locality.add(i, t, tracker(t).rack);
      located = true;
    };
    for (const std::string& host : split.hosts) {
      for (const TrackerId t : trackers_.near(host)) add(t);
    }
    if (split.file < by_file.size()) {
      for (const TrackerId t : by_file[split.file]) add(t);
    }
    if (!located) job.locality.add_unlocated(i);
  }
  job.locality.finish();
  job.has_locations = !job.locality.empty();
}

}  // namespace weir
