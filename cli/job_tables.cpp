#include "cli/job_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "cli/format.h"
#include "jobqueue/model/counted.h"

namespace weir::cli {
namespace {

std::string done_of(const JobView::Tasks& tasks) {
  return fmt::format("{}/{}", tasks.succeeded, tasks.total);
}

// An application has no maps and reduces.
std::string done_of_kind(const JobView& job, const JobView::Tasks& tasks) {
  return job.groups.empty() ? done_of(tasks) : "-";
}

bool any_application(const std::vector<JobView>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(),
                     [](const JobView& job) { return !job.groups.empty(); });
}

bool all_applications(const std::vector<JobView>& jobs) {
  return !jobs.empty() && std::none_of(jobs.begin(), jobs.end(),
                                       [](const JobView& job) { return job.groups.empty(); });
}

std::string counts_line(const JobView::Tasks& tasks) {
  std::string line =
      fmt::format("{} of {} done ({}), {} running, {} pending", tasks.succeeded, tasks.total,
                  percent(tasks.progress_millionths), tasks.running, tasks.pending);
  if (tasks.copying > 0) line += fmt::format(", {} copying", *tasks.copying);
  if (tasks.copied > 0) line += fmt::format(", {} copied and waiting for a slot", *tasks.copied);
  if (tasks.speculative > 0) {
    line += fmt::format(", {} ({} won)", counted(*tasks.speculative, "speculative attempt"),
                        tasks.speculative_won.value_or(0));
  }
  if (tasks.failed_attempts > 0) line += ", " + counted(tasks.failed_attempts, "failed attempt");
  if (tasks.killed_attempts > 0) line += ", " + counted(tasks.killed_attempts, "killed attempt");
  return line;
}

std::string time_or_none(const std::optional<std::int64_t>& at_ms) {
  return at_ms ? local_time(*at_ms) : "-";
}

// Every column that a list of jobs can have.
struct JobColumn {
  std::string_view name;
  bool right;
  std::size_t least_width;
  std::string (*cell)(const JobView&);
};
const JobColumn kJobColumns[] = {
    {"JOB", false, 0, [](const JobView& job) { return job_name(job.id); }},
    {"NAME", false, 10, [](const JobView& job) { return job.name; }},
    {"USER", false, 6, [](const JobView& job) { return job.user; }},
    {"QUEUE", false, 10, [](const JobView& job) { return job.queue; }},
    {"POOL", false, 8, [](const JobView& job) { return job.pool.value_or("-"); }},
    {"PRIORITY", false, 0, [](const JobView& job) { return job.priority; }},
    {"STATE", false, 0, [](const JobView& job) { return job.state; }},
    {"MAPS", true, 0, [](const JobView& job) { return done_of_kind(job, job.maps); }},
    {"REDUCES", true, 0, [](const JobView& job) { return done_of_kind(job, job.reduces); }},
    {"TASKS", true, 0, [](const JobView& job) { return done_of(job.all_tasks()); }},
    {"RUN", true, 0,
     [](const JobView& job) { return std::to_string(job.all_tasks().running); }},
    {"FAILED", true, 0,
     [](const JobView& job) { return std::to_string(job.all_tasks().failed_attempts); }},
    {"KILLED", true, 0,
     [](const JobView& job) { return std::to_string(job.all_tasks().killed_attempts); }},
    {"SUBMITTED", false, 0, [](const JobView& job) { return local_time(job.submitted_at_ms); }},
    {"STARTED", false, 0, [](const JobView& job) { return time_or_none(job.started_at_ms); }},
    {"FINISHED", false, 0, [](const JobView& job) { return time_or_none(job.finished_at_ms); }},
    {"TOOK", true, 0,
     [](const JobView& job) {
       return job.finished_at_ms ? short_duration(*job.finished_at_ms - job.submitted_at_ms)
                                 : std::string("-");
     }},
    {"OUTPUT", false, 16, [](const JobView& job) { return job.output; }},
    {"REASON", false, 16, [](const JobView& job) { return job.reason.value_or(""); }}};

const JobColumn* job_column(std::string_view name) {
  const auto* found = std::find_if(std::begin(kJobColumns), std::end(kJobColumns),
                                   [name](const JobColumn& each) { return each.name == name; });
  return found == std::end(kJobColumns) ? nullptr : found;
}

// A column by its name, and when it gives way (TableColumn::rank).
struct Chosen {
  std::string_view name;
  int rank = 0;
};

Table table_of(const std::vector<JobView>& jobs, const std::vector<Chosen>& chosen) {
  std::vector<const JobColumn*> columns;
  std::vector<TableColumn> headers;
  for (const Chosen& each : chosen) {
    const JobColumn* column = job_column(each.name);
    columns.push_back(column);
    headers.push_back({std::string(column->name), column->right, column->least_width, each.rank});
  }
  Table table(std::move(headers));
  for (const JobView& job : jobs) {
    std::vector<std::string> cells;
    for (const JobColumn* column : columns) cells.push_back(column->cell(job));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

Table job_table(const std::vector<JobView>& jobs) {
  const bool pools = std::any_of(jobs.begin(), jobs.end(), [](const JobView& job) {
    return job.pool && job.pool != job.queue;
  });
  const bool reasons = std::any_of(jobs.begin(), jobs.end(), [](const JobView& job) {
    return job.reason.has_value();
  });
  std::vector<Chosen> chosen = {{"JOB"}, {"NAME"}, {"USER", 3}, {"QUEUE", 2}};
  if (pools) chosen.push_back({"POOL", 2});
  chosen.insert(chosen.end(), {{"PRIORITY", 5}, {"STATE"}});
  if (any_application(jobs)) chosen.push_back({"TASKS"});
  if (!all_applications(jobs)) chosen.insert(chosen.end(), {{"MAPS"}, {"REDUCES"}});
  chosen.insert(chosen.end(), {{"RUN", 4}, {"SUBMITTED", 6}});
  if (reasons) chosen.push_back({"REASON", 1});
  return table_of(jobs, chosen);
}

Table history_table(const std::vector<JobView>& jobs) {
  std::vector<Chosen> chosen = {{"JOB"}, {"NAME"}, {"USER", 4}, {"QUEUE", 3}, {"STATE"}};
  if (any_application(jobs)) chosen.push_back({"TASKS"});
  if (!all_applications(jobs)) chosen.insert(chosen.end(), {{"MAPS"}, {"REDUCES"}});
  chosen.insert(chosen.end(), {{"FAILED", 5}, {"KILLED", 6}, {"FINISHED", 2}, {"TOOK", 1}});
  return table_of(jobs, chosen);
}

std::vector<std::string_view> job_column_names() {
  std::vector<std::string_view> names;
  for (const JobColumn& column : kJobColumns) names.push_back(column.name);
  return names;
}

Table job_table(const std::vector<JobView>& jobs, const std::vector<std::string_view>& names) {
  std::vector<Chosen> chosen;
  for (const std::string_view name : names) chosen.push_back({name});
  return table_of(jobs, chosen);
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
      {"state", job.state}};
  if (job.groups.empty()) {
    lines.emplace_back("maps", counts_line(job.maps));
    lines.emplace_back("reduces", counts_line(job.reduces));
  }
  for (const JobView::Group& group : job.groups)
    lines.emplace_back("group " + group.name, counts_line(group.tasks));
  lines.emplace_back("submitted", local_time(job.submitted_at_ms));
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
  if (!job.output.empty()) lines.emplace_back("output", job.output);
  if (job.status && !job.status->empty()) lines.emplace_back("status", *job.status);
  if (job.diagnostics && !job.diagnostics->empty())
    lines.emplace_back("diagnostics", printable_line(*job.diagnostics));
  return property_lines(lines);
}

}  // namespace weir::cli
