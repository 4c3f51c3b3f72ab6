// What trackers say and what they are answered, there and back: the JobTracker reads reports and
// writes orders, a tracker the other way round. What a tracker says is checked (numbers in range,
// enums known, names usable) and trimmed where it is only for people to read (diagnostics, status
// lines, counters), because a report that carries a finished task must not be lost for the sake of
// a long message. What the JobTracker says is taken as it is. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <memory>

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
  static constexpr std::size_t kNamed = 100;  // resources that a tracker offers by name
  static constexpr std::size_t kUnits = 1000;  // of one of them that an attempt has
  static constexpr std::size_t kLabels = 1000;
  static constexpr std::size_t kProtectionBytes = 500;
};

wire::Registration to_wire(const RegisterTracker& registration);
wire::Heartbeat to_wire(const Heartbeat& report);
wire::AttemptStatus to_wire(const AttemptReport& report);

Result<RegisterTracker> from_wire(const wire::Registration& registration);
Result<Heartbeat> from_wire(const wire::Heartbeat& report);
Result<AttemptReport> from_wire(const wire::AttemptStatus& status);  // its texts untrimmed

wire::RegistrationReply to_wire(const Registered& reply);
wire::HeartbeatReply to_wire(const HeartbeatReply& reply);
wire::JobDescription to_wire(const JobDescription& reply);
wire::MapOutputs to_wire(const MapOutputs& reply);
wire::Peers to_wire(const GangPeers& reply);

wire::Grant to_wire(const Grant& grant);
std::shared_ptr<const Grant> from_wire(const wire::Grant& grant);

Registered from_wire(const wire::RegistrationReply& reply);
HeartbeatReply from_wire(const wire::HeartbeatReply& reply);
// Its spec without splits, which the launches carry, but with their number (maps_were).
Result<JobDescription> from_wire(const wire::JobDescription& reply);
MapOutputs from_wire(const wire::MapOutputs& reply);
GangPeers from_wire(const wire::Peers& reply);

}  // namespace weir
