#include "jobqueue/engine/engine.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"

namespace weir {

Engine::Engine(std::shared_ptr<const Settings> settings, QueueTree tree, PolicyFactory factory,
               const Snapshot& snapshot, TimeMs now)
    : core_(std::move(settings), std::move(tree), std::move(factory), snapshot, now),
      parts_(std::make_unique<Parts>(core_)),
      last_tick_(core_.now) {}

Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<const Settings> settings,
                                               PolicyFactory factory, Snapshot snapshot,
                                               TimeMs now) {
  auto tree = QueueTree::build(settings->queues);
  if (!tree) return tree.error();
  const std::string policy = snapshot.policy.empty() ? settings->policy : snapshot.policy;
  std::unique_ptr<Engine> engine(
      new Engine(std::move(settings), std::move(tree).value(), std::move(factory), snapshot, now));
  engine->core_.output = &engine->restored_;
  const Status restored = engine->parts_->recovery.restore(snapshot, policy);
  engine->core_.output = nullptr;
  if (!restored) return restored.error();
  return engine;
}

namespace {

// Which input goes where.
struct Route {
  Parts& parts;
  Token token;

  void operator()(const SubmitJob& in) const { parts.submissions.on(in, token); }
  void operator()(const KillJob& in) const { parts.job_commands.on(in, token); }
  void operator()(const SetPriority& in) const { parts.job_commands.on(in, token); }
  void operator()(const MoveJob& in) const { parts.job_commands.on(in, token); }
  void operator()(const ReleaseJob& in) const { parts.job_commands.on(in, token); }
  void operator()(const SetQueueState& in) const { parts.administration.on(in, token); }
  void operator()(const ApplySettings& in) const { parts.administration.on(in, token); }
  void operator()(const SetPolicy& in) const { parts.administration.on(in, token); }
  void operator()(const RegisterTracker& in) const { parts.trackers.on(in, token); }
  void operator()(const LoseTracker& in) const { parts.trackers.on(in, token); }
  void operator()(const Heartbeat& in) const { parts.heartbeats.on(in, token); }
  void operator()(const DescribeJob& in) const { parts.questions.on(in, token); }
  void operator()(const QueryMapOutputs& in) const { parts.questions.on(in, token); }
  void operator()(const QueryPeers& in) const { parts.questions.on(in, token); }
  void operator()(const OrderTrackers& in) const { parts.orders.on(in, token); }
  void operator()(const DeclareLost& in) const { parts.orders.on(in, token); }
  void operator()(const ForgetTrackers& in) const { parts.orders.on(in, token); }
  void operator()(const Durable& in) const { parts.promises.on(in, token); }
  void operator()(const StoreFailed& in) const { parts.promises.on(in, token); }
};

}  // namespace

void Engine::handle(const Input& input, Output& output) {
  WEIR_CHECK(core_.output == nullptr, "handle() is not reentrant");
  core_.output = &output;
  if (!restored_.events.empty()) {
    output.events.insert(output.events.end(), restored_.events.begin(), restored_.events.end());
    restored_.events.clear();
  }
  core_.now = std::max(core_.now, input.at);
  core_.state.set_now(core_.now);
  std::visit(
      [&](const auto& body) {
        if constexpr (std::is_same_v<std::decay_t<decltype(body)>, Tick>) {
          tick(input.token);
        } else {
          Route{*parts_, input.token}(body);
        }
      },
      input.body);
  parts_->jobs.settle_yields();
  parts_->jobs.regroup();
  parts_->claims.review_claims(false);
  parts_->jobs.shed_ended();
  core_.output = nullptr;
}

void Engine::tick(Token token) {
  count_slot_time();
  last_tick_ = core_.now;
  parts_->trackers.expire_trackers();
  parts_->duties.pass_on_slow_duties();
  parts_->replies.answer_parked();
  parts_->faults.heal_trackers();
  parts_->jobs.stop_late_jobs();
  parts_->jobs.stop_late_tasks();
  parts_->gangs.end_waits_for_ports();
  parts_->jobs.wake_rested();
  parts_->own_maps.make_room();
  parts_->jobs.settle_yields();  // the update counts who runs now
  parts_->holds.expire_holds();
  parts_->claims.review_claims(true);
  parts_->holds.preempt_for_claims();
  parts_->jobs.forget_old_jobs();
  core_.changes.queues = true;
  core_.reply(token, Done{});
}

// What was lent and borrowed since the last tick, by the figures of now.
void Engine::count_slot_time() {
  const DurationMs passed = core_.now - last_tick_;
  if (passed <= 0) return;
  const Policy& policy = *core_.policy;
  ClusterState& state = core_.state;
  for (const Dimension d : state.space().dimensions()) {
    if (policy.use(QueueTree::root(), d).guaranteed == 0) continue;  // nothing is anyone's
    for (std::size_t q = 1; q < state.tree().size(); ++q) {
      const QueueUse use = policy.use(QueueId(q), d);
      const std::int64_t lent = use.guaranteed - use.allocated;
      const std::int64_t borrowed = use.running - use.guaranteed;
      if (lent > 0) state.counters(QueueId(q)).lent_ms[d] += passed * lent;
      if (borrowed > 0) state.counters(QueueId(q)).borrowed_ms[d] += passed * borrowed;
    }
  }
}

TimeMs Engine::next_tick() const {
  const TimeMs next = last_tick_ + std::min<DurationMs>(core_.policy->tick_interval_ms(), 1000);
  const std::optional<TimeMs> parked = parts_->replies.next_due();
  return parked ? std::min(next, *parked) : next;
}

JobState Engine::visible_state(const Job& job) const {
  return is_over(job.state) && job.end_seq > core_.durable_seq ? JobState::kRunning : job.state;
}

const JobBytes& Engine::job_bytes() const {
  return parts_->submissions.job_bytes();
}

bool Engine::recovering() const {
  return parts_->recovery.recovering();
}

const std::set<TrackerId>& Engine::unreported() const {
  return parts_->recovery.unreported();
}

std::optional<TimeMs> Engine::back_at(const TrackerState& tracker) const {
  return parts_->faults.back_at(tracker);
}

bool Engine::claims_paused() const {
  return core_.state.claims().paused_at().has_value();
}

TimeMs Engine::claims_now() const {
  return core_.state.claims().paused_at().value_or(core_.now);
}

std::vector<Reason> Engine::explain(JobId job) const {
  return parts_->explanations.explain(job);
}

Status Engine::check_settings(const Settings& settings) const {
  return parts_->administration.check_settings(settings);
}

std::unique_ptr<Policy> Engine::make_policy(std::string_view name) const {
  return core_.make_policy(name);
}

std::optional<Engine::Rehearsal> Engine::rehearse(std::shared_ptr<const Settings> settings) const {
  auto tree = QueueTree::build(settings->queues);
  const bool same_space = Space(settings->resources) == core_.state.space();
  if (!tree || core_.state.space().containers() || !same_space) return std::nullopt;
  // Settings that name another policy than those before switch to it.
  const bool switches = settings->policy != core_.state.settings().policy;
  const std::string name(switches ? settings->policy : core_.policy->name());
  auto state = core_.state.outlined();
  state->replace_settings(std::move(settings), std::move(*tree));
  auto policy = core_.factory(name, *state, core_.memory);
  if (policy == nullptr) return std::nullopt;
  return Rehearsal{std::move(state), std::move(policy)};
}

}  // namespace weir
