// What changes between two settings, a line each, for `weir conf diff` and the log of an apply:
// first the general settings, then queues by dotted path in file order. Both sides are written out
// as key and value with their defaults (describe.h) and compared, so a default that is spelled out
// is no change. Pure functions, any thread.
#pragma once

#include <string>
#include <vector>

#include "conf/daemon_settings.h"
#include "conf/policies.h"
#include "jobqueue/model/settings.h"

namespace weir {

// `queues.research.guaranteed: 40% -> 50%`, `queues.research.vision: added (guaranteed 50%)`,
// `queues.old: removed`.
std::vector<std::string> diff_settings(const Settings& before, const Settings& after,
                                       PolicyTable policies = policy_table());

// What a process started with settings of these sections would do otherwise: `listen.thrift:
// 127.0.0.1:9090 -> 127.0.0.1:9191`. Sections that are not named are left out.
std::vector<std::string> diff_daemon(const DaemonSettings& before, const DaemonSettings& after,
                                     const std::vector<std::string>& sections);

}  // namespace weir
