// A JobTracker for one job and one tracker, behind the link interface: launches maps, then reduces,
// retries failures, grants commits one at a time, gives the final duty, and drops the job. Enough
// to run real jobs through a real agent.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tracker/tasktracker/jobtracker_link.h"

namespace weir::tasktracker {

class FakeJobTracker {
 public:
  explicit FakeJobTracker(wire::JobSpec spec, int slots = 2);

  // The link to hand to an agent; the FakeJobTracker outlives it.
  std::unique_ptr<JobTrackerLink> link();

  // Waits until the job is over and its duty done; "SUCCEEDED" or "FAILED: diagnostics".
  std::string wait();
  // Called with every report, under the lock: may change the reply.
  std::function<void(const wire::Heartbeat&, wire::HeartbeatReply&)> meddle;
  // The last full status of an attempt, and the sum of a counter over finished attempts.
  wire::AttemptStatus last(const std::string& attempt_name);
  std::int64_t counter(const std::string& group, const std::string& name);
  bool saw_state(const std::string& attempt_name, wire::AttemptState::type state);
  bool wait_for(const std::function<bool()>& condition);  // under the lock

 private:
  class Link;
  struct Task {
    wire::AttemptId id;
    bool launched = false, done = false, granted = false;
    int failures = 0;
  };

  wire::HeartbeatReply heartbeat(const wire::Heartbeat& report);
  void take_status(const wire::AttemptStatus& status, wire::HeartbeatReply& reply);
  Task& task_of(const wire::AttemptId& id);
  bool all_done(const std::vector<Task>& tasks) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  wire::JobSpec spec_;
  int slots_;
  wire::Registration registration_;
  std::vector<Task> maps_, reduces_;
  std::vector<wire::MapOutput> outputs_;
  std::map<std::string, wire::AttemptStatus> statuses_;
  std::map<std::string, std::vector<wire::AttemptState::type>> states_;
  std::string verdict_;
  bool duty_done_ = false;
};

}  // namespace weir::tasktracker
