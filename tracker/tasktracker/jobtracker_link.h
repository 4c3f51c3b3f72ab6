// The calls a tracker makes to its JobTracker, as an interface so that tests can play the
// JobTracker. A refusal carries the wire's code (jobqueue/model/result.h has the same numbers); not
// reaching the JobTracker is kInternal. Calls block and come from one thread; close() may come from
// another and makes a waiting call fail.
#pragma once

#include <memory>
#include <string>

#include "jobqueue/model/result.h"
#include "tracker_types.h"

namespace weir::tasktracker {

class JobTrackerLink {
 public:
  virtual ~JobTrackerLink() = default;
  virtual Result<wire::RegistrationReply> register_tracker(
      const wire::Registration& registration) = 0;
  virtual Result<wire::HeartbeatReply> heartbeat(const wire::Heartbeat& report) = 0;
  virtual Result<wire::JobDescription> job(std::int64_t job) = 0;
  virtual Result<wire::MapOutputs> map_outputs(std::int64_t job, std::int32_t first) = 0;
  virtual void close() = 0;
};

// Over Thrift: asks the client port (host:port as users know it) for the tracker port, then talks
// to that.
std::unique_ptr<JobTrackerLink> make_thrift_link(std::string host, std::uint16_t client_port);

}  // namespace weir::tasktracker
