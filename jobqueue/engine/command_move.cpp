// Moving a job to another queue, or into another pool.
#include <utility>

#include "jobqueue/engine/parts.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {

void JobCommands::on(const MoveJob& input, Token token) {
  const Job* job = job_to_change(input.job, input.caller, token, "move");
  if (job == nullptr) return;
  std::optional<Result<Destination>> pool;
  if (const Pools* pools = policy_->pools())
    pool = pools->check_move(input.caller, *job, input.queue);
  if (pool && !*pool) return refuse(token, "move", pool->error());
  JobMoved moved{input.job, state_.tree().node(job->queue).path, job->pool};
  if (pool) moved.pool = (*pool)->pool;
  if (!pool || !(*pool)->queue.empty()) {
    const auto queue = manager_.check_move(input.caller, *job, pool ? (*pool)->queue : input.queue);
    if (!queue) return refuse(token, "move", queue.error());
    if (const auto stays = parts_.administration.check_stays(*queue); !stays)
      return refuse(token, "move", stays.error());
    moved.queue = state_.tree().node(*queue).path;
  }
  parts_.promises.promise(token, std::move(moved));
}

ReplyBody JobCommands::apply(const JobMoved& move) {
  const auto queue = state_.tree().find_path(move.queue);
  if (!queue || state_.find_job(move.job) == nullptr) return Done{};
  Job& job = state_.mutable_job(move.job);
  const QueueId from = job.queue;
  state_.set_queue(job, *queue);
  job.pool = move.pool;
  tell_listed(job.id);
  // Room that a kill made for its gang was its queue's claim's: it is not carried along.
  parts_.holds.end_holds(
      [&](const Hold& hold) {
        return hold.job == job.id && job.waits_for_gang(hold.kind);
      },
      KillRecord::Outcome::kWasted);
  parts_.gangs.release(job.id, "moved");
  parts_.holds.release_reservations(job.id, TrackerId{}, "moved");
  if (job.schedulable() || job.live_attempts > 0) policy_->on_job_changed(job.id, from);
  touch(job);
  limits_.regroup(job);
  parts_.jobs.admit_waiting(from);
  parts_.jobs.admit_waiting(job.queue);
  return Done{};
}

}  // namespace weir
