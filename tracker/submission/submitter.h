// A submission as a JSON object, from its text to the job: read and checked at once, its input
// looked at by InputLookups, and handed to the JobService in the name of the address that it came
// from. Lives until the lookups have stopped. Any thread; nothing waits.
#pragma once

#include <nlohmann/json.hpp>

#include "jobqueue/model/caller.h"
#include "tracker/jobtracker/answer.h"
#include "tracker/jobtracker/job_service.h"
#include "tracker/submission/input_lookups.h"

namespace weir {

class Submitter {
 public:
  Submitter(JobService& jobs, InputLookups& lookups) : jobs_(jobs), lookups_(lookups) {}

  // Within a CallingPeerScope (tracker/port/peers.h). The caller is checked, too.
  void submit(const Caller& caller, const nlohmann::ordered_json& body,
              Answer<SubmittedView> answer);

 private:
  JobService& jobs_;
  InputLookups& lookups_;
};

}  // namespace weir
