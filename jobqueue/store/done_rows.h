// The rows of tasks that are done, of one transaction: gathered, put in the order of their keys and
// written many a statement. In the order in which they came each row would be a descent of its own
// into another part of the table, and a statement of its own; sorted, a job's rows lie side by
// side, and whether the job is unfinished, without which nothing is written, is asked once. Of two
// rows of one task the later stays. What is written in between and depends on these
// rows (a task that runs again, a job's end) calls write() first. One thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jobqueue/model/event.h"
#include "jobqueue/store/statement.h"

namespace weir {

class DoneRows {
 public:
  explicit DoneRows(Database& database);

  // The fact must live until the next write() or clear().
  void add(const TaskSucceeded& fact, TimeMs at);
  void write();
  void clear() { rows_.clear(); }

 private:
  struct Row {
    const TaskSucceeded* fact = nullptr;
    TimeMs at = 0;
    std::optional<std::string> counters;
  };
  bool unfinished(JobId job);
  void insert(std::span<const Row> rows);
  void insert(Statement& statement, std::span<const Row> rows);

  Statement unfinished_, insert_one_, insert_many_;
  std::vector<Row> rows_;
};

}  // namespace weir
