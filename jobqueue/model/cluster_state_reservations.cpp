// Trackers that are kept for a task, and what that keeps of the maximums of its queues.
#include "jobqueue/model/cluster_state.h"

namespace weir {

void ClusterState::reserve(const Reservation& reservation) {
  Reservation kept = reservation;
  kept.queue = job(kept.job).queue;
  if (space_.containers()) kept.size = &job(kept.job).size(kept.kind);
  claims_.mutable_reservations().add(kept);
  trackers_.keep(mutable_tracker(kept.tracker), 1);
  count_reserved(kept, 1);
}

void ClusterState::unreserve(std::size_t place) {
  const Reservation over = claims_.reservations().all()[place];
  claims_.mutable_reservations().remove(place);
  trackers_.keep(mutable_tracker(over.tracker), -1);
  count_reserved(over, -1);
}

void ClusterState::count_reserved(const Reservation& reservation, int sign) {
  if (!space_.containers()) return;
  count_kept(reservation.queue, job(reservation.job).need(reservation.kind), sign);
}

void ClusterState::count_kept(QueueId queue, const Resources& need, int sign) {
  for (QueueId q = queue; q.valid(); q = tree_.parent(q)) {
    for (const Dimension d : space_.dimensions()) reserved_[q.index()][d] += sign * need[d];
  }
}

}  // namespace weir
