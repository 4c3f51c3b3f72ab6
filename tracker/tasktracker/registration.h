// What a tracker says of itself when it registers. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "jobqueue/model/input.h"
#include "tracker/tasktracker/tasktracker.h"

namespace weir::tasktracker {

// What nobody guesses: 32 hex digits.
std::string draw_mark();

// `home`: of its work directory (RegisterTracker::home).
RegisterTracker make_registration(const TaskTrackerOptions& options, std::uint16_t shuffle_port,
                                  const std::string& home);

}  // namespace weir::tasktracker
