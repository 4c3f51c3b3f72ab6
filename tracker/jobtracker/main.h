// `weir jobtracker`: reads the settings, opens the store, serves until SIGTERM or SIGINT. SIGHUP
// reads the settings file again, as does a change of it on disk; what is wrong in it is logged,
// stays visible in `weir policy show`, and changes nothing. Exit codes: 0 ended as asked, 1 could
// not start (port, store), 2 the settings are wrong.
//
// Profiles: with gperftools linked, CPUPROFILE=/path and HEAPPROFILE=/path in the environment write
// a CPU and a heap profile of the daemon.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "conf/daemon_settings.h"
#include "jobqueue/model/result.h"
#include "tracker/jobtracker/front.h"

namespace weir {

class JobTracker;

struct JobTrackerOptions {
  std::string conf_file;  // empty: defaults
  std::string port_file;  // gets "client_port tracker_port http_port\n" once they listen
  std::optional<std::string> store_path;     // instead of the settings' `store.sqlite`
  std::optional<std::uint16_t> client_port;  // instead of the settings' `listen`
  std::optional<std::uint16_t> tracker_port;
  std::optional<std::uint16_t> http_port;  // on the loopback address if the settings name none
  // What serves `listen.http`, if the settings name it; empty: nothing does.
  std::function<Result<std::unique_ptr<Front>>(JobTracker&, const DaemonSettings&)> make_front;
};

int run_jobtracker(const JobTrackerOptions& options);

}  // namespace weir
