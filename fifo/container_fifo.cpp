#include "fifo/container_fifo.h"

#include <algorithm>

#include "jobqueue/policy/container_reasons.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {

ContainerFifo::ContainerFifo(const ClusterState& state)
    : state_(state),
      bounds_(state.tree(), state.space()),
      index_(state, 1,
             {.leaf_of = [](const Job&) { return std::size_t{0}; },
              .order_of = [](const Job& job) {
                return JobOrder{job.priority, job.submitted_at, job.id};
              },
              .by_queue = true}) {
  bounds_.resize(state.total());
  for (std::size_t q = 1; q < state.tree().size(); ++q)
    bounded_ = bounded_ || bounds_.has_maximum(QueueId(q));
}

std::optional<Choice> ContainerFifo::choose(const Offer& offer) {
  const TrackerState& tracker = state_.tracker(offer.tracker);
  if (tracker.keeps > 0) {
    if (const Reservation* kept = reservation_on(state_, tracker.id))
      return choose_reserved(*kept, tracker);
  }
  const ReserveHere reserve(state_, tracker);
  return first_in_line(tracker, std::nullopt, &reserve);
}

std::optional<Choice> ContainerFifo::first_in_line(const TrackerState& tracker,
                                                   std::optional<TimeMs> ends_by,
                                                   const ReserveHere* reserve) const {
  std::optional<Choice> choice;
  std::vector<Waiting> waiting;
  const auto starts = [&](const ContainerItems::Bucket& bucket) {
    return !bucket.size->gang && state_.fits_in(bucket.size->need, tracker, tracker.used) &&
           (!ends_by ||
            (bucket.time_limit_ms > 0 && state_.now() + bucket.time_limit_ms <= *ends_by));
  };
  const auto may_reserve = [&](const ContainerItems::Bucket& bucket) {
    return reserve != nullptr && reserve->may(bucket);
  };
  index_.leaf(0).items.visit(
      [&](const ContainerItems::Bucket& bucket) {
        return starts(bucket) || may_reserve(bucket) || (bucket.size->gang && !ends_by) ||
               (bounded_ && state_.trackers_with_room(bucket.size->need) > 0);
      },
      [&](const ItemOrder& item, const ContainerItems::Bucket& bucket) {
        const Job& job = state_.job(item.job.id);
        const Resources& need = bucket.size->need;
        if (bounds_.any_keeps()) {
          const Resources missing =
              bucket.size->gang ? sum_of(job, gang_without_room(state_, job)) : need;
          if (!leaves_what_is_kept(state_, bounds_, job.queue, missing)) return false;
        }
        const bool is_full = at_maximum(job, need, waiting).has_value();
        if (bucket.size->gang) {
          if (!is_full) choice = choice_of_gang(job, tracker, reserve);
          const bool waits = is_full && gang_starts(state_, job, tracker);
          if (waits) waiting.push_back(Waiting{job.queue, &need});
          return choice.has_value();
        }
        if (starts(bucket) && !is_full)
          choice = launch_of(state_.pick_task(job.id, item.kind, tracker.id));
        if (choice || !short_on_the_way(job.queue, need)) return choice.has_value();
        if (bounded_ && (is_full || !starts(bucket)) && finds_room(state_, job, item.kind)) {
          waiting.push_back({job.queue, &need});
        } else if (!starts(bucket) && may_reserve(bucket)) {
          if (const auto task = reserve->task(job, item.kind))
            choice = reserve_of(*task, tracker.id);
        }
        return choice.has_value();
      });
  return choice;
}

std::optional<Choice> ContainerFifo::choice_of_gang(const Job& job, const TrackerState& tracker,
                                                    const ReserveHere* reserve) const {
  const GangSearch gangs(state_, tracker, reserve, [](const Job&) { return true; });
  return gangs.choice(job, short_on_the_way(job.queue, job.need(job.gang_kind())));
}

// The tracker waits for that task; what ends before it gets its room may start besides.
std::optional<Choice> ContainerFifo::choose_reserved(const Reservation& kept,
                                                     const TrackerState& tracker) const {
  if (const std::string_view why = over(kept); !why.empty()) return release_of(kept, why);
  const Job& reserver = state_.job(kept.job);
  const Resources& need = reserver.need(kept.kind);
  if (state_.fits_in(need, tracker, tracker.used)) {
    if (!leaves_what_is_kept(state_, bounds_, reserver.queue, need)) return std::nullopt;
    if (reserver.waits_for_gang(kept.kind)) {
      const Resources& sum = reserver.need(reserver.gang_kind());
      return at_maximum(reserver, sum) ? std::nullopt : choice_of_gang(reserver, tracker, nullptr);
    }
    if (at_maximum(reserver, need)) return std::nullopt;
    return launch_of(state_.pick_task(kept.job, kept.kind, tracker.id));
  }
  const auto ends_by = room_by(state_, tracker, need);
  return ends_by ? first_in_line(tracker, ends_by, nullptr) : std::nullopt;
}

std::string_view ContainerFifo::over(const Reservation& kept) const {
  if (const std::string_view why = reservation_over(state_, kept); !why.empty()) return why;
  const Job& job = state_.job(kept.job);
  return short_on_the_way(job.queue, job.need(kept.kind)) ? "" : "maximum";
}

Preemption ContainerFifo::tick(TimeMs) {
  Preemption plan;
  for (const Reservation& kept : state_.claims().reservations()) {
    if (const std::string_view why = over(kept); !why.empty())
      plan.unreserve.push_back({kept.job, why});
  }
  if (state_.assembly() != nullptr) plan.give_up_rooms = assembly_over(state_, true);
  return plan;
}

std::optional<QueueId> ContainerFifo::at_maximum(const Job& job, const Resources& need,
                                                 const std::vector<Waiting>& waiting) const {
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!bounds_.has_maximum(q)) continue;
    Amounts taken = taken_by_others(state_, q, job.id);
    for (const Waiting& other : waiting) {
      if (!state_.tree().is_ancestor(q, other.queue)) continue;
      for (const Dimension d : state_.space().dimensions()) taken[d] += (*other.need)[d];
    }
    if (!within(state_.space(), taken, need, bounds_.maximum(q))) return q;
  }
  return std::nullopt;
}

bool ContainerFifo::short_on_the_way(QueueId leaf, const Resources& need) const {
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (bounds_.has_maximum(q) &&
        !is_short(state_.space(), state_.queue(q).running, need, bounds_.maximum(q)))
      return false;
  }
  return true;
}

void ContainerFifo::on_launched(AttemptSlot slot) {
  const TaskKey& task = state_.attempt(slot).key.task;
  index_.read(task.job, task.kind);
}

void ContainerFifo::on_cluster_changed() {
  bounds_.resize(state_.total());
  index_.cluster_changed();
}

QueueFigures ContainerFifo::figures(QueueId queue, Dimension dimension) const {
  const std::int64_t running = state_.queue(queue).running[dimension];
  const std::int64_t maximum = bounds_.maximum(queue)[dimension];
  const std::int64_t pending = std::min(index_.pending_in(queue)[dimension],
                                        std::max<std::int64_t>(0, maximum - running));
  return {.guaranteed = 0,
          .allocated = running,
          .running = running,
          .pending = pending,
          .demand = std::min(maximum, running + pending),
          .maximum = maximum,
          .kept = bounds_.keep(queue)[dimension]};
}

std::vector<Reason> ContainerFifo::explain(JobId id, TaskKind kind, TimeMs now) const {
  const Job& job = state_.job(id);
  const auto full = at_maximum(job, job.need(kind));
  if (!full && !leaves_what_is_kept(state_, bounds_, job.queue, job.need(kind))) {
    return {reason_of_kept(state_, job.need(kind), kept_for_others(state_, bounds_, job.queue),
                           "queues that do not lend their guarantees")};
  }
  if (!full) return reasons_of_room(state_, job, kind, now);
  const std::string& path = state_.tree().node(*full).path;
  return {{"queue_at_maximum",
           "queue " + path + " has no room for " + state_.space().text(job.need(kind)) +
               " more within its maximum",
           {}}};
}

}  // namespace weir
