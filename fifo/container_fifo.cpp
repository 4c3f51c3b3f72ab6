#include "fifo/container_fifo.h"

#include <algorithm>
#include <utility>

#include "jobqueue/policy/container_reasons.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {
namespace {

JobOrder place_in_line(const Job& job) { return {job.priority, job.submitted_at, job.id}; }

}  // namespace

ContainerFifo::ContainerFifo(const ClusterState& state)
    : state_(state),
      bounds_(state.tree(), state.space(), state.total()),
      index_(state, 1,
             {.leaf_of = [](const Job&) { return std::size_t{0}; },
              .order_of = place_in_line,
              .could_run =
                  [this](const Job& job, const Resources& need) {
                    return !bounds_.too_small(job.queue, need).valid();
                  },
              .by_queue = true}) {
  for (std::size_t q = 1; q < state.tree().size(); ++q)
    bounded_ = bounded_ || bounds_.has_maximum(QueueId(q));
}

std::optional<Choice> ContainerFifo::choose(const Offer& offer) {
  const TrackerState& tracker = state_.tracker(offer.tracker);
  const std::optional<KeptRoom> room = kept_room();
  const auto comes_after = [this](const Reservation& other, const Job& job, TaskKind kind) {
    return ItemOrder{place_in_line(job), kind} <
           ItemOrder{place_in_line(state_.job(other.job)), other.kind};
  };
  Reach reach{.tracker = tracker, .kept = room ? &*room : nullptr};
  if (tracker.keeps > 0) {
    if (const Reservation* reserved = reservation_on(state_, tracker.id))
      return choose_reserved(*reserved, reach);
  }
  const ReserveHere reserve(state_, tracker, comes_after);
  reach.reserve = &reserve;
  return first_in_line(reach);
}

std::optional<Choice> ContainerFifo::first_in_line(const Reach& reach) const {
  std::optional<Choice> choice;
  std::vector<Waiting> waiting;
  const TrackerState& tracker = reach.tracker;
  const auto starts = [&](const ContainerItems::Bucket& bucket) {
    return !bucket.size->gang && state_.fits_in(bucket.size->need, tracker, tracker.used) &&
           (!reach.ends_by ||
            (bucket.time_limit_ms > 0 && state_.now() + bucket.time_limit_ms <= *reach.ends_by));
  };
  const auto may_reserve = [&](const ContainerItems::Bucket& bucket) {
    return reach.reserve != nullptr && reach.reserve->may(bucket);
  };
  index_.leaf(0).items.visit(
      [&](const ContainerItems::Bucket& bucket) {
        return starts(bucket) || may_reserve(bucket) || (bucket.size->gang && !reach.ends_by) ||
               (reach.kept != nullptr && reach.reserve != nullptr) ||
               (bounded_ && state_.trackers_with_room(bucket.size->need) > 0);
      },
      [&](const ItemOrder& item, const ContainerItems::Bucket& bucket) {
        const Job& job = state_.job(item.job.id);
        const Resources& need = bucket.size->need;
        const bool is_full = at_maximum(job, need, waiting).has_value();
        if (bucket.size->gang) {
          if (!is_full) choice = choice_of_gang(job, reach);
          const bool waits = is_full && gang_starts(state_, job, tracker);
          if (waits) waiting.push_back(Waiting{job.queue, &need});
          return choice.has_value();
        }
        if (!leaves(reach.kept, job.queue.index(), need)) {
          if (reach.reserve != nullptr) choice = reach.kept->choice_to_wait(job, item.kind);
          return choice.has_value();
        }
        if (reach.kept != nullptr &&
            reach.kept->in_the_way(job.queue.index(), need, job.id, reach.aside) != nullptr)
          return false;
        if (starts(bucket) && !is_full)
          choice = launch_of(state_.pick_task(job.id, item.kind, tracker.id));
        if (choice || !short_on_the_way(job.queue, need)) return choice.has_value();
        if (bounded_ && (is_full || !starts(bucket)) && finds_room(state_, job, item.kind)) {
          waiting.push_back({job.queue, &need});
        } else if (!starts(bucket) && may_reserve(bucket)) {
          if (const auto task = reach.reserve->task(job, item.kind)) {
            choice = reserve_of(*task, tracker.id);
            choice->gives_way = reach.reserve->gives_way(job, item.kind);
          }
        }
        return choice.has_value();
      });
  return choice;
}

std::optional<KeptRoom> ContainerFifo::kept_room() const {
  return room_kept_by_queues(
      state_, bounds_,
      [this](const Job& job, TaskKind kind) {
        return short_on_the_way(job.queue, job.need(kind));
      },
      [](const Job& a, const Job& b) { return place_in_line(a) < place_in_line(b); });
}

std::optional<Choice> ContainerFifo::choice_of_gang(const Job& job, const Reach& reach) const {
  const GangSearch gangs(state_, reach.tracker, reach.reserve, reach.kept,
                         [](const Job&) { return true; });
  return gangs.choice(job, short_on_the_way(job.queue, job.need(job.gang_kind())));
}

// The tracker waits for that task; what ends before it gets its room may start besides.
std::optional<Choice> ContainerFifo::choose_reserved(const Reservation& reserved,
                                                     const Reach& reach) const {
  if (const std::string_view why = over(reserved, reach.kept); !why.empty())
    return release_of(reserved, why);
  const TrackerState& tracker = reach.tracker;
  const Job& reserver = state_.job(reserved.job);
  const Resources& need = reserver.need(reserved.kind);
  if (state_.fits_in(need, tracker, tracker.used)) {
    if (!leaves(reach.kept, reserver.queue.index(), need)) return std::nullopt;
    if (reserver.waits_for_gang(reserved.kind)) {
      const Resources& sum = reserver.need(reserver.gang_kind());
      return at_maximum(reserver, sum) ? std::nullopt : choice_of_gang(reserver, reach);
    }
    if (at_maximum(reserver, need)) return std::nullopt;
    return launch_of(state_.pick_task(reserved.job, reserved.kind, tracker.id));
  }
  const auto ends_by = room_by(state_, tracker, need);
  if (!ends_by) return std::nullopt;
  Reach besides = reach;
  besides.ends_by = ends_by;
  besides.aside = reserver.id;
  return first_in_line(besides);
}

std::string_view ContainerFifo::over(const Reservation& reserved, const KeptRoom* kept) const {
  if (const auto why = reservation_over(state_, reserved, kept); !why.empty()) return why;
  const Job& job = state_.job(reserved.job);
  return short_on_the_way(job.queue, job.need(reserved.kind)) ? "" : "maximum";
}

Preemption ContainerFifo::tick(TimeMs) {
  Preemption plan;
  const std::optional<KeptRoom> room = kept_room();
  const KeptRoom* kept = room ? &*room : nullptr;
  end_what_is_over(
      state_, kept, [&](const Reservation& reserved) { return over(reserved, kept); },
      [](const Job&) { return true; }, plan);
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
  return !bounds_.too_small(leaf, need).valid();
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
  const Resources& need = job.need(kind);
  if (auto wider = reason_of_width(state_, bounds_, job.queue, need)) return {std::move(*wider)};
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (auto full = reason_of_maximum(state_, bounds_, q, id, need)) return {std::move(*full)};
  }
  if (const auto room = kept_room()) {
    if (auto kept =
            reason_of_kept(state_, job, need, *room, "queues that do not lend their guarantees"))
      return {std::move(*kept)};
  }
  std::vector<Reason> reasons = reasons_of_room(state_, job, kind, now);
  if (!reasons.empty() && reasons.front().code != "no_room") return reasons;  // there is some
  if (auto before = reason_of_jobs_before(index_.leaf(0).items, {place_in_line(job), kind}, ""))
    reasons.push_back(std::move(*before));
  return reasons;
}

}  // namespace weir
