// The target of a request: its path, cut into decoded segments, and its query. What cannot be read
// in one way only is refused: an escape that is none, a NUL, bytes that are not UTF-8. A path is
// cut before it is decoded, so an escaped "/" is part of a segment. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/server/request.h"

namespace weir::web {

struct Target {
  std::optional<std::string> authority;  // of an absolute one: a proxy may ask so
  std::vector<std::string> path;
  NamesAndValues query;
};

// `problem` gets what is wrong with it.
std::optional<Target> parse_target(std::string_view target, std::string* problem);

// For a path or a query: all but letters, digits and "-._~" escaped.
std::string percent_encoded(std::string_view text);

std::string lower_case(std::string_view text);  // ASCII

// Words of HTTP are the same in capitals. `word` in lower case.
bool begins_with_word(std::string_view text, std::string_view word);

bool is_utf8(std::string_view text);

}  // namespace weir::web
