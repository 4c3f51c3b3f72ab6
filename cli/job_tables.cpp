#include "cli/job_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/format.h"

namespace weir::cli {
namespace {

std::string done_of(const JobView::Tasks& tasks) {
  return fmt::format("{}/{}", tasks.succeeded, tasks.total);
}

std::string counts_line(const JobView::Tasks& tasks) {
  std::string line =
      fmt::format("{} of {} done ({}), {} running, {} pending", tasks.succeeded, tasks.total,
                  percent(tasks.progress_millionths), tasks.running, tasks.pending);
  if (tasks.copying > 0) line += fmt::format(", {} copying", *tasks.copying);
  if (tasks.copied > 0) line += fmt::format(", {} copied and waiting for a slot", *tasks.copied);
  if (tasks.speculative > 0) {
    line += fmt::format(", {} speculative attempts ({} won)", *tasks.speculative,
                        tasks.speculative_won.value_or(0));
  }
  if (tasks.failed_attempts > 0) line += fmt::format(", {} failed attempts", tasks.failed_attempts);
  if (tasks.killed_attempts > 0) line += fmt::format(", {} killed attempts", tasks.killed_attempts);
  return line;
}

}  // namespace

Table job_table(const std::vector<JobView>& jobs) {
  const bool pools = std::any_of(jobs.begin(), jobs.end(), [](const JobView& job) {
    return job.pool && job.pool != job.queue;
  });
  const bool reasons = std::any_of(jobs.begin(), jobs.end(), [](const JobView& job) {
    return job.reason.has_value();
  });
  std::vector<TableColumn> columns = {{"JOB"},
                                      {.header = "NAME", .least_width = 10},
                                      {.header = "USER", .least_width = 6, .rank = 3},
                                      {.header = "QUEUE", .least_width = 10, .rank = 2}};
  if (pools) columns.push_back({.header = "POOL", .least_width = 8, .rank = 2});
  columns.insert(columns.end(), {{.header = "PRIORITY", .rank = 5},
                                 {"STATE"},
                                 {.header = "MAPS", .right = true},
                                 {.header = "REDUCES", .right = true},
                                 {.header = "RUN", .right = true, .rank = 4},
                                 {.header = "SUBMITTED", .rank = 6}});
  if (reasons) columns.push_back({.header = "REASON", .least_width = 16, .rank = 1});
  Table table(std::move(columns));
  for (const auto& job : jobs) {
    std::vector<std::string> cells = {job_name(job.id), job.name, job.user, job.queue};
    if (pools) cells.push_back(job.pool.value_or("-"));
    cells.insert(cells.end(), {job.priority, job.state, done_of(job.maps), done_of(job.reduces),
                               std::to_string(job.maps.running + job.reduces.running),
                               local_time(job.submitted_at_ms)});
    if (reasons) cells.push_back(job.reason.value_or(""));
    table.add(std::move(cells));
  }
  return table;
}

Table history_table(const std::vector<JobView>& jobs) {
  Table table({{"JOB"},
               {.header = "NAME", .least_width = 10},
               {.header = "USER", .least_width = 6, .rank = 4},
               {.header = "QUEUE", .least_width = 10, .rank = 3},
               {"STATE"},
               {.header = "MAPS", .right = true},
               {.header = "REDUCES", .right = true},
               {.header = "FAILED", .right = true, .rank = 5},
               {.header = "KILLED", .right = true, .rank = 6},
               {.header = "FINISHED", .rank = 2},
               {.header = "TOOK", .right = true, .rank = 1}});
  for (const auto& job : jobs) {
    const std::int64_t finished = job.finished_at_ms.value_or(0);
    table.add({job_name(job.id), job.name, job.user, job.queue, job.state, done_of(job.maps),
               done_of(job.reduces),
               std::to_string(job.maps.failed_attempts + job.reduces.failed_attempts),
               std::to_string(job.maps.killed_attempts + job.reduces.killed_attempts),
               local_time(finished), short_duration(finished - job.submitted_at_ms)});
  }
  return table;
}

Table attempt_table(const std::vector<AttemptView>& attempts) {
  Table table({{"ATTEMPT"},
               {"STATE"},
               {.header = "TRACKER", .least_width = 8, .rank = 1},
               {.header = "DONE", .right = true, .rank = 2},
               {.header = "TOOK", .right = true, .rank = 3},
               {.header = "WHY", .least_width = 10}});
  for (const auto& attempt : attempts) {
    const std::string took = attempt.ran_ms ? short_duration(*attempt.ran_ms) : "-";
    table.add({attempt_name(attempt.id), attempt.state, attempt.tracker,
               percent(attempt.progress_millionths), took,
               attempt.diagnostics ? printable_line(*attempt.diagnostics)
               : attempt.speculative ? "speculative"
                                     : ""});
  }
  return table;
}

std::string job_details(const JobView& job) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"job", job_name(job.id)},
      {"name", job.name},
      {"user", job.user},
      {"queue", job.pool && job.pool != job.queue
                    ? fmt::format("{} (pool {})", job.queue, *job.pool)
                    : job.queue},
      {"priority", job.priority},
      {"state", job.state},
      {"maps", counts_line(job.maps)},
      {"reduces", counts_line(job.reduces)},
      {"submitted", local_time(job.submitted_at_ms)}};
  if (job.started_at_ms) {
    lines.emplace_back("started",
                       fmt::format("{} (after {})", local_time(*job.started_at_ms),
                                   short_duration(*job.started_at_ms - job.submitted_at_ms)));
  }
  if (job.time_limit_ms) {
    const bool running = job.deadline_ms && !job.finished_at_ms;
    lines.emplace_back("time limit",
                       short_duration(*job.time_limit_ms) +
                           (running ? ", until " + local_time(*job.deadline_ms) : ""));
  }
  if (job.finished_at_ms) {
    lines.emplace_back("finished",
                       fmt::format("{} (after {})", local_time(*job.finished_at_ms),
                                   short_duration(*job.finished_at_ms - job.submitted_at_ms)));
  }
  lines.emplace_back("output", job.output);
  if (job.status && !job.status->empty()) lines.emplace_back("status", *job.status);
  if (job.diagnostics && !job.diagnostics->empty())
    lines.emplace_back("diagnostics", printable_line(*job.diagnostics));
  return property_lines(lines);
}

}  // namespace weir::cli
