// What readers are shown, there and back: the JobTracker writes views (views/), the command line
// reads them. Nothing is checked, and nothing is lost: what is absent in one is absent in the
// other. The names of jobs and attempts, which the wire carries for others, follow from their ids.
// Pure functions, any thread.
#pragma once

#include <vector>

#include "admin_types.h"
#include "client_types.h"
#include "views/asked_view.h"
#include "views/attempt_view.h"
#include "views/job_view.h"
#include "views/policy_view.h"
#include "views/queue_view.h"
#include "views/server_view.h"
#include "views/settings_view.h"
#include "views/tracker_view.h"

namespace weir {

wire::JobStatus to_wire(const JobView& job);
wire::JobExplanation to_wire(const ExplanationView& explanation);
wire::AskedJob to_wire(const AskedView& asked);
wire::AttemptInfo to_wire(const AttemptView& attempt);
wire::QueueStatus to_wire(const QueueView& queue);
wire::TrackerStatus to_wire(const TrackerView& tracker);
wire::PolicyInfo to_wire(const PolicyView& policy);
wire::Setting to_wire(const SettingView& setting);
wire::SettingsRecord to_wire(const SettingsRecordView& record);
wire::FollowedFile to_wire(const SettingsFileView& file);
wire::SettingsDiff to_wire(const SettingsDiffView& diff);
wire::ServerInfo to_wire(const ServerView& server);

JobView from_wire(const wire::JobStatus& job);
ExplanationView from_wire(const wire::JobExplanation& explanation);
AskedView from_wire(const wire::AskedJob& asked);
AttemptView from_wire(const wire::AttemptInfo& attempt);
QueueView from_wire(const wire::QueueStatus& queue);
TrackerView from_wire(const wire::TrackerStatus& tracker);
PolicyView from_wire(const wire::PolicyInfo& policy);
SettingView from_wire(const wire::Setting& setting);
SettingsRecordView from_wire(const wire::SettingsRecord& record);
SettingsFileView from_wire(const wire::FollowedFile& file);
SettingsDiffView from_wire(const wire::SettingsDiff& diff);
ServerView from_wire(const wire::ServerInfo& server);

// A list, item by item.
template <class View>
auto list_to_wire(const std::vector<View>& views) {
  std::vector<decltype(to_wire(views.front()))> out;
  out.reserve(views.size());
  for (const View& view : views) out.push_back(to_wire(view));
  return out;
}
template <class Record>
auto list_from_wire(const std::vector<Record>& records) {
  std::vector<decltype(from_wire(records.front()))> out;
  out.reserve(records.size());
  for (const Record& record : records) out.push_back(from_wire(record));
  return out;
}

}  // namespace weir
