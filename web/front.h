// The face of a JobTracker over HTTP: the API, the pages, what probes and Prometheus ask, on a port
// of its own with threads of its own. It knows the services and the published views, never the
// engine. stop() before the services stop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conf/daemon_settings.h"
#include "jobqueue/model/result.h"
#include "tracker/jobtracker/daemon.h"
#include "tracker/jobtracker/front.h"

namespace weir::web {

// Serves on daemon.listen_http, which must be there, when it returns.
Result<std::unique_ptr<Front>> open_front(JobTracker& tracker, const DaemonSettings& daemon);

}  // namespace weir::web
