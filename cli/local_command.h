// `weir local`: a JobTracker and some trackers as real processes on this machine, for trying out
// and for tests. All files are in one directory (settings, store, logs, work directories, port
// file); a temporary one goes with the cluster unless it failed to start. In the foreground ^C ends
// everything; `--keep` leaves it running, `--restart-jobtracker DIR` starts its JobTracker again
// and `--stop DIR` ends it later (local_restart.h). One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/context.h"

namespace weir::cli {

struct LocalOptions {
  std::int64_t trackers = 3;
  std::optional<std::int64_t> map_slots, reduce_slots;  // of each tracker; else as the settings say
  std::string conf, directory, stop, restart;
  bool keep = false;
};

// The settings if none are given: OS-chosen ports, two queues of 60% and 40%.
std::string local_settings(const std::string& directory);

void add_local_command(CLI::App& app, Context& context);

}  // namespace weir::cli
