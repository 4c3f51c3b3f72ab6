// What jobs were submitted with, for people: a row each of what asked() leaves of it, from the
// submission until the record of the job goes. All rows together are bounded by bytes: beyond,
// those of jobs that are over go, oldest submission first. Belongs to the store's own connection
// and runs within its transactions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobqueue/store/statement.h"

namespace weir {

class AskedRows {
 public:
  static constexpr std::int64_t kBytesAtMost = 256 << 20;

  explicit AskedRows(Database& database, std::int64_t bytes_at_most = kBytesAtMost);
  void put(std::int64_t job, const std::string& spec);
  void remove(std::int64_t job);
  // One batch; true: there is more.
  bool bound();

 private:
  void take_off(Statement& deleted);

  const std::int64_t bytes_at_most_;
  std::optional<std::int64_t> bytes_;  // of all rows; none: not counted yet
  Statement put_, remove_, sum_, remove_oldest_;
};

}  // namespace weir
