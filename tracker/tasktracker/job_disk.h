// What each job takes of a tracker's local disk: the map outputs that are kept, measured once, and
// the directories of its attempts that run, measured again and again. Over the bound, the attempt
// that takes the most of it fails. Pure; belongs to the agent's thread, which does not measure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"
#include "tracker/tasktracker/tree_size.h"

namespace weir::tasktracker {

class JobDisk {
 public:
  // An attempt with more files than this is over every bound: it takes too long to measure.
  static constexpr std::int64_t kMostEntries = 1'000'000;
  struct Over {
    AttemptKey attempt;
    std::string why;
  };

  explicit JobDisk(std::int64_t bound_mb = 0) : bound_mb_(bound_mb) {}  // 0: none

  bool bounded() const { return bound_mb_ > 0; }
  std::string text() const;
  void keep_output(const AttemptKey& map, std::int64_t bytes) { kept_[map.task.job] += bytes; }
  void drop(JobId job) { kept_.erase(job); }
  std::vector<Over> judge(const std::map<AttemptKey, TreeSize>& running) const;

 private:
  std::int64_t bound_mb_;
  std::map<JobId, std::int64_t> kept_;  // bytes
};

// Half of what the file system of the directory holds.
std::int64_t half_of_disk_mb(const std::string& directory);

}  // namespace weir::tasktracker
