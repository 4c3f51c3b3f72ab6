// JSON that somebody sends, as a tree. Read in one pass, in time and memory that grow with its
// length alone: how deep it is and how many values it has is bounded while it is read, members are
// appended without a search, and a key that is there twice is found when its object ends. Throws a
// Refusal that says where. Pure, any thread.
#pragma once

#include <string_view>

#include "views/json/json.h"

namespace weir::web {

inline constexpr std::size_t kMostJsonDepth = 32;

// An object.
Json read_json_object(std::string_view text);

}  // namespace weir::web
