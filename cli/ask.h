// Somebody at a terminal is asked before anything is changed.
#pragma once

#include <string_view>

#include "cli/context.h"

namespace weir::cli {

// Waits for a line; anything but "y" or "yes" is no.
bool says_yes(Context& context, std::string_view question);

}  // namespace weir::cli
