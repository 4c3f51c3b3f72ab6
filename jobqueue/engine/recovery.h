// After a restart: jobs, tasks and trackers as the store has them; nothing is launched until the
// trackers have reported what they run.
#pragma once

#include <set>
#include <string>

#include "jobqueue/engine/part.h"

namespace weir {

class Recovery : public Part {
 public:
  using Part::Part;

  // Nothing is launched until every tracker that the store names has reported what it runs, or is
  // lost; and not for longer than recovery_ms(), which is also what is waited when it names none.
  bool recovering() const {
    return now_ < recovering_until_ && !(trackers_known_ && recovering_for_.empty());
  }
  TimeMs recovering_until() const { return recovering_until_; }  // at the latest
  // Trackers that counted in the totals and have not reported yet. Until they have, or are lost, no
  // claim opens and nobody is preempted.
  const std::set<TrackerId>& unreported() const { return unreported_; }
  bool waits_for_reports() const { return recovering() || !unreported_.empty(); }
  void no_longer_awaits(TrackerId tracker);  // it has reported, or is lost
  Status restore(const Snapshot& snapshot, const std::string& policy);

 private:
  Status restore_state(const Snapshot& snapshot);
  void restore_orders(const Snapshot& snapshot);
  void restore_lost(const Snapshot& snapshot);
  void restore_faults(const Snapshot& snapshot);
  void restore_finished(Job& job, const JobSnapshot& old);
  DurationMs recovery_ms() const;
  TrackerState& awaited_tracker(const std::string& name);
  Status restore_job(const JobSnapshot& job);
  void restore_tasks(Job& job, const JobSnapshot& old);

  std::set<TrackerId> unreported_;
  TimeMs recovering_until_ = 0;  // after a restart: trackers first report what they run
  bool trackers_known_ = false;  // by the store, at the start
  std::set<TrackerId> recovering_for_;  // of those: not heard of yet
};

}  // namespace weir
