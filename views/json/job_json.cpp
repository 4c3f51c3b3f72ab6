// Jobs and attempts.
#include "views/json/json.h"
#include "views/json/or_null.h"

namespace weir {
namespace {

Json tasks_json(const JobView::Tasks& tasks) {
  Json json = {{"total", tasks.total},
               {"pending", tasks.pending},
               {"running", tasks.running},
               {"succeeded", tasks.succeeded},
               {"failed_attempts", tasks.failed_attempts},
               {"killed_attempts", tasks.killed_attempts},
               {"progress_millionths", tasks.progress_millionths}};
  if (tasks.copying) json["copying"] = *tasks.copying;
  if (tasks.copied) json["copied"] = *tasks.copied;
  if (tasks.speculative) {
    json["speculative"] = *tasks.speculative;
    json["speculative_won"] = tasks.speculative_won.value_or(0);
  }
  return json;
}

}  // namespace

Json to_json(const JobView& job) {
  Json groups = Json::array();
  for (const JobView::Group& group : job.groups)
    groups.push_back({{"name", group.name}, {"tasks", tasks_json(group.tasks)}});
  return {{"job", job_name(job.id)},
          {"number", job.id.value},
          {"name", job.name},
          {"user", job.user},
          {"queue", job.queue},
          {"priority", job.priority},
          {"state", job.state},
          {"maps", tasks_json(job.maps)},
          {"reduces", tasks_json(job.reduces)},
          {"groups", std::move(groups)},
          {"submitted_at_ms", job.submitted_at_ms},
          {"started_at_ms", or_null(job.started_at_ms)},
          {"finished_at_ms", or_null(job.finished_at_ms)},
          {"now_ms", or_null(job.now_ms)},
          {"reason", or_null(job.reason)},
          {"pool", or_null(job.pool)},
          {"time_limit_ms", or_null(job.time_limit_ms)},
          {"deadline_ms", or_null(job.deadline_ms)},
          {"output", job.output},
          {"diagnostics", or_null(job.diagnostics)},
          {"counters", or_null(job.counters)},
          {"status", or_null(job.status)},
          {"from_history", job.from_history}};
}

Json to_json(const SubmittedView& submitted) {
  return {{"job", job_name(submitted.job)},
          {"number", submitted.job.value},
          {"queue", submitted.queue},
          {"version", submitted.version},
          {"warnings", submitted.warnings}};
}

Json to_json(const ExplanationView& explanation) {
  Json reasons = Json::array();
  for (const auto& reason : explanation.reasons) {
    reasons.push_back({{"code", reason.code},
                       {"message", reason.message},
                       {"numbers", Json(reason.numbers)}});
  }
  return {{"job", job_name(explanation.job.id)},
          {"number", explanation.job.id.value},
          {"reasons", reasons},
          {"status", to_json(explanation.job)}};
}

Json to_json(const AttemptView& attempt) {
  return {{"attempt", attempt_name(attempt.id)},
          {"job_number", attempt.id.task.job.value},
          {"kind", name(attempt.id.task.kind)},
          {"index", attempt.id.task.index},
          {"number", attempt.id.attempt},
          {"state", attempt.state},
          {"tracker", attempt.tracker},
          {"progress_millionths", attempt.progress_millionths},
          {"speculative", attempt.speculative},
          {"launched_at_ms", attempt.launched_at_ms},
          {"ran_ms", or_null(attempt.ran_ms)},
          {"ended_at_ms", or_null(attempt.ended_at_ms)},
          {"diagnostics", or_null(attempt.diagnostics)},
          {"log_host", or_null(attempt.log_host)},
          {"log_port", or_null(attempt.log_port)}};
}

}  // namespace weir
