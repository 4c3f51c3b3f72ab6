#include "sim/virtual_cluster.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobqueue/model/check.h"
#include "jobqueue/model/job_type.h"

namespace weir {

constexpr std::uint32_t kPorts = 1000;  // of each tracker

Status VirtualCluster::add_tracker(const VirtualTrackerSpec& spec) {
  const auto known = find(spec.name);
  if (known && at(*known).live) {
    return Error{ErrorCode::kBadRequest, "tracker " + spec.name + " is there already",
                 "another name, or lose it first"};
  }
  if (!known) {
    by_name_.emplace(spec.name, TrackerId(trackers_.size()));
    trackers_.emplace_back();
  }
  Tracker& tracker = known ? at(*known) : trackers_.back();
  tracker.spec = spec;
  ++tracker.incarnation;
  tracker.live = true;
  tracker.unpublished = 0;
  Heartbeat report;
  report.name = spec.name;
  report.incarnation = tracker.incarnation;
  tracker.input.body = std::move(report);
  const Reply reply = connect(tracker);
  if (const auto* refused = std::get_if<Error>(&reply.body)) {
    tracker.live = false;
    return *refused;
  }
  WEIR_CHECK(
      engine_.halted() || engine_.state().find_tracker(spec.name)->id == by_name_.at(spec.name),
      "trackers have the same numbers here and in the engine");
  return Ok{};
}

Reply VirtualCluster::connect(Tracker& tracker) {
  RegisterTracker registration;
  registration.name = tracker.spec.name;
  registration.incarnation = tracker.incarnation;
  registration.host = tracker.spec.name;
  registration.shuffle_port = 1;
  registration.rack = tracker.spec.rack;
  registration.total = tracker.spec.total;
  registration.named = tracker.spec.named;
  registration.labels = tracker.spec.labels;
  registration.port_count = kPorts;
  return engine_.step(std::move(registration));
}

Status VirtualCluster::lose(TrackerId id) {
  Tracker& tracker = at(id);
  if (!tracker.live) {
    return Error{ErrorCode::kUnknownTracker, "tracker " + tracker.spec.name + " is lost already",
                 ""};
  }
  tracker.live = false;
  tracker.unpublished = 0;
  report_of(tracker).attempts.clear();
  report_of(tracker).duties.clear();
  engine_.step(LoseTracker{tracker.spec.name});
  return Ok{};
}

Status VirtualCluster::set_offer(TrackerId id, const Resources& total,
                                 const std::map<std::string, std::int64_t>& named) {
  Tracker& tracker = at(id);
  tracker.spec.named = named;
  report_of(tracker).named = named;
  return set_total(id, total);
}

Status VirtualCluster::set_total(TrackerId id, const Resources& total) {
  Tracker& tracker = at(id);
  if (!tracker.live) {
    return Error{ErrorCode::kUnknownTracker, "tracker " + tracker.spec.name + " is lost", ""};
  }
  tracker.spec.total = total;
  report_of(tracker).total = total;
  beat(tracker, false);
  return Ok{};
}

std::optional<TrackerId> VirtualCluster::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<AttemptKey> VirtualCluster::heartbeat(TrackerId id) {
  WEIR_CHECK(at(id).live, "lost trackers do not report");
  return beat(at(id), true);
}

AttemptReport* VirtualCluster::find_held(Tracker& tracker, const AttemptKey& attempt) {
  for (AttemptReport& held : report_of(tracker).attempts) {
    if (held.attempt == attempt) return &held;
  }
  return nullptr;
}

std::optional<AttemptKey> VirtualCluster::running(const TaskKey& task) const {
  const Job* job = engine_.state().find_job(task.job);
  if (job == nullptr || !job->has(task.kind) ||
      task.index >= job->tasks(task.kind).tasks.size()) {
    return std::nullopt;
  }
  const AttemptSlot slot = job->tasks(task.kind).tasks[task.index].attempt;
  if (!slot.valid()) return std::nullopt;
  return engine_.state().attempt(slot).key;
}

Status VirtualCluster::finish(const AttemptKey& attempt, bool asks_for_tasks) {
  return end(attempt, ReportedState::kSucceeded, "", asks_for_tasks);
}

Status VirtualCluster::fail(const AttemptKey& attempt, const std::string& diagnostics) {
  return end(attempt, ReportedState::kFailed, diagnostics, false);
}

bool VirtualCluster::copied(TrackerId id, const AttemptKey& attempt) {
  AttemptReport* held = find_held(at(id), attempt);
  if (held == nullptr || held->compute_granted || held->phase != TaskPhase::kShuffle) return false;
  held->phase = TaskPhase::kSort;
  return true;
}

bool VirtualCluster::finish_later(TrackerId id, const AttemptKey& attempt) {
  Tracker& tracker = at(id);
  AttemptReport* held = find_held(tracker, attempt);
  if (held == nullptr || held->state != ReportedState::kRunning || !held->compute_granted)
    return false;
  set_end(tracker, *held, ReportedState::kSucceeded);
  return true;
}

Status VirtualCluster::end(const AttemptKey& attempt, ReportedState state,
                           const std::string& diagnostics, bool asks_for_tasks) {
  const AttemptSlot slot = engine_.state().find_attempt(attempt);
  AttemptReport* held = nullptr;
  if (slot.valid()) held = find_held(at(engine_.state().attempt(slot).tracker), attempt);
  if (held == nullptr || held->state != ReportedState::kRunning) {
    return Error{ErrorCode::kBadRequest, attempt_name(attempt) + " does not run", ""};
  }
  if (state == ReportedState::kSucceeded && !held->compute_granted) {
    return Error{ErrorCode::kBadRequest, attempt_name(attempt) + " has no slot to compute in yet",
                 "its copy_time, and a heartbeat that gives it one"};
  }
  Tracker& tracker = at(engine_.state().attempt(slot).tracker);
  heard_of_kills_ = false;
  held->diagnostics = diagnostics;
  set_end(tracker, *held, state);
  // Not beat(): the end is told before a kill that the tracker may know of, and counts.
  std::vector<AttemptKey> launched;
  exchange(tracker, asks_for_tasks && tracker.unpublished == 0, launched);
  held = find_held(tracker, attempt);
  if (held != nullptr && held->state == ReportedState::kCommitPending) {
    return Error{ErrorCode::kBadRequest,
                 attempt_name(attempt) + " may not publish its output: it is to die", ""};
  }
  if (held != nullptr) exchange(tracker, asks_for_tasks, launched);
  while (!report_of(tracker).duties.empty()) exchange(tracker, false, launched);
  return Ok{};
}

// What publishes output asks before it does.
void VirtualCluster::set_end(Tracker& tracker, AttemptReport& attempt, ReportedState state) {
  const Job& job = engine_.state().job(attempt.attempt.task.job);
  const bool publishes = job.type->publishes(*job.spec, attempt.attempt.task.kind);
  attempt.progress_millionths = 1'000'000;
  attempt.state = state;
  if (state == ReportedState::kSucceeded && publishes) {
    attempt.state = ReportedState::kCommitPending;
    ++tracker.unpublished;
  }
}

// Kills ordered since the last report are carried out by now.
void VirtualCluster::note_kills(Tracker& tracker) {
  for (AttemptReport& held : report_of(tracker).attempts) {
    if (held.state > ReportedState::kCommitPending) continue;
    const AttemptSlot slot = engine_.state().find_attempt(held.attempt);
    if (slot.valid()) {
      const Attempt& attempt = engine_.state().attempt(slot);
      if (!attempt.dying() || attempt.finishing()) continue;
    }
    if (held.state == ReportedState::kCommitPending) --tracker.unpublished;
    held.state = ReportedState::kKilled;
  }
}

std::vector<AttemptKey> VirtualCluster::beat(Tracker& tracker, bool asks_for_tasks) {
  std::vector<AttemptKey> launched;
  heard_of_kills_ = false;
  note_kills(tracker);
  // Grants first, so that what ends now has left its slot when tasks are asked for.
  if (tracker.unpublished > 0) exchange(tracker, false, launched);
  exchange(tracker, asks_for_tasks, launched);
  while (!report_of(tracker).duties.empty()) exchange(tracker, false, launched);
  return launched;
}

void VirtualCluster::exchange(Tracker& tracker, bool asks_for_tasks,
                              std::vector<AttemptKey>& launched) {
  if (!tracker.live) return;
  Heartbeat& report = report_of(tracker);
  report.asks_for_tasks = asks_for_tasks;
  ++report.sequence;
  const Reply* reply = &engine_.handle(tracker.input);
  if (std::holds_alternative<Error>(reply->body)) {  // silent for too long: registers anew
    connect(tracker);
    ++report.sequence;
    reply = &engine_.handle(tracker.input);
  }
  report.duties.clear();
  report.total.reset();
  if (const auto* answer = std::get_if<HeartbeatReply>(&reply->body)) {
    obey(tracker, *answer, launched);
    if (!answer->leave.empty()) leave(tracker);
  }
}

// As it was told: once more a report, then nothing.
void VirtualCluster::leave(Tracker& tracker) {
  Heartbeat& report = report_of(tracker);
  report.leaving = true;
  ++report.sequence;
  engine_.handle(tracker.input);
  report.leaving = false;
  tracker.live = false;
}

void VirtualCluster::obey(Tracker& tracker, const HeartbeatReply& reply,
                          std::vector<AttemptKey>& launched) {
  Heartbeat& report = report_of(tracker);
  for (const AttemptKey& done : reply.acknowledged) {
    std::erase_if(report.attempts, [&](const AttemptReport& a) { return a.attempt == done; });
  }
  heard_of_kills_ = heard_of_kills_ || !reply.kill.empty();
  for (const AttemptKey& granted : reply.commit) {
    AttemptReport* held = find_held(tracker, granted);
    if (held == nullptr || held->state != ReportedState::kCommitPending) continue;
    held->state = ReportedState::kSucceeded;
    --tracker.unpublished;
  }
  for (const AttemptKey& granted : reply.compute_granted) {
    AttemptReport* held = find_held(tracker, granted);
    if (held == nullptr || held->compute_granted) continue;
    held->compute_granted = true;
    held->phase = TaskPhase::kReduce;
  }
  const std::size_t before = launched.size();
  for (const Launch& launch : reply.launch) {
    if (find_held(tracker, launch.attempt) != nullptr) continue;
    AttemptReport& held = report.attempts.emplace_back();
    held.attempt = launch.attempt;
    held.compute_granted = launch.compute_granted;
    if (!launch.compute_granted) held.phase = TaskPhase::kShuffle;
    launched.push_back(launch.attempt);
  }
  // The reply says what should run, in no order; the engine knows in which it decided.
  const auto order = [this](const AttemptKey& key) {
    const AttemptSlot slot = engine_.state().find_attempt(key);
    return slot.valid() ? engine_.state().attempt(slot).launch_order : 0;
  };
  std::sort(launched.begin() + static_cast<std::ptrdiff_t>(before), launched.end(),
            [&](const AttemptKey& a, const AttemptKey& b) { return order(a) < order(b); });
  for (const Duty& duty : reply.duties) {
    report.duties.push_back({duty.job, true, "", duty.succeed});
  }
}

}  // namespace weir
