// Names that are checked in more than one place, by one rule each: where settings are read, and
// where a request comes. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "jobqueue/model/result.h"

namespace weir {

// `field` is what the refusal says it of: "name", "tracker.name".
Status check_tracker_name(const std::string& field, const std::string& name);

// Of a pool, without those above it.
inline constexpr std::string_view kPoolNameAllowed =
    "1 to 100 printable characters without spaces, commas and slashes; dots part the names of "
    "nested pools";
bool is_pool_name(std::string_view name);
// Of the pool that a job asks for: each part of its path; blanks around it do not count.
Status check_pool_asked(std::string_view path);

}  // namespace weir
