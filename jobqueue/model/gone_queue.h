// A job that is over outlives its queue, which new settings may remove. Pure, any thread.
#pragma once

#include <memory>
#include <string>

#include "jobqueue/model/job_spec.h"

namespace weir {

// The spec that such a job goes on with: its queue is the dotted path, of which it may have been
// submitted with the last part alone.
inline std::shared_ptr<const JobSpec> in_gone_queue(const JobSpec& spec, const std::string& path) {
  auto out = std::make_shared<JobSpec>(spec);
  out->queue = path;
  return out;
}

}  // namespace weir
