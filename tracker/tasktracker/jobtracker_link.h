// The calls a tracker makes to its JobTracker, as an interface so that tests can play the
// JobTracker. A refusal is the JobTracker's own Error; not reaching the JobTracker is kInternal.
// Calls block and come from one thread; close() may come from another and makes a waiting call
// fail.
#pragma once

#include <memory>
#include <string>

#include "jobqueue/model/input.h"

namespace weir::tasktracker {

class JobTrackerLink {
 public:
  virtual ~JobTrackerLink() = default;
  virtual Result<Registered> register_tracker(const RegisterTracker& registration) = 0;
  virtual Result<HeartbeatReply> heartbeat(const Heartbeat& report) = 0;
  virtual Result<JobDescription> job(JobId job) = 0;
  virtual Result<MapOutputs> map_outputs(JobId job, std::uint32_t first) = 0;
  virtual Result<GangPeers> gang_peers(JobId job, std::uint32_t first) = 0;
  virtual void close() = 0;
};

// Over Thrift: asks the client port (host:port as users know it) for the tracker port, then talks
// to that.
std::unique_ptr<JobTrackerLink> make_thrift_link(std::string host, std::uint16_t client_port);

}  // namespace weir::tasktracker
