// What administrators want of trackers: drain, stop, resume. An order is about the machine and is
// durable; a stop ends when the tracker has left.
#include <algorithm>
#include <utility>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/access_rights.h"

namespace weir {

namespace {

constexpr std::size_t kNamesShown = 10;

TrackerChanged::How change_by(TrackerOrder order) {
  if (order == TrackerOrder::kNone) return TrackerChanged::How::kResumed;
  return order == TrackerOrder::kDrain ? TrackerChanged::How::kDraining
                                       : TrackerChanged::How::kStopping;
}

}  // namespace

// The trackers of those names, or what is wrong with one of them.
Result<std::vector<TrackerId>> TrackerOrders::named(const Caller& caller,
                                                    const std::vector<std::string>& names) const {
  if (const auto may = check_cluster_administrator(state_, caller); !may) return may.error();
  std::vector<TrackerId> trackers;
  std::string unknown;
  std::size_t strangers = 0;
  for (const std::string& name : names) {
    const TrackerState* tracker = state_.find_tracker(name);
    if (tracker != nullptr) {
      trackers.push_back(tracker->id);
    } else if (++strangers <= kNamesShown) {
      unknown += (unknown.empty() ? "" : ", ") + name;
    }
  }
  if (strangers == 0 && !trackers.empty()) return trackers;
  return Error{ErrorCode::kBadRequest,
               strangers == 0 ? "no tracker is named" : "there is no tracker " + unknown,
               "see `weir tracker list`; nothing was changed"};
}

void TrackerOrders::on(const OrderTrackers& input, Token token) {
  const auto trackers = named(input.caller, input.trackers);
  if (!trackers) return refuse(token, "tracker", trackers.error());
  TrackersOrdered ordered{{}, input.order, input.caller.user, input.reason};
  for (const TrackerId id : *trackers) {
    const TrackerState& tracker = state_.tracker(id);
    ordered.trackers.push_back({tracker.name, tracker.incarnation});
  }
  parts_.promises.promise(token, std::move(ordered));
}

// Only of those that nobody hears: one that is there would be back with its next heartbeat, and
// what it runs would have been killed for nothing.
void TrackerOrders::on(const DeclareLost& input, Token token) {
  const auto trackers = named(input.caller, input.trackers);
  if (!trackers) return refuse(token, "tracker", trackers.error());
  for (const TrackerId id : *trackers) {
    const TrackerState& tracker = state_.tracker(id);
    if (!tracker.live() || tracker.silent(now_, state_.heartbeat_interval_ms())) continue;
    const DurationMs heard = now_ - tracker.last_heartbeat;
    return refuse(token, "tracker",
                  Error{ErrorCode::kBadRequest,
                        "tracker " + tracker.name + " was heard of " + short_duration(heard) +
                            " ago: it is not dead",
                        "`weir tracker stop --now " + tracker.name +
                            "` ends one that is there; nothing was changed"});
  }
  for (const TrackerId id : *trackers) {
    TrackerState& tracker = state_.mutable_tracker(id);
    if (tracker.state == TrackerState::State::kLost) continue;
    const std::string reason = input.reason.empty() ? "" : ": " + input.reason;
    parts_.trackers.lose_tracker(tracker, "was declared lost by " + input.caller.user + reason,
                                 Loss::kOrdered);
  }
  reply(token, Done{});
}

void TrackerOrders::on(const ForgetTrackers& input, Token token) {
  const auto trackers = named(input.caller, input.trackers);
  if (!trackers) return refuse(token, "tracker", trackers.error());
  TrackersOrdered ordered{{}, TrackerOrder::kNone, input.caller.user, "", true};
  for (const TrackerId id : *trackers) {
    const TrackerState& tracker = state_.tracker(id);
    if (tracker.state != TrackerState::State::kLost) {
      return refuse(token, "tracker",
                    Error{ErrorCode::kBadRequest,
                          "tracker " + tracker.name + " is not lost; only lost ones are forgotten",
                          "`weir tracker lost " + tracker.name +
                              "` declares a dead one lost; nothing was changed"});
    }
    ordered.trackers.push_back({tracker.name, tracker.incarnation});
  }
  parts_.promises.promise(token, std::move(ordered));
}

ReplyBody TrackerOrders::apply(const TrackersOrdered& ordered) {
  for (const TrackersOrdered::Tracker& each : ordered.trackers) {
    const TrackerState* known = state_.find_tracker(each.name);
    if (known == nullptr) continue;
    TrackerState& tracker = state_.mutable_tracker(known->id);
    // It left, as it was told before, while the order to stop was written.
    if (ordered.order >= TrackerOrder::kStop &&
        parts_.promises.applied_seq() < tracker.stop_ended_seq) {
      continue;
    }
    tracker.ordered_by = ordered.by;
    tracker.order_reason = ordered.reason;
    tracker.ordered_at = now_;
    tracker.drains = ordered.order >= TrackerOrder::kStop &&
                     (tracker.drains || tracker.order == TrackerOrder::kDrain);
    set_order(tracker, ordered.order);
    // It was restarted while the order was written: what was to stop is gone already.
    const bool another =
        each.incarnation != kUnknownIncarnation && tracker.incarnation != each.incarnation;
    if (tracker.stopping() && another) {
      end_stop(tracker);
      continue;
    }
    if (ordered.order == TrackerOrder::kNone) parts_.faults.forgive(tracker);
    if (ordered.forget && tracker.state == TrackerState::State::kLost) {
      state_.set_tracker_forgotten(tracker);
      tracker.stored_lost = false;
      emit(TrackerChanged{tracker.id, TrackerChanged::How::kForgotten});
      touch(tracker);
    }
    if (ordered.order == TrackerOrder::kStopNow) evacuate(tracker);
  }
  return Done{};
}

void TrackerOrders::set_order(TrackerState& tracker, TrackerOrder order) {
  if (tracker.order != order) emit(TrackerChanged{tracker.id, change_by(order)});
  state_.set_tracker_order(tracker, order);
  if (!tracker.in_pool()) parts_.gangs.release_on(tracker.id);
  pool_changed(tracker);
}

// It entered or left the pool.
void TrackerOrders::pool_changed(TrackerState& tracker) {
  parts_.trackers.store_total(tracker);
  policy_->on_cluster_changed();
  touch(tracker);
  changes_.queues = true;
}

// What it runs dies and is to run elsewhere, and so are the maps whose output is still needed.
void TrackerOrders::evacuate(TrackerState& tracker) {
  const std::vector<AttemptSlot> attempts = tracker.attempts;  // members of gangs leave at once
  for (const AttemptSlot slot : attempts) {
    if (state_.attempt(slot).live)
      parts_.attempts.order_kill(slot, KillReason::kTrackerStopped, QueueId{});
  }
  parts_.trackers.lose_outputs(tracker, "tracker " + tracker.name + " is being stopped");
}

bool TrackerOrders::output_needed(const TrackerState& tracker, const TaskKey& key) const {
  const Job* job = state_.find_job(key.job);
  if (job == nullptr || job->duty != Job::Duty::kNone || !state_.serves(tracker.id, key))
    return false;
  JobType::TasksDone done(index(TaskKind::kFirstGroup) + job->groups);
  for (const TaskKind kind : job->kinds()) done[index(kind)] = job->tasks(kind).succeeded;
  return job->type->outputs_needed(*job->spec, done);
}

// After a report of a tracker with an order.
void TrackerOrders::review_order(TrackerState& tracker) {
  if (tracker.order == TrackerOrder::kStopNow) evacuate(tracker);
  std::erase_if(tracker.map_outputs, [&](const TaskKey& key) {
    return !output_needed(tracker, key);  // and will not be again
  });
}

// Whether nothing is missed when the tracker goes. The only one there is still does the last duty
// of jobs that are done.
bool TrackerOrders::may_leave(const TrackerState& tracker) const {
  return tracker.live() && tracker.stopping() && tracker.attempts.empty() &&
         tracker.map_outputs.empty() && tracker.duties.empty() && tracker.held_commits.empty() &&
         (parts_.duties.all_given() || state_.live_trackers() > 1);
}

void TrackerOrders::leave(TrackerState& tracker) {
  const bool stopped = tracker.stopping();
  parts_.trackers.lose_tracker(
      tracker, stopped ? "was stopped by " + tracker.ordered_by : "has left", Loss::kOrdered);
  if (stopped) end_stop(tracker);
}

// A stop is over when the tracker has left: when it starts again it is welcome, or drained, as it
// was before.
void TrackerOrders::end_stop(TrackerState& tracker) {
  tracker.stop_ended_seq = emit(TrackerStopEnded{tracker.name});
  emit(TrackerChanged{tracker.id, TrackerChanged::How::kStopped});
  state_.set_tracker_order(tracker, tracker.drains ? TrackerOrder::kDrain : TrackerOrder::kNone);
  tracker.drains = false;
  pool_changed(tracker);
}

}  // namespace weir
