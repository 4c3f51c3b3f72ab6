// Counters as the store keeps them: one line "group TAB name TAB value" each, in order. Tab,
// newline and backslash in names are written \t, \n and \\, so any bytes survive. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jobqueue/model/event.h"

namespace weir {

std::string encode_counters(const Counters& counters);
std::optional<Counters> decode_counters(std::string_view text);  // nothing: not written by us

}  // namespace weir
