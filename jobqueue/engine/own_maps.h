// Where containers count maps and reduces share one pool, so reduces of a job can stand in the way
// of the maps that they wait for: of room, or of what their queue or user may have. When maps have
// waited so for a minute the newest reduces on one tracker, enough for one map, are killed, and
// none starts before a map has (containers.md, 1.5). Soft: a restart counts from then on.
#pragma once

#include <set>
#include <utility>

#include "jobqueue/engine/part.h"

namespace weir {

class OwnMaps : public Part {
 public:
  using Part::Part;

  void watch(Job& job);    // what of it is pending has changed
  void started(Job& job);  // a map of it has
  void end_all();          // slots count from now on: maps and reduces have their own
  void make_room();        // at each tick: for those that have waited long enough

 private:
  void kill_for_one(Job& job);

  std::set<std::pair<TimeMs, JobId>> due_;  // one of each job that is watched
};

}  // namespace weir
