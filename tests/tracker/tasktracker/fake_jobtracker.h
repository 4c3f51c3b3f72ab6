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
  explicit FakeJobTracker(JobSpec spec, int slots = 2);

  // The link to hand to an agent; the FakeJobTracker outlives it.
  std::unique_ptr<JobTrackerLink> link();

  // Waits until the job is over and its duty done; "SUCCEEDED" or "FAILED: diagnostics".
  std::string wait();
  // Called with every report, under the lock: may change the reply.
  std::function<void(const Heartbeat&, HeartbeatReply&)> meddle;
  // The last report of an attempt, and the sum of a counter over finished attempts.
  AttemptReport last(const std::string& attempt_name);
  std::int64_t counter(const std::string& group, const std::string& name);
  bool saw_state(const std::string& attempt_name, ReportedState state);
  bool wait_for(const std::function<bool()>& condition);  // under the lock

 private:
  class Link;
  struct Task {
    AttemptKey key;
    bool launched = false, done = false, granted = false;
    int failures = 0;
  };

  HeartbeatReply heartbeat(const Heartbeat& report);
  void take_report(const AttemptReport& report, HeartbeatReply& reply);
  Task& task_of(const TaskKey& task);
  bool all_done(const std::vector<Task>& tasks) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  JobSpec spec_;
  int slots_;
  RegisterTracker registration_;
  std::vector<Task> maps_, reduces_;
  std::vector<MapOutput> outputs_;
  std::map<std::string, AttemptReport> reports_;
  std::map<std::string, std::vector<ReportedState>> states_;
  std::string verdict_;
  bool duty_done_ = false;
};

}  // namespace weir::tasktracker
