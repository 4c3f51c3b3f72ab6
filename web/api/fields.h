// The fields of a JSON object in a body, read one by one. A field of another type, or one that is
// not known, is refused with its path ("splits[3].length") and what is allowed. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/json/json.h"

namespace weir::web {

class Fields {
 public:
  // `where`: the path of the object, empty for the body itself. Keeps a reference.
  Fields(const Json& object, std::string where);

  // Absent, or null, is nothing.
  std::optional<std::string> text(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name);
  std::optional<std::int32_t> integer32(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::vector<std::string>> texts(std::string_view name);
  std::optional<std::map<std::string, std::string>> text_map(std::string_view name);
  // Calls `read` for each object of the list; false if there is none.
  bool objects(std::string_view name, const std::function<void(Fields&)>& read);

  std::string needed(std::string_view name);  // a text that must be there
  std::string path(std::string_view name) const;
  // Once all that is known was asked for: refuses what else is there.
  void end() const;

 private:
  const Json* find(std::string_view name);
  [[noreturn]] void wrong(std::string_view name, std::string_view allowed) const;

  const Json& object_;
  const std::string where_;
  std::vector<std::string_view> known_;
};

}  // namespace weir::web
