#include "jobqueue/engine/trackers.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"

namespace weir {

constexpr DurationMs kNameTakenMs = 10000;  // a tracker heard of this recently keeps its name
constexpr std::int64_t kStampsFrom = 1'000'000'000;  // incarnations from there on are times

// Whether the tracker that registers is not the one of its name that is there. A work directory has
// one living tracker at a time: one with the same home was restarted, and so may replace itself.
// Where the one that is there does not say, the newer is believed, and an older one once the newer
// was silent; so is one that is newer by more than two starts of a tracker can be apart. An
// incarnation can be guessed, so whoever names that of the living one must have its key as well.
bool Trackers::is_another(const TrackerState& known, const RegisterTracker& input) const {
  if (!known.live()) return false;
  if (known.incarnation == input.incarnation)
    return known.key != input.key || known.home != input.home;
  if (known.stopping()) return false;
  if (!known.home.empty()) return known.home != input.home;
  const bool older = input.incarnation < known.incarnation;
  const bool far_newer =
      known.incarnation >= kStampsFrom && input.incarnation / 2 > known.incarnation;
  return (older || far_newer) && now_ - known.last_heartbeat < kNameTakenMs;
}

void Trackers::on(const RegisterTracker& input, Token token) {
  const TrackerState* known = state_.find_tracker(input.name);
  if (known != nullptr && is_another(*known, input)) {
    return refuse(
        token, "register",
        Error{
            ErrorCode::kNotPermitted,
            "another tracker named " + input.name + " (on " + known->host +
                ") is there, heard of " + short_duration(now_ - known->last_heartbeat) + " ago",
            "give this one another --name; if that one is dead: weir tracker lost " + input.name});
  }
  const bool less_than_nothing = std::any_of(
      input.named.begin(), input.named.end(), [](const auto& named) { return named.second < 0; });
  if (input.total.any_negative() || less_than_nothing) {
    return refuse(token, "register",
                  Error{ErrorCode::kBadRequest, "tracker " + input.name + " reports negative slots",
                        "slots are 0 or more"});
  }
  TrackerState& tracker =
      known != nullptr ? state_.mutable_tracker(known->id) : state_.add_tracker(input.name);
  // After a restart a tracker may be known by a commit alone, which does not tell its incarnation.
  const bool unsure =
      tracker.state == TrackerState::State::kAwaited && tracker.incarnation == kUnknownIncarnation;
  // Its key is not in the store: one that is awaited is known by its incarnation alone.
  const bool same_life =
      tracker.incarnation == input.incarnation &&
      (tracker.state == TrackerState::State::kAwaited || tracker.key == input.key);
  if (known != nullptr && !unsure && !same_life) {
    lose_tracker(tracker, "was restarted",
                 input.ended_in_order ? Loss::kOrdered : Loss::kUnforeseen);
    tracker.lost_attempts.clear();
    tracker.unacknowledged.clear();
    tracker.sequence = 0;
    begin_anew(tracker);
  }
  const bool was_live = tracker.live();
  tracker.incarnation = input.incarnation;
  tracker.key = input.key;
  tracker.sequence = std::max(tracker.sequence, input.reported);
  tracker.home = input.home;
  tracker.protections = input.protections;
  state_.set_tracker_address(tracker,
                             {input.host, input.shuffle_port, input.rack, input.local_paths});
  tracker.labels = input.labels;
  tracker.port_count = input.port_count;
  tracker.named = input.named;
  state_.set_tracker_total(tracker, input.total);
  if (!was_live) {  // until it reports otherwise
    state_.set_tracker_accepts(tracker, true);
    tracker.health.clear();
  }
  state_.set_tracker_live(tracker, TrackerState::State::kLive);
  heard_of(tracker);
  if (!was_live) {
    emit(TrackerChanged{
        tracker.id, known == nullptr ? TrackerChanged::How::kAdded : TrackerChanged::How::kBack});
  }
  store_total(tracker);
  if (std::exchange(tracker.stored_lost, false)) emit(TrackerBack{tracker.name});
  policy_->on_cluster_changed();
  touch(tracker);
  changes_.queues = true;
  reply(token, Registered{state_.heartbeat_interval_ms()});
}

void Trackers::on(const LoseTracker& input, Token token) {
  const TrackerState* known = state_.find_tracker(input.name);
  if (known == nullptr || known->state == TrackerState::State::kLost) {
    return reply(token, Heartbeats::not_registered(input.name));
  }
  lose_tracker(state_.mutable_tracker(known->id), "is gone", Loss::kUnforeseen);
  reply(token, Done{});
}

void Trackers::lose_tracker(TrackerState& tracker, const std::string& why, Loss loss) {
  const bool was_live = tracker.live();
  const bool was_lost = tracker.state == TrackerState::State::kLost;
  const bool counted = tracker.counts();
  tracker.lost_why = why;
  state_.set_tracker_live(tracker, TrackerState::State::kLost);
  store_total(tracker);
  if (!was_lost) store_lost(tracker);
  parts_.recovery.no_longer_awaits(tracker.id);
  by_silence_.erase(tracker.id);
  parts_.gangs.release_on(tracker.id);
  tracker.lost_attempts.clear();
  for (const HeldAttempt& held : tracker.held) tracker.lost_attempts.push_back({held.key, false});
  const std::vector<TaskKey> blamed =
      loss == Loss::kUnforeseen ? parts_.losses.blame_for(tracker) : std::vector<TaskKey>();
  while (!tracker.attempts.empty()) parts_.attempts.attempt_killed(tracker.attempts.back());
  parts_.losses.fail_those_who_take_trackers_down(blamed, tracker);
  state_.mutable_claims().forget_freed(tracker.id);
  if (tracker.keeps > 0) {
    parts_.holds.end_holds([&](const Hold& hold) { return hold.tracker == tracker.id; },
                           KillRecord::Outcome::kWasted);
    parts_.holds.release_reservations(JobId{}, tracker.id, "tracker");
  }
  lose_outputs(tracker, "tracker " + tracker.name + " " + why);
  for (const AttemptKey& held : tracker.held_commits) {
    if (state_.find_job(held.task.job) == nullptr) continue;
    Job& job = state_.mutable_job(held.task.job);
    if (!is_over(job.state))
      parts_.attempts.release_commit(job, held.task.kind, held.task.index, held.attempt);
  }
  tracker.held_commits.clear();
  parts_.replies.give_up(tracker, Heartbeats::not_registered(tracker.name));
  parts_.duties.leave_duties(tracker);
  // Also one that was awaited since a restart: its slots are given up now.
  if (!was_lost) emit(TrackerChanged{tracker.id, TrackerChanged::How::kLost});
  if (was_live || counted) policy_->on_cluster_changed();
  parts_.faults.keep_half();
  touch(tracker);
  changes_.queues = true;
}

// Another incarnation: what was to stop is gone, and faults were those of its earlier life.
void Trackers::begin_anew(TrackerState& tracker) {
  if (tracker.stopping()) parts_.orders.end_stop(tracker);
  if (tracker.faults.empty()) return;
  parts_.faults.forgive(tracker);
  emit(TrackerForgiven{tracker.name});
}

// So that a restart knows the cluster before its trackers have reported.
void Trackers::store_total(TrackerState& tracker) {
  const Resources counted = tracker.counts() ? tracker.total : Resources{};
  if (counted == tracker.stored_total) return;
  tracker.stored_total = counted;
  TrackerTotal told{tracker.name, counted, {}};
  if (tracker.counts()) told.named = tracker.named;
  emit(std::move(told));
}

// So that it is in the list after a restart, too: somebody has to see to it.
void Trackers::store_lost(TrackerState& tracker) {
  tracker.stored_lost = true;
  emit(TrackerLost{tracker.name, tracker.lost_why, tracker.host,
                   std::string(state_.rack_name(tracker.rack)), tracker.last_heartbeat});
}

// Completed maps run again only while reduces still need what is gone.
void Trackers::lose_outputs(TrackerState& tracker, const std::string& why) {
  const std::vector<TaskKey> outputs = std::move(tracker.map_outputs);
  tracker.map_outputs.clear();
  for (const TaskKey& key : outputs) {
    if (parts_.orders.output_needed(tracker, key))
      parts_.attempts.reopen(state_.mutable_job(key.job), key.kind, key.index, why);
  }
}

void Trackers::heard_of(TrackerState& tracker) {
  tracker.last_heartbeat = now_;
  by_silence_.arrive(tracker.id);
}

void Trackers::expire_trackers() {
  const DurationMs expiry = state_.settings().heartbeat.expiry_ms;
  std::vector<std::pair<TimeMs, TrackerId>> silent;
  for (TrackerId id = by_silence_.first(); id.valid(); id = by_silence_.after(id)) {
    const TimeMs last = state_.tracker(id).last_heartbeat;
    if (now_ - last < expiry) break;
    silent.emplace_back(last, id);
  }
  std::sort(silent.begin(), silent.end());  // who reported at the same time is lost by id
  for (const auto& [last, id] : silent) {
    lose_tracker(state_.mutable_tracker(id), "was silent for " + format_duration(expiry),
                 Loss::kUnforeseen);
  }
}

}  // namespace weir
