// Splits of jobs that are too large for one frame, gathered until the job is submitted. Bounded in
// number and bytes, of each user, of each address (no more than it leaves for others, the rule of
// ByteBudget: users can be invented) and in all, and in splits each; dropped when nobody has added
// to them for ten minutes, so that clients that go away half-way cost little and not for long, and
// nobody keeps others from theirs. An upload is its user's: its id cannot be guessed, and it is
// used up by the first submit of this user that names it. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common_types.h"
#include "jobqueue/model/result.h"

namespace weir {

class Uploads {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::size_t uploads = 64;
    std::size_t bytes = 512u << 20;  // of all uploads, as they lie in memory
    std::size_t uploads_of_user = 8;
    std::size_t bytes_of_user = 256u << 20;
    std::chrono::minutes idle{10};
  };

  Uploads() : Uploads(Limits{}) {}
  explicit Uploads(Limits limits);

  Result<std::string> begin(const std::string& user, const std::string& address,
                            Clock::time_point now);
  Status append(const std::string& id, const std::vector<wire::Split>& splits,
                Clock::time_point now);
  Result<std::vector<wire::Split>> take(const std::string& user, const std::string& id,
                                        Clock::time_point now);

 private:
  struct Upload {
    std::string user, address;
    std::vector<wire::Split> splits;
    std::size_t bytes = 0;
    Clock::time_point last_used;
  };
  struct Held {
    std::size_t uploads = 0;
    std::size_t bytes = 0;
  };
  // Of the uploads whose `who` (user or address) is this one.
  Held held_by(std::string Upload::* who, const std::string& name) const;
  void drop_idle(Clock::time_point now);
  Error unknown(const std::string& id) const;

  const Limits limits_;
  std::mutex mutex_;
  std::map<std::string, Upload> uploads_;
  std::size_t bytes_ = 0;
};

}  // namespace weir
