#include "jobqueue/policy/pools_facet.h"
#include "sim/runner.h"

#include <algorithm>

#include <fmt/format.h>

namespace weir {

Result<std::unique_ptr<Runner>> Runner::create(const Scenario& scenario, PolicyFactory factory) {
  auto engine = SimEngine::create(scenario.settings, std::move(factory));
  if (!engine) return engine.error();
  return std::unique_ptr<Runner>(new Runner(scenario, std::move(engine).value()));
}

Runner::Runner(const Scenario& scenario, std::unique_ptr<SimEngine> engine)
    : scenario_(scenario),
      engine_(std::move(engine)),
      cluster_(*engine_),
      clockwork_(*engine_, cluster_, scenario.heartbeats, scenario.model),
      expect_(*engine_, names_) {
  engine_->watch(names_);
  engine_->watch(kills_);
  engine_->watch(grants_);
  engine_->watch(clockwork_);
}

void Runner::guard(Observer& observer, std::function<bool()> stop) {
  guards_.push_back(std::make_unique<Guard>(observer, std::move(stop), *engine_));
  engine_->watch(*guards_.back());
}

void Runner::write_events(std::ostream& out) {
  events_ = std::make_unique<EventLog>(out, names_);
  engine_->watch(*events_);
}

void Runner::write_samples(std::ostream& out) {
  samples_ = std::make_unique<SampleLog>(out);
  engine_->watch(*samples_);
}

void Runner::summarise() {
  summary_ = std::make_unique<Summary>();
  engine_->watch(*summary_);
}

void Runner::run() {
  for (const VirtualTrackerSpec& spec : scenario_.trackers) {
    if (const auto added = cluster_.add_tracker(spec); !added) fail({}, added.error().message);
  }
  if (scenario_.heartbeats.automatic) clockwork_.start_beats();
  for (const Step& step : scenario_.steps) {
    if (engine_->halted()) return;
    if (step.when) {
      const TimeMs when = SimEngine::kStart + *step.when;
      if (when < engine_->now()) {
        fail(step.at, difference(fmt::format("a step at {} ms", *step.when),
                                 fmt::format("the clock is at {} ms already", engine_->elapsed())));
      } else if (when > engine_->now()) {
        run_to(when, false);
      }
    }
    std::visit([&](const auto& what) { run(step, what); }, step.what);
  }
  if (scenario_.has_trace && scenario_.heartbeats.automatic) finish_jobs({});
  if (summary_) summary_->end(engine_->engine());
}

// Jobs of the trace come at their time.
void Runner::run_to(TimeMs at, bool update) {
  while (next_of_trace_ < scenario_.trace.size()) {
    const JobPlan& plan = scenario_.trace[next_of_trace_];
    const TimeMs when = std::max(engine_->now(), SimEngine::kStart + plan.submit_at);
    if (when > at) break;
    ++next_of_trace_;
    if (clockwork_.beating()) {
      clockwork_.run_to(when);
    } else {
      engine_->advance_to(when);
    }
    submit(plan);
    if (!refusal_) continue;
    ++trace_refusals_;
    if (trace_refusal_.empty()) trace_refusal_ = plan.spec->name + ": " + refusal_->message;
  }
  if (clockwork_.beating()) {
    clockwork_.run_to(at);
  } else {
    engine_->advance_to(at);
    if (update || engine_->engine().policy().pools() == nullptr) engine_->step(Tick{});
  }
}

void Runner::submit(const JobPlan& plan) {
  const Reply reply = engine_->step(SubmitJob{plan.caller, plan.spec});
  refusal_.reset();
  if (const auto* taken = std::get_if<Submitted>(&reply.body)) {
    clockwork_.add_job(taken->job, plan);
  } else if (const auto* error = std::get_if<Error>(&reply.body)) {
    refusal_ = *error;
  }
}

std::string Runner::notice() const {
  if (trace_refusals_ == 0) return "";
  return fmt::format("{} of the trace's {} jobs were refused, the first {}", trace_refusals_,
                     scenario_.trace.size(), trace_refusal_);
}

// Until every job has ended, or nothing has happened for so long that nothing will.
void Runner::finish_jobs(Mark at) {
  constexpr DurationMs kStep = 60 * 1000;
  constexpr DurationMs kPatience = 7LL * 24 * 3600 * 1000;
  const QueueId root = QueueTree::root();
  TimeMs last_ran = engine_->now();
  while (!engine_->halted() && (next_of_trace_ < scenario_.trace.size() || unfinished() > 0)) {
    run_to(engine_->now() + kStep);
    const QueueState& all = engine_->state().queue(root);
    if (all.running[TaskKind::kMap] + all.running[TaskKind::kReduce] > 0 ||
        next_of_trace_ < scenario_.trace.size()) {
      last_ran = engine_->now();
    }
    if (engine_->now() - last_ran < kPatience) continue;
    return fail(
        at, difference("every job to end", fmt::format("{} jobs wait and nothing has run for {}",
                                                       unfinished(), format_duration(kPatience))));
  }
}

std::size_t Runner::unfinished() const {
  std::size_t jobs = 0;
  for (const QueueId leaf : engine_->state().tree().leaves()) {
    jobs += engine_->state().queue(leaf).unfinished.size();
  }
  return jobs;
}

void Runner::fail(Mark at, const std::string& what) {
  if (engine_->halted()) return;  // what follows a halt says nothing
  failures_.push_back(fmt::format("{}:{}: {}", scenario_.file, at.line, what));
}

void Runner::fail(Mark at, const std::vector<std::string>& findings) {
  for (const std::string& finding : findings) fail(at, finding);
}

std::optional<TrackerId> Runner::tracker(Mark at, const std::string& name, bool live) {
  const auto found = cluster_.find(name);
  if (!found) {
    fail(at, difference("a tracker " + name, "no tracker of that name"));
    return std::nullopt;
  }
  if (live && !cluster_.live(*found)) {
    fail(at, difference("tracker " + name + " to be there", "it is lost"));
    return std::nullopt;
  }
  return found;
}

std::optional<JobId> Runner::job(Mark at, const std::string& name) {
  const auto found = names_.find(name);
  if (!found) fail(at, difference("a job " + name, "no job of that name was taken"));
  return found;
}

// Somebody who may administer the queue, as the settings say; with no queue, the cluster.
Caller Runner::administrator(const std::string& queue) const {
  const auto one_of = [](const std::vector<std::string>& list) {
    for (const std::string& entry : list) {
      if (entry.starts_with('@')) return Caller{"admin", {entry.substr(1)}};
      return Caller{entry == "*" ? "admin" : entry, {}};
    }
    return Caller{"admin", {}};
  };
  const ClusterState& state = engine_->state();
  if (!state.settings().administrators.empty()) return one_of(state.settings().administrators);
  const auto found = state.tree().find(queue);
  if (!found || queue.empty()) return {"admin", {}};
  for (QueueId q = *found; q.valid() && q != QueueTree::root(); q = state.tree().node(q).parent) {
    const AccessList& list = state.tree().node(q).settings.administer;
    if (list && !list->empty()) return one_of(*list);
  }
  return {"admin", {}};
}

Caller Runner::caller(const step::By& by, std::optional<JobId> job,
                      const std::string& queue) const {
  if (!by.user.empty() || !by.groups.empty()) {
    return {by.user.empty() ? "user" : by.user, by.groups};
  }
  if (!job) return administrator(queue);
  const Job* found = engine_->state().find_job(*job);
  if (found == nullptr) return {"admin", {}};
  return {found->spec->user, found->spec->groups};
}

// The attempts that `J1/m0`, `J1/m0/1` or `J1/m*` names; a failure if it is none.
std::vector<AttemptKey> Runner::attempts(Mark at, const std::string& pattern) {
  std::vector<AttemptKey> found;
  const auto one = parse_task_name(pattern);
  const std::string job_name = one ? one->job : pattern.substr(0, pattern.rfind('/'));
  const auto id = job(at, job_name);
  if (!id) return found;
  if (one) {
    const auto group = one->group.empty() ? one->kind : names_.find_group(*id, one->group);
    if (!group) {
      fail(at, difference("a group " + one->group + " of job " + job_name, "it has none"));
      return found;
    }
    const auto running = cluster_.running({*id, *group, one->index});
    if (running && (!one->attempt || running->attempt == *one->attempt)) found.push_back(*running);
  } else if (pattern.ends_with(".*")) {
    const std::size_t slash = pattern.rfind('/');
    const auto group =
        names_.find_group(*id, pattern.substr(slash + 1, pattern.size() - slash - 3));
    const Job* job = engine_->state().find_job(*id);
    const std::size_t tasks =
        group && job != nullptr && job->has(*group) ? job->tasks(*group).tasks.size() : 0;
    for (std::uint32_t i = 0; i < tasks; ++i) {
      if (const auto running = cluster_.running({*id, *group, i})) found.push_back(*running);
    }
  } else {
    const TaskKind kind = pattern.ends_with("/m*") ? TaskKind::kMap : TaskKind::kReduce;
    const Job* job = engine_->state().find_job(*id);
    const std::size_t tasks = job != nullptr ? job->tasks(kind).tasks.size() : 0;
    for (std::uint32_t i = 0; i < tasks; ++i) {
      if (const auto running = cluster_.running({*id, kind, i})) found.push_back(*running);
    }
  }
  if (found.empty()) fail(at, difference(pattern + " to run", "it does not"));
  return found;
}

}  // namespace weir
