// Views as JSON, for scripts and for what else reads it: stable snake_case keys, ids as the names
// people see plus the number, times in milliseconds since the epoch, absent things as null. Keys
// are added, never renamed. Pure functions, any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "views/asked_view.h"
#include "views/attempt_view.h"
#include "views/decision_view.h"
#include "views/job_view.h"
#include "views/policy_view.h"
#include "views/queue_view.h"
#include "views/series_view.h"
#include "views/server_view.h"
#include "views/settings_view.h"
#include "views/tracker_view.h"

namespace weir {

using Json = nlohmann::ordered_json;

Json to_json(const JobView& job);
Json to_json(const AskedView& asked);
Json to_json(const SubmittedView& submitted);
Json to_json(const ExplanationView& explanation);
Json to_json(const AttemptView& attempt);
Json to_json(const QueueView& queue);
Json to_json(const TrackerView& tracker);
Json to_json(const TrackerSlotsView& slots);
Json to_json(const PolicyView& policy);
Json to_json(const OutlookView& outlook);
Json to_json(const SettingsRecordView& record);
Json to_json(const SettingView& setting);
Json to_json(const SettingsTextView& settings);
Json to_json(const SettingsFileView& file);
Json to_json(const SettingsCheckView& check);
Json to_json(const SettingsDiffView& diff);
Json to_json(const ServerView& server);
Json to_json(const SeriesView& series);
Json to_json(const DecisionView& decision);

// {"memory_mb": 2048, "vcores": 1}, in their order; null: none.
Json amounts_json(const std::vector<Amount>& amounts);

template <class View>
Json to_json(const std::vector<View>& views) {
  Json list = Json::array();
  for (const View& view : views) list.push_back(to_json(view));
  return list;
}

// Indented, with an end of line. Text that is no UTF-8 is mended, and what a terminal would obey
// instead of showing is escaped.
std::string json_text(const Json& json);
// The same on one line, without its end.
std::string json_line(const Json& json);
// A list, each of its views on a line; no tree of all of it is made.
template <class View>
std::string json_lines(const std::vector<View>& views) {
  std::string text = "[";
  for (const View& view : views)
    text += (text.size() > 1 ? ",\n" : "\n") + json_line(to_json(view));
  return text + "\n]\n";
}

}  // namespace weir
