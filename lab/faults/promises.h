// What clients were promised, to be held against what the JobTracker knows after each start and at
// the end: every job whose submission was answered, every kill, and of each thing that commands set
// (policy, settings, a job's priority) the last value answered. A command of which nobody knows
// whether it arrived may have had its effect or not, so its value is possible too. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobqueue/engine/engine.h"

namespace weir::faults {

class Promises {
 public:
  struct Submission {
    std::shared_ptr<const JobSpec> spec;
    bool kill_answered = false;
    bool kill_may_have_come = false;
  };

  void submitted(JobId job, std::shared_ptr<const JobSpec> spec) {
    jobs_[job].spec = std::move(spec);
  }
  void kill_sent(JobId job) { jobs_[job].kill_may_have_come = true; }
  void kill_answered(JobId job) { jobs_[job].kill_answered = true; }

  // A command that sets `what` to `value` is on its way; then, what became of it.
  void sent(const std::string& what, const std::string& value, TimeMs now);
  void answered(const std::string& what, const std::string& value, bool taken, TimeMs now);

  const std::map<JobId, Submission>& jobs() const { return jobs_; }

  // What does not hold of it.
  std::optional<std::string> broken(const Engine& engine) const;
  // Whose submission was promised this job; null: nobody's.
  std::shared_ptr<const JobSpec> of(JobId job) const {
    const auto found = jobs_.find(job);
    return found == jobs_.end() ? nullptr : found->second.spec;
  }

 private:
  // By value, when it was last sent; possible until something sent later was answered.
  using Possible = std::map<std::string, TimeMs>;

  std::map<JobId, Submission> jobs_;
  std::map<std::string, Possible> values_;
};

std::string priority_of(JobId job);  // names for `what`
std::string order_of(const std::string& tracker);
inline const std::string kPolicyValue = "policy";
inline const std::string kSettingsValue = "settings";

}  // namespace weir::faults
