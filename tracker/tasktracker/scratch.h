// The directories of attempts: scratch, that is `work`, where a command runs, and `tmp`, below one
// of the attempt's own name; the one of its logs; and the one that its commands have beside the
// job's output. Those of an attempt that succeeded and left them empty become the next one's of the
// same job, by a rename: some file systems make a new file the slower the more have just been
// removed. Never another job's: who has kept a directory open sees what comes into it.
// Belongs to the agent's thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/work_dirs.h"

namespace weir::tasktracker {

class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(WorkDirs dirs) : dirs_(std::move(dirs)) {}

  // All are there, empty, and of this process' user alone.
  Status take(const AttemptKey& attempt);
  // `emptied`: the attempt says that it has left its scratch as it was. It is looked at before the
  // next one has it.
  void give_back(const AttemptKey& attempt, bool emptied);
  // The first one's, as it left them, get the second one's name. False: they are not as they were
  // made, and are to be removed.
  bool rename(const AttemptKey& from, const AttemptKey& to) const;
  // What was not as it should be, and is to be removed.
  std::vector<std::string> take_rejected() { return std::exchange(rejected_, {}); }

  // Beside the output it is the attempts' processes that make, rename and empty it; here is only
  // the name of one that has ended in order; empty: there is none.
  std::string take_output_dir(JobId job);
  void give_back_output_dir(const AttemptKey& attempt);
  // Nobody takes these any more; they are to be removed.
  std::vector<std::string> drop(JobId job);

 private:
  struct Spare {
    std::vector<std::string> scratch, logs, output_dirs;
  };
  Status make(const std::string& path) const;
  Status take_scratch(const AttemptKey& attempt, Spare& spare);
  Status take_log(const AttemptKey& attempt, Spare& spare) const;

  WorkDirs dirs_;
  std::map<JobId, Spare> spare_;
  std::vector<std::string> rejected_;
};

// Removes what an attempt has made there. The attempt's part, before it ends. Whether it is as it
// was made.
bool empty_scratch(const std::string& attempt_dir);

}  // namespace weir::tasktracker
