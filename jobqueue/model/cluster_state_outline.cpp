// A copy of the state without the single tasks, of which there may be millions: what policies
// compute shares from is sums.
#include "jobqueue/model/check.h"
#include "jobqueue/model/cluster_state.h"

namespace weir {
namespace {

TaskGroup outline_of(const TaskGroup& group) {
  TaskGroup out;
  out.size = group.size;
  out.fresh = group.fresh.copied();
  out.retries = group.retries.copied();
  out.open = group.open;
  out.total = group.total;
  out.running = group.running;
  out.dying = group.dying;
  out.succeeded = group.succeeded;
  out.copying = group.copying;
  out.copied = group.copied;
  return out;
}

std::unique_ptr<Job> outline_of(const Job& job) {
  auto out = std::make_unique<Job>();
  out->id = job.id;
  out->queue = job.queue;
  out->user = job.user;
  out->priority = job.priority;
  out->state = job.state;
  out->durable = job.durable;
  out->duty = job.duty;
  out->held = job.held;
  out->service = job.service;
  out->groups = job.groups;
  out->live_attempts = job.live_attempts;
  out->started_at = job.started_at;
  out->type = job.type;
  out->spec = job.spec;
  for (const TaskKind kind : kTaskKinds)
    out->group[index(kind)] = outline_of(job.group[index(kind)]);
  out->submitted_at = job.submitted_at;
  out->pool = job.pool;
  return out;
}

}  // namespace

std::unique_ptr<ClusterState> ClusterState::outlined() const {
  WEIR_CHECK(!space_.containers(), "outlines are of slots");
  auto out = std::make_unique<ClusterState>(settings_, tree_, epoch_);
  out->outline_ = true;
  out->now_ = now_;
  out->queues_ = queues_;
  out->reserved_ = reserved_;
  for (const auto& [id, job] : jobs_) {
    auto copy = outline_of(*job);
    out->job_index_.take(id.index()) = copy.get();
    out->jobs_.emplace_hint(out->jobs_.end(), id, std::move(copy));
  }
  out->waiting_jobs_ = waiting_jobs_;
  out->trackers_ = trackers_;
  out->attempts_ = attempts_;
  out->claims_ = claims_;
  out->users_ = users_;
  out->copy_factor_ = copy_factor_;
  return out;
}

}  // namespace weir
