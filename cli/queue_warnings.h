// What a command about jobs says on stderr of the queue that they are in, when it has done what it
// was asked for and that will not have the effect that was meant. If the queue cannot be asked for,
// nothing.
#pragma once

#include <cstdint>
#include <string>

#include "cli/connection.h"
#include "cli/context.h"

namespace weir::cli {

// If priorities do not count in the queue.
void warn_of_priority(Context& context, JobTracker& jobtracker, const std::string& queue);

// If the queue, or one above it, may never run as many slots as one task of that width takes.
void warn_of_width(Context& context, JobTracker& jobtracker, const std::string& queue,
                   std::int64_t slots_per_map, std::int64_t slots_per_reduce);

}  // namespace weir::cli
