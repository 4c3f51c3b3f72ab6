// Attempt ids between the wire and the core's AttemptKey, and from names as users write them
// (attempt_0007_m_000012_0). Ids from outside are checked for range here, once. Pure, any thread.
#pragma once

#include <optional>
#include <string_view>

#include "common_types.h"
#include "jobqueue/model/ids.h"

namespace weir::tasktracker {

std::optional<AttemptKey> to_key(const wire::AttemptId& id);  // nullopt: a number out of range
wire::AttemptId to_wire(const AttemptKey& key);
std::optional<AttemptKey> parse_attempt_name(std::string_view name);

}  // namespace weir::tasktracker
