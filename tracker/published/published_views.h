// What readers see: everything as it was at one version, which never changes any more. Pointers to
// it and into its tables may be kept, and walked on any thread without a lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jobqueue/model/resources.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/time.h"
#include "tracker/published/record_table.h"
#include "views/job_view.h"
#include "views/queue_view.h"
#include "views/tracker_view.h"

namespace weir {

// A tracker's record keeps the time of its heartbeat, because its age is different for each reader.
struct TrackerRecord {
  TrackerView view;
  TimeMs last_heartbeat = 0;
};

struct PublishedViews {
  std::int64_t version = 0;
  RecordTable<JobView> jobs;            // by job number
  RecordTable<TrackerRecord> trackers;  // by TrackerId
  std::shared_ptr<const std::vector<QueueView>> queues;
  std::shared_ptr<const Settings> settings;
  SettingsStamp settings_stamp;
  std::string policy;
  TimeMs policy_since = 0;
  Resources total;  // of live trackers
  std::int32_t live_trackers = 0;
  DurationMs heartbeat_interval = 0;
  std::int32_t jobs_unfinished = 0;
  bool recovering = false;  // after a restart: what runs is not known before trackers have reported
};
using PublishedViewsPtr = std::shared_ptr<const PublishedViews>;

}  // namespace weir
