// Gangs (containers.md, section 8): the room that one of them collects, the start of all members at
// once, and the end of all when one is lost. Members that start on other trackers than the one on
// offer run, for all sums, from then on; each is launched at the next heartbeat of its tracker,
// before anything else there; until then nobody outside has heard of it.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class Gangs : public Part {
 public:
  using Part::Part;

  // Who of it runs has changed.
  void follow(Job& job);
  // What the policy chose for a gang on the tracker: it starts, or holds what fits it there. Null,
  // or what is wrong with that.
  const char* start(TrackerState& tracker, Job& job, Offer& offer, bool claimant = false);
  const char* assemble(TrackerState& tracker, Job& job, const Choice& choice, Offer& offer,
                       bool claimant = false);
  // The room that a kill made for it, at that place among the holds, is the gang's.
  const char* take_hold(TrackerState& tracker, Job& job, std::size_t place, const Choice& choice,
                        Offer& offer);
  // Kills make room for the rest of it.
  void hold_for_claimant(JobId job, const std::vector<GangRoom>& rooms);
  // It is the one that collects room from now on; another one gives way.
  void begin(Job& job, bool beyond);
  // Its rooms are free again, if it is of the job (or whoever it is of: invalid).
  void release(JobId job, std::string_view why);
  void release_on(TrackerId tracker);  // it is lost, or takes no tasks: placed again elsewhere
  void give_up(std::string_view why);  // by the word of the policy
  // Members that started while their tracker was elsewhere: they are lost if it takes no tasks any
  // more, or offers less.
  void launch_members(TrackerState& tracker);
  void tell(AttemptSlot slot);
  // Its tracker says which ports an attempt has. False: as many as its group has they are not, so
  // it has failed.
  bool note_ports(AttemptSlot attempt, const std::vector<std::uint16_t>& ports);
  // Members start when all have said their ports. Who does not, for as long as a tracker may be
  // silent, has failed.
  void end_waits_for_ports();
  // An attempt is lost, or is to die: if it was a member of a gang so are the others.
  void member_lost(const AttemptKey& attempt);
  // Whether a member that its tracker has may be taken on: its gang runs, or nobody knows yet.
  bool may_adopt(const Job& job, TaskKind kind) const;
  // Once, when trackers have reported what they run.
  void settle_after_restart() {
    if (!settled_) settle();
  }

 private:
  void hold(const Job& job, const std::vector<GangRoom>& rooms);
  void begin_again(Job& job);
  void await_ports(Job& job, DurationMs for_ms);
  void settle();

  bool settled_ = false;
  std::set<std::pair<TimeMs, JobId>> awaited_ports_;  // by when all must have said theirs
};

}  // namespace weir
