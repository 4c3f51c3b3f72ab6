// A job that is over stays listed for a day, but needs little then: once its end is durable and no
// attempt of it is left, its splits, programs, texts and tasks go. What people ask about stays: its
// brief spec, the counts, counters, times and diagnostics.
#include <utility>

#include "jobqueue/engine/parts.h"

namespace weir {

// Called wherever one of the two conditions may have come true; who calls may still look at the
// job's tasks, so they go at the end of the step.
void JobLife::note_over(const Job& job) {
  if (!is_over(job.state) || job.live_attempts > 0 || job.end_seq > durable_seq_) return;
  over_.push_back(job.id);
}

void JobLife::settle_ends(std::uint64_t seq) {
  while (!ending_.empty() && ending_.front().first <= seq) {
    if (const Job* job = state_.find_job(ending_.front().second)) {
      touch(*job);
      note_over(*job);
    }
    ending_.pop_front();
  }
}

void JobLife::shed_ended() {
  for (const JobId id : over_) {
    if (state_.find_job(id) != nullptr) shed(state_.mutable_job(id));
  }
  over_.clear();
}

void JobLife::shed(Job& job) {
  parts_.submissions.forget_bytes(job);
  job.spec = brief(*job.spec);
  for (const TaskKind kind : job.kinds()) job.tasks(kind).total = job.spec->tasks(kind);
  state_.drop_tasks(job);
  job.map_log = std::vector<MapCompletion>();
  job.locality.clear();
  job.has_locations = false;
  job.failed_on.clear();
  job.losses.clear();
  job.fetch_failures.clear();
}

}  // namespace weir
