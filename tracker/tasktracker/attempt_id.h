// Attempts by name, as users write them (attempt_0007_m_000012_0). Pure, any thread.
#pragma once

#include <optional>
#include <string_view>

#include "jobqueue/model/ids.h"

namespace weir::tasktracker {

// nullopt: not a name, or not in its one spelling, or a number out of range.
std::optional<AttemptKey> parse_attempt_name(std::string_view name);

}  // namespace weir::tasktracker
