// The sections of weir.yaml that are neither queues nor a policy's: `heartbeat`, `history`,
// `tracker_faults`, `conf`, `listen`, `store`, `limits`, `tracker`. Each function reads its section
// out of the root map and reports to the root's Diagnostics.
#pragma once

#include "conf/daemon_settings.h"
#include "conf/yaml_reader.h"
#include "jobqueue/model/settings.h"

namespace weir {

void read_heartbeat(const MapReader& root, HeartbeatSettings& heartbeat);
void read_history(const MapReader& root, HistorySettings& history);
void read_tracker_faults(const MapReader& root, TrackerFaultSettings& faults);
void read_source(const MapReader& root, SettingsFrom& from);  // `conf`
void read_speculation(const MapReader& root, SpeculationSettings& speculation);
// `listen`, `store` and `limits`, of which the bytes of jobs are the engine's.
void read_daemon(const MapReader& root, DaemonSettings& daemon, JobBytesSettings& job_bytes);
void read_tracker(const MapReader& root, TrackerSettings& tracker);

}  // namespace weir
