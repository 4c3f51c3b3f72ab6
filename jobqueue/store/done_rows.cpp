#include "jobqueue/store/done_rows.h"

#include <algorithm>

#include "jobqueue/store/counters_text.h"

namespace weir {
namespace {

// A statement of that many rows costs half of that many statements; more of them save nothing.
constexpr std::size_t kRows = 32;

std::string insert_rows(std::size_t rows) {
  std::string sql =
      "INSERT OR REPLACE INTO task_done (job, kind, task, attempt, tracker, incarnation, counters,"
      " launched_at, ended_at) VALUES ";
  for (std::size_t i = 0; i < rows; ++i)
    sql += i == 0 ? "(?, ?, ?, ?, ?, ?, ?, ?, ?)" : ", (?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return sql;
}

}  // namespace

DoneRows::DoneRows(Database& database)
    : unfinished_(database, "SELECT 1 FROM jobs WHERE id = ? AND state < 2"),
      insert_one_(database, insert_rows(1)),
      insert_many_(database, insert_rows(kRows)) {}

void DoneRows::add(const TaskSucceeded& fact, TimeMs at) {
  Row& row = rows_.emplace_back(Row{&fact, at, {}});
  if (fact.counters) row.counters = encode_counters(*fact.counters);
}

void DoneRows::write() {
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return a.fact->attempt.task < b.fact->attempt.task;
  });
  std::optional<JobId> asked;
  bool wanted = false;
  std::erase_if(rows_, [&](const Row& row) {
    const JobId job = row.fact->attempt.task.job;
    if (job != asked) wanted = unfinished(job);
    asked = job;
    return !wanted;
  });
  insert(rows_);
  rows_.clear();
}

bool DoneRows::unfinished(JobId job) {
  unfinished_.start(job.value);
  const bool found = unfinished_.row();
  unfinished_.reset();
  return found;
}

void DoneRows::insert(std::span<const Row> rows) {
  for (; rows.size() >= kRows; rows = rows.subspan(kRows)) insert(insert_many_, rows.first(kRows));
  for (; !rows.empty(); rows = rows.subspan(1)) insert(insert_one_, rows.first(1));
}

void DoneRows::insert(Statement& statement, std::span<const Row> rows) {
  int place = 0;
  for (const Row& row : rows) {
    const TaskSucceeded& fact = *row.fact;
    const TaskKey& task = fact.attempt.task;
    statement.put(++place, task.job.value);
    statement.put(++place, index(task.kind));
    statement.put(++place, task.index);
    statement.put(++place, fact.attempt.attempt);
    statement.put(++place, fact.tracker);
    statement.put(++place, fact.incarnation);
    statement.put(++place, row.counters);
    statement.put(++place, fact.launched_at);
    statement.put(++place, row.at);
  }
  statement.row();
  statement.reset();
}

}  // namespace weir
