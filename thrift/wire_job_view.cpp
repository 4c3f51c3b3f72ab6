// Jobs and attempts.
#include "thrift/wire_job.h"
#include "thrift/wire_optional.h"
#include "thrift/wire_views.h"

namespace weir {
namespace {

wire::TaskCounts counts_to_wire(const JobView::Tasks& tasks) {
  wire::TaskCounts out;
  out.total = tasks.total;
  out.pending = tasks.pending;
  out.running = tasks.running;
  out.succeeded = tasks.succeeded;
  out.failed_attempts = tasks.failed_attempts;
  out.killed_attempts = tasks.killed_attempts;
  if (tasks.copying) out.__set_copying(*tasks.copying);
  if (tasks.copied) out.__set_copied(*tasks.copied);
  if (tasks.speculative) out.__set_speculative(*tasks.speculative);
  if (tasks.speculative_won) out.__set_speculative_won(*tasks.speculative_won);
  return out;
}

JobView::Tasks counts_from_wire(const wire::TaskCounts& tasks, std::int32_t progress_millionths) {
  const auto& set = tasks.__isset;
  JobView::Tasks out;
  out.total = tasks.total;
  out.pending = tasks.pending;
  out.running = tasks.running;
  out.succeeded = tasks.succeeded;
  out.failed_attempts = tasks.failed_attempts;
  out.killed_attempts = tasks.killed_attempts;
  out.progress_millionths = progress_millionths;
  out.copying = if_set(set.copying, tasks.copying);
  out.copied = if_set(set.copied, tasks.copied);
  out.speculative = if_set(set.speculative, tasks.speculative);
  out.speculative_won = if_set(set.speculative_won, tasks.speculative_won);
  return out;
}

}  // namespace

wire::JobStatus to_wire(const JobView& job) {
  wire::JobStatus out;
  out.job = to_wire(job.id);
  out.job_name = job_name(job.id);
  out.name = job.name;
  out.user = job.user;
  out.queue = job.queue;
  out.priority = job.priority;
  out.state = job.state;
  out.maps = counts_to_wire(job.maps);
  out.reduces = counts_to_wire(job.reduces);
  for (const JobView::Group& group : job.groups) {
    wire::GroupStatus& status = out.groups.emplace_back();
    status.name = group.name;
    status.tasks = counts_to_wire(group.tasks);
    status.progress_millionths = group.tasks.progress_millionths;
    out.__isset.groups = true;
  }
  out.map_progress_millionths = job.maps.progress_millionths;
  out.reduce_progress_millionths = job.reduces.progress_millionths;
  out.submitted_at_ms = job.submitted_at_ms;
  if (job.started_at_ms) out.__set_started_at_ms(*job.started_at_ms);
  if (job.finished_at_ms) out.__set_finished_at_ms(*job.finished_at_ms);
  out.output = job.output;
  if (job.diagnostics) out.__set_diagnostics(*job.diagnostics);
  if (job.counters) out.__set_counters(*job.counters);
  if (job.status) out.__set_status(*job.status);
  if (job.from_history) out.__set_from_history(true);
  if (job.now_ms) out.__set_now_ms(*job.now_ms);
  if (job.reason) out.__set_reason(*job.reason);
  if (job.pool) out.__set_pool(*job.pool);
  if (job.time_limit_ms) out.__set_time_limit_ms(*job.time_limit_ms);
  if (job.deadline_ms) out.__set_deadline_ms(*job.deadline_ms);
  return out;
}

JobView from_wire(const wire::JobStatus& job) {
  const auto& set = job.__isset;
  JobView out;
  out.id = JobId(static_cast<std::size_t>(job.job));
  out.name = job.name;
  out.user = job.user;
  out.queue = job.queue;
  out.priority = job.priority;
  out.state = job.state;
  out.maps = counts_from_wire(job.maps, job.map_progress_millionths);
  out.reduces = counts_from_wire(job.reduces, job.reduce_progress_millionths);
  for (const wire::GroupStatus& group : job.groups)
    out.groups.push_back({group.name, counts_from_wire(group.tasks, group.progress_millionths)});
  out.submitted_at_ms = job.submitted_at_ms;
  out.started_at_ms = if_set(set.started_at_ms, job.started_at_ms);
  out.finished_at_ms = if_set(set.finished_at_ms, job.finished_at_ms);
  out.output = job.output;
  out.diagnostics = if_set(set.diagnostics, job.diagnostics);
  out.counters = if_set(set.counters, job.counters);
  out.status = if_set(set.status, job.status);
  out.from_history = set.from_history && job.from_history;
  out.now_ms = if_set(set.now_ms, job.now_ms);
  out.reason = if_set(set.reason, job.reason);
  out.pool = if_set(set.pool, job.pool);
  out.time_limit_ms = if_set(set.time_limit_ms, job.time_limit_ms);
  out.deadline_ms = if_set(set.deadline_ms, job.deadline_ms);
  return out;
}

wire::JobExplanation to_wire(const ExplanationView& explanation) {
  wire::JobExplanation out;
  out.status = to_wire(explanation.job);
  for (const ExplanationView::Reason& reason : explanation.reasons) {
    wire::Reason& line = out.reasons.emplace_back();
    line.code = reason.code;
    line.message = reason.message;
    if (!reason.numbers.empty()) line.__set_numbers(reason.numbers);
  }
  return out;
}

ExplanationView from_wire(const wire::JobExplanation& explanation) {
  ExplanationView out{from_wire(explanation.status), {}};
  for (const wire::Reason& reason : explanation.reasons)
    out.reasons.push_back({reason.code, reason.message, reason.numbers});
  return out;
}

wire::AttemptInfo to_wire(const AttemptView& attempt) {
  wire::AttemptInfo out;
  out.id = to_wire(attempt.id);
  out.name = attempt_name(attempt.id);
  out.state = attempt.state;
  out.tracker = attempt.tracker;
  out.launched_at_ms = attempt.launched_at_ms;
  if (attempt.ended_at_ms) out.__set_ended_at_ms(*attempt.ended_at_ms);
  if (attempt.ran_ms) out.__set_ran_ms(*attempt.ran_ms);
  if (attempt.diagnostics) out.__set_diagnostics(*attempt.diagnostics);
  if (attempt.log_host) out.__set_log_host(*attempt.log_host);
  if (attempt.log_port) out.__set_log_port(*attempt.log_port);
  out.progress_millionths = attempt.progress_millionths;
  if (attempt.speculative) out.__set_speculative(true);
  return out;
}

AttemptView from_wire(const wire::AttemptInfo& attempt) {
  const auto& set = attempt.__isset;
  AttemptView out;
  const TaskKind kind = attempt.id.kind == wire::TaskKind::TASK
                            ? group_kind(static_cast<std::size_t>(attempt.id.group))
                            : kind_of(attempt.id.kind);
  out.id.task = {JobId(static_cast<std::size_t>(attempt.id.job)), kind,
                 static_cast<std::uint32_t>(attempt.id.index)};
  out.id.attempt = static_cast<std::uint32_t>(attempt.id.attempt);
  out.state = attempt.state;
  out.tracker = attempt.tracker;
  out.launched_at_ms = attempt.launched_at_ms;
  out.ended_at_ms = if_set(set.ended_at_ms, attempt.ended_at_ms);
  out.ran_ms = if_set(set.ran_ms, attempt.ran_ms);
  out.diagnostics = if_set(set.diagnostics, attempt.diagnostics);
  out.log_host = if_set(set.log_host, attempt.log_host);
  out.log_port = if_set(set.log_port, attempt.log_port);
  out.progress_millionths = attempt.progress_millionths;
  out.speculative = set.speculative && attempt.speculative;
  return out;
}

}  // namespace weir
