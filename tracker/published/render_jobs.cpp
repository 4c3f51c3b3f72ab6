// Jobs and their attempts.
#include "tracker/published/render.h"

#include <algorithm>

#include "jobqueue/policy/pools_facet.h"

namespace weir {
namespace {

std::int32_t progress_of(const Job& job, TaskKind kind, JobState state) {
  const std::int64_t total = job.spec->tasks(kind);
  if (state == JobState::kSucceeded) return 1'000'000;
  if (total == 0) return 0;
  const TaskGroup& group = job.tasks(kind);
  const std::int64_t done =
      std::int64_t{group.succeeded} * 1'000'000 + group.running_progress_millionths;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(done / total, 0, 1'000'000));
}

JobView::Tasks render_tasks(const Job& job, TaskKind kind, JobState state) {
  const TaskGroup& group = job.tasks(kind);
  const std::uint32_t total = job.spec->tasks(kind);
  JobView::Tasks out;
  out.total = count(total);
  out.running = count(group.running);
  out.failed_attempts = count(group.failed_attempts);
  out.killed_attempts = count(group.killed_attempts);
  out.progress_millionths = progress_of(job, kind, state);
  if (group.speculative.launched > 0) {
    out.speculative = count(group.speculative.launched);
    out.speculative_won = count(group.speculative.won);
  }
  if (group.copying + group.copied > 0 && !is_over(state)) {
    out.copying = count(group.copying);
    out.copied = count(group.copied);
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

}  // namespace

JobView render_job(const Engine& engine, const Job& job, const WallClock& wall) {
  const JobState state = engine.visible_state(job);
  JobView out;
  out.id = job.id;
  out.name = job.spec->name;
  out.user = job.spec->user;
  // An ended job may outlive its queue.
  const std::string& path = engine.state().tree().node(job.queue).path;
  out.queue = path.empty() ? job.spec->queue : path;
  if (!is_over(state)) {
    const std::string_view pool = pool_of(engine.policy(), job.id);
    if (!pool.empty()) out.pool = std::string(pool);
  }
  out.priority = name(job.priority);
  out.state = job.held && state == JobState::kWaiting      ? "HELD"
              : state == JobState::kRunning && job.pending() ? "PENDING"
                                                             : name(state);
  for (const TaskKind kind : job.kinds()) {
    if (is_group(kind)) {
      out.groups.push_back(
          {job.spec->task_groups[group_number(kind)].name, render_tasks(job, kind, state)});
    } else {
      (kind == TaskKind::kMap ? out.maps : out.reduces) = render_tasks(job, kind, state);
    }
  }
  out.submitted_at_ms = wall.at(job.submitted_at);
  if (job.started_at != 0) out.started_at_ms = wall.at(job.started_at);
  if (is_over(state)) out.finished_at_ms = wall.at(job.finished_at);
  if (job.limited) out.time_limit_ms = job.spec->time_limit_ms;
  if (job.deadline != 0 && !is_over(state)) out.deadline_ms = wall.at(job.deadline);
  out.output = job.spec->output;
  if (!job.diagnostics.empty()) out.diagnostics = job.diagnostics;
  if (!job.counters.empty()) out.counters = job.counters;
  if (!job.status_line.empty()) out.status = job.status_line;
  return out;
}

namespace {

std::int32_t progress_of(const JobRecord& record, const JobRecord::Tasks& tasks) {
  if (record.state == JobState::kSucceeded) return 1'000'000;
  if (tasks.total == 0) return 0;
  return static_cast<std::int32_t>(std::int64_t{tasks.succeeded} * 1'000'000 / tasks.total);
}

JobView::Tasks render_tasks(const JobRecord& record, const JobRecord::Tasks& tasks) {
  JobView::Tasks out;
  out.total = count(tasks.total);
  out.succeeded = count(tasks.succeeded);
  out.failed_attempts = count(tasks.failed_attempts);
  out.killed_attempts = count(tasks.killed_attempts);
  out.progress_millionths = progress_of(record, tasks);
  return out;
}

}  // namespace

JobView render_record(const JobRecord& record, const WallClock& wall) {
  JobView out;
  out.id = record.job;
  out.name = record.name;
  out.user = record.user;
  out.queue = record.queue;
  out.priority = name(record.priority);
  out.state = name(record.state);
  out.maps = render_tasks(record, record.of(TaskKind::kMap));
  out.reduces = render_tasks(record, record.of(TaskKind::kReduce));
  for (const JobRecord::Group& group : record.groups)
    out.groups.push_back({group.name, render_tasks(record, group.tasks)});
  out.submitted_at_ms = wall.at(record.submitted_at);
  if (record.started_at != 0) out.started_at_ms = wall.at(record.started_at);
  out.finished_at_ms = wall.at(record.finished_at);
  out.output = record.output;
  if (!record.diagnostics.empty()) out.diagnostics = record.diagnostics;
  if (!record.counters.empty()) out.counters = record.counters;
  out.from_history = true;
  return out;
}

AttemptView render_attempt(const EndedAttempt& attempt, const WallClock& wall) {
  AttemptView out;
  out.id = attempt.attempt;
  out.state = attempt.failed ? "FAILED" : "SUCCEEDED";
  out.tracker = attempt.tracker;
  out.launched_at_ms = wall.at(attempt.launched_at);
  if (attempt.ended_at != 0) out.ended_at_ms = wall.at(attempt.ended_at);
  if (attempt.launched_at != 0)
    out.ran_ms = wall.at(attempt.ended_at) - wall.at(attempt.launched_at);
  if (!attempt.diagnostics.empty()) out.diagnostics = attempt.diagnostics;
  out.progress_millionths = attempt.failed ? 0 : 1'000'000;
  return out;
}

}  // namespace weir
