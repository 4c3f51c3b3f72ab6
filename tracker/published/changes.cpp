#include "tracker/published/changes.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace weir {
namespace {

void compare_jobs(ViewChanges& out, std::size_t most) {
  RecordTable<JobView>::each_difference(
      out.before->jobs, out.after->jobs,
      [&](std::size_t index, const auto& before, const auto& after) {
        if (before && after && *before == *after) return true;
        if (out.jobs.size() + out.jobs_removed.size() == most) {
          out.many_jobs = true;
          return false;
        }
        if (after) {
          out.jobs.push_back(after);
        } else {
          out.jobs_removed.push_back(JobId(index));
        }
        return true;
      });
  if (!out.many_jobs) return;
  out.jobs.clear();
  out.jobs_removed.clear();
}

// When a tracker was last heard of changes all the time, and its view has no part in that.
void compare_trackers(ViewChanges& out, std::size_t most) {
  RecordTable<TrackerRecord>::each_difference(
      out.before->trackers, out.after->trackers,
      [&](std::size_t, const auto& before, const auto& after) {
        if (before && after && before->view == after->view) return true;
        if (out.trackers.size() + out.trackers_removed.size() == most) {
          out.many_trackers = true;
          return false;
        }
        if (after) {
          out.trackers.push_back(after);
        } else {
          out.trackers_removed.push_back(before->view.name);
        }
        return true;
      });
  if (!out.many_trackers) return;
  out.trackers.clear();
  out.trackers_removed.clear();
}

// Mostly the same queues in the same order; after new settings they go by their paths.
void compare_queues(ViewChanges& out) {
  if (out.before->queues == out.after->queues) return;
  const std::vector<QueueView>& before = *out.before->queues;
  const std::vector<QueueView>& after = *out.after->queues;
  std::unordered_map<std::string_view, const QueueView*> gone;
  bool same_order = before.size() == after.size();
  for (std::size_t i = 0; same_order && i < after.size(); ++i)
    same_order = before[i].name == after[i].name;
  if (!same_order) {
    for (const QueueView& queue : before) gone.emplace(queue.name, &queue);
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    const QueueView* old = nullptr;
    if (same_order) {
      old = &before[i];
    } else if (const auto found = gone.find(after[i].name); found != gone.end()) {
      old = found->second;
      gone.erase(found);
    }
    if (old == nullptr || !(*old == after[i])) out.queues.push_back(&after[i]);
  }
  for (const QueueView& queue : before) {
    if (gone.contains(queue.name)) out.queues_removed.push_back(queue.name);
  }
  out.queues_reordered = !same_order;
}

}  // namespace

ViewChanges changes_between(PublishedViewsPtr before, PublishedViewsPtr after,
                            std::size_t most_jobs, std::size_t most_trackers) {
  ViewChanges out;
  out.before = std::move(before);
  out.after = std::move(after);
  if (out.before == out.after) return out;
  compare_jobs(out, most_jobs);
  compare_trackers(out, most_trackers);
  compare_queues(out);
  const PublishedViews& old = *out.before;
  const PublishedViews& now = *out.after;
  out.policy = old.policy != now.policy || old.policy_since != now.policy_since;
  out.settings = old.settings != now.settings;
  out.cluster = !(old.total == now.total) || old.live_trackers != now.live_trackers ||
                old.jobs_unfinished != now.jobs_unfinished ||
                old.heartbeat_interval != now.heartbeat_interval;
  return out;
}

}  // namespace weir
