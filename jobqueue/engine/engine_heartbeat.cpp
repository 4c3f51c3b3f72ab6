// Heartbeats: reports, scheduling, replies. See engine.h and input.h for the
// level-triggered protocol.
#include <algorithm>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/check.h"
#include "jobqueue/model/prefetch.h"

namespace weir {

// Ends of one tracker that wait to be acknowledged, besides those it reports.
constexpr std::size_t kEndsRemembered = 1'000;

namespace {

std::shared_ptr<const Split> split_of(const std::shared_ptr<const JobSpec>& spec,
                                      const TaskKey& task) {
  if (task.kind != TaskKind::kMap) return nullptr;
  return {spec, &spec->splits[task.index]};  // lives as long as the job's spec
}

}  // namespace

// --- Heartbeats ---

Error Engine::not_registered(const std::string& tracker) {
  return Error{ErrorCode::kUnknownTracker, "tracker " + tracker + " is not registered (any more)",
               "register, then report"};
}

void Engine::on(const Heartbeat& input, Token token) {
  const TrackerState* known = state_.find_tracker(input.name);
  if (known == nullptr || !known->live() || known->incarnation != input.incarnation) {
    // After a restart: it is there, so it is not shown as one that is still awaited.
    if (known != nullptr && known->state == TrackerState::State::kAwaited &&
        known->health.empty()) {
      state_.mutable_tracker(known->id).health = "reports, and is to register again";
      touch(*known);
    }
    return reply(token, not_registered(input.name));
  }
  TrackerState& tracker = state_.mutable_tracker(known->id);
  heard_of(tracker);  // whatever it says, and whatever its answer waits for
  if (input.sequence <= tracker.sequence)
    return reply(token, compose_reply(tracker, input));  // old news
  tracker.sequence = input.sequence;
  take_report(tracker, input);
  settle_yields();
  if (tracker.order != TrackerOrder::kNone) review_order(tracker);
  if (input.leaving) {
    leave(tracker);
    return reply(token, HeartbeatReply{.interval_ms = heartbeat_interval_ms()});
  }
  if (input.asks_for_tasks) schedule(tracker);
  touch(tracker);
  const std::uint64_t awaited = awaited_grant(tracker);
  if (awaited == 0) return reply(token, compose_reply(tracker, input));
  park(tracker, input, token, awaited);
}

void Engine::take_report(TrackerState& tracker, const Heartbeat& report) {
  if (report.total && !report.total->any_negative() && *report.total != tracker.total) {
    state_.set_tracker_total(tracker, *report.total);
    store_total(tracker);
    policy_->on_cluster_changed();
    changes_.queues = true;
  }
  if (tracker.accepts_tasks != report.accepts_tasks) {
    state_.set_tracker_accepts(tracker, report.accepts_tasks);
    store_total(tracker);
    policy_->on_cluster_changed();
    changes_.queues = true;
  }
  prefetch_lines(tracker.held.data(), tracker.held.size() * sizeof(HeldAttempt));
  prefetch_few(tracker.attempts);
  tracker.health = report.health;
  tracker.low_disk = report.low_disk;
  tracker.free_disk_mb = report.free_disk_mb;
  tracker.load_millionths = report.load_millionths;
  ++reports_;
  prefetch_for(tracker, report);
  release_given_up(tracker, report);
  for (const AttemptReport& attempt : report.attempts) take_attempt(tracker, attempt);
  drop_missing_attempts(tracker);
  for (const DutyReport& duty : report.duties) take_duty(tracker, duty);
  if (tracker.unacknowledged.size() > report.attempts.size() + kEndsRemembered)
    forget_ends(tracker, report);
  tracker.reported = true;
  tracker.lost_attempts.clear();  // whatever is left of them it has named
  unreported_.erase(tracker.id);
  recovering_for_.erase(tracker.id);
}

// An end that is on disk and that the tracker does not report again need not be acknowledged: it
// has given it up. A tracker that is careful never comes here.
void Engine::forget_ends(TrackerState& tracker, const Heartbeat& report) {
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
void Engine::prefetch_for(const TrackerState& tracker, const Heartbeat& report) {
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
  for (int step = 0; step < kPrefetchSteps; ++step) {
    for (const TaskKey& task : asked_about_) state_.prefetch(task, step);
    for (const AttemptSlot slot : ended_) {
      state_.prefetch(state_.attempt(slot), step);
      policy_->prefetch(state_.attempt(slot), step);
    }
  }
}

void Engine::take_attempt(TrackerState& tracker, const AttemptReport& report) {
  const std::size_t place = state_.place_of(tracker, report.attempt);
  if (place == ClusterState::kNoPlace) {
    adopt(tracker, report);
    return;
  }
  HeldAttempt& held = tracker.held[place];
  held.reported_in = reports_;
  const bool running = report.state == ReportedState::kRunning;
  // Most reports say what the one before said.
  if (running && held.said_running && held.phase == report.phase &&
      held.progress_millionths == report.progress_millionths && report.status.empty() &&
      report.fetch_failures.empty()) {
    return;
  }
  held.said_running = running;
  held.phase = report.phase;
  held.progress_millionths = report.progress_millionths;
  take_live_attempt(tracker, tracker.attempts[place], report);
}

void Engine::take_live_attempt(TrackerState&, AttemptSlot slot, const AttemptReport& report) {
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
      if (!report.fetch_failures.empty()) take_fetch_failures(report);
      if (attempt.dying()) return;
      if (attempt.copy != CopyStage::kNone) take_copy(slot, report);
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
      const bool publishes = key.kind == TaskKind::kReduce || job.spec->reduces == 0;
      const Task& task = job.tasks(key.kind).tasks[key.index];
      if (publishes && !(task.commit_granted && task.commit_attempt == attempt.key.attempt)) {
        return attempt_failed(slot, "published its output without being told to commit");
      }
      return attempt_succeeded(slot, report);
    }
    case ReportedState::kFailed:
      return attempt_failed(slot, report.diagnostics);
    case ReportedState::kKilled:
      return attempt_killed(slot);
  }
}

void Engine::grant_commit(AttemptSlot slot) {
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
      again ? durable_seq_
            : emit_durable(CommitGranted{attempt.key, state_.tracker(attempt.tracker).name});
  if (attempt.grant_seq == 0) attempt.grant_seq = 1;
}

// An attempt that the engine does not hold: after a restart, or after its tracker was thought lost.
// If its task is still to be done and nobody else does it, it is taken on again; otherwise the
// reply tells the tracker to drop it.
bool Engine::adopt(TrackerState& tracker, const AttemptReport& report) {
  const TaskKey key = report.attempt.task;
  if (state_.find_job(key.job) == nullptr || !may_come_back(tracker, report.attempt)) return false;
  Job& job = state_.mutable_job(key.job);
  // What runs of a job that has to wait again goes on.
  if (!job.durable || is_over(job.state) || job.duty != Job::Duty::kNone) return false;
  if (key.index >= job.tasks(key.kind).tasks.size()) return false;
  Task& task = job.tasks(key.kind).tasks[key.index];
  const bool beside = task.state == Task::State::kRunning;
  if (task.state == Task::State::kSucceeded) return false;
  if (beside && !may_adopt_beside(job, tracker, report)) return false;
  if (report.state == ReportedState::kKilled) return false;
  const auto counted = [&](const auto& ended) { return ended.first == report.attempt; };
  if (std::any_of(tracker.unacknowledged.begin(), tracker.unacknowledged.end(), counted)) {
    return false;  // this end was taken already, it is only not durable yet
  }
  if (!beside && task.commit_granted && task.commit_attempt != report.attempt.attempt) {
    return false;
  }
  const bool publishes = key.kind == TaskKind::kReduce || job.spec->reduces == 0;
  if (report.state == ReportedState::kSucceeded && publishes && !task.commit_granted) return false;
  const bool to_copy = !report.compute_granted && key.kind == TaskKind::kReduce &&
                       report.state == ReportedState::kRunning && report.phase < TaskPhase::kReduce;
  const TimeMs since = std::max(job.submitted_at, now_ - report.age_ms);
  const AttemptSlot slot =
      state_.launch(key, report.attempt.attempt, tracker.id, since, to_copy, beside);
  tracker.held.back().reported_in = reports_;
  std::erase(tracker.held_commits, report.attempt);
  came_back(tracker, job, report.attempt);
  if (key.kind == TaskKind::kReduce)
    job.reduces_eligible = true;  // it was once, and that is for good
  emit(AttemptLaunched{report.attempt, tracker.id, job.queue, Locality::kAny, to_copy, beside});
  policy_->on_launched(slot);
  if (job.limited) set_deadline(job);
  pending_changed(job, key.kind);
  take_live_attempt(tracker, slot, report);
  admit_if_stuck(job);
  return true;
}

// A report names everything that the tracker holds: what it held and names no more is gone.
void Engine::drop_missing_attempts(TrackerState& tracker) {
  std::vector<AttemptSlot> gone;
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    if (tracker.held[i].state == AttemptState::kLaunching)
      continue;  // the launch may have been lost: it is repeated
    if (tracker.held[i].reported_in != reports_) gone.push_back(tracker.attempts[i]);
  }
  for (const AttemptSlot slot : gone) attempt_killed(slot);
}

// Granted before a restart, and not running any more: another attempt may be taken on, and publish.
void Engine::release_given_up(TrackerState& tracker, const Heartbeat& report) {
  std::erase_if(tracker.held_commits, [&](const AttemptKey& held) {
    const bool runs =
        std::any_of(report.attempts.begin(), report.attempts.end(),
                    [&](const AttemptReport& attempt) { return attempt.attempt == held; });
    if (runs || state_.find_job(held.task.job) == nullptr) return !runs;
    Job& job = state_.mutable_job(held.task.job);
    if (!is_over(job.state)) release_commit(job, held.task.kind, held.task.index, held.attempt);
    return true;
  });
}

// --- Scheduling ---

void Engine::schedule(TrackerState& tracker) {
  if (!state_.claims().freed().empty()) state_.mutable_claims().forget_freed(tracker.id);
  if (recovering()) return;
  if (tracker.copied > 0) grant_slots(tracker);  // also where nothing new may start
  if (!tracker.in_pool()) return;
  Offer offer;
  offer.tracker = tracker.id;
  offer.now = now_;
  for (const TaskKind kind : kTaskKinds) {
    offer.free[index(kind)] = launch_room(tracker, kind);
  }
  policy_->begin_offer(offer);
  std::array<bool, kTaskKindCount> speculated{};
  bool done = true;
  do {  // what a second attempt changes may let a task in
    while (done && (offer.free[0] > 0 || offer.free[1] > 0)) {
      const auto choice = policy_->choose(offer);
      if (!choice) break;
      done = choice->what == Choice::What::kLaunch ? launch(tracker, *choice, offer)
                                                   : settle_choice(tracker, *choice);
    }
  } while (done && speculate(tracker, offer, speculated));
  policy_->end_offer(offer);
}

// Whether the slots are for jobs such as this one: of the queue, or of the pool or one in it.
bool Engine::held_for(const Hold& hold, const Job& job) const {
  if (hold.pool.empty()) return hold.queue == job.queue;
  const std::string_view pool = policy_->pool_of(job.id);
  return pool == hold.pool || pool.starts_with(hold.pool + ".");
}

// Where in the book of holds the chosen task's slots are, if it takes some that are held.
const char* Engine::wrong_hold(const TrackerState& tracker, const Choice& choice, const Job& job,
                               std::size_t& place) const {
  if (choice.hold == 0) return nullptr;
  const auto& holds = state_.claims().holds();
  while (place < holds.size() && holds[place].id != choice.hold) ++place;
  if (place == holds.size() || holds[place].tracker != tracker.id || !held_for(holds[place], job) ||
      !holds[place].complete()) {
    return "the slots are not held for it";
  }
  return nullptr;
}

void Engine::refuse_choice(const TrackerState& tracker, const Choice& choice, const char* wrong) {
  emit(Refused{"policy",
               Error{ErrorCode::kInternal,
                     "policy " + std::string(policy_->name()) + " chose " + task_name(choice.task) +
                         " for tracker " + tracker.name + ": " + wrong,
                     ""}});
}

// The mechanism's own check: whatever the policy said, no slot is given twice and nothing runs that
// must not.
bool Engine::launch(TrackerState& tracker, const Choice& choice, Offer& offer) {
  const TaskKey key = choice.task;
  const Job* found = state_.find_job(key.job);
  const char* wrong = nullptr;
  if (found == nullptr || !found->schedulable()) {
    wrong = "the job may not run";
  } else if (key.index >= found->tasks(key.kind).total ||
             found->tasks(key.kind).tasks[key.index].state != Task::State::kPending) {
    wrong = "the task is not pending";
  } else if (key.kind == TaskKind::kReduce && !found->reduces_eligible) {
    wrong = "the job's reduces may not start yet";
  } else if (!state_.may_launch(*found, key.kind, tracker)) {
    wrong = "the tracker has no room";
  }
  std::size_t held = 0;
  if (wrong == nullptr) wrong = wrong_hold(tracker, choice, *found, held);
  if (wrong != nullptr) {
    refuse_choice(tracker, choice, wrong);
    return false;
  }
  start(tracker, choice, offer, held, false);
  return true;
}

// `held`: the place of the choice's hold, if it has one. `beside`: the task runs elsewhere already.
void Engine::start(TrackerState& tracker, const Choice& choice, Offer& offer, std::size_t held,
                   bool beside) {
  const TaskKey key = choice.task;
  Job& job = state_.mutable_job(key.job);
  const std::uint32_t number = next_attempt_number(job.tasks(key.kind).tasks[key.index]);
  const bool to_copy = state_.splits(key.kind);
  const AttemptSlot slot = state_.launch(key, number, tracker.id, now_, to_copy, beside);
  if (choice.hold != 0) use_hold(held, job.width(key.kind));
  if (job.width(key.kind) > 1) release_reservations(job.id, TrackerId{});
  emit(AttemptLaunched{{key, number}, tracker.id, job.queue, choice.locality, to_copy, beside});
  policy_->on_launched(slot);
  if (job.limited) set_deadline(job);
  pending_changed(job, key.kind);
  offer.free[index(key.kind)] -= job.width(key.kind);
  ++offer.launched[index(key.kind)];
}

// --- Replies ---

template <class Report>
HeartbeatReply Engine::compose_reply(TrackerState& tracker, const Report& report) {
  HeartbeatReply out;
  out.interval_ms = heartbeat_interval_ms();
  const std::int64_t early =
      std::max<std::int64_t>(1, state_.settings().heartbeat.out_of_band_per_second);
  out.out_of_band_gap_ms = DurationMs{state_.live_trackers()} * 1000 / early;
  for (const auto& reported : report.attempts) {
    const bool held = state_.place_of(tracker, reported.attempt) != ClusterState::kNoPlace;
    const bool ended = reported.state >= ReportedState::kSucceeded;
    if (!held && !ended) out.kill.push_back(reported.attempt);
    if (held || !ended) continue;
    const auto waiting = std::find_if(tracker.unacknowledged.begin(), tracker.unacknowledged.end(),
                                      [&](const auto& u) { return u.first == reported.attempt; });
    if (waiting != tracker.unacknowledged.end()) {
      if (waiting->second > durable_seq_)
        continue;  // it goes on reporting until the end is on disk
      tracker.unacknowledged.erase(waiting);
    }
    out.acknowledged.push_back(reported.attempt);
  }
  compose_orders(tracker, out);
  for (const JobId id : report.held_jobs) {
    const Job* job = state_.find_job(id);
    if (job == nullptr || (is_over(job->state) && job->end_seq <= durable_seq_))
      out.drop_jobs.push_back(id);
  }
  if (may_leave(tracker)) {
    if (out.acknowledged.size() == report.attempts.size())
      out.leave = "stopped by " + tracker.ordered_by;
    return out;
  }
  give_duties(tracker);
  list_duties(tracker, out);
  return out;
}

HeartbeatReply Engine::compose_parked(TrackerState& tracker, const ParkedHeartbeat& parked) {
  return compose_reply(tracker, parked);
}

// What the tracker should start, kill and commit.
void Engine::compose_orders(const TrackerState& tracker, HeartbeatReply& out) const {
  const auto launching = std::count_if(tracker.held.begin(), tracker.held.end(), [](const auto& h) {
    return h.state == AttemptState::kLaunching;
  });
  out.launch.reserve(static_cast<std::size_t>(launching));
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    const AttemptKey& key = tracker.held[i].key;
    switch (tracker.held[i].state) {
      case AttemptState::kLaunching:
        out.launch.push_back({key, split_of(state_.job(key.task.job).spec, key.task),
                              tracker.held[i].copy != CopyStage::kCopying});
        break;
      case AttemptState::kDying:
        out.kill.push_back(key);
        break;
      case AttemptState::kCommitPending: {
        const std::uint64_t grant_seq = state_.attempt(tracker.attempts[i]).grant_seq;
        if (grant_seq != 0 && grant_seq <= durable_seq_) out.commit.push_back(key);
        break;
      }
      case AttemptState::kRunning:
        if (tracker.held[i].copy == CopyStage::kGranted) out.compute_granted.push_back(key);
        break;
    }
  }
}

}  // namespace weir
