// What administrators ask of queues and trackers, and what the JobTracker says of itself (see
// job_service.h). Queues and trackers themselves are read from the published views
// (tracker/published/listing.h). Any thread; nothing waits.
#pragma once

#include <string>
#include <vector>

#include "jobqueue/model/caller.h"
#include "jobqueue/model/input.h"
#include "tracker/jobtracker/answer.h"
#include "tracker/jobtracker/engine_loop.h"
#include "tracker/jobtracker/server_facts.h"
#include "views/attempt_view.h"
#include "views/server_view.h"
#include "views/tracker_view.h"

namespace weir {

class ClusterService {
 public:
  ClusterService(EngineLoop& loop, const ServerFacts& facts) : loop_(loop), facts_(facts) {}

  ServerView info() const;

  void set_queue_state(const Caller& caller, const std::string& queue, bool running,
                       Answer<Version> answer);
  // All of them or, if one is not known, none. `reason` is shown with the order.
  void order_trackers(const Caller& caller, const std::vector<std::string>& trackers,
                      TrackerOrder order, const std::string& reason, Answer<Version> answer);
  // They are dead: what they ran starts elsewhere at once.
  void lose_trackers(const Caller& caller, const std::vector<std::string>& trackers,
                     const std::string& reason, Answer<Version> answer);
  // Lost ones leave the lists, and what was ordered of them is dropped.
  void forget_trackers(const Caller& caller, const std::vector<std::string>& trackers,
                       Answer<Version> answer);

  // Whose attempts hold the slots of each tracker that runs any. A few trackers in one look.
  void slots_by_queue(Answer<std::vector<TrackerSlotsView>> answer);
  // What it runs now, by job, task and attempt.
  void attempts_of_tracker(const std::string& name, Answer<std::vector<AttemptView>> answer);

 private:
  EngineLoop& loop_;
  const ServerFacts& facts_;
};

}  // namespace weir
