// What a job was submitted with, as readers see it: what asked() has kept (job_spec.h), with
// secrets masked for all but its user.
#pragma once

#include <string>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_spec.h"

namespace weir {

struct AskedView {
  JobId job;
  JobSpec spec;
  std::vector<std::string> masked;  // fields of it that are not shown whole: `environment.TOKEN`
};

}  // namespace weir
