#include "jobqueue/store/asked_rows.h"

namespace weir {

constexpr std::int64_t kRowsPerBatch = 100;

AskedRows::AskedRows(Database& database, std::int64_t bytes_at_most)
    : bytes_at_most_(bytes_at_most),
      put_(database, "INSERT OR REPLACE INTO asked (job, bytes, spec) VALUES (?, ?, ?)"),
      remove_(database, "DELETE FROM asked WHERE job = ? RETURNING bytes"),
      sum_(database, "SELECT ifnull(sum(bytes), 0) FROM asked"),
      remove_oldest_(database,
                     "DELETE FROM asked WHERE job IN (SELECT a.job FROM asked a WHERE EXISTS"
                     " (SELECT 1 FROM history h WHERE h.id = a.job) ORDER BY a.job LIMIT ?)"
                     " RETURNING bytes") {}

void AskedRows::put(std::int64_t job, const std::string& spec) {
  put_.run(job, static_cast<std::int64_t>(spec.size()), spec);
  if (bytes_) *bytes_ += static_cast<std::int64_t>(spec.size());
}

void AskedRows::remove(std::int64_t job) {
  remove_.start(job);
  take_off(remove_);
}

bool AskedRows::bound() {
  if (!bytes_) {
    sum_.start();
    bytes_ = sum_.row() ? sum_.integer(0) : 0;
    sum_.reset();
  }
  if (*bytes_ <= bytes_at_most_) return false;
  const std::int64_t before = *bytes_;
  remove_oldest_.start(kRowsPerBatch);
  take_off(remove_oldest_);
  return *bytes_ > bytes_at_most_ && *bytes_ < before;
}

void AskedRows::take_off(Statement& deleted) {
  while (deleted.row()) {
    if (bytes_) *bytes_ -= deleted.integer(0);
  }
  deleted.reset();
}

}  // namespace weir
