#include "sim/run_report.h"

#include <algorithm>
#include <set>

#include "jobqueue/policy/pools_facet.h"
#include "sim/sim_engine.h"

namespace weir {
namespace {

TimeMs told(TimeMs at) {
  return at - SimEngine::kStart;
}

report::Figures figures_of(const QueueFigures& of, bool guarantees) {
  report::Figures figures;
  figures.running = static_cast<double>(of.running);
  figures.pending = static_cast<double>(of.pending);
  if (guarantees) {
    figures.guaranteed = static_cast<double>(of.guaranteed);
    figures.allocated = static_cast<double>(of.allocated);
    figures.lent = static_cast<double>(std::max<std::int64_t>(0, of.guaranteed - of.allocated));
    figures.borrowed = static_cast<double>(std::max<std::int64_t>(0, of.running - of.guaranteed));
  }
  if (of.share >= 0) {
    figures.share = static_cast<double>(of.share) / static_cast<double>(kWholeSlot);
  }
  return figures;
}

}  // namespace

RunReport::RunReport()
    : tally_(0), held_since_(SimEngine::kStart), slots_since_(SimEngine::kStart) {}

void RunReport::on_step(const Engine& engine, const Input& input, const Output& output) {
  for (const Event& event : output.events) take(engine, event);
  if (policies_.empty() || policies_.back().second != engine.policy().name()) {
    policies_.emplace_back(told(engine.now()), std::string(engine.policy().name()));
  }
  const bool tick = std::holds_alternative<Tick>(input.body);
  if (tick || total_of(engine) != total_) integrate(engine);
  if (tick) sample(engine);
}

// What is counted stays so: a run has slots, or containers.
std::vector<std::int64_t> RunReport::total_of(const Engine& engine) const {
  std::vector<std::int64_t> total;
  for (const Dimension d : engine.state().space().dimensions())
    total.push_back(engine.state().total()[d]);
  return total;
}

void RunReport::integrate(const Engine& engine) {
  total_ms_.resize(engine.state().space().dimensions().size());
  for (std::size_t i = 0; i < std::min(total_.size(), total_ms_.size()); ++i)
    total_ms_[i] += total_[i] * (engine.now() - slots_since_);
  total_ = total_of(engine);
  slots_since_ = engine.now();
}

std::string RunReport::place_of(const Engine& engine, JobId job) {
  if (const Job* found = engine.state().find_job(job)) {
    const std::string_view pool = pool_of(engine.policy(), job);
    return pool.empty() ? engine.state().tree().node(found->queue).path : std::string(pool);
  }
  const auto open = open_.find(job);
  return open == open_.end() ? std::string() : open->second.place;
}

void RunReport::take(const Engine& engine, const Event& event) {
  if (const auto* submitted = fact_as<JobSubmitted>(event.fact)) {
    OpenJob& job = open_[submitted->job];
    job.place = submitted->queue;
    job.told.id = submitted->spec->name;
    job.told.name = submitted->spec->name;
    job.told.user = submitted->spec->user;
    job.told.submitted_at = told(event.at);
  } else if (const auto* change = fact_as<JobStateChanged>(event.fact)) {
    if (is_over(change->state)) end_job(engine, change->job, change->state, event.at);
  } else if (const auto* launch = fact_as<AttemptLaunched>(event.fact)) {
    const auto open = open_.find(launch->attempt.task.job);
    if (open == open_.end() || open->second.told.wait_ms) return;
    OpenJob& job = open->second;
    job.place = place_of(engine, open->first);
    job.told.wait_ms = told(event.at) - job.told.submitted_at;
    tally_.totals(job.place).waits.push_back(*job.told.wait_ms);
  } else if (const auto* kill = fact_as<KillOrdered>(event.fact)) {
    take_kill(engine, told(event.at), *kill);
  } else if (const auto* ended = fact_as<AttemptEnded>(event.fact)) {
    use(engine, ended->attempt.task, ended->held_ms);
    const auto open = open_.find(ended->attempt.task.job);
    if (open != open_.end() && ended->how != AttemptEnded::How::kSucceeded) {
      ++open->second.told.lost_attempts;
    }
  }
}

void RunReport::end_job(const Engine& engine, JobId id, JobState state, TimeMs at) {
  const auto open = open_.find(id);
  if (open == open_.end()) return;
  report::SlowJob& job = open->second.told;
  job.queue = place_of(engine, id);
  job.state = name(state);
  job.response_ms = told(at) - job.submitted_at;
  if (const Job* found = engine.state().find_job(id)) {
    job.maps = found->tasks(TaskKind::kMap).tasks.size();
    job.reduces = found->tasks(TaskKind::kReduce).tasks.size();
  }
  tally_.add_end(job);
  open_.erase(open);
}

void RunReport::take_kill(const Engine& engine, TimeMs at, const KillOrdered& kill) {
  if (kill.reason > KillReason::kFairShare) return;
  const TaskKey& task = kill.attempt.task;
  std::string claimant = kill.for_pool;
  if (claimant.empty() && kill.for_queue.valid()) {
    claimant = engine.state().tree().node(kill.for_queue).path;
  }
  std::vector<double> had;
  for (const Dimension d : engine.state().space().dimensions()) {
    const std::int64_t amount = engine.state().job(task.job).need(task.kind)[d];
    had.push_back(static_cast<double>(kill.ran_ms * amount) / 1000);
  }
  tally_.add_kill({.victim = place_of(engine, task.job),
                   .claimant = std::move(claimant),
                   .reason = std::string(name(kill.reason)),
                   .at = at,
                   .wasted_slot_s = std::move(had)});
}

void RunReport::use(const Engine& engine, const TaskKey& task, DurationMs held_ms) {
  const Job* job = engine.state().find_job(task.job);
  if (job == nullptr) return;
  const auto& dimensions = engine.state().space().dimensions();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    tally_.add_use(place_of(engine, task.job), i,
                   static_cast<double>(held_ms * job->need(task.kind)[dimensions[i]]) / 1000);
  }
}

void RunReport::sample(const Engine& engine) {
  const TimeMs from = told(held_since_), to = told(engine.now());
  for (const Held& held : held_) {
    if (held.place.empty()) {
      tally_.add_cluster(held.of, from, to, held.figures);
    } else {
      tally_.timeline().add(held.place, held.of, from, to, held.figures);
    }
  }
  held_.clear();
  held_since_ = engine.now();
  if (engine.policy().pools() != nullptr) {
    sample_pools(engine);
  } else {
    sample_queues(engine);
  }
  const std::vector<std::int64_t> total = total_of(engine);
  for (std::size_t i = 0; i < total.size(); ++i) {
    report::Figures all;
    for (const Held& held : held_) {
      if (held.of != i) continue;
      all.running += held.figures.running;
      all.pending += held.figures.pending;
    }
    all.guaranteed = static_cast<double>(total[i]);
    held_.push_back({"", i, all});
  }
}

void RunReport::sample_queues(const Engine& engine) {
  const bool guarantees = engine.policy().name() == "capacity";
  for (const QueueId leaf : engine.state().tree().leaves()) {
    const auto& dimensions = engine.state().space().dimensions();
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      held_.push_back({engine.state().tree().node(leaf).path, i,
                       figures_of(engine.policy().figures(leaf, dimensions[i]), guarantees)});
    }
  }
}

void RunReport::sample_pools(const Engine& engine) {
  const auto pools = pool_figures(engine.policy(), engine.now());
  std::set<std::string_view> inner;
  for (const PoolFigures& pool : pools) inner.insert(pool.parent);
  for (const PoolFigures& pool : pools) {
    if (inner.contains(pool.pool)) continue;
    const bool slots = pool.of_dimension.empty();
    for (std::size_t i = 0; i < (slots ? kTaskKindCount : pool.of_dimension.size()); ++i) {
      held_.push_back(
          {pool.pool, i, figures_of(slots ? pool.of[i] : pool.of_dimension[i], false)});
    }
  }
}

report::Report RunReport::end(const Engine& engine) {
  integrate(engine);
  sample(engine);
  for (const Attempt& attempt : engine.state().attempts()) {
    if (attempt.live) use(engine, attempt.key.task, attempt.in_slots_ms(engine.now()));
  }
  for (const auto& [id, job] : open_) ++tally_.totals(place_of(engine, id)).unfinished;
  report::Report made;
  made.to = told(engine.now());
  const Space& space = engine.state().space();
  if (space.containers()) {
    std::vector<std::string> names;
    for (const Dimension d : space.dimensions()) names.emplace_back(space.name(d));
    made.classes = report::container_classes(names);
  }
  tally_.hand_over(made.to, made);
  made.slot_s.clear();
  for (const std::int64_t ms : total_ms_) made.slot_s.push_back(static_cast<double>(ms) / 1000);
  std::string ruled;
  for (const auto& [from, policy] : policies_) {
    ruled += ruled.empty() ? policy : ", from " + short_duration(from) + " on " + policy;
  }
  made.made_from.emplace_back("policy", ruled);
  return made;
}

}  // namespace weir
