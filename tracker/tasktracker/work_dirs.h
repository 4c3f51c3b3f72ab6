// Where a tracker keeps things under its work directory, in one place:
//   attempts/sessions            which sessions attempts lead (session_log.h)
//   attempts/<attempt>/          scratch of an attempt (spills, commands' work): of one that runs,
//                                or has ended, until the job's next one has it (scratch.h)
//   outputs/<job>/<attempt>/     map outputs (file.out, file.idx), until the job is dropped
//   logs/<job>/<attempt>/        stderr, syslog; kept for a day
//   aside/<number>/              what an earlier life left, until it could be removed
//   lock                         held by the living tracker
// Pure names, any thread.
#pragma once

#include <cstdint>
#include <string>

#include "jobqueue/model/ids.h"

namespace weir::tasktracker {

struct WorkDirs {
  std::string root;

  std::string lock() const { return root + "/lock"; }
  // There while no tracker is: the last one had ended all that ran on it, and then itself.
  std::string ended_in_order() const { return root + "/ended"; }
  std::string attempts() const { return root + "/attempts"; }
  std::string outputs() const { return root + "/outputs"; }
  std::string logs() const { return root + "/logs"; }
  std::string aside() const { return root + "/aside"; }
  std::string attempt(const AttemptKey& key) const { return attempts() + "/" + attempt_name(key); }
  std::string sessions() const { return attempts() + "/sessions"; }
  std::string job_outputs(JobId job) const { return outputs() + "/" + job_name(job); }
  std::string output(const AttemptKey& key) const {
    return job_outputs(key.task.job) + "/" + attempt_name(key);
  }
  std::string log(const AttemptKey& key) const {
    return logs() + "/" + job_name(key.task.job) + "/" + attempt_name(key);
  }
};

}  // namespace weir::tasktracker
