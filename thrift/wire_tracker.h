// The trackers' side of the wire: reports in, orders out, and the same the other way round for
// those who play a tracker. What comes in is checked (numbers in range, enums known, names usable)
// and trimmed where it is only for people to read (diagnostics, status lines, counters), because a
// report that carries a finished task must not be lost for the sake of a long message. Pure
// functions, any thread.
#pragma once

#include <cstddef>

#include "jobqueue/model/input.h"
#include "jobqueue/model/result.h"
#include "tracker_types.h"

namespace weir {

struct ReportLimits {
  static constexpr std::size_t kDiagnosticsBytes = 4096;
  static constexpr std::size_t kStatusBytes = 512;
  static constexpr std::size_t kCounters = 500;  // of one attempt, in all groups
  static constexpr std::size_t kCounterNameBytes = 256;
  static constexpr std::size_t kLocalPaths = 1000;
  static constexpr std::size_t kProtections = 20;
  static constexpr std::size_t kProtectionBytes = 500;
};

Result<RegisterTracker> from_wire(const wire::Registration& registration);
Result<Heartbeat> from_wire(const wire::Heartbeat& report);

wire::RegistrationReply to_wire(const Registered& reply);
wire::HeartbeatReply to_wire(const HeartbeatReply& reply);
wire::JobDescription to_wire(const JobDescription& reply);
wire::MapOutputs to_wire(const MapOutputs& reply);

wire::Registration to_wire(const RegisterTracker& registration);
wire::Heartbeat to_wire(const Heartbeat& report);

}  // namespace weir
