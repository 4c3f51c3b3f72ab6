// Attempts' processes that have done a task and wait for another one of their job (run_task.h),
// each with the directories and the control group of its last attempt. What is ended stays here
// until its process is gone. Belongs to the agent's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "tracker/tasktracker/attempt_process.h"

namespace weir::tasktracker {

struct RestingProcess {
  AttemptKey last;
  std::shared_ptr<AttemptProcess> process;
  std::int64_t since_ms = 0;
};

class RestingProcesses {
 public:
  static constexpr std::size_t kAtMost = 1000;  // the first that came end then

  void put(RestingProcess resting);
  // The last that came.
  std::optional<RestingProcess> take(JobId job);
  // Kills its process.
  void end(RestingProcess resting);
  void end_job(JobId job);
  void end_before(std::int64_t since_ms);
  void end_all();
  // When a child has ended: those that are gone, killed or not.
  std::vector<RestingProcess> reap();

  bool any_ending() const { return !ending_.empty(); }
  void add_pids(std::set<pid_t>& to) const;

 private:
  void end_if(const std::function<bool(const RestingProcess&)>& which);

  std::vector<RestingProcess> resting_;  // in the order they came
  std::vector<RestingProcess> ending_;
};

}  // namespace weir::tasktracker
