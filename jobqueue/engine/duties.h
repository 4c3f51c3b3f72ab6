// The last duty of each job, to complete its output or to clean it up: given to one tracker, and
// to another one as well if that takes too long. It can be done twice, so whoever is done first
// ends it. Its stages, and what leads from one to another: jobqueue/model/life_cycles.h.
#pragma once

#include <deque>
#include <set>
#include <string>

#include "jobqueue/engine/part.h"
#include "jobqueue/model/life_cycles.h"

namespace weir {

class Duties : public Part {
 public:
  using Part::Part;

  bool all_given() const { return unassigned_duties_.empty(); }  // no job waits for a tracker
  void offer(Job& job);  // no attempt of it is left
  void open_duty(Job& job, Job::Duty duty);
  void take_duty(TrackerState& tracker, const DutyReport& report);
  void give_duties(TrackerState& tracker);
  void list_duties(const TrackerState& tracker, HeartbeatReply& out) const;
  void leave_duties(TrackerState& tracker);
  void pass_on_slow_duties();

 private:
  life::Point<DutyStage> stage_of(const Job& job) const;
  template <class Change>
  void change(Job& job, Change change);
  void give(Job& job, TrackerId tracker);
  void take_back(Job& job);
  void end_duty(Job& job, bool ok, const std::string& message);
  void pass_on_duty(Job& job, const std::string& why);

  std::set<JobId> unassigned_duties_;  // jobs whose last duty no tracker has yet
  struct DutyGiven {
    TimeMs at = 0;
    JobId job;
    TrackerId tracker;
  };
  std::deque<DutyGiven> duties_given_;  // oldest first
};

}  // namespace weir
