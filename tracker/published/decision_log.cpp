#include "tracker/published/decision_log.h"

#include <algorithm>
#include <utility>

#include "jobqueue/policy/pools_facet.h"

namespace weir {
namespace {

constexpr std::size_t kBusySegments = 128;
constexpr std::size_t kKeptSegments = 64;
constexpr std::size_t kBusyBytes = 24 << 20;
constexpr std::size_t kKeptBytes = 12 << 20;

// What happens all the time, and what anybody can have refused.
bool is_busy(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kAdopt:
    case DecisionKind::kLaunch:
    case DecisionKind::kCompute:
    case DecisionKind::kFinish:
    case DecisionKind::kFail:
    case DecisionKind::kReopen:
    case DecisionKind::kRefused:
    case DecisionKind::kReserve:
    case DecisionKind::kUnreserve:
    case DecisionKind::kGangHold:
    case DecisionKind::kGangRelease:
    case DecisionKind::kGangStart:
      return true;
    default:
      return false;
  }
}

// What users can cause at will, and is to be known later, too.
bool is_of_jobs(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kSubmit:
    case DecisionKind::kJob:
    case DecisionKind::kMove:
    case DecisionKind::kRelease:
    case DecisionKind::kPriority:
      return true;
    default:
      return false;
  }
}

std::uint32_t bit(DecisionKind kind) {
  return std::uint32_t{1} << static_cast<int>(kind);
}

const char* how_name(TrackerChanged::How how) {
  static constexpr const char* kNames[] = {"added",   "lost",    "back",   "draining", "stopping",
                                           "resumed", "stopped", "faulty", "healed",   "forgotten"};
  return kNames[static_cast<std::size_t>(how)];
}

// The least number that an attempt of this start has.
std::uint32_t first_attempt(const Engine& engine) {
  const std::uint32_t epoch = engine.state().epoch();
  return (epoch > 0 ? epoch - 1 : 0) * kAttemptsPerEpoch;
}

std::string_view path_of(const Engine& engine, QueueId queue) {
  const QueueTree& tree = engine.state().tree();
  return queue.valid() && queue.index() < tree.size() ? std::string_view(tree.node(queue).path)
                                                      : std::string_view();
}

std::string_view pool_or(const Engine& engine, JobId job, std::string_view queue) {
  const bool known = engine.state().find_job(job) != nullptr;
  if (!known || engine.policy().pools() == nullptr) return queue;
  return pool_of(engine.policy(), job);
}

}  // namespace

// Fills in the record of one fact; nothing is noted of what the log does not tell.
class DecisionLog::Writer {
 public:
  Writer(DecisionLog& log, const Event& event, const Engine& engine)
      : log_(log), event_(event), engine_(engine) {}

  template <class Fact>
  void operator()(const Fact&) {}

  void operator()(const AttemptLaunched& fact) {
    if (fact.attempt.attempt < first_attempt(engine_)) {  // it was launched before this start
      begin(DecisionKind::kAdopt);
      attempt(fact.attempt, fact.tracker, fact.queue);
      return end();
    }
    begin(DecisionKind::kLaunch);
    attempt(fact.attempt, fact.tracker, fact.queue);
    text(name(fact.locality));
    record_->flag = fact.speculative;
    end();
  }
  void operator()(const ComputeGranted& fact) {
    begin(DecisionKind::kCompute);
    attempt(fact.attempt, fact.tracker, fact.queue);
    end();
  }
  void operator()(const AttemptEnded& fact) {
    const bool ordered = !log_.ordered_.empty() && log_.ordered_.erase(fact.attempt) > 0;
    const bool killed = fact.how == AttemptEnded::How::kKilled;
    if (killed && ordered) return;  // it was told when it was ordered
    begin(killed                                             ? DecisionKind::kKill
          : fact.how == AttemptEnded::How::kSucceeded ? DecisionKind::kFinish
                                                             : DecisionKind::kFail);
    attempt(fact.attempt, fact.tracker, fact.queue);
    if (killed) text(name(KillReason::kTrackerLost));
    record_->amount = fact.ran_ms;
    end();
  }
  void operator()(const KillOrdered& fact) {
    log_.ordered_.insert(fact.attempt);
    begin(DecisionKind::kKill);
    attempt(fact.attempt, fact.tracker, fact.queue);
    text(name(fact.reason));
    record_->other = name_of(fact.for_pool.empty() ? path_of(engine_, fact.for_queue)
                                                   : std::string_view(fact.for_pool));
    record_->leaf = name_of(path_of(engine_, fact.queue));
    record_->amount = fact.ran_ms;
    record_->claim = static_cast<std::int64_t>(fact.claim);
    record_->flag = is_preemption(fact.reason);
    what_it_had(fact.attempt.task);
    end();
  }
  void operator()(const TaskReopened& fact) {
    begin(DecisionKind::kReopen);
    task(fact.task);
    text(fact.why);
    end();
  }
  void operator()(const DutyPassedOn& fact) {
    begin(DecisionKind::kDutyPassedOn);
    job(fact.job);
    tracker(fact.tracker);
    text(fact.why);
    end();
  }
  void operator()(const Reserved& fact) { room(DecisionKind::kReserve, fact.task, fact.tracker); }
  void operator()(const GangHeld& fact) { room(DecisionKind::kGangHold, fact.task, fact.tracker); }
  void operator()(const Unreserved& fact) {
    begin(DecisionKind::kUnreserve);
    of_queued(fact.job);
    tracker(fact.tracker);
    text(fact.why);
    end();
  }
  void operator()(const GangReleased& fact) {
    begin(DecisionKind::kGangRelease);
    of_queued(fact.job);
    text(fact.why);
    end();
  }
  void operator()(const GangStarted& fact) {
    begin(DecisionKind::kGangStart);
    of_queued(fact.job);
    record_->amount = fact.tasks;
    end();
  }
  void operator()(const JobSubmitted& fact) {
    begin(DecisionKind::kSubmit);
    job(fact.job);
    record_->queue = name_of(pool_or(engine_, fact.job, fact.queue));
    record_->user = name_of(fact.spec->user);
    end();
  }
  void operator()(const JobStateChanged& fact) {
    begin(DecisionKind::kJob);
    job(fact.job);
    text(fact.diagnostics);
    record_->other = name_of(name(fact.state));
    end();
  }
  void operator()(const JobMoved& fact) {
    begin(DecisionKind::kMove);
    job(fact.job);
    record_->queue = name_of(fact.queue);
    if (engine_.policy().pools() != nullptr) {
      record_->other = name_of(fact.pool.empty() ? pool_or(engine_, fact.job, fact.queue)
                                                 : std::string_view(fact.pool));
    }
    end();
  }
  void operator()(const JobReleased& fact) {
    begin(DecisionKind::kRelease);
    job(fact.job);
    record_->by = name_of(fact.by);
    end();
  }
  void operator()(const PriorityChanged& fact) {
    begin(DecisionKind::kPriority);
    job(fact.job);
    text(name(fact.priority));
    end();
  }
  void operator()(const ClaimOpened& fact) {
    claim(fact.again ? DecisionKind::kClaimResumed : DecisionKind::kClaim, fact);
  }
  void operator()(const ClaimMet& fact) { claim(DecisionKind::kClaimMet, fact); }
  void operator()(const ClaimDropped& fact) { claim(DecisionKind::kClaimDropped, fact); }
  void operator()(const TrackerChanged& fact) {
    begin(DecisionKind::kTracker);
    tracker(fact.tracker);
    record_->other = name_of(how_name(fact.how));
    const TrackerState& state = engine_.state().tracker(fact.tracker);
    if (fact.how == TrackerChanged::How::kLost) text(state.lost_why);
    record_->amount = state.total.slots(TaskKind::kMap);
    record_->more = state.total.slots(TaskKind::kReduce);
    end();
  }
  void operator()(const QueueStateChanged& fact) {
    begin(DecisionKind::kQueue);
    record_->queue = name_of(fact.queue);
    record_->other = name_of(fact.stopped ? "stopped" : "running");
    end();
  }
  void operator()(const PolicyChanged& fact) {
    begin(DecisionKind::kPolicy);
    text(fact.policy);
    record_->by = name_of(fact.by);
    end();
  }
  void operator()(const SettingsChanged& fact) {
    begin(DecisionKind::kSettings);
    record_->by = name_of(fact.by);
    end();
  }
  void operator()(const Refused& fact) {
    begin(DecisionKind::kRefused);
    record_->other = name_of(fact.what);
    text(fact.error.message);
    end();
  }

 private:
  void begin(DecisionKind kind) {
    segment_ = &log_.ring_of(kind).open();
    record_ = &segment_->next();
    record_->number = log_.next_++;
    record_->at = event_.at;
    record_->kind = kind;
  }
  void end() { segment_->publish(); }
  std::uint16_t name_of(std::string_view text) { return segment_->name(text); }

  void text(std::string_view text) { record_->text = name_of(text); }
  void job(JobId job) { record_->job = job.value; }
  void tracker(TrackerId tracker) {
    record_->tracker = name_of(engine_.state().tracker(tracker).name);
  }
  void task(const TaskKey& task) {
    job(task.job);
    record_->task = task.index;
    record_->task_kind = static_cast<std::uint8_t>(task.kind);
    if (!is_group(task.kind)) return;
    if (const Job* known = engine_.state().find_job(task.job))
      record_->group = name_of(known->spec->task_groups[group_number(task.kind)].name);
  }
  void room(DecisionKind kind, const TaskKey& of, TrackerId on) {
    begin(kind);
    of_queued(of.job);
    task(of);
    tracker(on);
    end();
  }
  void of_queued(JobId of) {
    job(of);
    const Job* known = engine_.state().find_job(of);
    if (known == nullptr) return;
    record_->queue = name_of(pool_or(engine_, of, path_of(engine_, known->queue)));
    record_->user = name_of(engine_.state().user_name(known->user));
  }
  void attempt(const AttemptKey& attempt, TrackerId on, QueueId queue) {
    task(attempt.task);
    record_->attempt = attempt.attempt;
    tracker(on);
    record_->queue = name_of(pool_or(engine_, attempt.task.job, path_of(engine_, queue)));
    if (const Job* known = engine_.state().find_job(attempt.task.job))
      record_->user = name_of(engine_.state().user_name(known->user));
  }
  // For what its kill threw away.
  void what_it_had(const TaskKey& task) {
    const Job* known = engine_.state().find_job(task.job);
    if (known == nullptr) return;
    const Space& space = engine_.state().space();
    record_->more = space.containers() ? 1 : known->width(task.kind);
    if (!space.containers()) return;
    std::vector<Amount> had;
    for (const Dimension d : space.dimensions())
      had.push_back({std::string(space.name(d)), known->need(task.kind)[d]});
    record_->by = name_of(container_text(had));
  }
  template <class Fact>
  void claim(DecisionKind kind, const Fact& fact) {
    begin(kind);
    record_->queue = name_of(fact.queue);
    record_->task_kind = static_cast<std::uint8_t>(fact.dimension.value());
    if (!fact.dimension.is_slots()) text(engine_.state().space().name(fact.dimension));
    record_->amount = fact.slots;
    record_->more = fact.deadline;
    record_->claim = static_cast<std::int64_t>(fact.claim);
    end();
  }

  DecisionLog& log_;
  const Event& event_;
  const Engine& engine_;
  DecisionSegment* segment_ = nullptr;
  DecisionRecord* record_ = nullptr;
};

DecisionLog::DecisionLog(std::int64_t first, Kept past)
    : first_(first),
      next_(first),
      busy_(kBusySegments, kBusyBytes),
      jobs_(kKeptSegments, kKeptBytes),
      rare_(kKeptSegments, kKeptBytes) {
  jobs_.restore(std::move(past.jobs));
  rare_.restore(std::move(past.rare));
}

void DecisionLog::note_start(TimeMs at, std::string_view version, bool killed) {
  begun_ = at;
  DecisionSegment& segment = rare_.open();
  DecisionRecord& record = segment.next();
  record.number = next_++;
  record.at = at;
  record.kind = DecisionKind::kStart;
  record.other = segment.name(version);
  if (killed)
    record.text = segment.name("the one before was killed and its last seconds are missing");
  segment.publish();
}

DecisionLog::Ring& DecisionLog::ring_of(DecisionKind kind) {
  return is_busy(kind) ? busy_ : is_of_jobs(kind) ? jobs_ : rare_;
}

TimeMs DecisionLog::complete_since(std::uint32_t kinds) const {
  TimeMs since = 0;
  for (std::size_t i = 0; i < kDecisionKindCount; ++i) {
    const auto kind = static_cast<DecisionKind>(i);
    if ((kinds & bit(kind)) == 0) continue;
    const Ring& ring = is_busy(kind) ? busy_ : is_of_jobs(kind) ? jobs_ : rare_;
    since = std::max(since, ring.complete_since(begun_));
  }
  return since;
}

bool DecisionLog::on(const Event& event, const Engine& engine) {
  const std::int64_t before = next_;
  Writer writer(*this, event, engine);
  visit_fact(writer, event.fact);
  return next_ > before;
}

TimeMs DecisionLog::Ring::complete_since(TimeMs begun) const {
  const std::lock_guard lock(mutex_);
  const bool says = goes_back_ && !segments_.empty() && segments_.front()->size() > 0;
  return says ? segments_.front()->at(0).at : begun;
}

void DecisionLog::Ring::restore(Segments past) {
  goes_back_ = !past.empty();
  for (auto& segment : past) {
    sealed_bytes_ += segment->bytes();
    segments_.push_back(std::move(segment));
  }
}

DecisionSegment& DecisionLog::Ring::open() {
  if (last_ && !last_->full()) return *last_;
  if (last_) sealed_bytes_ += last_->bytes();
  last_ = std::make_shared<DecisionSegment>();
  std::vector<std::shared_ptr<const DecisionSegment>> gone;  // freed when the lock is
  const std::lock_guard lock(mutex_);
  segments_.push_back(last_);
  while (segments_.size() > segments_most_ || sealed_bytes_ > bytes_most_) {
    sealed_bytes_ -= segments_.front()->bytes();
    gone.push_back(std::move(segments_.front()));
    segments_.pop_front();
    goes_back_ = true;
  }
  return *last_;
}

DecisionLog::Segments DecisionLog::Ring::segments() const {
  const std::lock_guard lock(mutex_);
  return {segments_.begin(), segments_.end()};
}

}  // namespace weir
