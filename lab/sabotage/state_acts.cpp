#include "lab/sabotage/state_acts.h"

#include <vector>

namespace weir {
namespace {

QueueState& first_leaf(const Scene& scene) {
  const QueueId leaf = scene.state.tree().leaves().front();
  return const_cast<QueueState&>(scene.state.queue(leaf));
}

// The first tracker, if there is any.
TrackerState* first_tracker(const Scene& scene) {
  return scene.state.trackers().empty() ? nullptr : &scene.state.mutable_tracker(TrackerId(0));
}

bool break_counter(const Scene& scene) {
  first_leaf(scene).running[TaskKind::kMap] = -1;
  return true;
}

bool break_running(const Scene& scene) {
  ++first_leaf(scene).running[TaskKind::kMap];
  return true;
}

bool break_job_counts(const Scene& scene) {
  ++first_leaf(scene).jobs_waiting;
  return true;
}

bool break_total(const Scene& scene) {
  ++const_cast<Resources&>(scene.state.total()).slots(TaskKind::kMap);
  return true;
}

bool break_tracker_used(const Scene& scene) {
  TrackerState* tracker = first_tracker(scene);
  if (tracker != nullptr) ++tracker->used.slots(TaskKind::kMap);
  return tracker != nullptr;
}

bool break_copies(const Scene& scene) {
  TrackerState* tracker = first_tracker(scene);
  if (tracker != nullptr) ++tracker->copy_slots;
  return tracker != nullptr;
}

bool break_reservation(const Scene& scene) {
  auto& all = scene.state.mutable_claims().mutable_reservations();
  if (!all.empty()) all.add(Reservation(*all.begin()));
  return !all.empty();
}

bool break_user_sums(const Scene& scene) {
  ClusterState& state = scene.state;
  for (const QueueId leaf : state.tree().leaves()) {
    auto& users = const_cast<QueueState&>(state.queue(leaf)).users;
    if (users.empty()) continue;
    ++users.begin()->second.running[TaskKind::kMap];
    return true;
  }
  return false;
}

// Nobody is to publish a job's output any more: the job never ends.
bool break_job_end(const Scene& scene) {
  ClusterState& state = scene.state;
  for (const auto& [id, job] : state.jobs()) {
    if (job->duty != Job::Duty::kSucceed || !job->duty_tracker.valid()) continue;
    auto& duties = state.mutable_tracker(job->duty_tracker).duties;
    if (std::erase(duties, id) == 0) continue;
    Job& left = state.mutable_job(id);
    left.duty_tracker = TrackerId{};
    left.duty_given.clear();  // nor is the tracker's word heard
    return true;
  }
  return false;
}

// The tracker that was just given a task was to get none.
bool break_pool(const Scene& scene) {
  const auto* beat = std::get_if<Heartbeat>(&scene.input.body);
  if (beat == nullptr || !beat->attempts.empty()) return false;
  const TrackerState* tracker = scene.state.find_tracker(beat->name);
  if (tracker == nullptr || tracker->attempts.empty()) return false;
  const Attempt& last = scene.state.attempt(tracker->attempts.back());
  if (last.state != AttemptState::kLaunching || last.launched_at != scene.engine.now())
    return false;
  scene.state.set_tracker_order(scene.state.mutable_tracker(tracker->id), TrackerOrder::kDrain);
  return true;
}

// --- Second attempts ---

// The two attempts of a task that has two.
std::vector<AttemptSlot> any_pair(const ClusterState& state) {
  for (const Attempt& attempt : state.attempts()) {
    if (!attempt.live || !attempt.speculative || attempt.dying()) continue;
    const TaskKey& key = attempt.key.task;
    const Task& task = state.job(key.job).tasks(key.kind).tasks[key.index];
    if (task.state != Task::State::kRunning || state.alive_attempts(task) != 2) continue;
    std::vector<AttemptSlot> pair;
    state.each_attempt(task, [&](AttemptSlot slot) {
      if (!state.attempt(slot).dying()) pair.push_back(slot);
    });
    return pair;
  }
  return {};
}

// A stranger passes for a third one.
bool break_pair(const Scene& scene) {
  ClusterState& state = scene.state;
  const auto pair = any_pair(state);
  if (pair.empty()) return false;
  for (std::size_t i = 0; i < state.attempts().size(); ++i) {
    Attempt& other = state.mutable_attempt(AttemptSlot(i));
    if (!other.live || other.dying() || AttemptSlot(i) == pair[0] || AttemptSlot(i) == pair[1]) {
      continue;
    }
    other.key.task = state.attempt(pair[0]).key.task;
    other.speculative = true;
    return true;
  }
  return false;
}

bool break_places(const Scene& scene) {
  ClusterState& state = scene.state;
  const auto pair = any_pair(state);
  if (pair.empty()) return false;
  state.mutable_attempt(pair[1]).tracker = state.attempt(pair[0]).tracker;
  return true;
}

bool break_loser(const Scene& scene) {
  ClusterState& state = scene.state;
  for (std::size_t i = 0; i < state.attempts().size(); ++i) {
    Attempt& attempt = state.mutable_attempt(AttemptSlot(i));
    if (!attempt.live || !attempt.dying()) continue;
    const TaskKey& key = attempt.key.task;
    if (attempt.kill_reason != KillReason::kSpeculative ||
        state.job(key.job).tasks(key.kind).tasks[key.index].state != Task::State::kSucceeded) {
      continue;
    }
    attempt.state = Attempt::State::kRunning;  // past its life cycle, which forbids it
    state.mutable_tracker(attempt.tracker).held[attempt.tracker_place].state = attempt.state;
    return true;
  }
  return false;
}

// The first attempt of the pair is as young as the second.
bool break_wait(const Scene& scene) {
  const auto pair = any_pair(scene.state);
  if (pair.empty()) return false;
  Attempt& first = scene.state.mutable_attempt(pair[0]);
  if (scene.state.attempt(pair[1]).launched_at != scene.engine.now()) return false;
  if (!std::holds_alternative<Heartbeat>(scene.input.body)) return false;
  if (scene.state.settings().speculation.after_ms == 0) return false;
  first.launched_at = scene.engine.now();
  return true;
}

}  // namespace

const Acts& state_acts() {
  static const Acts all = {
      {"negative-counter", break_counter},  {"running", break_running},
      {"job-counts", break_job_counts},     {"user-sums", break_user_sums},
      {"cluster-total", break_total},       {"tracker-used", break_tracker_used},
      {"copies", break_copies},             {"reservation", break_reservation},
      {"job-unended", break_job_end},       {"launch-out-of-pool", break_pool},
      {"speculative-excess", break_pair},   {"speculative-tracker", break_places},
      {"speculative-loser", break_loser},   {"speculative-early", break_wait},
  };
  return all;
}

}  // namespace weir
