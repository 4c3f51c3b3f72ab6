// The last duty of each job, to complete its output or to clean it up: given to one tracker, and
// to another one as well if that takes too long. It can be done twice, so whoever is done first
// ends it. Its stages, and what leads from one to another: jobqueue/model/life_cycles.h.
//
// Duties hang when a file system does, which must not stop other users' jobs from ending: users
// take turns, and one gets a duty of a tracker only while he has fewer of its duties than are free
// there. Of a user's, those that nobody has tried come first, then those passed on longest ago.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "jobqueue/engine/part.h"
#include "jobqueue/model/life_cycles.h"

namespace weir {

class Duties : public Part {
 public:
  using Part::Part;

  bool all_given() const { return waiting_.empty(); }  // no job waits for a tracker
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
  bool waits(const Job& job) const;
  void put_in_line(const Job& job);
  void take_out_of_line(const Job& job);
  bool give_one(TrackerState& tracker, UserId user);
  void give(Job& job, TrackerState& tracker);
  void take_back(Job& job);
  void end_duty(Job& job, bool ok, const std::string& message);
  void pass_on_duty(Job& job, const std::string& why);

  // Jobs whose last duty no tracker has, with when it was passed on (0: never was).
  using Line = std::set<std::pair<TimeMs, JobId>>;
  std::map<UserId, Line> waiting_;  // no line is empty
  UserId served_;                   // whose turn was the last
  struct DutyGiven {
    TimeMs at = 0;
    JobId job;
    TrackerId tracker;
  };
  std::deque<DutyGiven> duties_given_;  // oldest first
};

}  // namespace weir
