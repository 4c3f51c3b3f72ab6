#include "sim/summary.h"

#include <algorithm>

#include "report/percentile.h"
#include "sim/fairness.h"
#include "sim/sim_engine.h"

namespace weir {
namespace {

Percentiles percentiles_of(std::vector<DurationMs> times) {
  Percentiles result;
  if (times.empty()) return result;
  std::sort(times.begin(), times.end());
  const auto rank = [&](std::size_t percent) {
    return static_cast<double>(report::percentile(times, percent)) / 1000;
  };
  double sum = 0;
  for (const DurationMs time : times) sum += static_cast<double>(time);
  result.mean_s = sum / 1000 / static_cast<double>(times.size());
  result.p50_s = rank(50);
  result.p95_s = rank(95);
  result.p99_s = rank(99);
  return result;
}

double pending_of(const Job& job, Dimension dimension) {
  std::int64_t pending = 0;
  for (const TaskKind kind : job.kinds())
    pending += job.launchable(kind) * job.need(kind)[dimension];
  return static_cast<double>(pending);
}

}  // namespace

void Summary::on_step(const Engine& engine, const Input& input, const Output& output) {
  if (std::holds_alternative<Heartbeat>(input.body)) ++heartbeats_;
  for (const Event& event : output.events) take(engine, event);
  const bool tick = std::holds_alternative<Tick>(input.body);
  if (engine.state().total() != total_ || tick) integrate(engine);
  if (tick) sample_fairness(engine);
}

void Summary::integrate(const Engine& engine) {
  const Space& space = engine.state().space();
  counted_ = space.dimensions();
  for (const Dimension d : counted_) capacity_ms_[d] += total_[d] * (engine.now() - seen_until_);
  dimensions_.clear();
  for (const Dimension d : counted_) {
    if (space.containers()) dimensions_.emplace_back(space.name(d));
  }
  total_ = engine.state().total();
  seen_until_ = engine.now();
}

Summary::Account& Summary::account(const std::string& queue) {
  Account& account = queues_[queue];
  account.row.queue = queue;
  return account;
}

Summary::Account& Summary::account(const Engine& engine, QueueId queue) {
  return account(engine.state().tree().node(queue).path);
}

void Summary::take(const Engine& engine, const Event& event) {
  const ClusterState& state = engine.state();
  if (const auto* submitted = fact_as<JobSubmitted>(event.fact)) {
    open_[submitted->job] = {submitted->queue, event.at, -1, -1};
  } else if (const auto* moved = fact_as<JobMoved>(event.fact)) {
    if (const auto job = open_.find(moved->job); job != open_.end())
      job->second.queue = moved->queue;
  } else if (const auto* change = fact_as<JobStateChanged>(event.fact)) {
    const auto job = open_.find(change->job);
    if (job == open_.end() || !is_over(change->state)) return;
    last_end_ = event.at;
    for (Account* account : {&this->account(job->second.queue), &all_}) {
      ++account->row.jobs;
      account->row.succeeded += change->state == JobState::kSucceeded;
      account->row.failed += change->state == JobState::kFailed;
      account->row.killed += change->state == JobState::kKilled;
      account->response_ms.push_back(event.at - job->second.submitted);
    }
    open_.erase(job);
  } else if (const auto* launch = fact_as<AttemptLaunched>(event.fact)) {
    ++launches_;
    const TaskKind kind = launch->attempt.task.kind;
    const Job& job = state.job(launch->attempt.task.job);
    const auto open = open_.find(job.id);
    const bool first = open != open_.end() && open->second.started < 0;
    if (first) open->second.started = event.at;
    for (Account* account : {&this->account(engine, launch->queue), &all_}) {
      if (kind == TaskKind::kMap) {
        ++account->row.launches[static_cast<std::size_t>(launch->locality)];
      }
      if (first) account->wait_ms.push_back(event.at - open->second.submitted);
    }
  } else if (const auto* kill = fact_as<KillOrdered>(event.fact)) {
    if (kill->reason > KillReason::kFairShare) return;
    for (Account* account : {&this->account(engine, kill->queue), &all_}) ++account->row.kills;
    add_use(engine, kill->queue, kill->attempt.task, kill->ran_ms, &Account::wasted_ms);
  } else if (const auto* ended = fact_as<AttemptEnded>(event.fact)) {
    add_use(engine, ended->queue, ended->attempt.task, ended->held_ms, &Account::used_ms);
  }
}

void Summary::add_use(const Engine& engine, QueueId queue, const TaskKey& task, DurationMs ms,
                      SlotTime Account::* of) {
  const Resources& need = engine.state().job(task.job).need(task.kind);
  for (Account* account : {&this->account(engine, queue), &all_}) {
    for (const Dimension d : engine.state().space().dimensions()) (account->*of)[d] += ms * need[d];
  }
}

void Summary::end(const Engine& engine) {
  for (const auto& [id, job] : open_) {
    ++account(job.queue).row.unfinished;
    ++all_.row.unfinished;
  }
  integrate(engine);
  for (const Attempt& attempt : engine.state().attempts()) {
    if (!attempt.live) continue;
    add_use(engine, attempt.queue, attempt.key.task, attempt.in_slots_ms(engine.now()),
            &Account::used_ms);
  }
}

void Summary::sample_fairness(const Engine& engine) {
  const ClusterState& state = engine.state();
  for (const Dimension d : state.space().dimensions()) {
    std::vector<Claimant> queues;
    for (const QueueId leaf : state.tree().leaves()) {
      const QueueFigures figures = engine.policy().figures(leaf, d);
      const auto demand = static_cast<double>(figures.running + figures.pending);
      if (demand <= 0) continue;
      const double weight = std::max<double>(static_cast<double>(figures.guaranteed), 0.01);
      queues.push_back({demand, weight, static_cast<double>(figures.running)});
      if (figures.running > 0) fairness_of_users(engine, leaf, d);
    }
    if (queues.size() < 2) continue;
    all_.jain_sum += jain_index(queues);
    ++all_.jain_count;
  }
}

void Summary::fairness_of_users(const Engine& engine, QueueId leaf, Dimension dimension) {
  const ClusterState& state = engine.state();
  const QueueState& queue = state.queue(leaf);
  if (queue.users.size() < 2) return;
  std::map<UserId, Claimant> users;
  for (const auto& [user, in_queue] : queue.users) {
    users[user].has = static_cast<double>(in_queue.running[dimension]);
    users[user].demand = users[user].has;
  }
  for (const JobId id : queue.unfinished) {
    const Job& job = state.job(id);
    users[job.user].demand += pending_of(job, dimension);
  }
  std::vector<Claimant> claimants;
  for (const auto& [user, claimant] : users) {
    if (claimant.demand > 0) claimants.push_back(claimant);
  }
  if (claimants.size() < 2) return;
  Account& own = account(engine, leaf);
  own.jain_sum += jain_index(claimants);
  ++own.jain_count;
}

void Summary::close(const Account& account, SummaryRow& row) const {
  row.response = percentiles_of(account.response_ms);
  row.wait = percentiles_of(account.wait_ms);
  for (const Dimension d : counted_) {
    const auto used = static_cast<double>(account.used_ms[d]);
    const std::int64_t there_was = capacity_ms_[d];
    row.use.push_back({.seconds = used / 1000,
                       .part = there_was > 0 ? used / static_cast<double>(there_was) : 0,
                       .wasted_seconds = static_cast<double>(account.wasted_ms[d]) / 1000});
  }
  if (account.jain_count > 0) {
    row.jain = account.jain_sum / static_cast<double>(account.jain_count);
  }
}

std::vector<SummaryRow> Summary::rows() const {
  std::vector<SummaryRow> rows;
  for (const auto& [name, account] : queues_) {
    rows.push_back(account.row);
    close(account, rows.back());
  }
  rows.push_back(all_.row);
  rows.back().queue = "all";
  close(all_, rows.back());
  return rows;
}

}  // namespace weir
