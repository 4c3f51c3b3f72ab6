#include "sim/event_log.h"

#include "sim/sim_engine.h"

namespace weir {

std::string subject(const Input& input, const JobNames& names) {
  if (const auto* submit = std::get_if<SubmitJob>(&input.body)) return submit->spec->name;
  JobId job;
  if (const auto* kill = std::get_if<KillJob>(&input.body)) job = kill->job;
  if (const auto* priority = std::get_if<SetPriority>(&input.body)) job = priority->job;
  if (const auto* move = std::get_if<MoveJob>(&input.body)) job = move->job;
  return job.valid() ? names.name(job) : "";
}

void EventLog::on_step(const Engine& engine, const Input& input, const Output& output) {
  engine_ = &engine;
  input_ = &input;
  for (const Event& event : output.events) {
    at_ = event.at - SimEngine::kStart;
    std::visit([this](const auto& fact) { write(fact); }, event.fact);
  }
}

void EventLog::refused(DurationMs at, const std::string& what, const std::string& reason) {
  at_ = at;
  begin("refused").add("what", what).add("reason", reason).end();
}

JsonLine& EventLog::begin(const char* event) {
  return line_.begin().add("t", at_).add("event", event);
}

std::string EventLog::queue_path(QueueId queue) const {
  const QueueTree& tree = engine_->state().tree();
  return queue.valid() && queue.index() < tree.size() ? tree.node(queue).path : "";
}

// The job's pool, where the policy has pools.
std::string EventLog::pool_or(JobId job, const std::string& queue) const {
  if (!engine_->policy().has_pools() || engine_->state().find_job(job) == nullptr) return queue;
  return std::string(engine_->policy().pool_of(job));
}

void EventLog::task(const AttemptKey& attempt, TrackerId tracker) {
  line_.add("job", names_.name(attempt.task.job))
      .add("task", task_part(attempt.task.kind, attempt.task.index))
      .add("attempt", std::int64_t{attempt.attempt})
      .add("tracker", engine_->state().tracker(tracker).name);
}

void EventLog::owner(const AttemptKey& attempt, QueueId queue) {
  const Job* job = engine_->state().find_job(attempt.task.job);
  line_.add("queue", pool_or(attempt.task.job, queue_path(queue)))
      .add("class", name(attempt.task.kind))
      .add("user", job != nullptr ? job->spec->user : "");
}

void EventLog::write(const JobSubmitted& fact) {
  begin("submit")
      .add("job", names_.name(fact.job))
      .add("queue", pool_or(fact.job, fact.queue))
      .add("user", fact.spec->user)
      .end();
}

void EventLog::write(const PriorityChanged& fact) {
  begin("priority").add("job", names_.name(fact.job)).add("priority", name(fact.priority)).end();
}

void EventLog::write(const JobMoved& fact) {
  begin("move").add("job", names_.name(fact.job)).add("queue", pool_or(fact.job, fact.queue)).end();
}

void EventLog::write(const QueueStateChanged& fact) {
  begin("queue").add("queue", fact.queue).add("state", fact.stopped ? "stopped" : "running").end();
}

void EventLog::write(const SettingsChanged&) {
  begin("settings").end();
}

void EventLog::write(const PolicyChanged& fact) {
  begin("policy").add("policy", fact.policy).end();
}

void EventLog::write(const TaskReopened& fact) {
  begin("reopen")
      .add("job", names_.name(fact.task.job))
      .add("task", task_part(fact.task.kind, fact.task.index))
      .add("reason", fact.why)
      .end();
}

void EventLog::write(const JobStateChanged& fact) {
  begin("job").add("job", names_.name(fact.job)).add("state", name(fact.state));
  if (!fact.diagnostics.empty()) line_.add("reason", fact.diagnostics);
  line_.end();
}

template <class Fact>
void EventLog::claim(const char* event, const Fact& fact) {
  begin(event)
      .add("queue", fact.queue)
      .add("class", name(fact.kind))
      .add("slots", fact.slots)
      .add("deadline", fact.deadline - SimEngine::kStart)
      .add("claim", static_cast<std::int64_t>(fact.claim))
      .end();
}

void EventLog::write(const ClaimOpened& fact) {
  claim("claim", fact);
}

void EventLog::write(const ClaimMet& fact) {
  claim("claim_met", fact);
}

void EventLog::write(const ClaimDropped& fact) {
  claim("claim_dropped", fact);
}

void EventLog::write(const AttemptLaunched& fact) {
  begin("launch");
  task(fact.attempt, fact.tracker);
  line_.add("locality", name(fact.locality));
  owner(fact.attempt, fact.queue);
  line_.end();
}

void EventLog::write(const AttemptEnded& fact) {
  const bool ordered = !ordered_.empty() && ordered_.erase(fact.attempt) > 0;
  const bool killed = fact.how == AttemptEnded::How::kKilled;
  if (killed && ordered) return;  // it was told when it was ordered
  begin(killed ? "kill" : fact.how == AttemptEnded::How::kSucceeded ? "finish" : "fail");
  task(fact.attempt, fact.tracker);
  owner(fact.attempt, fact.queue);
  if (killed) line_.add("reason", name(KillReason::kTrackerLost)).add_null("for");
  line_.add("ran_ms", fact.ran_ms).end();
}

void EventLog::write(const KillOrdered& fact) {
  ordered_.insert(fact.attempt);
  begin("kill");
  task(fact.attempt, fact.tracker);
  owner(fact.attempt, fact.queue);
  line_.add("reason", name(fact.reason));
  if (!fact.for_pool.empty()) {
    line_.add("for", fact.for_pool);
  } else if (fact.for_queue.valid()) {
    line_.add("for", queue_path(fact.for_queue));
  } else {
    line_.add_null("for");
  }
  line_.add("ran_ms", fact.ran_ms).end();
}

void EventLog::write(const TrackerChanged& fact) {
  static constexpr const char* kHow[] = {"added", "lost", "back"};
  const TrackerState& tracker = engine_->state().tracker(fact.tracker);
  begin("tracker")
      .add("tracker", tracker.name)
      .add("state", kHow[static_cast<std::size_t>(fact.how)])
      .add("map_slots", tracker.total.slots(TaskKind::kMap))
      .add("reduce_slots", tracker.total.slots(TaskKind::kReduce))
      .end();
}

void EventLog::write(const Refused& fact) {
  begin("refused").add("what", fact.what);
  const std::string job = subject(*input_, names_);
  if (!job.empty()) line_.add("job", job);
  line_.add("reason", fact.error.message).end();
}

}  // namespace weir
