#include "tracker/jobtracker/render.h"

#include <algorithm>

#include "jobqueue/policy/pools_facet.h"
#include "thrift/wire_job.h"

namespace weir {
namespace {

wire::TaskCounts render_tasks(const Job& job, TaskKind kind, JobState state) {
  const TaskGroup& group = job.tasks(kind);
  const std::uint32_t total = job.spec->tasks(kind);
  wire::TaskCounts out;
  out.total = count(total);
  out.running = count(group.running);
  out.failed_attempts = count(group.failed_attempts);
  out.killed_attempts = count(group.killed_attempts);
  if (group.speculative.launched > 0) {
    out.__set_speculative(count(group.speculative.launched));
    out.__set_speculative_won(count(group.speculative.won));
  }
  if (group.copying + group.copied > 0 && !is_over(state)) {
    out.__set_copying(count(group.copying));
    out.__set_copied(count(group.copied));
  }
  if (state == JobState::kSucceeded) {  // After a restart its tasks are not kept, but known.
    out.succeeded = count(total);
    out.pending = out.running = 0;
  } else {
    out.succeeded = count(group.succeeded);
    const bool expanded = !group.tasks.empty();
    out.pending = is_over(state) ? 0 : count(expanded ? group.pending() : total);
  }
  return out;
}

std::int32_t render_progress(const Job& job, TaskKind kind, JobState state) {
  const std::int64_t total = job.spec->tasks(kind);
  if (state == JobState::kSucceeded) return 1'000'000;
  if (total == 0) return 0;
  const TaskGroup& group = job.tasks(kind);
  const std::int64_t done =
      std::int64_t{group.succeeded} * 1'000'000 + group.running_progress_millionths;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(done / total, 0, 1'000'000));
}

}  // namespace

wire::JobStatus render_job(const Engine& engine, const Job& job, const WallClock& wall) {
  const JobState state = engine.visible_state(job);
  wire::JobStatus out;
  out.job = job.id.value;
  out.job_name = job_name(job.id);
  out.name = job.spec->name;
  out.user = job.spec->user;
  // An ended job may outlive its queue.
  const std::string& path = engine.state().tree().node(job.queue).path;
  out.queue = path.empty() ? job.spec->queue : path;
  if (!is_over(state)) {
    const std::string_view pool = pool_of(engine.policy(), job.id);
    if (!pool.empty()) out.__set_pool(std::string(pool));
  }
  out.priority = name(job.priority);
  out.state = job.held && state == JobState::kWaiting      ? "HELD"
              : state == JobState::kRunning && job.pending() ? "PENDING"
                                                             : name(state);
  out.maps = render_tasks(job, TaskKind::kMap, state);
  out.reduces = render_tasks(job, TaskKind::kReduce, state);
  out.map_progress_millionths = render_progress(job, TaskKind::kMap, state);
  out.reduce_progress_millionths = render_progress(job, TaskKind::kReduce, state);
  out.submitted_at_ms = wall.at(job.submitted_at);
  if (job.started_at != 0) out.__set_started_at_ms(wall.at(job.started_at));
  if (is_over(state)) out.__set_finished_at_ms(wall.at(job.finished_at));
  if (job.limited) out.__set_time_limit_ms(job.spec->time_limit_ms);
  if (job.deadline != 0) out.__set_deadline_ms(wall.at(job.deadline));
  out.output = job.spec->output;
  if (!job.diagnostics.empty()) out.__set_diagnostics(job.diagnostics);
  if (!job.counters.empty()) out.__set_counters(to_wire(job.counters));
  if (!job.status_line.empty()) out.__set_status(job.status_line);
  return out;
}

namespace {

wire::TaskCounts render_tasks(const JobRecord::Tasks& tasks) {
  wire::TaskCounts out;
  out.total = count(tasks.total);
  out.pending = out.running = 0;
  out.succeeded = count(tasks.succeeded);
  out.failed_attempts = count(tasks.failed_attempts);
  out.killed_attempts = count(tasks.killed_attempts);
  return out;
}

std::int32_t render_progress(const JobRecord& record, TaskKind kind) {
  const JobRecord::Tasks& tasks = record.tasks[index(kind)];
  if (record.state == JobState::kSucceeded) return 1'000'000;
  if (tasks.total == 0) return 0;
  return static_cast<std::int32_t>(std::int64_t{tasks.succeeded} * 1'000'000 / tasks.total);
}

}  // namespace

wire::JobStatus render_record(const JobRecord& record, const WallClock& wall) {
  wire::JobStatus out;
  out.job = record.job.value;
  out.job_name = job_name(record.job);
  out.name = record.name;
  out.user = record.user;
  out.queue = record.queue;
  out.priority = name(record.priority);
  out.state = name(record.state);
  out.maps = render_tasks(record.tasks[index(TaskKind::kMap)]);
  out.reduces = render_tasks(record.tasks[index(TaskKind::kReduce)]);
  out.map_progress_millionths = render_progress(record, TaskKind::kMap);
  out.reduce_progress_millionths = render_progress(record, TaskKind::kReduce);
  out.submitted_at_ms = wall.at(record.submitted_at);
  if (record.started_at != 0) out.__set_started_at_ms(wall.at(record.started_at));
  out.__set_finished_at_ms(wall.at(record.finished_at));
  out.output = record.output;
  if (!record.diagnostics.empty()) out.__set_diagnostics(record.diagnostics);
  if (!record.counters.empty()) out.__set_counters(to_wire(record.counters));
  out.__set_from_history(true);
  return out;
}

wire::AttemptInfo render_attempt(const EndedAttempt& attempt, const WallClock& wall) {
  wire::AttemptInfo out;
  out.id = to_wire(attempt.attempt);
  out.name = attempt_name(attempt.attempt);
  out.state = attempt.failed ? "FAILED" : "SUCCEEDED";
  out.tracker = attempt.tracker;
  out.launched_at_ms = wall.at(attempt.launched_at);
  if (attempt.ended_at != 0) out.__set_ended_at_ms(wall.at(attempt.ended_at));
  if (attempt.launched_at != 0)
    out.__set_ran_ms(wall.at(attempt.ended_at) - wall.at(attempt.launched_at));
  if (!attempt.diagnostics.empty()) out.__set_diagnostics(attempt.diagnostics);
  out.progress_millionths = attempt.failed ? 0 : 1'000'000;
  return out;
}

namespace {

const char* state_of(const TrackerState& tracker) {
  if (tracker.state == TrackerState::State::kLost) return "LOST";
  if (tracker.state == TrackerState::State::kAwaited)
    return tracker.health.empty() ? "AWAITED" : "RETURNING";
  if (tracker.stopping()) return "STOPPING";
  if (tracker.order == TrackerOrder::kDrain) {
    const bool nothing_left = tracker.attempts.empty() && tracker.map_outputs.empty() &&
                              tracker.duties.empty() && tracker.held_commits.empty();
    return nothing_left ? "DRAINED" : "DRAINING";
  }
  if (tracker.faulty) return "FAULTY";
  if (tracker.low_disk) return "LOW_DISK";
  return tracker.accepts_tasks ? "LIVE" : "UNHEALTHY";
}

// What was ordered of it, and what is left to do before it may go.
void render_order(const TrackerState& tracker, const WallClock& wall, wire::TrackerStatus& status) {
  if (tracker.order == TrackerOrder::kNone) return;
  constexpr std::size_t kJobsNamed = 20;
  status.__set_order(name(tracker.order));
  status.__set_ordered_by(tracker.ordered_by);
  if (!tracker.order_reason.empty()) status.__set_order_reason(tracker.order_reason);
  status.__set_ordered_at_ms(wall.at(tracker.ordered_at));
  std::vector<std::string> jobs;
  for (const TaskKey& key : tracker.map_outputs) {
    const std::string job = job_name(key.job);
    if (std::find(jobs.begin(), jobs.end(), job) == jobs.end() && jobs.size() < kJobsNamed)
      jobs.push_back(job);
  }
  status.__set_outputs(count(static_cast<std::uint32_t>(tracker.map_outputs.size())));
  status.__set_outputs_for(jobs);
}

}  // namespace

TrackerRecord render_tracker(const Engine& engine, const TrackerState& tracker,
                             const WallClock& wall) {
  TrackerRecord out;
  out.last_heartbeat = tracker.last_heartbeat;
  wire::TrackerStatus& status = out.status;
  status.name = tracker.name;
  status.state = state_of(tracker);
  render_order(tracker, wall, status);
  status.__set_attempts(count(static_cast<std::uint32_t>(tracker.attempts.size())));
  for (const TimeMs fault : tracker.faults) status.faults.push_back(wall.at(fault));
  status.__isset.faults = !status.faults.empty();
  if (const auto back = engine.back_at(tracker)) status.__set_back_at_ms(wall.at(*back));
  if (tracker.state == TrackerState::State::kLost && !tracker.lost_why.empty())
    status.__set_lost_why(tracker.lost_why);
  status.host = tracker.host;
  if (tracker.rack.valid()) status.rack = engine.state().rack_name(tracker.rack);
  status.shuffle_port = tracker.shuffle_port;
  status.total = to_wire(tracker.total);
  status.used = to_wire(tracker.used);
  if (tracker.copy_slots > 0) {
    status.__set_copying(tracker.copy_slots);
    status.__set_copied(count(tracker.copied));
  }
  if (tracker.free_disk_mb >= 0) status.__set_free_disk_mb(tracker.free_disk_mb);
  if (!tracker.health.empty()) status.__set_health(tracker.health);
  if (!tracker.protections.empty()) status.__set_protections(tracker.protections);
  return out;
}

}  // namespace weir
