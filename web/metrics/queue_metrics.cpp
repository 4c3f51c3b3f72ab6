// Queues: what they are due, have and lack. Inner queues, too; weir_queue_leaf tells them apart.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "tracker/published/published_views.h"
#include "web/metrics/families.h"

namespace weir {
namespace {

using Slots = QueueView::Slots;

const Slots& slots_of(const QueueView& queue, TaskKind kind) {
  return kind == TaskKind::kMap ? queue.maps : queue.reduces;
}

// One series for each queue and class that has the figure; where containers count, none.
template <class Figure>
void each(Families& families, const PublishedViews& views, const Figure& figure) {
  for (const QueueView& queue : *views.queues) {
    if (!queue.amounts.empty()) continue;
    for (const TaskKind kind : kTaskKinds) {
      const std::optional<double> value = figure(queue, kind);
      if (value) families.add(*value, {{"queue", queue.name}, {"class", name(kind)}});
    }
  }
}

std::optional<double> number(std::int64_t value) {
  return static_cast<double>(value);
}

void add_figures(Families& families, const PublishedViews& views) {
  const auto figure = [&](const char* metric, const char* help, std::int64_t Slots::* member) {
    families.gauge(metric, help);
    each(families, views, [member](const QueueView& queue, TaskKind kind) {
      return number(slots_of(queue, kind).*member);
    });
  };
  figure("weir_queue_guaranteed_slots", "Slots that the queue is guaranteed.", &Slots::guaranteed);
  figure("weir_queue_allocated_slots",
         "Slots that the queue may have now: its guarantee, less what it lends, more what it "
         "borrows.",
         &Slots::allocated);
  figure("weir_queue_running_slots", "Slots that tasks of the queue have.", &Slots::running);
  figure("weir_queue_pending_slots", "Slots that tasks of the queue could use at once.",
         &Slots::pending);
  families.gauge("weir_queue_maximum_slots", "The most that the queue may have, if it is bounded.");
  each(families, views, [](const QueueView& queue, TaskKind kind) -> std::optional<double> {
    const auto& most = slots_of(queue, kind).maximum;
    return most ? number(*most) : std::nullopt;
  });
  families.gauge("weir_queue_share_slots",
                 "The fair share of the pool of this path, under a policy with pools.");
  each(families, views, [](const QueueView& queue, TaskKind kind) -> std::optional<double> {
    const auto& share = slots_of(queue, kind).share_thousandths;
    if (!share) return std::nullopt;
    return static_cast<double>(*share) / 1'000;
  });
}

// One series for each queue and dimension of containers that has the figure.
template <class Figure>
void each_amount(Families& families, const PublishedViews& views, const Figure& figure) {
  for (const QueueView& queue : *views.queues) {
    for (const QueueView::Amounts& amounts : queue.amounts) {
      const std::optional<double> value = figure(amounts);
      if (value) families.add(*value, {{"queue", queue.name}, {"dimension", amounts.dimension}});
    }
  }
}

void add_amounts(Families& families, const PublishedViews& views) {
  using Amounts = QueueView::Amounts;
  const auto figure = [&](const char* metric, const char* help, std::int64_t Slots::* member) {
    families.gauge(metric, help);
    each_amount(families, views,
                [member](const Amounts& of) { return number(of.figures.*member); });
  };
  const auto maybe = [&](const char* metric, const char* help, const auto& member) {
    families.gauge(metric, help);
    each_amount(families, views, [&member](const Amounts& of) -> std::optional<double> {
      const std::optional<std::int64_t> value = member(of);
      return value ? number(*value) : std::nullopt;
    });
  };
  figure("weir_queue_guaranteed_amount",
         "Where containers count: MB, vcores and so on that the queue is guaranteed.",
         &Slots::guaranteed);
  figure("weir_queue_allocated_amount",
         "Likewise, that it may have now: its guarantee, less what it lends, more what it borrows.",
         &Slots::allocated);
  figure("weir_queue_running_amount", "Likewise, that tasks of the queue have.", &Slots::running);
  figure("weir_queue_pending_amount", "Likewise, that tasks of the queue could use at once.",
         &Slots::pending);
  maybe("weir_queue_maximum_amount", "Likewise, the most that it may have, if it is bounded.",
        [](const Amounts& of) { return of.figures.maximum; });
  families.gauge("weir_queue_share_amount",
                 "Likewise, the fair share of the pool of this path, under a policy with pools.");
  each_amount(families, views, [](const Amounts& of) -> std::optional<double> {
    if (!of.figures.share_thousandths) return std::nullopt;
    return static_cast<double>(*of.figures.share_thousandths) / 1'000;
  });
  maybe("weir_queue_min_share_amount", "Likewise, the minimum share of that pool.",
        [](const Amounts& of) { return of.min_share; });
  maybe("weir_queue_kept_amount",
        "Likewise, of its guarantee, or its pool's minimum share: what it never lends.",
        [](const Amounts& of) { return of.kept; });
  maybe("weir_queue_reserved_amount",
        "Likewise, that trackers keep for large tasks of the queue, or hold for its gangs.",
        [](const Amounts& of) { return std::optional(of.reserved); });
  families.gauge("weir_queue_dominant_share_ratio",
                 "The largest part of the cluster, over all dimensions, that the queue runs: 0 to "
                 "1.");
  for (const QueueView& queue : *views.queues) {
    if (queue.dominant_thousandths)
      families.add(static_cast<double>(*queue.dominant_thousandths) / 1'000,
                   {{"queue", queue.name}});
  }
}

// As it is by now: views may be older, where nothing changes but the time. It stands still where
// the claim's time does.
std::int64_t overdue_ms(const QueueView::Claim& claim, TimeMs now) {
  if (claim.state == "paused" || claim.state == "recovering" || !claim.deadline_ms)
    return claim.overdue_ms.value_or(0);
  return std::max<std::int64_t>(0, now - *claim.deadline_ms);
}

void add_claims(Families& families, const PublishedViews& views, TimeMs now) {
  families.gauge("weir_queue_claim_slots",
                 "Slots, or amounts of containers' dimensions, that open claims of the queue are "
                 "still owed, by what they wait for.");
  for (const QueueView& queue : *views.queues) {
    std::map<std::pair<std::string, std::string>, std::int64_t> by_state;
    for (const QueueView::Claim& claim : queue.claims) {
      const std::string of = claim.dimension.value_or(name(claim.kind));
      by_state[{of, claim.state.value_or("waiting")}] += claim.slots;
    }
    for (const auto& [what, slots] : by_state) {
      families.add(slots, {{"queue", queue.name}, {"class", what.first}, {"state", what.second}});
    }
  }
  families.gauge("weir_queue_claim_overdue_seconds",
                 "For how long the queue's oldest due claim has been past its deadline; 0: none "
                 "is.");
  for (const QueueView& queue : *views.queues) {
    if (!queue.leaf) continue;
    std::map<std::string, std::int64_t> most;
    for (const QueueView::Amounts& amounts : queue.amounts) most[amounts.dimension] = 0;
    if (queue.amounts.empty()) most = {{"map", 0}, {"reduce", 0}};
    for (const QueueView::Claim& claim : queue.claims) {
      std::int64_t& here = most[claim.dimension.value_or(name(claim.kind))];
      here = std::max(here, overdue_ms(claim, now));
    }
    for (const auto& [of, ms] : most)
      families.add(static_cast<double>(ms) / 1'000, {{"queue", queue.name}, {"class", of}});
  }
  families.gauge("weir_queue_reclaim_after_seconds",
                 "After how long a claim of the queue kills, if ever.");
  each(families, views, [](const QueueView& queue, TaskKind kind) -> std::optional<double> {
    const auto& after =
        kind == TaskKind::kMap ? queue.reclaim_after_map_ms : queue.reclaim_after_reduce_ms;
    if (!after || *after < 0) return std::nullopt;
    return static_cast<double>(*after) / 1'000;
  });
}

void add_slot_time(Families& families, const PublishedViews& views) {
  const auto time = [&](const char* metric, const char* help,
                        std::int64_t QueueView::SlotTime::* member) {
    families.counter(metric, help);
    each(families, views,
         [member](const QueueView& queue, TaskKind kind) -> std::optional<double> {
           const auto& of = kind == TaskKind::kMap ? queue.map_time : queue.reduce_time;
           if (!of) return std::nullopt;
           return static_cast<double>((*of).*member) / 1'000;
         });
  };
  using Time = QueueView::SlotTime;
  time("weir_queue_used_slot_seconds_total",
       "Slot-seconds of the queue's attempts that have ended.", &Time::used_ms);
  time("weir_queue_lent_slot_seconds_total", "Slot-seconds of its guarantee that others had.",
       &Time::lent_ms);
  time("weir_queue_borrowed_slot_seconds_total", "Slot-seconds above its guarantee.",
       &Time::borrowed_ms);
  time("weir_queue_lost_slot_seconds_total",
       "Slot-seconds of its attempts that were killed for another queue.", &Time::lost_ms);
}

// Families of their own: MB-seconds are no slot-seconds, and who sums up classes would add them.
void add_amount_time(Families& families, const PublishedViews& views) {
  using Time = QueueView::SlotTime;
  const auto time = [&](const char* metric, const char* help, std::int64_t Time::* member) {
    families.counter(metric, help);
    for (const QueueView& queue : *views.queues) {
      for (const QueueView::Amounts& each : queue.amounts) {
        families.add(static_cast<double>(each.time.*member) / 1'000,
                     {{"queue", queue.name}, {"dimension", each.dimension}});
      }
    }
  };
  time("weir_queue_used_amount_seconds_total",
       "Where containers count: MB-seconds, vcore-seconds and so on of the queue's attempts that "
       "have ended.",
       &Time::used_ms);
  time("weir_queue_lent_amount_seconds_total", "Likewise, of its guarantee that others had.",
       &Time::lent_ms);
  time("weir_queue_borrowed_amount_seconds_total", "Likewise, above its guarantee.",
       &Time::borrowed_ms);
  time("weir_queue_lost_amount_seconds_total",
       "Likewise, of its attempts that were killed for another queue.", &Time::lost_ms);
}

}  // namespace

void add_queues(Families& families, const PublishedViews& views, std::int64_t now) {
  families.gauge("weir_queue_leaf", "1: jobs are submitted to the queue; 0: it has queues below.");
  for (const QueueView& queue : *views.queues)
    families.add(queue.leaf ? 1.0 : 0.0, {{"queue", queue.name}});
  families.gauge("weir_queue_stopped", "1: the queue takes no jobs.");
  for (const QueueView& queue : *views.queues)
    families.add(queue.state == "STOPPED" ? 1.0 : 0.0, {{"queue", queue.name}});
  add_figures(families, views);
  add_amounts(families, views);
  add_claims(families, views, now);
  add_slot_time(families, views);
  add_amount_time(families, views);
  families.gauge("weir_queue_jobs", "Unfinished jobs of the queue, by state as in weir_jobs.");
  for (const QueueView& queue : *views.queues) {
    families.add(std::int64_t{queue.jobs_waiting}, {{"queue", queue.name}, {"state", "waiting"}});
    families.add(std::int64_t{queue.jobs_pending}, {{"queue", queue.name}, {"state", "pending"}});
    families.add(std::int64_t{queue.jobs_running}, {{"queue", queue.name}, {"state", "running"}});
  }
  families.counter("weir_queue_jobs_ended_total", "Jobs of the queue that have ended, by how.");
  for (const QueueView& queue : *views.queues) {
    families.add(queue.jobs_succeeded, {{"queue", queue.name}, {"state", "succeeded"}});
    families.add(queue.jobs_failed, {{"queue", queue.name}, {"state", "failed"}});
    families.add(queue.jobs_killed, {{"queue", queue.name}, {"state", "killed"}});
  }
}

}  // namespace weir
