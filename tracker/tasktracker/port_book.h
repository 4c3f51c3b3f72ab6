// The ports that a tracker gives to tasks of applications: of a range that its administrator set
// aside, each to one attempt at a time. One where somebody listens is passed over; the one that was
// free for longest comes first, so that what is left of an ended task is least in the way. Belongs
// to the agent's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "conf/daemon_settings.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/result.h"

namespace weir::tasktracker {

// Nobody listens there, on any address.
bool is_free_port(std::uint16_t port);

class PortBook {
 public:
  PortBook() = default;
  explicit PortBook(const PortRange& range);

  // None, if there are not enough.
  Result<std::vector<std::uint16_t>> take(const AttemptKey& attempt, std::uint32_t count);
  void give_back(const AttemptKey& attempt);

 private:
  std::deque<std::uint16_t> free_;
  std::map<AttemptKey, std::vector<std::uint16_t>> taken_;
};

}  // namespace weir::tasktracker
