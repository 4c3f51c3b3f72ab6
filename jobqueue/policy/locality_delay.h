// Delay scheduling (EuroSys'10; fair.md, "Delay scheduling"): a job that has no map whose input
// lies near the tracker on offer is passed over for a while, because a slot on a better tracker
// will come free soon. Any policy may use it. What has been waited is plain data in the
// PolicyMemory, so it survives a switch of policy; this class only keeps the list of
// jobs passed over at the last heartbeat. Engine's thread.
//
// A job stands at the level of its last launch (node at first). It may launch one level further out
// after the delay of each level; any launch clears what was waited, and sets the level. Time counts
// from the heartbeat that passed the job over to the next heartbeat of any tracker. Maps without a
// location never wait.
//
// `adaptive` waits only as long as waiting has paid: a wait that ended with a local launch doubles
// the next one, up to the automatic delay, and one that ran out in vain halves it, down to a
// sixteenth. A job begins with what the jobs before it have learnt. (With hot files a fixed wait
// only loses throughput: all wait for the same few trackers.)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/reason.h"
#include "jobqueue/model/terms.h"
#include "jobqueue/model/time.h"

namespace weir {

class ClusterState;
struct PolicyMemory;

struct LocalityDelaySettings {
  enum class Mode : std::uint8_t { kOff, kAuto, kAdaptive, kFixed };
  Mode mode = Mode::kOff;
  DurationMs node_ms = 0;  // kFixed: waited for a node-local slot
  DurationMs rack_ms = 0;  // kFixed: and then for a rack-local one
  friend bool operator==(const LocalityDelaySettings&, const LocalityDelaySettings&) = default;
};

// What one job has waited.
struct LocalityWait {
  Locality level = Locality::kNode;  // of its last launch
  DurationMs waited_ms = 0;
  TimeMs passed_at = -1;  // at the latest heartbeat; -1: it was not passed over then
  // Adaptive: sixteenths of the delay that it waits; -1: it has waited for nothing yet.
  std::int32_t patience = -1;
};

class LocalityDelay {
 public:
  LocalityDelay(const ClusterState& state, PolicyMemory& memory, LocalityDelaySettings settings);

  bool on() const { return settings_.mode != LocalityDelaySettings::Mode::kOff; }
  // A heartbeat that may launch begins: those passed over at the last one have waited till now.
  void begin(TimeMs now);
  // How far from its input the job's next map may run. `urgent`: it does not wait (a starved pool).
  Locality allowed(JobId job, bool urgent) const;
  // The job was asked for a map in this heartbeat and had none that it may launch here.
  void passed(JobId job);
  // The job launched a map: `located` if it was known where its input lies. It is not passed over
  // in this heartbeat any more.
  void launched(JobId job, Locality level, bool located);
  void end(TimeMs now);  // of the heartbeat
  // Milliseconds until the job may go one level further out; 0: it need not wait.
  DurationMs left(JobId job) const;

 private:
  DurationMs delay_ms(const LocalityWait& wait, Locality level) const;
  void learn(LocalityWait& wait, Locality level);

  const ClusterState& state_;
  PolicyMemory& memory_;
  LocalityDelaySettings settings_;
  std::vector<JobId> passed_;    // at the latest heartbeat
  std::vector<JobId> launched_;  // in this heartbeat
};

// That the job's tasks of the kind wait for a tracker near their input, if they do.
std::optional<Reason> reason_of_wait(const LocalityDelay& delay, JobId job, TaskKind kind);

}  // namespace weir
