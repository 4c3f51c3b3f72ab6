#include "bench/wire/wire_tracker.h"

#include <algorithm>

namespace weir::bench {

WireTracker::WireTracker(const std::string& name, std::uint32_t map_slots) : map_slots_(map_slots) {
  report_.name = name;
  report_.incarnation = 1;
}

wire::Registration WireTracker::registration() const {
  wire::Registration registration;
  registration.name = report_.name;
  registration.incarnation = report_.incarnation;
  registration.host = "127.0.0.1";
  registration.shuffle_port = 1;
  registration.total.__set_map_slots(map_slots_);
  registration.total.__set_reduce_slots(0);
  return registration;
}

const wire::Heartbeat& WireTracker::report(std::uint32_t finishes) {
  ++report_.sequence;
  for (wire::AttemptStatus& attempt : report_.attempts) {
    if (finishes == 0) break;
    if (attempt.state != wire::AttemptState::RUNNING) continue;
    attempt.state = wire::AttemptState::SUCCEEDED;
    attempt.progress_millionths = 1'000'000;
    --finishes;
  }
  return report_;
}

bool WireTracker::holds(const wire::AttemptId& id) const {
  return std::any_of(report_.attempts.begin(), report_.attempts.end(),
                     [&](const wire::AttemptStatus& attempt) { return attempt.id == id; });
}

void WireTracker::start(const wire::AttemptId& id) {
  wire::AttemptStatus& attempt = report_.attempts.emplace_back();
  attempt.id = id;
  attempt.state = wire::AttemptState::RUNNING;
  attempt.progress_millionths = 500'000;
  attempt.phase = wire::TaskPhase::MAP;
}

std::size_t WireTracker::obey(const wire::HeartbeatReply& reply) {
  std::erase_if(report_.attempts, [&](const wire::AttemptStatus& attempt) {
    return attempt.state != wire::AttemptState::RUNNING &&
           std::find(reply.acknowledged.begin(), reply.acknowledged.end(), attempt.id) !=
               reply.acknowledged.end();
  });
  for (const wire::AttemptId& id : reply.kill) {
    for (wire::AttemptStatus& attempt : report_.attempts) {
      if (attempt.id == id && attempt.state == wire::AttemptState::RUNNING)
        attempt.state = wire::AttemptState::KILLED;
    }
  }
  std::size_t launched = 0;
  for (const wire::Launch& launch : reply.launch) {
    if (holds(launch.id)) continue;  // until a report contains it, it is repeated
    start(launch.id);
    ++launched;
  }
  return launched;
}

void WireTracker::fill() {
  wire::AttemptId id;
  id.job = 1;
  for (std::uint32_t slot = 0; slot < map_slots_; ++slot) {
    id.index = static_cast<std::int32_t>(slot);
    start(id);
  }
}

}  // namespace weir::bench
