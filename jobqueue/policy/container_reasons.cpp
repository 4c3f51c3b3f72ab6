#include "jobqueue/policy/container_reasons.h"

#include <algorithm>

#include "jobqueue/model/labels.h"
#include "jobqueue/policy/container_reservations.h"

namespace weir {
namespace {

constexpr std::int64_t kJobsCounted = 1000;

Resources free_on(const ClusterState& state, const TrackerState& tracker) {
  Resources free = tracker.total;
  free -= used_on(state, tracker);
  for (std::int64_t& amount : free.amount) amount = std::max<std::int64_t>(0, amount);
  return free;
}

bool covers(const Resources& free, const Resources& need) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    if (need.amount[i] > 0 && free.amount[i] < need.amount[i]) return false;
  }
  return true;
}

// "1024 MB, 1 vcore" of what the need has.
std::string of_need(const ClusterState& state, const Resources& amount, const Resources& need) {
  Resources shown;
  for (std::size_t i = 0; i < kDimensionCount; ++i)
    shown.amount[i] = need.amount[i] > 0 ? amount.amount[i] : 0;
  const std::string text = state.space().text(shown);
  return text.empty() ? "nothing" : text;
}

Reason reservation(const ClusterState& state, const Reservation& kept, const Resources& need) {
  const TrackerState& tracker = state.tracker(kept.tracker);
  const Resources free = free_on(state, tracker);
  Reason reason{"reservation",
                "tracker " + tracker.name + " is kept for it: of " + state.space().text(need) +
                    " it has " + of_need(state, free, need) + " free",
                {}};
  for (const Dimension d : state.space().dimensions()) {
    if (need[d] == 0) continue;
    const std::string name(state.space().name(d));
    reason.numbers.emplace_back("has_" + name, free[d]);
    reason.numbers.emplace_back("needs_" + name, need[d]);
  }
  return reason;
}

// The tracker that lacks the smallest part of what the task needs, by what is not held there.
class Nearest {
 public:
  Nearest(const ClusterState& state, const Size& size) : state_(state), size_(size) {}

  void look_at(const TrackerState& tracker) {
    const Lack lack = lack_in(tracker.total, used_on(state_, tracker), size_);
    if (!(lack < lack_)) return;
    tracker_ = &tracker;
    lack_ = lack;
  }
  bool found() const { return tracker_ != nullptr; }
  Reason fragmented(const Resources& all) const {
    const Resources& need = size_.need;
    const Resources free = free_on(state_, *tracker_);
    Resources lacks;
    Reason reason{"fragmented", "", {}};
    for (const Dimension d : state_.space().dimensions()) {
      if (need[d] == 0) continue;
      lacks[d] = std::max<std::int64_t>(0, need[d] - free[d]);
      const std::string name(state_.space().name(d));
      reason.numbers.emplace_back("free_" + name, all[d]);
      reason.numbers.emplace_back("lacks_" + name, lacks[d]);
    }
    reason.message = of_need(state_, all, need) + " are free in all, but " +
                     state_.space().text(need) + " on no tracker that it may have: " +
                     tracker_->name + " comes nearest and lacks " + state_.space().text(lacks);
    return reason;
  }

 private:
  const ClusterState& state_;
  const Size& size_;
  const TrackerState* tracker_ = nullptr;
  Lack lack_;
};

// On a tracker that is kept for another job it may run meanwhile if it ends, by its own time limit,
// before that one gets its room. Which tracker would give it longest.
class Backfill {
 public:
  Backfill(const ClusterState& state, DurationMs limit, TimeMs now)
      : state_(state), limit_(limit), now_(now) {}

  void look_at(const TrackerState& tracker, const Reservation& kept) {
    const auto by = room_by(state_, tracker, state_.job(kept.job).need(kept.kind));
    if (!by || *by <= now_ || (limit_ > 0 && now_ + limit_ <= *by)) return;
    if (longest_ && longest_->by >= *by) return;
    longest_ = Place{*by, &tracker, kept.job};
  }
  void say(std::vector<Reason>& reasons) const {
    if (!longest_) return;
    const DurationMs left = longest_->by - now_;
    reasons.push_back(
        {"backfill",
         "on tracker " + longest_->tracker->name + ", which is kept for " +
             job_name(longest_->job) + ", it could run meanwhile with a time_limit of " +
             short_duration(left) + " or less; it has " +
             (limit_ > 0 ? short_duration(limit_) : std::string("none")),
         {{"milliseconds", left}, {"time_limit_ms", limit_}}});
  }

 private:
  struct Place {
    TimeMs by;
    const TrackerState* tracker;
    JobId job;
  };
  const ClusterState& state_;
  const DurationMs limit_;
  const TimeMs now_;
  std::optional<Place> longest_;
};

}  // namespace

std::optional<Reason> reason_of_kept(const ClusterState& state, const Job& job,
                                     const Resources& need, const KeptRoom& room,
                                     const std::string& whom) {
  const std::size_t leaf = room.leaf_of(job);
  if (room.leaves(leaf, need)) {
    const KeptRoom::Waiting* other = room.in_the_way(leaf, need, job.id);
    if (other == nullptr) return std::nullopt;
    return Reason{"reserved_for_other",
                  "what is free beside what is kept for " + whom + " is for " +
                      job_name(other->job) + ", which waits for " +
                      state.space().text(*other->need),
                  {}};
  }
  const Amounts kept = room.for_others(leaf);
  Resources free, of_them;
  for (const Dimension d : state.space().dimensions()) {
    free[d] = std::max<std::int64_t>(0, state.total()[d] - state.held()[d]);
    of_them[d] = kept[d];
    if (free[d] < need[d]) return std::nullopt;  // it would lack that, whatever is kept
  }
  Reason reason{"kept",
                "of " + of_need(state, free, need) + " that are free " +
                    of_need(state, of_them, need) + " are kept for " + whom,
                {}};
  for (const Dimension d : state.space().dimensions()) {
    if (need[d] == 0) continue;
    const std::string name(state.space().name(d));
    reason.numbers.emplace_back("free_" + name, free[d]);
    reason.numbers.emplace_back("kept_" + name, kept[d]);
    reason.numbers.emplace_back("needs_" + name, need[d]);
  }
  return reason;
}

std::vector<Reason> reasons_of_room(const ClusterState& state, const Job& job, TaskKind kind,
                                    TimeMs now) {
  if (job.is_gang(kind)) return {};
  const Resources& need = job.need(kind);
  std::vector<Reason> reasons;
  const Reservation* own = reservation_of(state, job.id);
  if (own != nullptr) reasons.push_back(reservation(state, *own, need));
  std::int64_t unfit = 0, uneven = 0, kept = 0;
  Resources all;
  Nearest nearest(state, job.size(kind));
  Backfill backfill(state, job.time_limit_ms(kind), now);
  for (const TrackerState& tracker : state.trackers()) {
    if (!tracker.in_pool()) continue;
    const Resources free = free_on(state, tracker);
    all += free;
    if (state.avoided(job, tracker.id)) continue;
    const Reservation* on = reservation_on(state, tracker.id);
    const bool is_picky = job.picky(kind);
    const bool is_fit =
        !is_picky || meets(tracker, state, job.spec->task_groups[group_number(kind)].require);
    if (!covers(free, need)) {
      if (is_fit) nearest.look_at(tracker);
    } else if (!is_fit) {
      ++unfit;
    } else if (is_picky && !state.allows(job, kind, tracker)) {
      ++uneven;
    } else if (on != nullptr && on->job != job.id) {
      ++kept;
      backfill.look_at(tracker, *on);
    } else {
      return {};
    }
  }
  const auto say = [&](const char* code, std::int64_t trackers, const std::string& why) {
    if (trackers == 0) return;
    const std::string who =
        trackers == 1 ? "one tracker has room" : std::to_string(trackers) + " trackers have room";
    reasons.push_back({code, who + ", but " + why, {{"trackers", trackers}}});
  };
  say("constraint", unfit,
      is_group(kind) ? "not with " + text(job.spec->task_groups[group_number(kind)].require) : "");
  say("spread", uneven, "one more there would be too many, or there are no ports left");
  say("reserved_for_other", kept, "they are kept for other jobs");
  backfill.say(reasons);
  if (unfit + uneven + kept == 0 && covers(all, need) && nearest.found())
    reasons.push_back(nearest.fragmented(all));
  return reasons;
}

std::string amount_text(const Space& space, Dimension d, std::int64_t amount) {
  Resources one;
  one[d] = amount;
  return amount == 0 ? "no " + std::string(space.name(d)) : space.text(one);
}

std::optional<Reason> reason_of_jobs_before(const ContainerItems& items, const ItemOrder& own,
                                            const std::string& where) {
  std::vector<JobId> before;
  for (const ContainerItems::Bucket& bucket : items.buckets()) {
    for (const ItemOrder& item : bucket.items) {
      if (!(item < own) || before.size() >= kJobsCounted) break;
      if (item.job.id != own.job.id) before.push_back(item.job.id);
    }
  }
  std::sort(before.begin(), before.end());
  before.erase(std::unique(before.begin(), before.end()), before.end());
  if (before.empty()) return std::nullopt;
  const auto jobs = static_cast<std::int64_t>(before.size());
  return Reason{"jobs_before",
                (jobs >= kJobsCounted ? "at least " : "") + std::to_string(jobs) +
                    (jobs == 1 ? " job is" : " jobs are") + " before it" + where,
                {{"jobs_before", jobs}}};
}

std::optional<Reason> reason_of_width(const Space& space, const Resources& need,
                                      const std::string& whose, const Amounts& maximum) {
  for (const Dimension d : space.dimensions()) {
    if (need[d] <= maximum[d]) continue;
    return Reason{"wider_than_maximum",
                  "a task of it takes " + amount_text(space, d, need[d]) + ", and " + whose +
                      " may never run more than " + amount_text(space, d, maximum[d]) +
                      ": it cannot start, and holds nobody up",
                  {{"need", need[d]}, {"maximum", maximum[d]}}};
  }
  return std::nullopt;
}

std::optional<Reason> reason_of_width(const ClusterState& state, const QueueBounds& bounds,
                                      QueueId leaf, const Resources& need) {
  const QueueId queue = bounds.too_small(leaf, need);
  if (!queue.valid()) return std::nullopt;
  return reason_of_width(state.space(), need, "queue " + state.tree().node(queue).path,
                         bounds.maximum(queue));
}

std::optional<Reason> reason_of_maximum(const ClusterState& state, const QueueBounds& bounds,
                                        QueueId queue, JobId job, const Resources& need) {
  if (!bounds.has_maximum(queue)) return std::nullopt;
  const Space& space = state.space();
  const Amounts taken = taken_by_others(state, queue, job);
  const Amounts& run = state.queue(queue).running;
  const Amounts& maximum = bounds.maximum(queue);
  for (const Dimension d : space.dimensions()) {
    if (maximum[d] >= state.total()[d]) continue;  // it declares none of this dimension
    if (need[d] == 0 || taken[d] + need[d] <= maximum[d]) continue;
    const std::int64_t reserved = taken[d] - run[d];
    const std::string also =
        reserved > 0 ? ", and " + amount_text(space, d, reserved) + " are reserved," : "";
    return Reason{"queue_at_maximum",
                  "queue " + state.tree().node(queue).path + " holds " +
                      amount_text(space, d, run[d]) + also + " of its maximum of " +
                      amount_text(space, d, maximum[d]),
                  {{"running", run[d]}, {"maximum", maximum[d]}}};
  }
  return std::nullopt;
}

}  // namespace weir
