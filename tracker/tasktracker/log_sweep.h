// Bounds what the logs of attempts take of a tracker's disk: by age, for each job, and in all; the
// oldest go first, those of attempts that run stay. When a log was last written is told by the time
// that no task can set (ctime). Not on the agent's thread: it looks at every attempt's log.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "conf/daemon_settings.h"

namespace weir::tasktracker {

struct SweptLogs {
  std::int64_t removed = 0, removed_bytes = 0;  // attempts
  std::int64_t kept_bytes = 0;
};

// `running`: names of attempts.
SweptLogs sweep_logs(const std::string& logs, const LogSettings& bounds, std::int64_t wall_now_ms,
                     const std::set<std::string>& running);

}  // namespace weir::tasktracker
