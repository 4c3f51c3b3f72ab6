// What changed between two versions of the published views: jobs, trackers, queues, policy,
// settings and the cluster's totals. Tables are compared page by page and pages by pointer, so that
// the cost goes by what changed and not by what is there. A record that was made anew and is the
// same has not changed; nor has a tracker that was merely heard of. Pure function, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"
#include "tracker/published/published_views.h"

namespace weir {

struct ViewChanges {
  static constexpr std::size_t kMostJobs = 500;
  static constexpr std::size_t kMostTrackers = 5'000;

  PublishedViewsPtr before;
  PublishedViewsPtr after;

  std::vector<std::shared_ptr<const JobView>> jobs;  // new ones, too; by number
  std::vector<JobId> jobs_removed;                   // forgotten
  bool many_jobs = false;                            // more than asked for: the two are empty
  std::vector<std::shared_ptr<const TrackerRecord>> trackers;
  std::vector<std::string> trackers_removed;
  bool many_trackers = false;
  std::vector<const QueueView*> queues;  // in `after`, in its order
  std::vector<std::string> queues_removed;
  bool queues_reordered = false;  // or came, or went
  bool policy = false;
  bool settings = false;
  bool cluster = false;  // slots, trackers or unfinished jobs in all

  bool empty() const {
    return jobs.empty() && jobs_removed.empty() && !many_jobs && trackers.empty() &&
           trackers_removed.empty() && !many_trackers && queues.empty() &&
           queues_removed.empty() && !queues_reordered && !policy && !settings && !cluster;
  }
};

ViewChanges changes_between(PublishedViewsPtr before, PublishedViewsPtr after,
                            std::size_t most_jobs = ViewChanges::kMostJobs,
                            std::size_t most_trackers = ViewChanges::kMostTrackers);

}  // namespace weir
