#include "jobqueue/policy/placeable.h"

#include <algorithm>
#include <tuple>

#include "jobqueue/model/gang_fit.h"
#include "jobqueue/model/labels.h"

namespace weir {
namespace {

// Slots are asked for even where the cluster has none of the kind: then nothing is wide enough.
bool wide_enough(const ClusterState& state, const TrackerState& tracker, const Resources& need) {
  if (!tracker.counts() || !state.fits_in(need, tracker, Resources{})) return false;
  return std::all_of(std::begin(kTaskKinds), std::end(kTaskKinds),
                     [&](TaskKind kind) { return need.slots(kind) <= tracker.total.slots(kind); });
}

constexpr std::size_t kKnownAtFirst = 1000;

const std::vector<Requirement>& required_by(const Job& job, TaskKind kind) {
  static const std::vector<Requirement> kNone;
  return is_group(kind) ? job.spec->task_groups[group_number(kind)].require : kNone;
}

bool comes_before(const Resources& a, const std::vector<Requirement>& a_requires,
                  const Resources& b, const std::vector<Requirement>& b_requires) {
  if (a.amount != b.amount) return a.amount < b.amount;
  return std::lexicographical_compare(
      a_requires.begin(), a_requires.end(), b_requires.begin(), b_requires.end(),
      [](const Requirement& p, const Requirement& q) {
        return std::tie(p.label, p.values, p.none_of) < std::tie(q.label, q.values, q.none_of);
      });
}

constexpr std::int64_t kTrackersAReservation = 20;  // at most 5% of them are reserved

bool keeps_slots(const ClusterState& state, TrackerId tracker, TaskKind kind) {
  const auto here = [&](const auto& kept) { return kept.tracker == tracker && kept.kind == kind; };
  const auto& holds = state.claims().holds();
  const auto& reserved = state.claims().reservations();
  return std::any_of(holds.begin(), holds.end(), here) ||
         std::any_of(reserved.begin(), reserved.end(), here);
}

}  // namespace

std::size_t avoided_trackers(const Job& job) {
  return static_cast<std::size_t>(
      std::count_if(job.tracker_failures.begin(), job.tracker_failures.end(),
                    [&job](const auto& failures) { return job.avoids(failures.first); }));
}

bool Placeable::operator()(const Job& job, TaskKind kind) {
  if (job.is_gang(kind)) return fits_empty(state_, job);
  const std::vector<Requirement>& required = required_by(job, kind);
  const Resources& need = job.need(kind);
  if (!job.has_failures || avoided_trackers(job) == 0) return known_to_fit(need, required);
  return std::any_of(state_.trackers().begin(), state_.trackers().end(), [&](const auto& t) {
    return wide_enough(state_, t, need) && meets(t, state_, required) &&
           !state_.avoided(job, t.id);
  });
}

bool Placeable::refresh() {
  bool changed = false;
  for (KnownNeed& known : known_) {
    const bool before = known.fits;
    known.fits = fits_somewhere(known.need, known.required);
    changed = changed || known.fits != before;
  }
  return changed;
}

bool Placeable::fits_somewhere(const Resources& need,
                               const std::vector<Requirement>& required) const {
  return std::any_of(state_.trackers().begin(), state_.trackers().end(), [&](const auto& t) {
    return wide_enough(state_, t, need) && meets(t, state_, required);
  });
}

// They are in order of `comes_before`. Before they take more memory those are forgotten that no
// unfinished job has.
bool Placeable::known_to_fit(const Resources& need, const std::vector<Requirement>& required) {
  const auto find = [this](const Resources& of, const std::vector<Requirement>& labels) {
    return std::lower_bound(known_.begin(), known_.end(), 0, [&](const KnownNeed& known, int) {
      return comes_before(known.need, known.required, of, labels);
    });
  };
  const auto is_known = [&](auto at) {
    return at != known_.end() && at->need == need && at->required == required;
  };
  if (const auto known = find(need, required); is_known(known)) return known->fits;
  if (known_.size() == known_.capacity()) {
    std::vector<bool> used(known_.size());
    for (const auto& [id, job] : state_.jobs()) {
      if (is_over(job->state)) continue;
      for (const TaskKind kind : job->kinds()) {
        const auto at = find(job->need(kind), required_by(*job, kind));
        // If it is none of them, one too many is kept.
        if (at != known_.end()) used[static_cast<std::size_t>(at - known_.begin())] = true;
      }
    }
    std::size_t place = 0;
    std::erase_if(known_, [&](const KnownNeed&) { return !used[place++]; });
    known_.reserve(std::max(kKnownAtFirst, 2 * known_.size()));
  }
  const bool fits = fits_somewhere(need, required);
  known_.insert(find(need, required), {need, required, fits});
  return fits;
}

std::optional<Choice> reserve_tracker(const ClusterState& state, JobId id, TaskKind kind) {
  const Job& job = state.job(id);
  const std::int64_t need = std::max<std::int64_t>(job.width(kind), 1);
  std::int64_t ready = state.trackers_with_free(kind, need);
  const auto kept = [&](const auto& entry) {
    const TrackerState& tracker = state.tracker(entry.tracker);
    if (entry.kind == kind && state.free_slots(tracker, kind) >= need) --ready;
  };
  for (const Hold& hold : state.claims().holds()) kept(hold);
  std::int64_t reserved = 0;
  for (const Reservation& reservation : state.claims().reservations()) {
    if (reservation.kind != kind) continue;
    if (reservation.job == id) return std::nullopt;
    kept(reservation);
    ++reserved;
  }
  // Its turn comes with that tracker's next heartbeat, if it may run there.
  if (ready > 0 && !job.has_failures) return std::nullopt;
  if (reserved >= std::max<std::int64_t>(1, state.live_trackers() / kTrackersAReservation)) {
    return std::nullopt;
  }
  TrackerId best;
  std::int64_t most = -1;
  for (const TrackerState& tracker : state.trackers()) {
    if (tracker.keeps > 0 && keeps_slots(state, tracker.id, kind)) continue;
    if (tracker.total.slots(kind) < need || !state.may_run_on(job, kind, tracker)) continue;
    const std::int64_t free = state.free_slots(tracker, kind);
    if (free >= need) return std::nullopt;
    if (free <= most) continue;
    most = free;
    best = tracker.id;
  }
  if (!best.valid()) return std::nullopt;
  return Choice{.task = {id, kind, 0}, .what = Choice::What::kReserve, .reserve_on = best};
}

}  // namespace weir
