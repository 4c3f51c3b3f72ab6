#include "live/api_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "live/report_reader.h"

namespace weir::live {

Json ask_json(HttpClient& client, const HttpAsk& what, std::string* next_cursor) {
  const HttpReply reply = client.ask(what);
  Json json = Json::parse(reply.body, nullptr, false);
  if (reply.status / 100 != 2) {
    std::string message = json.is_object() ? text_of(json, "message") : "";
    if (message.empty()) message = fmt::format("{} answers {}", client.address(), reply.status);
    if (json.is_object() && !text_of(json, "hint").empty()) message += "; " + text_of(json, "hint");
    throw ApiRefused(reply.status, message);
  }
  if (json.is_discarded()) {
    throw ApiRefused(reply.status, fmt::format("{} answers {} with what is no JSON: is that the "
                                               "JobTracker's HTTP port?",
                                               client.address(), what.target));
  }
  if (next_cursor != nullptr) *next_cursor = reply.next_cursor;
  return json;
}

Json get_json(HttpClient& client, const std::string& target, std::string* next_cursor) {
  return ask_json(client, {.method = "GET", .target = target, .body = "", .headers = {}},
                  next_cursor);
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string()
             ? found->get<std::string>()
             : std::string();
}

std::optional<std::int64_t> maybe_number_of(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::int64_t number_of(const Json& object, const char* key, std::int64_t otherwise) {
  return maybe_number_of(object, key).value_or(otherwise);
}

const Json& part_of(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

std::vector<std::string> dimensions_of(const Json& object) {
  std::vector<std::string> names;
  if (const Json& dimensions = part_of(object, "dimensions"); dimensions.is_object()) {
    for (const auto& [name, of] : dimensions.items()) names.push_back(name);
  }
  for (const char* first : {"vcores", "memory_mb"}) {
    std::stable_partition(names.begin(), names.end(),
                          [&](const std::string& name) { return name == first; });
  }
  return names;
}

}  // namespace weir::live
