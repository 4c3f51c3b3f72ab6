#include "jobqueue/engine/tracker_faults.h"

#include <algorithm>
#include <utility>

#include "jobqueue/engine/parts.h"

namespace weir {

void TrackerFaults::note_faults(const Job& job) {
  if (!job.has_failures) return;
  for (const auto& [id, failures] : job.tracker_failures) {
    if (failures < kTrackerFailuresPerJob) continue;
    TrackerState& tracker = state_.mutable_tracker(id);
    if (tracker.state == TrackerState::State::kLost) continue;  // another life begins anyway
    const DurationMs forget_after = state_.settings().tracker_faults.forget_after_ms;
    tracker.faults.push_back(now_);
    emit(TrackerFault{tracker.name, tracker.incarnation, job.id, now_ - forget_after});
    judge(tracker, true);
    touch(tracker);
  }
}

// Whether it has too many faults by now. Only a new fault, or new settings, may put it out.
void TrackerFaults::judge(TrackerState& tracker, bool may_put_out) {
  const TrackerFaultSettings& settings = state_.settings().tracker_faults;
  std::erase_if(tracker.faults, [&](TimeMs at) { return at + settings.forget_after_ms <= now_; });
  const std::size_t most = settings.at_most ? static_cast<std::size_t>(*settings.at_most) : 0;
  const bool too_many = most > 0 && tracker.faults.size() >= most;
  const bool out =
      too_many && (tracker.faulty || (may_put_out && at_most_half_faulty(faulty_present() + 1)));
  std::erase_if(healing_, [&](const auto& entry) { return entry.second == tracker.id; });
  if (out) {
    const TimeMs oldest_that_counts = tracker.faults[tracker.faults.size() - most];
    healing_.emplace(oldest_that_counts + settings.forget_after_ms, tracker.id);
  }
  if (out == tracker.faulty) return;
  state_.set_tracker_faulty(tracker, out);
  if (out) parts_.gangs.release_on(tracker.id);
  emit(TrackerChanged{tracker.id,
                      out ? TrackerChanged::How::kFaulty : TrackerChanged::How::kHealed});
  parts_.orders.pool_changed(tracker);
}

std::optional<TimeMs> TrackerFaults::back_at(const TrackerState& tracker) const {
  const auto most = state_.settings().tracker_faults.at_most;
  if (!tracker.faulty || !most || std::cmp_less(tracker.faults.size(), *most)) return std::nullopt;
  return tracker.faults[tracker.faults.size() - static_cast<std::size_t>(*most)] +
         state_.settings().tracker_faults.forget_after_ms;
}

// Trackers out for their faults that are there, or may be after a restart.
std::size_t TrackerFaults::faulty_present() const {
  return static_cast<std::size_t>(
      std::count_if(healing_.begin(), healing_.end(), [&](const auto& entry) {
        return state_.tracker(entry.second).state != TrackerState::State::kLost;
      }));
}

bool TrackerFaults::at_most_half_faulty(std::size_t faulty) const {
  return faulty * 2 <= state_.live_trackers() + state_.awaited_trackers();
}

void TrackerFaults::heal_trackers() {
  while (!healing_.empty() && healing_.begin()->first <= now_)
    judge(state_.mutable_tracker(healing_.begin()->second), false);
}

// Others were lost: those that are out for their faults must not be most of what is left. Who would
// be back first is.
void TrackerFaults::keep_half() {
  while (!healing_.empty() && !at_most_half_faulty(faulty_present())) {
    const auto first = std::find_if(healing_.begin(), healing_.end(), [&](const auto& entry) {
      return state_.tracker(entry.second).state != TrackerState::State::kLost;
    });
    TrackerState& tracker = state_.mutable_tracker(first->second);
    healing_.erase(first);
    state_.set_tracker_faulty(tracker, false);
    emit(TrackerChanged{tracker.id, TrackerChanged::How::kHealed});
    parts_.orders.pool_changed(tracker);
  }
}

// By new settings.
void TrackerFaults::judge_all() {
  for (const TrackerState& tracker : state_.trackers()) {
    if (!tracker.faults.empty()) judge(state_.mutable_tracker(tracker.id), true);
  }
  keep_half();
}

void TrackerFaults::forgive(TrackerState& tracker) {
  if (tracker.faults.empty()) return;
  tracker.faults.clear();
  judge(tracker, false);
  touch(tracker);
}

}  // namespace weir
