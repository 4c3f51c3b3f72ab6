// A TaskTracker on the wire that runs nothing: it holds what it was told to launch, says that the
// oldest of it are done, and forgets what was acknowledged. Its report is changed in place. One
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tracker_types.h"

namespace weir::bench {

class WireTracker {
 public:
  WireTracker(const std::string& name, std::uint32_t map_slots);

  wire::Registration registration() const;
  // The next report, in which the `finishes` oldest running attempts have succeeded.
  const wire::Heartbeat& report(std::uint32_t finishes);
  // Takes on what the reply says; how many launches of it were new.
  std::size_t obey(const wire::HeartbeatReply& reply);
  // As many as it has slots, of nobody's job: for a server that does not schedule.
  void fill();
  std::size_t held() const { return report_.attempts.size(); }
  const std::string& name() const { return report_.name; }

 private:
  void start(const wire::AttemptId& id);
  bool holds(const wire::AttemptId& id) const;

  const std::uint32_t map_slots_;
  wire::Heartbeat report_;
};

}  // namespace weir::bench
