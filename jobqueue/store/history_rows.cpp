#include "jobqueue/store/history_rows.h"

#include <algorithm>

#include "jobqueue/store/counters_text.h"

namespace weir {

std::uint32_t count(Statement& row, int column) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer(column), 0, UINT32_MAX));
}

JobRecord record_of(Statement& row) {
  JobRecord out;
  out.job = JobId(static_cast<std::size_t>(row.integer(0)));
  out.name = row.bytes(1);
  out.user = row.bytes(2);
  out.queue = row.bytes(3);
  out.output = row.bytes(4);
  out.priority = static_cast<Priority>(
      std::clamp<std::int64_t>(row.integer(5), 0, static_cast<int>(Priority::kVeryLow)));
  out.state = static_cast<JobState>(
      std::clamp<std::int64_t>(row.integer(6), 0, static_cast<int>(JobState::kKilled)));
  out.submitted_at = row.integer(7);
  out.started_at = row.integer(8);
  out.finished_at = row.integer(9);
  for (const TaskKind kind : kTaskKinds) {
    const int first = 10 + 4 * static_cast<int>(index(kind));
    out.tasks[index(kind)] = {count(row, first), count(row, first + 1), count(row, first + 2),
                              count(row, first + 3)};
  }
  out.diagnostics = row.bytes(18);
  return out;
}

void add_groups(Statement& groups, JobRecord& record) {
  if (record.tasks[0].total + record.tasks[1].total > 0) return;
  groups.start(record.job.value);
  while (groups.row()) {
    record.groups.push_back({std::string(groups.bytes(0)),
                             {count(groups, 1), count(groups, 2), count(groups, 3),
                              count(groups, 4)}});
  }
  groups.reset();
}

std::optional<JobRecord> whole_record(Statement& find, Statement& groups, JobId job) {
  std::optional<JobRecord> out;
  find.start(job.value);
  if (find.row()) {
    out = record_of(find);
    out->counters = decode_counters(find.bytes(19)).value_or(Counters{});
    out->whole = !find.is_null(20);
    out->submission = find.bytes(20);
    out->time_limit_ms = find.integer(21);
  }
  find.reset();
  if (out) add_groups(groups, *out);
  return out;
}

std::shared_ptr<const JobSpec> brief_of(const JobRecord& record) {
  auto out = std::make_shared<JobSpec>();
  out->name = record.name;
  out->user = record.user;
  out->queue = record.queue;
  out->submission = record.submission;
  out->priority = record.priority;
  out->output = record.output;
  out->reduces = record.tasks[index(TaskKind::kReduce)].total;
  out->maps_were = record.tasks[index(TaskKind::kMap)].total;
  out->time_limit_ms = record.time_limit_ms;
  for (const JobRecord::Group& group : record.groups) {
    TaskGroupSpec& kept = out->task_groups.emplace_back();
    kept.name = group.name;
    kept.count = group.tasks.total;
  }
  return out;
}

}  // namespace weir
