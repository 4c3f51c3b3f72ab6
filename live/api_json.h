// Answers of the API as JSON, taken with care: the server may be another version, or no JobTracker
// at all. What is not there, or of another kind, is the default. Pure but for ask_json; one thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "live/http_client.h"

namespace weir::live {

using Json = nlohmann::json;

// The answer's JSON; an error of the API, or what is no JSON, is ApiRefused.
Json ask_json(HttpClient& client, const HttpAsk& what, std::string* next_cursor = nullptr);
Json get_json(HttpClient& client, const std::string& target, std::string* next_cursor = nullptr);

std::string text_of(const Json& object, const char* key);
std::int64_t number_of(const Json& object, const char* key, std::int64_t otherwise = 0);
std::optional<std::int64_t> maybe_number_of(const Json& object, const char* key);
// Where containers count the dimensions of a cluster or queue: memory and vcores before others.
std::vector<std::string> dimensions_of(const Json& object);
// An empty object, or list, if it is not there.
const Json& part_of(const Json& object, const char* key);

}  // namespace weir::live
