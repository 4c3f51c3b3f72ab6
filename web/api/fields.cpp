#include "web/api/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "conf/values.h"
#include "web/api/refusal.h"

namespace weir::web {

Fields::Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) refuse(where_ + ": must be an object", "{...}");
}

std::string Fields::path(std::string_view name) const {
  return where_.empty() ? std::string(name) : fmt::format("{}.{}", where_, name);
}

void Fields::wrong(std::string_view name, std::string_view allowed) const {
  refuse(fmt::format("{}: must be {}", path(name), allowed), std::string(allowed));
}

const Json* Fields::find(std::string_view name) {
  known_.push_back(name);
  const auto found = object_.find(std::string(name));
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> Fields::text(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) wrong(name, "a text");
  return value->get<std::string>();
}

std::optional<std::int64_t> Fields::integer(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const bool too_large =
      value->is_number_unsigned() &&
      value->get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value->is_number_integer() || too_large) wrong(name, "a whole number of 64 bits");
  return value->get<std::int64_t>();
}

std::optional<std::int32_t> Fields::integer32(std::string_view name) {
  const auto value = integer(name);
  if (!value) return std::nullopt;
  if (*value < std::numeric_limits<std::int32_t>::min() ||
      *value > std::numeric_limits<std::int32_t>::max())
    wrong(name, "a whole number of 32 bits");
  return static_cast<std::int32_t>(*value);
}

std::optional<bool> Fields::boolean(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) wrong(name, "true or false");
  return value->get<bool>();
}

std::optional<std::vector<std::string>> Fields::texts(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) wrong(name, "a list of texts");
  std::vector<std::string> texts;
  for (const Json& item : *value) {
    if (!item.is_string()) wrong(name, "a list of texts");
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::optional<std::map<std::string, std::string>> Fields::text_map(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) wrong(name, "an object of texts");
  std::map<std::string, std::string> texts;
  for (const auto& [key, item] : value->items()) {
    if (!item.is_string()) wrong(name, "an object of texts");
    texts.emplace(key, item.get<std::string>());
  }
  return texts;
}

bool Fields::objects(std::string_view name, const std::function<void(Fields&)>& read) {
  const Json* value = find(name);
  if (value == nullptr) return false;
  if (!value->is_array()) wrong(name, "a list of objects");
  std::size_t index = 0;
  for (const Json& item : *value) {
    Fields fields(item, fmt::format("{}[{}]", path(name), index++));
    read(fields);
    fields.end();
  }
  return true;
}

std::string Fields::needed(std::string_view name) {
  auto value = text(name);
  if (!value) refuse(path(name) + ": is missing", "a text");
  return std::move(*value);
}

void Fields::end() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const auto near = nearest(name, known_);
    std::string all;
    for (const auto known : known_) all += (all.empty() ? "" : ", ") + std::string(known);
    refuse(fmt::format("{}: is no field here{}", path(name.substr(0, 64)),
                       near ? fmt::format(", did you mean '{}'?", *near) : ""),
           all);
  }
}

}  // namespace weir::web
