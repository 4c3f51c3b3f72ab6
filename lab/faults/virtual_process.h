// A task's process on a virtual tracker: it reads nothing and computes nothing, but says and waits
// for all that a real one does: reports its progress, fetches the outputs of maps from trackers
// that may be gone, waits to be granted its slot, writes its output aside, asks to be told to
// publish it, and obeys an order only as long as it is fresh. One of an application only works and
// ends. How it writes and publishes is the
// trackers' own (task_output.h), on the world's files. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "lab/faults/world.h"
#include "tracker/tasktracker/agent_core.h"
#include "tracker/tasktracker/task_output.h"

namespace weir::faults {

class VirtualProcess {
 public:
  struct Outside {
    std::function<void(tasktracker::TaskReport)> report;
    std::function<void(const std::string& how)> exit;
    std::function<void()> keep_output;  // a finished map's, on its tracker's disk
    std::function<void()> take_down;    // its tracker, with all that runs there
  };

  VirtualProcess(World& world, const Launch& launch, JobDescription description, Outside outside);

  void begin();
  void kill();
  void grant();
  void commit(std::int64_t until_ms);
  void take_outputs(const std::vector<MapOutput>& outputs);
  // The job's output directory, and what it writes there aside; empty: nothing, its output is not
  // published.
  const tasktracker::JobOutput& output() const { return output_; }
  std::string aside() const;
  bool dying() const { return dying_; }
  const Units& units() const { return units_; }
  TimeMs began_at() const { return began_at_; }

 private:
  void later(DurationMs wait, std::function<void()> deed);
  void report(ReportedState state, std::int32_t progress, bool waiting = false);
  void end(ReportedState state, const std::string& diagnostics);
  void work(std::int32_t from, int steps, std::function<void()> then);
  void run_command();
  void copy();
  void copied();
  void compute();
  bool write_output();
  void ask_to_commit();
  void publish_over();
  bool map_only() const { return description_.spec->reduces == 0; }

  World& world_;
  AttemptKey key_;
  Units units_;
  JobDescription description_;
  Outside outside_;
  bool granted_;
  bool dying_ = false;
  bool copying_ = false;
  TimeMs began_at_ = 0;
  DurationMs step_ms_ = 0;
  TaskPhase phase_ = TaskPhase::kStarting;
  tasktracker::JobOutput output_;
  std::optional<tasktracker::TaskOutput> written_;
  std::map<std::uint32_t, MapOutput> known_;  // by map, the newest
  std::set<std::uint32_t> fetched_;
  std::map<std::uint32_t, std::uint32_t> failures_;  // map -> attempt
  // Deeds of a process that is gone are not done.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

 public:
  ~VirtualProcess() { *alive_ = false; }
  VirtualProcess(const VirtualProcess&) = delete;
  VirtualProcess& operator=(const VirtualProcess&) = delete;
};

}  // namespace weir::faults
