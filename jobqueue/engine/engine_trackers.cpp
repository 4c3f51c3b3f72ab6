// Trackers come, go and ask: registration, loss and expiry, job descriptions and map outputs.
#include <algorithm>

#include "jobqueue/engine/engine.h"

namespace weir {

constexpr std::uint32_t kMapOutputsPerReply = 2000;
constexpr DurationMs kNameTakenMs = 10000;  // a tracker heard of this recently keeps its name
constexpr std::int64_t kStampsFrom = 1'000'000'000;  // incarnations from there on are times

// Whether the tracker that registers is not the one of its name that is there. A work directory has
// one living tracker at a time: one with the same home was restarted, and so may replace itself.
// Where the one that is there does not say, the newer is believed, and an older one once the newer
// was silent; so is one that is newer by more than two starts of a tracker can be apart.
bool Engine::is_another(const TrackerState& known, const RegisterTracker& input) const {
  if (!known.live() || known.stopping() || known.incarnation == input.incarnation) return false;
  if (!known.home.empty()) return known.home != input.home;
  const bool older = input.incarnation < known.incarnation;
  const bool far_newer =
      known.incarnation >= kStampsFrom && input.incarnation / 2 > known.incarnation;
  return (older || far_newer) && now_ - known.last_heartbeat < kNameTakenMs;
}

void Engine::on(const RegisterTracker& input, Token token) {
  const TrackerState* known = state_.find_tracker(input.name);
  if (known != nullptr && is_another(*known, input)) {
    return refuse(token, "register",
                  Error{ErrorCode::kNotPermitted,
                        "another tracker named " + input.name + " (on " + known->host +
                            ") is there, heard of " +
                            short_duration(now_ - known->last_heartbeat) + " ago",
                        "give this one another --name; if that one is dead: weir tracker lost " +
                            input.name});
  }
  if (input.total.any_negative()) {
    return refuse(token, "register",
                  Error{ErrorCode::kBadRequest, "tracker " + input.name + " reports negative slots",
                        "slots are 0 or more"});
  }
  TrackerState& tracker =
      known != nullptr ? state_.mutable_tracker(known->id) : state_.add_tracker(input.name);
  // After a restart a tracker may be known by a commit alone, which does not tell its incarnation.
  const bool unsure =
      tracker.state == TrackerState::State::kAwaited && tracker.incarnation == kUnknownIncarnation;
  if (known != nullptr && !unsure && tracker.incarnation != input.incarnation) {
    lose_tracker(tracker, "was restarted",
                 input.ended_in_order ? Loss::kOrdered : Loss::kUnforeseen);
    tracker.lost_attempts.clear();
    tracker.unacknowledged.clear();
    tracker.sequence = 0;
    begin_anew(tracker);
  }
  const bool was_live = tracker.live();
  tracker.incarnation = input.incarnation;
  tracker.home = input.home;
  tracker.forgotten = false;
  tracker.protections = input.protections;
  state_.set_tracker_address(tracker,
                             {input.host, input.shuffle_port, input.rack, input.local_paths});
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
  policy_->on_cluster_changed();
  touch(tracker);
  changes_.queues = true;
  reply(token, Registered{heartbeat_interval_ms()});
}

void Engine::on(const LoseTracker& input, Token token) {
  const TrackerState* known = state_.find_tracker(input.name);
  if (known == nullptr || known->state == TrackerState::State::kLost) {
    return reply(token, not_registered(input.name));
  }
  lose_tracker(state_.mutable_tracker(known->id), "is gone", Loss::kUnforeseen);
  reply(token, Done{});
}

void Engine::lose_tracker(TrackerState& tracker, const std::string& why, Loss loss) {
  const bool was_live = tracker.live();
  const bool counted = tracker.counts();
  tracker.lost_why = why;
  state_.set_tracker_live(tracker, TrackerState::State::kLost);
  store_total(tracker);
  unreported_.erase(tracker.id);
  recovering_for_.erase(tracker.id);
  by_silence_.erase(tracker.id);
  tracker.lost_attempts.clear();
  for (const HeldAttempt& held : tracker.held) tracker.lost_attempts.push_back({held.key, false});
  const std::vector<TaskKey> blamed =
      loss == Loss::kUnforeseen ? blame_for(tracker) : std::vector<TaskKey>();
  while (!tracker.attempts.empty()) attempt_killed(tracker.attempts.back());
  fail_those_who_take_trackers_down(blamed, tracker);
  state_.mutable_claims().forget_freed(tracker.id);
  if (tracker.keeps > 0) {
    end_holds([&](const Hold& hold) { return hold.tracker == tracker.id; },
              KillRecord::Outcome::kWasted);
    release_reservations(JobId{}, tracker.id);
  }
  lose_outputs(tracker, "tracker " + tracker.name + " " + why);
  for (const AttemptKey& held : tracker.held_commits) {
    if (state_.find_job(held.task.job) == nullptr) continue;
    Job& job = state_.mutable_job(held.task.job);
    if (!is_over(job.state)) release_commit(job, held.task.kind, held.task.index, held.attempt);
  }
  tracker.held_commits.clear();
  for (std::size_t i = parked_.size(); i-- > 0;) {
    if (parked_[i].tracker != tracker.id) continue;
    reply(parked_[i].token, not_registered(tracker.name));
    parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  leave_duties(tracker);
  if (was_live) {
    emit(TrackerChanged{tracker.id, TrackerChanged::How::kLost});
  }
  if (was_live || counted) policy_->on_cluster_changed();
  keep_half();
  touch(tracker);
  changes_.queues = true;
}

// Another incarnation: what was to stop is gone, and faults were those of its earlier life.
void Engine::begin_anew(TrackerState& tracker) {
  if (tracker.stopping()) end_stop(tracker);
  if (tracker.faults.empty()) return;
  forgive(tracker);
  emit(TrackerForgiven{tracker.name});
}

// So that a restart knows the cluster before its trackers have reported.
void Engine::store_total(TrackerState& tracker) {
  const Resources counted = tracker.counts() ? tracker.total : Resources{};
  if (counted == tracker.stored_total) return;
  tracker.stored_total = counted;
  emit(TrackerTotal{tracker.name, counted});
}

// Completed maps run again only while reduces still need what is gone.
void Engine::lose_outputs(TrackerState& tracker, const std::string& why) {
  const std::vector<TaskKey> outputs = std::move(tracker.map_outputs);
  tracker.map_outputs.clear();
  for (const TaskKey& key : outputs) {
    if (output_needed(tracker, key)) reopen(state_.mutable_job(key.job), key.kind, key.index, why);
  }
}

// 3 reports, or half of the running reduces, and the map runs again elsewhere.
void Engine::take_fetch_failures(const AttemptReport& report) {
  Job& job = state_.mutable_job(report.attempt.task.job);
  if (!job.schedulable()) return;
  for (const FetchFailure& failure : report.fetch_failures) {
    TaskGroup& maps = job.tasks(TaskKind::kMap);
    if (failure.map >= maps.total) continue;
    const Task& task = maps.tasks[failure.map];
    if (task.state != Task::State::kSucceeded || task.done_attempt != failure.map_attempt) continue;
    auto& reporters = job.fetch_failures[failure.map];
    if (std::find(reporters.begin(), reporters.end(), report.attempt) == reporters.end()) {
      reporters.push_back(report.attempt);
    }
    const std::size_t running = job.tasks(TaskKind::kReduce).alive();
    if (reporters.size() < 3 && reporters.size() * 2 < running) continue;
    if (task.where.valid()) note_failure(job, TaskKind::kMap, failure.map, task.where);
    const std::string where = task.where.valid() ? state_.tracker(task.where).name : "?";
    reopen(job, TaskKind::kMap, failure.map,
           "its output on tracker " + where + " cannot be fetched");
  }
}

void Engine::heard_of(TrackerState& tracker) {
  tracker.last_heartbeat = now_;
  by_silence_.arrive(tracker.id);
}

void Engine::expire_trackers() {
  const DurationMs expiry = state_.settings().heartbeat.expiry_ms;
  std::vector<std::pair<TimeMs, TrackerId>> silent;
  for (TrackerId id = by_silence_.first(); id.valid(); id = by_silence_.after(id)) {
    const TimeMs last = state_.tracker(id).last_heartbeat;
    if (now_ - last < expiry) break;
    silent.emplace_back(last, id);
  }
  std::sort(silent.begin(), silent.end());  // who reported at the same time is lost by id
  for (const auto& [last, id] : silent) {
    lose_tracker(state_.mutable_tracker(id),
                 "was silent for " + format_duration(expiry), Loss::kUnforeseen);
  }
}

// --- Questions of trackers ---

Status Engine::may_ask(const std::optional<std::vector<std::string>>& askers, JobId job) const {
  const auto runs_of_it = [&](const std::string& name) {
    const TrackerState* tracker = state_.find_tracker(name);
    return tracker != nullptr && tracker->live() &&
           std::any_of(tracker->held.begin(), tracker->held.end(),
                       [job](const HeldAttempt& held) { return held.key.task.job == job; });
  };
  if (!askers || std::any_of(askers->begin(), askers->end(), runs_of_it)) return Ok{};
  return Error{ErrorCode::kNotPermitted,
               (askers->empty() ? "no tracker has reported on this connection, so it"
                                : "tracker " + askers->back()) +
                   " is told nothing about " + job_name(job),
               "trackers are told about the jobs that they run something of"};
}

void Engine::on(const DescribeJob& input, Token token) {
  const Job* job = state_.find_job(input.job);
  if (job == nullptr || !job->durable) {
    return reply(token, Error{ErrorCode::kUnknownJob, "there is no " + job_name(input.job), ""});
  }
  if (is_over(job->state)) {  // its programs may be gone, and nothing of it is to run
    return reply(token, Error{ErrorCode::kJobOver,
                              job_name(job->id) + " has already ended (" + name(job->state) + ")",
                              ""});
  }
  if (const auto may = may_ask(input.askers, input.job); !may) return reply(token, may.error());
  reply(token, JobDescription{input.job, job->spec, output_owner(*job)});
}

void Engine::on(const QueryMapOutputs& input, Token token) {
  const Job* job = state_.find_job(input.job);
  if (job == nullptr)
    return reply(token, Error{ErrorCode::kUnknownJob, "there is no " + job_name(input.job), ""});
  if (const auto may = may_ask(input.askers, input.job); !may) return reply(token, may.error());
  MapOutputs out;
  out.list_id = state_.epoch();
  out.maps = job->tasks(TaskKind::kMap).total;
  const std::size_t size = job->map_log.size();
  const std::size_t first = std::min<std::size_t>(input.first, size);
  const std::size_t last = std::min<std::size_t>(first + kMapOutputsPerReply, size);
  std::size_t next = first;
  for (; next < last; ++next) {
    const MapCompletion& completion = job->map_log[next];
    const TrackerState& tracker = state_.tracker(completion.tracker);
    // After a restart nobody knows where it listens until it registers: the list goes on then.
    if (tracker.state == TrackerState::State::kAwaited) break;
    out.outputs.push_back({completion.map, completion.attempt, completion.obsolete, tracker.host,
                           tracker.shuffle_port});
  }
  out.next = static_cast<std::uint32_t>(next);
  reply(token, std::move(out));
}

}  // namespace weir
