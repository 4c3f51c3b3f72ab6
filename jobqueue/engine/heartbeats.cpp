#include "jobqueue/engine/heartbeats.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"
#include "jobqueue/model/prefetch.h"

namespace weir {

// Ends of one tracker that wait to be acknowledged, besides those it reports.
constexpr std::size_t kEndsRemembered = 1'000;

// --- Heartbeats ---

Error Heartbeats::not_registered(const std::string& tracker) {
  return Error{ErrorCode::kUnknownTracker, "tracker " + tracker + " is not registered (any more)",
               "register, then report"};
}

void Heartbeats::on(const Heartbeat& input, Token token) {
  const TrackerState* known = state_.find_tracker(input.name);
  if (known == nullptr || !known->live() || known->incarnation != input.incarnation ||
      known->key != input.key) {
    // After a restart: it is there, so it is not shown as one that is still awaited.
    if (known != nullptr && known->state == TrackerState::State::kAwaited &&
        known->health.empty()) {
      state_.mutable_tracker(known->id).health = "reports, and is to register again";
      touch(*known);
    }
    return reply(token, not_registered(input.name));
  }
  TrackerState& tracker = state_.mutable_tracker(known->id);
  parts_.trackers.heard_of(tracker);  // whatever it says, and whatever its answer waits for
  touch(tracker);
  if (input.sequence <= tracker.sequence)
    return parts_.replies.answer(tracker, input, token);  // old news
  tracker.sequence = input.sequence;
  take_report(tracker, input);
  if (tracker.untold > 0) parts_.gangs.launch_members(tracker);
  parts_.jobs.settle_yields();
  if (tracker.order != TrackerOrder::kNone) parts_.orders.review_order(tracker);
  if (input.leaving) {
    parts_.orders.leave(tracker);
    return reply(token, HeartbeatReply{.interval_ms = state_.heartbeat_interval_ms()});
  }
  if (input.asks_for_tasks) parts_.launches.schedule(tracker);
  const std::uint64_t awaited = parts_.replies.awaited_grant(tracker);
  if (awaited == 0) return parts_.replies.answer(tracker, input, token);
  parts_.replies.park(tracker, input, token, awaited);
}

void Heartbeats::take_report(TrackerState& tracker, const Heartbeat& report) {
  if (report.named && *report.named != tracker.named)
    state_.set_tracker_named(tracker, *report.named);
  if (report.total && !report.total->any_negative() &&
      state_.space().with_named(*report.total, tracker.named) != tracker.total) {
    state_.set_tracker_total(tracker, *report.total);
    parts_.trackers.store_total(tracker);
    if (!tracker.within_offer()) parts_.gangs.release_on(tracker.id);
    policy_->on_cluster_changed();
    changes_.queues = true;
  }
  if (tracker.accepts_tasks != report.accepts_tasks) {
    state_.set_tracker_accepts(tracker, report.accepts_tasks);
    if (!tracker.in_pool()) parts_.gangs.release_on(tracker.id);
    parts_.trackers.store_total(tracker);
    policy_->on_cluster_changed();
    changes_.queues = true;
  }
  prefetch_lines(tracker.held.data(), tracker.held.size() * sizeof(HeldAttempt));
  prefetch_few(tracker.attempts);
  if (tracker.health != report.health) tracker.health = report.health;
  tracker.low_disk = report.low_disk;
  tracker.free_disk_mb = report.free_disk_mb;
  tracker.load_millionths = report.load_millionths;
  ++reports_;
  prefetch_for(tracker, report);
  if (!tracker.held_commits.empty()) release_given_up(tracker, report);
  tracker.to_drop = 0;
  for (const AttemptReport& attempt : report.attempts) take_attempt(tracker, attempt);
  drop_missing_attempts(tracker);
  for (const DutyReport& duty : report.duties) parts_.duties.take_duty(tracker, duty);
  if (tracker.unacknowledged.size() > report.attempts.size() + kEndsRemembered)
    forget_ends(tracker, report);
  tracker.reported = true;
  tracker.lost_attempts.clear();  // whatever is left of them it has named
  parts_.recovery.no_longer_awaits(tracker.id);
}

// An end that is on disk and that the tracker does not report again need not be acknowledged: it
// has given it up. A tracker that is careful never comes here.
void Heartbeats::forget_ends(TrackerState& tracker, const Heartbeat& report) {
  std::vector<AttemptKey> reported;
  for (const AttemptReport& attempt : report.attempts) reported.push_back(attempt.attempt);
  std::sort(reported.begin(), reported.end());
  std::erase_if(tracker.unacknowledged, [&](const auto& end) {
    return end.second <= durable_seq_ &&
           !std::binary_search(reported.begin(), reported.end(), end.first);
  });
}

// What has ended is all over the memory, with its jobs and queues, and so are tasks that wait to be
// committed or acknowledged: they are fetched side by side, in steps, each of which says where to
// find the next.
void Heartbeats::prefetch_for(const TrackerState& tracker, const Heartbeat& report) {
  ended_.clear();
  asked_about_.clear();
  for (const AttemptReport& attempt : report.attempts) {
    if (attempt.state == ReportedState::kRunning) continue;
    const std::size_t place = state_.place_of(tracker, attempt.attempt);
    if (place != ClusterState::kNoPlace) state_.prefetch_attempt(tracker.attempts[place]);
    if (place != ClusterState::kNoPlace && attempt.state >= ReportedState::kSucceeded) {
      ended_.push_back(tracker.attempts[place]);
    } else {
      asked_about_.push_back(attempt.attempt.task);
    }
  }
  if (ended_.empty() && asked_about_.empty()) return;
  for (int step = 0; step < kPrefetchSteps; ++step) {
    for (const TaskKey& task : asked_about_) state_.prefetch(task, step);
    for (const AttemptSlot slot : ended_) {
      state_.prefetch(state_.attempt(slot), step);
      policy_->prefetch(state_.attempt(slot), step);
    }
  }
}

void Heartbeats::take_attempt(TrackerState& tracker, const AttemptReport& report) {
  const std::size_t place = state_.place_of(tracker, report.attempt);
  if (place == ClusterState::kNoPlace) {
    if (!adopt(tracker, report) && report.state < ReportedState::kSucceeded) ++tracker.to_drop;
    return;
  }
  HeldAttempt& held = tracker.held[place];
  held.reported_in = reports_;
  const bool running = report.state == ReportedState::kRunning;
  // Most reports say what the one before said; that a member of a gang has its ports comes later.
  if (running && held.said_running && held.phase == report.phase &&
      held.progress_millionths == report.progress_millionths && report.status.empty() &&
      report.fetch_failures.empty() && report.ports == nullptr) {
    return;
  }
  held.said_running = running;
  held.phase = report.phase;
  held.progress_millionths = report.progress_millionths;
  take_live_attempt(tracker.attempts[place], report);
}

void Heartbeats::take_live_attempt(AttemptSlot slot, const AttemptReport& report) {
  Attempt& attempt = state_.mutable_attempt(slot);
  const TaskKey key = attempt.key.task;
  switch (report.state) {
    case ReportedState::kRunning:
    case ReportedState::kCommitPending: {
      if (attempt.progress_millionths != report.progress_millionths) {
        touch(state_.job(key.job));
        state_.set_progress(attempt, report.progress_millionths);
      }
      attempt.phase = report.phase;
      if (!report.status.empty()) state_.mutable_job(key.job).status_line = report.status;
      if (!report.fetch_failures.empty()) parts_.attempts.take_fetch_failures(report);
      if (report.ports && !parts_.gangs.note_ports(slot, *report.ports)) return;
      if (attempt.dying()) {
        if (attempt.finish_counts && report.state == ReportedState::kCommitPending)
          grant_commit(slot);
        return;
      }
      if (attempt.copy != CopyStage::kNone) parts_.copies.take_copy(slot, report);
      if (report.state == ReportedState::kRunning) {
        state_.set_attempt_state(attempt, Attempt::State::kRunning);
      } else {
        state_.set_attempt_state(attempt, Attempt::State::kCommitPending);
        grant_commit(slot);
      }
      return;
    }
    case ReportedState::kSucceeded: {
      const Job& job = state_.job(key.job);
      const bool publishes = job.type->publishes(*job.spec, key.kind);
      const Task& task = job.tasks(key.kind).tasks[key.index];
      if (publishes && !(task.commit_granted && task.commit_attempt == attempt.key.attempt)) {
        return parts_.attempts.attempt_failed(slot,
                                              "published its output without being told to commit");
      }
      return parts_.attempts.attempt_succeeded(slot, report);
    }
    case ReportedState::kFailed:
      return parts_.attempts.attempt_failed(slot, report.diagnostics);
    case ReportedState::kKilled:
      return parts_.attempts.attempt_killed(slot);
  }
}

void Heartbeats::grant_commit(AttemptSlot slot) {
  Attempt& attempt = state_.mutable_attempt(slot);
  const TaskKey key = attempt.key.task;
  Task& task = state_.mutable_job(key.job).tasks(key.kind).tasks[key.index];
  if (attempt.grant_seq != 0) return;
  if (task.commit_granted && task.commit_attempt != attempt.key.attempt)
    return;                                // somebody else may be publishing
  const bool again = task.commit_granted;  // granted durably before a restart
  task.commit_granted = true;
  task.commit_attempt = attempt.key.attempt;
  attempt.grant_seq =
      again ? durable_seq_ : emit(CommitGranted{attempt.key, state_.tracker(attempt.tracker).name});
  if (attempt.grant_seq == 0) attempt.grant_seq = 1;
}

// An attempt that the engine does not hold: after a restart, or after its tracker was thought lost.
// If its task is still to be done and nobody else does it, it is taken on again; otherwise the
// reply tells the tracker to drop it.
bool Heartbeats::adopt(TrackerState& tracker, const AttemptReport& report) {
  const TaskKey key = report.attempt.task;
  if (state_.find_job(key.job) == nullptr ||
      !parts_.losses.may_come_back(tracker, report.attempt)) {
    return false;
  }
  Job& job = state_.mutable_job(key.job);
  // What runs of a job that has to wait again goes on.
  if (!job.durable || is_over(job.state) || job.duty != Job::Duty::kNone) return false;
  if (!job.has(key.kind) || key.index >= job.tasks(key.kind).tasks.size()) return false;
  if (job.type->needs_containers() && !state_.space().containers()) return false;
  if (is_group(key.kind) && !parts_.gangs.may_adopt(job, key.kind)) return false;
  Task& task = job.tasks(key.kind).tasks[key.index];
  const bool beside = task.state == Task::State::kRunning;
  if (task.state == Task::State::kSucceeded) return false;
  if (beside && !parts_.stragglers.may_adopt_beside(job, tracker, report)) return false;
  if (report.state == ReportedState::kKilled) return false;
  const auto counted = [&](const auto& ended) { return ended.first == report.attempt; };
  if (std::any_of(tracker.unacknowledged.begin(), tracker.unacknowledged.end(), counted)) {
    return false;  // this end was taken already, it is only not durable yet
  }
  if (!beside && task.commit_granted && task.commit_attempt != report.attempt.attempt) {
    return false;
  }
  const bool publishes = job.type->publishes(*job.spec, key.kind);
  if (report.state == ReportedState::kSucceeded && publishes && !task.commit_granted) return false;
  const bool to_copy = !report.compute_granted && key.kind == TaskKind::kReduce &&
                       report.state == ReportedState::kRunning && report.phase < TaskPhase::kReduce;
  const Launch launch = launch_of(job, report);
  const AttemptSlot slot =
      state_.launch(key, report.attempt.attempt, tracker.id, launch.at, to_copy, beside);
  state_.mutable_attempt(slot).apart_ms = launch.apart_ms;
  if (beside) parts_.stragglers.mark_the_second(task, slot);
  tracker.held.back().reported_in = reports_;
  std::erase(tracker.held_commits, report.attempt);
  parts_.losses.came_back(tracker, job, report.attempt);
  // It was once, and that is for good.
  if (!job.waits_for_gang(key.kind)) job.tasks(key.kind).open = true;
  emit(AttemptLaunched{report.attempt, tracker.id, job.queue, Locality::kAny, to_copy, beside});
  policy_->on_launched(slot);
  if (job.limited) parts_.jobs.set_deadline(job);
  if (is_group(key.kind)) parts_.jobs.set_task_deadline(state_.attempt(slot));
  if (report.units) tracker.units.adopt(report.attempt, *report.units);
  if (key.kind == TaskKind::kMap) parts_.own_maps.started(job);
  pending_changed(job, key.kind);
  take_live_attempt(slot, report);
  parts_.jobs.admit_if_stuck(job);
  return true;
}

// Its tracker's clock went on while the JobTracker was down, and has since the attempt's end.
Heartbeats::Launch Heartbeats::launch_of(const Job& job, const AttemptReport& report) const {
  TimeMs at = now_;
  DurationMs age = report.age_ms, down_ms = 0;  // of the age: what is left
  for (auto down = core_.downtimes.rbegin(); down != core_.downtimes.rend(); ++down) {
    if (down->at < job.submitted_at || age <= at - down->at) break;
    age -= at - down->at;
    at = down->at;
    const DurationMs missed = std::min(age, down->ms);
    age -= missed;
    down_ms += missed;
    if (age > 0) continue;
    // Not while it was down: after the last moment that was stored before.
    --at, --down_ms;
    break;
  }
  at = std::max(job.submitted_at, at - age);
  const DurationMs ran = report.finished_at_ms - report.started_at_ms;
  const bool ended = report.state >= ReportedState::kSucceeded && report.started_at_ms != 0;
  const DurationMs apart_ms = ended && ran >= 0 ? std::min(ran - (now_ - at), down_ms) : down_ms;
  return {at, static_cast<std::int32_t>(std::clamp<DurationMs>(apart_ms, INT32_MIN, INT32_MAX))};
}

// A report names everything that the tracker holds: what it held and names no more is gone.
void Heartbeats::drop_missing_attempts(TrackerState& tracker) {
  std::vector<AttemptSlot> gone;
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    if (tracker.held[i].state == AttemptState::kLaunching)
      continue;  // the launch may have been lost: it is repeated
    if (tracker.held[i].reported_in != reports_) gone.push_back(tracker.attempts[i]);
  }
  for (const AttemptSlot slot : gone) parts_.attempts.attempt_killed(slot);
}

// Granted before a restart, and not running any more: another attempt may be taken on, and publish.
void Heartbeats::release_given_up(TrackerState& tracker, const Heartbeat& report) {
  std::erase_if(tracker.held_commits, [&](const AttemptKey& held) {
    const bool runs =
        std::any_of(report.attempts.begin(), report.attempts.end(),
                    [&](const AttemptReport& attempt) { return attempt.attempt == held; });
    if (runs || state_.find_job(held.task.job) == nullptr) return !runs;
    Job& job = state_.mutable_job(held.task.job);
    if (!is_over(job.state))
      parts_.attempts.release_commit(job, held.task.kind, held.task.index, held.attempt);
    return true;
  });
}

}  // namespace weir
