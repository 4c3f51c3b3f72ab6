// Commands and promises. See engine.h.
#include "jobqueue/engine/engine.h"
#include "jobqueue/model/access_rights.h"

#include <algorithm>

#include "jobqueue/model/check.h"

namespace weir {

Engine::Engine(std::shared_ptr<const Settings> settings, QueueTree tree, PolicyFactory factory,
               const Snapshot& snapshot, TimeMs now)
    : state_(std::move(settings), std::move(tree), snapshot.epoch),
      manager_(state_),
      factory_(std::move(factory)),
      limits_(state_),
      now_(std::max(now, snapshot.last_time)),
      next_job_(snapshot.next_job),
      last_seq_(snapshot.last_seq),
      durable_seq_(snapshot.last_seq) {
  policy_since_ = last_tick_ = now_;
  state_.set_now(now_);
  memory_->policy_changed(now_);
}

Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<const Settings> settings,
                                               PolicyFactory factory, Snapshot snapshot,
                                               TimeMs now) {
  auto tree = QueueTree::build(settings->queues);
  if (!tree) return tree.error();
  const std::string policy = snapshot.policy.empty() ? settings->policy : snapshot.policy;
  std::unique_ptr<Engine> engine(
      new Engine(std::move(settings), std::move(tree).value(), std::move(factory), snapshot, now));
  engine->policy_ = engine->make_policy(policy);
  if (engine->policy_ == nullptr) {
    return Error{ErrorCode::kUnknownPolicy, "there is no policy '" + policy + "'",
                 "see `weir policy show`"};
  }
  engine->limits_.follow(*engine->policy_);
  engine->output_ = &engine->restored_;
  const Status restored = engine->restore(snapshot);
  engine->output_ = nullptr;
  if (!restored) return restored.error();
  engine->policy_ = engine->make_policy(policy);  // anew: it sees the whole state
  engine->state_.set_copy_factor(engine->policy_->copy_factor());
  engine->limits_.follow(*engine->policy_);
  return engine;
}

std::unique_ptr<Policy> Engine::make_policy(std::string_view name) const {
  return factory_(name, state_, *memory_);
}

void Engine::handle(const Input& input, Output& output) {
  WEIR_CHECK(output_ == nullptr, "handle() is not reentrant");
  output_ = &output;
  if (!restored_.events.empty()) {
    output.events.insert(output.events.end(), restored_.events.begin(), restored_.events.end());
    restored_.events.clear();
  }
  now_ = std::max(now_, input.at);
  state_.set_now(now_);
  std::visit([&](const auto& body) { on(body, input.token); }, input.body);
  settle_yields();
  regroup();
  review_claims(false);
  shed_ended();
  output_ = nullptr;
}

TimeMs Engine::next_tick() const {
  const TimeMs next = last_tick_ + std::min<DurationMs>(policy_->tick_interval_ms(), 1000);
  return parked_.empty() ? next : std::min(next, parked_.front().until);
}

JobState Engine::visible_state(const Job& job) const {
  return is_over(job.state) && job.end_seq > durable_seq_ ? JobState::kRunning : job.state;
}

// --- Emitting ---

void Engine::reply(Token token, decltype(Reply::body) body) {
  if (token != 0) output_->replies.push_back(Reply{token, std::move(body)});
}

void Engine::refuse(Token token, const char* what, Error error) {
  emit(Refused{what, error});
  reply(token, std::move(error));
}

void Engine::touch(const Job& job) {
  changes_.jobs.insert(job.id);
  changes_.queues = true;
  limits_.update(job);
}

void Engine::pending_changed(Job& job, TaskKind kind) {
  if (job.schedulable()) policy_->on_pending_changed(job.id, kind);
  touch(job);
}

// --- Promises ---

void Engine::promise(Token token, Fact fact) {
  const std::uint64_t seq = emit_durable(fact);
  pending_.push_back({seq, token, std::move(fact), {}});
}

void Engine::settle(std::uint64_t seq) {
  durable_seq_ = std::max(durable_seq_, seq);
  while (!pending_.empty() && pending_.front().seq <= seq) {
    const PendingCommand command = std::move(pending_.front());
    pending_.pop_front();
    apply(command);
  }
  while (!ending_.empty() && ending_.front().first <= seq) {
    if (const Job* job = state_.find_job(ending_.front().second)) {
      touch(*job);
      note_over(*job);
    }
    ending_.pop_front();
  }
  answer_parked();
}

void Engine::on(const Durable& input, Token) {
  settle(input.seq);
}

void Engine::on(const StoreFailed& input, Token) {
  while (!pending_.empty() && pending_.front().seq <= input.seq) {
    const PendingCommand command = std::move(pending_.front());
    pending_.pop_front();
    drop(command, input.message);
  }
}

void Engine::drop(const PendingCommand& command, const std::string& why) {
  if (const auto* submitted = std::get_if<JobSubmitted>(&command.fact)) drop_submission(*submitted);
  const Error error{ErrorCode::kStoreFailed, "the store did not take it: " + why,
                    "nothing was changed; mend the store and try again"};
  refuse(command.token, "store", error);
  for (const Token again : command.again) reply(again, error);
}

void Engine::apply(const PendingCommand& command) {
  const Fact& fact = command.fact;
  if (const auto* submitted = std::get_if<JobSubmitted>(&fact)) {
    Job& job = state_.mutable_job(submitted->job);
    state_.set_durable(job);
    touch(job);
    admit_waiting(job.queue);
    for (const Token again : command.again) reply(again, Submitted{job.id, submitted->queue});
    return reply(command.token, Submitted{job.id, submitted->queue});
  }
  if (const auto* kill = std::get_if<JobKillRequested>(&fact)) {
    const Job* job = state_.find_job(kill->job);
    if (job != nullptr && !is_over(job->state)) {
      begin_end(state_.mutable_job(kill->job), JobState::kKilled, "killed by " + kill->by,
                KillReason::kJobKilled);
    }
  } else if (const auto* change = std::get_if<PriorityChanged>(&fact)) {
    if (state_.find_job(change->job) != nullptr) {
      Job& job = state_.mutable_job(change->job);
      state_.set_priority(job, change->priority);
      const bool waits = job.state == JobState::kWaiting && job.live_attempts > 0;
      if (job.schedulable() || waits) policy_->on_job_changed(job.id, job.queue);
      touch(job);
      admit_waiting(job.queue);
    }
  } else if (const auto* move = std::get_if<JobMoved>(&fact)) {
    const auto queue = state_.tree().find_path(move->queue);
    if (queue && state_.find_job(move->job) != nullptr) {
      Job& job = state_.mutable_job(move->job);
      const QueueId from = job.queue;
      state_.set_queue(job, *queue);
      job.pool = move->pool;
      policy_->on_job_listed(job.id);
      release_reservations(job.id, TrackerId{});
      if (job.schedulable() || job.live_attempts > 0) policy_->on_job_changed(job.id, from);
      touch(job);
      limits_.regroup(job);
      admit_waiting(from);
      admit_waiting(job.queue);
    }
  } else if (const auto* released = std::get_if<JobReleased>(&fact)) {
    release(released->job);
  } else if (const auto* stopped = std::get_if<QueueStateChanged>(&fact)) {
    if (const auto queue = state_.tree().find_path(stopped->queue)) {
      state_.stop_by_command(*queue, stopped->stopped);
    } else {
      forget_stop(stopped->queue);
    }
    changes_.queues = true;
  } else if (const auto* settings = std::get_if<SettingsChanged>(&fact)) {
    apply_settings(*settings);
    note_pools();
  } else if (const auto* policy = std::get_if<PolicyChanged>(&fact)) {
    switch_policy(policy->policy);
    admit_everywhere();
    note_pools();
  } else if (const auto* ordered = std::get_if<TrackersOrdered>(&fact)) {
    apply_orders(*ordered, command.seq);
  }
  reply(command.token, Done{});
}

// --- Commands ---

const Job* Engine::job_to_change(JobId id, const Caller& caller, Token token, const char* what) {
  const Job* job = state_.find_job(id);
  const auto no = [&](Error error) {
    refuse(token, what, std::move(error));
    return nullptr;
  };
  if (job == nullptr || !job->durable) {
    return no({ErrorCode::kUnknownJob, "there is no " + job_name(id),
               "see `weir job list`, or `weir job list --history` for those that ended"});
  }
  if (is_over(job->state)) {
    return no({ErrorCode::kJobOver,
               job_name(job->id) + " has already ended (" + name(job->state) + ")", ""});
  }
  const auto may = check_owner(state_, caller, *job);
  return may ? job : no(may.error());
}

void Engine::on(const KillJob& input, Token token) {
  if (job_to_change(input.job, input.caller, token, "kill") == nullptr) return;
  promise(token, JobKillRequested{input.job, input.caller.user});
}

void Engine::on(const SetPriority& input, Token token) {
  if (job_to_change(input.job, input.caller, token, "priority") == nullptr) return;
  promise(token, PriorityChanged{input.job, input.priority});
}

void Engine::on(const MoveJob& input, Token token) {
  const Job* job = job_to_change(input.job, input.caller, token, "move");
  if (job == nullptr) return;
  const auto pool = policy_->check_move(input.caller, *job, input.queue);
  if (pool && !*pool) return refuse(token, "move", pool->error());
  JobMoved moved{input.job, state_.tree().node(job->queue).path, job->pool};
  if (pool) moved.pool = (*pool)->pool;
  if (!pool || !(*pool)->queue.empty()) {
    const auto queue = manager_.check_move(input.caller, *job, pool ? (*pool)->queue : input.queue);
    if (!queue) return refuse(token, "move", queue.error());
    if (const auto stays = check_stays(*queue); !stays) return refuse(token, "move", stays.error());
    moved.queue = state_.tree().node(*queue).path;
  }
  promise(token, std::move(moved));
}

void Engine::on(const SetQueueState& input, Token token) {
  const auto queue = state_.tree().find(input.queue);
  if (!queue) return refuse(token, "queue", queue.error());
  if (const auto may = check_administrator(state_, input.caller, *queue); !may) {
    return refuse(token, "queue", may.error());
  }
  const QueueTree::Node& node = state_.tree().node(*queue);
  if (!input.stopped && node.settings.stopped) {
    return refuse(token, "queue",
                  Error{ErrorCode::kBadRequest,
                        "queue " + node.path + " is stopped by the settings (state: stopped)",
                        "change the settings to start it"});
  }
  promise(token, QueueStateChanged{node.path, input.stopped});
}

void Engine::on(const ApplySettings& input, Token token) {
  if (const auto may = check_cluster_administrator(state_, input.caller); !may) {
    return refuse(token, "settings", may.error());
  }
  if (const auto fits = check_settings(*input.settings); !fits)
    return refuse(token, "settings", fits.error());
  // Settings that name another policy than those before switch to it, whatever was switched by
  // command.
  const Settings* before = &state_.settings();
  for (const PendingCommand& command : pending_) {
    if (const auto* change = std::get_if<SettingsChanged>(&command.fact)) {
      before = change->settings.get();
    }
  }
  if (input.settings->policy != before->policy) {
    promise(0, PolicyChanged{input.settings->policy, claims_owner(input.settings->policy), ""});
  }
  const bool followed = !input.settings->file_hash.empty();
  promise(token, SettingsChanged{input.settings, moves_of(*input.settings),
                                 followed ? "" : input.caller.user});
}

void Engine::on(const SetPolicy& input, Token token) {
  if (const auto may = check_cluster_administrator(state_, input.caller); !may) {
    return refuse(token, "policy", may.error());
  }
  if (make_policy(input.policy) == nullptr) {
    return refuse(token, "policy",
                  Error{ErrorCode::kUnknownPolicy, "there is no policy '" + input.policy + "'",
                        "see `weir policy show`"});
  }
  promise(token, PolicyChanged{input.policy, claims_owner(input.policy),
                               input.of_settings ? "" : input.caller.user});
}

void Engine::switch_policy(const std::string& name) {
  auto policy = make_policy(name);
  WEIR_CHECK(policy != nullptr, "a policy is known before it is promised");
  const bool kept_claims = policy_->keeps_claims();
  const std::string before(policy_->name());
  policy_ = std::move(policy);
  state_.set_copy_factor(policy_->copy_factor());
  limits_.follow(*policy_);
  changes_.queues = true;
  if (name != before) {
    policy_since_ = now_;
    free_kept_slots();
    memory_->policy_changed(now_);
  }
  if (!policy_->keeps_accounts()) memory_->close_accounts();
  if (kept_claims && !policy_->keeps_claims()) {
    claims_paused_at_ = now_;
    claims_policy_ = before;
  }
  if (claims_paused_at_ && !policy_->keeps_claims()) look_after_claims();
  if (!kept_claims && policy_->keeps_claims()) resume_claims();
}

// What was lent and borrowed since the last tick, by the figures of now.
void Engine::count_slot_time() {
  const DurationMs passed = now_ - last_tick_;
  if (passed <= 0) return;
  for (const TaskKind kind : kTaskKinds) {
    if (policy_->figures(QueueTree::root(), kind).guaranteed == 0) continue;  // nothing is anyone's
    for (std::size_t q = 1; q < state_.tree().size(); ++q) {
      const QueueFigures figures = policy_->figures(QueueId(q), kind);
      const std::int64_t lent = figures.guaranteed - figures.allocated;
      const std::int64_t borrowed = figures.running - figures.guaranteed;
      if (lent > 0) state_.counters(QueueId(q)).lent_ms[index(kind)] += passed * lent;
      if (borrowed > 0) state_.counters(QueueId(q)).borrowed_ms[index(kind)] += passed * borrowed;
    }
  }
}

void Engine::on(const Tick&, Token token) {
  count_slot_time();
  last_tick_ = now_;
  expire_trackers();
  pass_on_slow_duties();
  answer_parked();
  heal_trackers();
  stop_late_jobs();
  settle_yields();  // the update counts who runs now
  expire_holds();
  review_claims(true);
  preempt_for_claims();
  forget_old_jobs();
  changes_.queues = true;
  reply(token, Done{});
}

}  // namespace weir
