// Reserving a tracker for a container that is first in line and finds no room (containers.md,
// section 6): what trackers, jobs and reservations have to say; whether the queues on the way are
// short of their share is the policy's to know. While a tracker is reserved nothing else starts
// there but what ends, by its own time limit, before what runs there makes room by its own. Pure
// questions over the state, on the engine's thread.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_bounds.h"
#include "jobqueue/policy/container_items.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class KeptRoom;

// The largest part of the need that is not free.
Lack lack_in(const Resources& total, const Resources& used, const Size& size);
inline Lack lack_on(const TrackerState& tracker, const Size& size) {
  return lack_in(tracker.total, tracker.used, size);
}

const Reservation* reservation_on(const ClusterState& state, TrackerId tracker);
const Reservation* reservation_of(const ClusterState& state, JobId job);

// What of the tracker is not free for everybody: in use, or held for a claimant.
Resources used_on(const ClusterState& state, const TrackerState& tracker);
// What runs in the queue, with what reservations of other jobs keep: both count at maximums.
Amounts taken_by_others(const ClusterState& state, QueueId queue, JobId job);

// Which trackers would have room for a task of the group once all has ended that ends: some that
// nobody has reserved, reserved ones alone, or none.
enum class Places { kOpen, kReserved, kNone };
Places places_for(const ClusterState& state, const Job& job, TaskKind kind);
inline bool has_a_place(const ClusterState& state, const Job& job, TaskKind kind) {
  return places_for(state, job, kind) != Places::kNone;
}
// Whether a tracker that nobody has reserved has room for the next task of the job.
bool finds_room(const ClusterState& state, const Job& job, TaskKind kind);

// Who may have the tracker of an offer reserved.
class ReserveHere {
 public:
  // Whether what is reserved comes after the job's task, in an order of all tasks: then it gives
  // way where no more trackers may be reserved. Else small tasks, which reserve again and again,
  // would keep out the one before them that fits other trackers only.
  using ComesAfter = std::function<bool(const Reservation&, const Job&, TaskKind)>;
  ReserveHere(const ClusterState& state, const TrackerState& tracker, ComesAfter after = nullptr)
      : state_(state), tracker_(tracker), after_(std::move(after)) {}
  // For those alone that have none: as if any number of trackers could be reserved, but for tasks
  // that are not larger than that whose turn is next;
  ReserveHere without_limit() const;
  // or for tasks that are larger than that, and than the one whose turn is next.
  ReserveHere for_larger_than(const Resources& need) const;
  // Whether who would reserve the tracker then has the next turn, with a task of that need: all is
  // reserved that may be, and nobody has it, or one with a smaller task. So small tasks, which
  // reserve again and again, do not keep out a large one.
  bool notes_turn() const;
  bool may_have_turn(const Resources& need) const;
  // Whether a larger task that comes after one that reserves the tracker, and is passed over here,
  // has the next turn: nobody has it, or one with a smaller task. Else small ones that use the
  // tracker and reserve it again and again, by ever the smaller key, would keep it out.
  bool notes_larger() const { return tracker_.keeps == 0; }
  // Likewise for a task of the job that this tracker is not for, or not now, since all is reserved
  // that may be: it finds room nowhere, and has a place. Where what its queue has left goes to
  // smaller ones here, it would never be short there.
  bool has_turn_elsewhere(const Job& job, TaskKind kind) const;
  // Whether a task of that leaf (or pool) leaves the tracker to a larger one that has the turn, and
  // to who comes before that: it has had a reservation since. Whoever is at its share falls below
  // it with each finish, comes first and would reserve the one tracker that the larger one fits for
  // ever.
  bool is_left_by(const Resources& need, std::string_view leaf) const;
  // For those alone that are larger than that.
  ReserveHere for_larger_alone(const Resources& need) const;
  // Of what the head would do then; nothing: it has no turn.
  std::optional<Choice> turn_for(const std::optional<Choice>& choice) const;
  // As far as the size goes, which finds no room here: it would fit beside services, and finds
  // room nowhere else; and where no more trackers may be reserved one of its size would move here.
  bool may(const ContainerItems::Bucket& bucket) const;
  // What that asks, but for the number of those that are reserved.
  bool could(const Resources& need, bool picky) const;
  // Whose reservation ends for one of the job's, if there has to be one.
  JobId gives_way(const Job& job, TaskKind kind) const;
  // No more trackers may be reserved; some may move. One is left for the job whose turn it is,
  // which may have it where it could reserve the tracker.
  bool is_full() const;
  // Whether less of what the size needs is missing here than on `from`, now and at the least.
  bool moves_here(const Size& size, TrackerId from, const Lack& least) const;
  // The job's task that would wait here. A job has one reservation: it moves to a tracker that
  // lacks a smaller part of what is needed.
  std::optional<TaskKey> task(const Job& job, TaskKind kind) const;
  // Likewise, of a gang that collects room its first member that has none.
  std::optional<TaskKey> member(const Job& job) const;

 private:
  ReserveHere of_those_without() const;  // for jobs alone that have no reservation
  bool may_keep(const Job& job, TaskKind kind) const;
  bool could_have(const Job& job, TaskKind kind) const;
  bool moves_here(const Size& size) const;
  bool is_left_for_another() const;
  const Lack& lack_here(const Size& size) const;

  const ClusterState& state_;
  const TrackerState& tracker_;
  const ComesAfter after_;  // null: nobody gives way
  bool limited_ = true, moves_ = true;
  const Resources* larger_than_ = nullptr;
  mutable std::optional<Resources> services_;  // what they hold here, once it was asked for
  mutable std::optional<bool> left_;           // is_left_for_another(), likewise
  mutable const Size* lacking_ = nullptr;      // what was asked about last, and lacks here
  mutable Lack lack_;
};

// The next turn to reserve is for the group.
inline Choice turn_of(JobId job, TaskKind kind) {
  return {.task = {job, kind, 0}, .what = Choice::What::kWaitToReserve};
}

// Of the task that has the next turn to reserve; null: nobody has it.
const Resources* need_of_turn(const ClusterState& state);
// Whether as many trackers are reserved as may be.
bool all_reserved(const ClusterState& state);
// A task of the group is wanted, or a member of it of the gang that collects room.
bool is_wanted(const ClusterState& state, const Job& job, TaskKind kind);
// Why a reservation is over, whatever the shares are; empty: it is not. `room`: what others keep;
// null: nobody does.
std::string_view reservation_over(const ClusterState& state, const Reservation& kept,
                                  const KeptRoom* room);
// The policy's answer that says so.
inline Choice release_of(const Reservation& kept, std::string_view why) {
  return {.task = {kept.job, kept.kind, 0},
          .what = Choice::What::kReleaseReservation,
          .why = why};
}
inline Choice reserve_of(const TaskKey& task, TrackerId tracker) {
  return {.task = task, .what = Choice::What::kReserve, .reserve_on = tracker};
}

// When the time limits of what runs on the tracker make room for so much, at the latest; nothing:
// something that has to end has none.
std::optional<TimeMs> room_by(const ClusterState& state, const TrackerState& tracker,
                              const Resources& need);

}  // namespace weir
