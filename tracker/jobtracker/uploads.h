// Splits of jobs that are too large for one frame, gathered until the job is submitted. Bounded in
// number, in splits each and in bytes all together, and dropped when nobody has added to them for
// ten minutes, so that clients that go away half-way cost little and not for long. An upload is
// used up by the first submit that names it. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common_types.h"
#include "jobqueue/result.h"

namespace weir {

class Uploads {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::size_t uploads = 64;
    std::size_t bytes = 256u << 20;  // of all uploads, as they lie in memory
    std::chrono::minutes idle{10};
  };

  Uploads() : Uploads(Limits{}) {}
  explicit Uploads(Limits limits);

  Result<std::string> begin(Clock::time_point now);
  Status append(const std::string& id, const std::vector<wire::Split>& splits,
                Clock::time_point now);
  Result<std::vector<wire::Split>> take(const std::string& id, Clock::time_point now);

 private:
  struct Upload {
    std::vector<wire::Split> splits;
    std::size_t bytes = 0;
    Clock::time_point last_used;
  };
  void drop_idle(Clock::time_point now);
  Error unknown(const std::string& id) const;

  const Limits limits_;
  std::mutex mutex_;
  std::map<std::string, Upload> uploads_;
  std::size_t bytes_ = 0;
  std::uint64_t next_ = 1;
  std::uint64_t
      salt_;  // so that an id of an earlier start of the JobTracker is not mistaken for one of this
};

}  // namespace weir
