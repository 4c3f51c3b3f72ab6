// What is free on every tracker, for putting tasks into it first fit, trackers in order of
// registration, as many as there may be beside what others keep of it. Room only shrinks while that
// is done, so that of each size it is known up to where there is none. Made for one pass; on the
// engine's thread.
#pragma once

#include <optional>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/kept_room.h"

namespace weir {

class FreeRooms {
 public:
  // `kept`: null where nobody keeps anything.
  FreeRooms(const ClusterState& state, const KeptRoom* kept);

  // What is free there, not held, and not taken.
  const Resources& of(TrackerId tracker) const { return rooms_[tracker.index()]; }
  // What may be taken of all that; nothing: as much as there is. Who makes room by kills says so
  // there.
  std::optional<KeptAmounts>& kept() { return kept_; }
  // How many of the group's tasks, up to `tasks`, find room where they may run; they take it. A
  // tracker that is reserved is free for the job that reserved it alone. A gang (Job::items) takes
  // room for all of its members that have none, or nothing.
  std::int64_t put(const Job& job, TaskKind kind, std::int64_t tasks);

 private:
  bool put_gang(const Job& job);
  std::int64_t take(TrackerId tracker, const Size& size, std::int64_t tasks);
  // The first tracker from there on with room for one; of those that nobody has reserved.
  std::optional<TrackerId> first(const Size& size, std::size_t from);
  static bool has(const Resources& room, const Size& size);

  const ClusterState& state_;
  std::vector<Resources> rooms_;          // by TrackerId
  std::vector<bool> open_;                // it takes tasks, and nobody has reserved it
  std::vector<std::size_t> none_before_;  // by number of the size
  std::optional<KeptAmounts> kept_;
};

}  // namespace weir
