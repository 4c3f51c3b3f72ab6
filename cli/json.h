// Replies as JSON for scripts: stable snake_case keys, ids as the names people see plus the number,
// times in milliseconds since the epoch, absent things as null. Keys are added, never renamed. Pure
// functions, any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "admin_types.h"
#include "client_types.h"

namespace weir::cli {

using Json = nlohmann::ordered_json;

Json to_json(const wire::JobStatus& job);
Json to_json(const wire::JobExplanation& explanation);
Json to_json(const wire::AttemptInfo& attempt);
Json to_json(const wire::QueueStatus& queue);
Json to_json(const wire::TrackerStatus& tracker);
Json to_json(const wire::PolicyInfo& policy);
Json to_json(const wire::SettingsRecord& record);
Json to_json(const wire::Setting& setting);
Json to_json(const wire::SettingsDiff& diff);
Json to_json(const wire::ServerInfo& server);

template <class T>
Json to_json(const std::vector<T>& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

// Indented, with an end of line; text that is no UTF-8 is mended instead of failing the command.
void print_json(std::ostream& out, const Json& json);

}  // namespace weir::cli
