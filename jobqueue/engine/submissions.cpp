#include "jobqueue/engine/submissions.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"

namespace weir {

// Nobody else may write there before the clean-up is over: it would go with it.
void Submissions::release_output(const Job& job) {
  const auto writer = outputs_.find(job.spec->output);
  if (writer != outputs_.end() && writer->second == job.id) outputs_.erase(writer);
}

void Submissions::take_output(const Job& job) {
  if (!job.spec->application()) outputs_.emplace(job.spec->output, job.id);
}

void Submissions::count_bytes(Job& job) {
  job.spec_bytes = bytes_of(*job.spec);
  job_bytes_.add(job.spec->user, job.spec_bytes);
}

void Submissions::forget_bytes(Job& job) {
  job_bytes_.remove(job.spec->user, std::exchange(job.spec_bytes, 0));
}

}  // namespace weir
