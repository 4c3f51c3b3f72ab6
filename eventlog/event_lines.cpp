#include "eventlog/event_lines.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {

namespace {

// m0; of an application ps.0
std::string task_name_part(const TaskKey& task, const Engine& engine) {
  const std::string index = std::to_string(task.index);
  if (!is_group(task.kind)) return (task.kind == TaskKind::kMap ? "m" : "r") + index;
  const Job* job = engine.state().find_job(task.job);
  const std::size_t group = group_number(task.kind);
  if (job == nullptr || group >= job->spec->task_groups.size()) return "?." + index;
  return job->spec->task_groups[group].name + "." + index;
}

}  // namespace

void EventLines::write(const Event& event, const Engine& engine, std::string_view subject) {
  engine_ = &engine;
  subject_ = subject;
  at_ = event.at;
  visit_fact([this](const auto& fact) { put(fact); }, event.fact);
}

void EventLines::refused(TimeMs at, std::string_view what, std::string_view reason) {
  at_ = at;
  begin("refused").add("what", what).add("reason", reason).end();
}

void EventLines::lost(TimeMs at, std::uint64_t lines) {
  at_ = at;
  begin("lost").add("lines", static_cast<std::int64_t>(lines)).end();
}

JsonLine& EventLines::begin(const char* event) {
  return line_.begin().add("t", at_ - zero_).add("event", event);
}

std::string EventLines::queue_path(QueueId queue) const {
  const QueueTree& tree = engine_->state().tree();
  return queue.valid() && queue.index() < tree.size() ? tree.node(queue).path : "";
}

// The job's pool, where the policy has pools.
std::string EventLines::pool_or(JobId job, const std::string& queue) const {
  const bool known = engine_->state().find_job(job) != nullptr;
  if (!known || engine_->policy().pools() == nullptr) return queue;
  return std::string(pool_of(engine_->policy(), job));
}

void EventLines::task(const AttemptKey& attempt, TrackerId tracker) {
  line_.add("job", names_(attempt.task.job))
      .add("task", task_name_part(attempt.task, *engine_))
      .add("attempt", std::int64_t{attempt.attempt})
      .add("tracker", engine_->state().tracker(tracker).name);
}

void EventLines::owner(const AttemptKey& attempt, QueueId queue) {
  const Job* job = engine_->state().find_job(attempt.task.job);
  line_.add("queue", pool_or(attempt.task.job, queue_path(queue)))
      .add("class",
           engine_->state().space().containers() ? "container" : name(attempt.task.kind))
      .add("user", job != nullptr ? job->spec->user : "");
}

void EventLines::container(const TaskKey& task) {
  const Space& space = engine_->state().space();
  const Job* job = engine_->state().find_job(task.job);
  if (!space.containers() || job == nullptr) return;
  std::vector<std::pair<std::string_view, std::int64_t>> amounts;
  for (const Dimension d : space.dimensions()) {
    const std::int64_t amount = job->need(task.kind)[d];
    if (amount != 0) amounts.emplace_back(space.name(d), amount);
  }
  line_.add_amounts("container", amounts);
}

void EventLines::put(const JobSubmitted& fact) {
  begin("submit")
      .add("job", names_(fact.job))
      .add("queue", pool_or(fact.job, fact.queue))
      .add("user", fact.spec->user)
      .end();
}

void EventLines::put(const PriorityChanged& fact) {
  begin("priority").add("job", names_(fact.job)).add("priority", name(fact.priority)).end();
}

void EventLines::put(const JobMoved& fact) {
  begin("move").add("job", names_(fact.job)).add("queue", fact.queue);
  // A move into another pool takes effect later than this line is written.
  if (engine_->policy().pools() != nullptr) {
    line_.add("pool", fact.pool.empty() ? pool_or(fact.job, fact.queue) : fact.pool);
  }
  line_.end();
}

void EventLines::put(const JobReleased& fact) {
  begin("release").add("job", names_(fact.job)).end();
}

void EventLines::put(const QueueStateChanged& fact) {
  begin("queue").add("queue", fact.queue).add("state", fact.stopped ? "stopped" : "running").end();
}

void EventLines::put(const SettingsChanged&) {
  begin("settings").end();
}

void EventLines::put(const PolicyChanged& fact) {
  begin("policy").add("policy", fact.policy).end();
}

void EventLines::put(const TaskReopened& fact) {
  begin("reopen")
      .add("job", names_(fact.task.job))
      .add("task", task_name_part(fact.task, *engine_))
      .add("reason", fact.why)
      .end();
}

void EventLines::put(const JobStateChanged& fact) {
  begin("job").add("job", names_(fact.job)).add("state", name(fact.state));
  if (!fact.diagnostics.empty()) line_.add("reason", fact.diagnostics);
  line_.end();
}

template <class Fact>
void EventLines::claim(const char* event, const Fact& fact) {
  begin(event)
      .add("queue", fact.queue)
      .add("class", engine_->state().space().name(fact.dimension))
      .add(fact.dimension.is_slots() ? "slots" : "amount", fact.slots)
      .add("deadline", fact.deadline - zero_)
      .add("claim", static_cast<std::int64_t>(fact.claim))
      .end();
}

void EventLines::put(const ClaimOpened& fact) {
  claim(fact.again ? "claim_resumed" : "claim", fact);
}

void EventLines::put(const ClaimMet& fact) {
  claim("claim_met", fact);
}

void EventLines::put(const ClaimDropped& fact) {
  claim("claim_dropped", fact);
}

void EventLines::put(const AttemptLaunched& fact) {
  begin("launch");
  task(fact.attempt, fact.tracker);
  line_.add("locality", name(fact.locality));
  if (fact.speculative) line_.add_true("speculative");
  owner(fact.attempt, fact.queue);
  container(fact.attempt.task);
  line_.end();
}

void EventLines::put(const ComputeGranted& fact) {
  begin("compute");
  task(fact.attempt, fact.tracker);
  owner(fact.attempt, fact.queue);
  line_.end();
}

// That is kept on the tracker for the task.
void EventLines::room(const char* event, const TaskKey& task, TrackerId tracker) {
  begin(event)
      .add("job", names_(task.job))
      .add("task", task_name_part(task, *engine_))
      .add("tracker", engine_->state().tracker(tracker).name);
  container(task);
}

void EventLines::put(const Reserved& fact) {
  room("reserve", fact.task, fact.tracker);
  line_.add("queue", pool_or(fact.task.job, queue_path(fact.queue))).end();
}

void EventLines::put(const Unreserved& fact) {
  begin("unreserve")
      .add("job", names_(fact.job))
      .add("tracker", engine_->state().tracker(fact.tracker).name)
      .add("reason", fact.why)
      .end();
}

void EventLines::put(const GangHeld& fact) {
  room("gang_hold", fact.task, fact.tracker);
  line_.end();
}

void EventLines::put(const GangReleased& fact) {
  begin("gang_release").add("job", names_(fact.job)).add("reason", fact.why).end();
}

void EventLines::put(const GangStarted& fact) {
  begin("gang_start")
      .add("job", names_(fact.job))
      .add("tasks", static_cast<std::int64_t>(fact.tasks))
      .end();
}

void EventLines::put(const DutyPassedOn& fact) {
  begin("duty_passed_on")
      .add("job", names_(fact.job))
      .add("tracker", engine_->state().tracker(fact.tracker).name)
      .add("reason", fact.why)
      .end();
}

void EventLines::put(const AttemptEnded& fact) {
  const bool ordered = !ordered_.empty() && ordered_.erase(fact.attempt) > 0;
  const bool killed = fact.how == AttemptEnded::How::kKilled;
  if (killed && ordered) return;  // it was told when it was ordered
  begin(killed ? "kill" : fact.how == AttemptEnded::How::kSucceeded ? "finish" : "fail");
  task(fact.attempt, fact.tracker);
  owner(fact.attempt, fact.queue);
  if (killed) line_.add("reason", name(KillReason::kTrackerLost)).add_null("for");
  line_.add("ran_ms", fact.ran_ms).end();
}

void EventLines::put(const KillOrdered& fact) {
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

void EventLines::put(const TrackerChanged& fact) {
  static constexpr const char* kHow[] = {"added",   "lost",    "back",   "draining", "stopping",
                                         "resumed", "stopped", "faulty", "healed",
                                         "forgotten"};
  const TrackerState& tracker = engine_->state().tracker(fact.tracker);
  begin("tracker")
      .add("tracker", tracker.name)
      .add("state", kHow[static_cast<std::size_t>(fact.how)])
      .add("map_slots", tracker.total.slots(TaskKind::kMap))
      .add("reduce_slots", tracker.total.slots(TaskKind::kReduce))
      .end();
}

void EventLines::put(const Refused& fact) {
  begin("refused").add("what", fact.what);
  if (!subject_.empty()) line_.add("job", subject_);
  line_.add("reason", fact.error.message).end();
}

}  // namespace weir
