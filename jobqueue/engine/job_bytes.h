// The memory that descriptions of jobs hold: in all, and for each user. A description counts from
// its submission until the job is over and its splits and texts are dropped. Submissions beyond the
// limits are refused; what a restart brings back counts, and is never refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"

namespace weir {

class JobBytes {
 public:
  // Whether a description of so many bytes may come.
  Status check(const std::string& user, std::int64_t bytes, const JobBytesSettings& limits) const;
  void add(const std::string& user, std::int64_t bytes);
  void remove(const std::string& user, std::int64_t bytes);

  std::int64_t in_all() const { return in_all_; }
  std::int64_t of(const std::string& user) const;

 private:
  std::int64_t in_all_ = 0;
  std::map<std::string, std::int64_t> by_user_;  // of those who have any
};

}  // namespace weir
