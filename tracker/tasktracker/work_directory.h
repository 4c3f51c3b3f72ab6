// A tracker's work directory, as it is found or made at the start. Whoever owns it, or may write to
// it, has everything that its user's tasks are; so one that somebody else has put where a tracker
// looks for its own (in /tmp, say) is refused, by a link as well.
#pragma once

#include <string>

#include "jobqueue/model/result.h"

namespace weir::tasktracker {

// One that is made here has no other writers, whatever the umask.
Status make_work_directory(std::string path);

}  // namespace weir::tasktracker
