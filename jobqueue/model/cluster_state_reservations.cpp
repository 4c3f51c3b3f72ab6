// Trackers that are kept for a task, and what that keeps of the maximums of its queues.
#include "jobqueue/model/cluster_state.h"

namespace weir {

void ClusterState::reserve(const Reservation& reservation) {
  auto& all = claims_.mutable_reservations();
  all.push_back(reservation);
  all.back().queue = job(reservation.job).queue;
  trackers_.keep(mutable_tracker(reservation.tracker), 1);
  count_reserved(all.back(), 1);
}

void ClusterState::unreserve(std::size_t place) {
  auto& all = claims_.mutable_reservations();
  const Reservation over = all[place];
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(place));
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
