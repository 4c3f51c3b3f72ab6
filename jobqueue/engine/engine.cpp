// How an input is handled, and what every part uses. See engine.h.
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
  engine->output_ = &engine->restored_;
  const Status restored = engine->restore(snapshot, policy);
  engine->output_ = nullptr;
  if (!restored) return restored.error();
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
