#include "tracker/tasktracker/agent_core.h"

#include <algorithm>

#include "tracker/tasktracker/text.h"

namespace weir::tasktracker {
namespace {

constexpr std::int64_t kNever = INT64_MAX;

std::uint64_t spread_seed(const RegisterTracker& registration) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : registration.name + std::to_string(registration.incarnation)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

}  // namespace

AgentCore::AgentCore(RegisterTracker registration, AgentLimits limits)
    : registration_(std::move(registration)),
      limits_(limits),
      spread_(spread_seed(registration_)) {}

std::vector<Action> AgentCore::take_actions() {
  return std::exchange(actions_, {});
}

void AgentCore::set_health(std::int64_t free_disk_mb, std::int32_t load_millionths) {
  free_disk_mb_ = free_disk_mb;
  load_millionths_ = load_millionths;
}

AgentCore::Attempt* AgentCore::find(const AttemptKey& key) {
  const auto found = attempts_.find(key);
  return found == attempts_.end() ? nullptr : &found->second;
}

std::size_t AgentCore::live_attempts() const {
  return static_cast<std::size_t>(
      std::count_if(attempts_.begin(), attempts_.end(),
                    [](const auto& entry) { return entry.second.stage != Stage::kEnded; }));
}

// --- The life of an attempt.

void AgentCore::launch(const Launch& launch, Now now) {
  const AttemptKey& key = launch.attempt;
  if (attempts_.contains(key)) return;
  Job& job = jobs_[key.task.job];
  if (job.acknowledged.contains(key)) return;
  Attempt& attempt = attempts_[key];
  attempt.launch = launch;
  attempt.granted = launch.compute_granted;
  attempt.launched_ms = attempt.last_active_ms = now.steady_ms;
  attempt.status.attempt = key;
  attempt.status.started_at_ms = now.wall_ms;
  attempt.status.compute_granted = attempt.granted;
  if (launch.grant && !launch.grant->units.empty())
    attempt.status.units = std::make_shared<const Units>(launch.grant->units);
  if (job.description) start(attempt, job, now);
}

void AgentCore::start(Attempt& attempt, Job& job, Now now) {
  if (attempt.launch.grant && attempt.launch.grant->peers)
    return wait_for_peers(attempt, job, now);
  attempt.stage = Stage::kRuns;
  attempt.last_active_ms = now.steady_ms;
  attempt.launch.compute_granted = attempt.granted;
  actions_.push_back(action::StartAttempt{*job.description, attempt.launch});
  push_outputs(job, attempt);
}

void AgentCore::kill(Attempt& attempt, KillCause cause, Now now) {
  if (attempt.stage == Stage::kEnded || attempt.kill != KillCause::kNone) return;
  attempt.kill = cause;
  if (attempt.stage == Stage::kWaitsForJob || attempt.stage == Stage::kWaitsForPeers)
    return end(attempt, ReportedState::kKilled, "", now);
  actions_.push_back(action::KillAttempt{attempt.launch.attempt});
}

void AgentCore::end(Attempt& attempt, ReportedState state, const std::string& diagnostics,
                    Now now) {
  if (attempt.stage == Stage::kEnded) return;
  if (attempt.stage == Stage::kWaitsForPeers)
    actions_.push_back(action::GivePortsBack{attempt.launch.attempt});
  attempt.stage = Stage::kEnded;
  attempt.status.state = state;
  attempt.status.finished_at_ms = now.wall_ms;
  if (!diagnostics.empty())
    attempt.status.diagnostics = printable(diagnostics, kMaxDiagnostics, true);
  urgent_ = true;
}

void AgentCore::on_start_failed(const AttemptKey& key, const std::string& message, Now now) {
  if (const auto found = attempts_.find(key); found != attempts_.end()) {
    end(found->second, ReportedState::kFailed, message, now);
  }
}

void AgentCore::on_report(const AttemptKey& key, TaskReport report, Now now) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || found->second.stage != Stage::kRuns ||
      report.status.attempt != key)
    return;
  Attempt& attempt = found->second;
  const ReportedState state = report.status.state;
  const std::int64_t started_at_ms = attempt.status.started_at_ms;
  const bool copied = !attempt.granted && attempt.status.phase < TaskPhase::kSort &&
                      report.status.phase >= TaskPhase::kSort;
  if (copied) urgent_ = true;  // it wants a slot
  report.status.units = attempt.status.units;
  report.status.ports = attempt.status.ports;
  attempt.status = std::move(report.status);
  attempt.status.compute_granted = attempt.granted;
  attempt.status.started_at_ms = started_at_ms;
  if (attempt.status.diagnostics.size() > kMaxDiagnostics)
    attempt.status.diagnostics.resize(kMaxDiagnostics);
  // Where it waited until now, its idleness begins now.
  if (report.active || report.waiting || attempt.waiting) attempt.last_active_ms = now.steady_ms;
  attempt.waiting = report.waiting;
  if (state == ReportedState::kCommitPending) {
    attempt.committing = false;
    urgent_ = true;
  } else if (state != ReportedState::kRunning) {
    // It counts once the process is gone, and its slot with it.
    attempt.final_state = state;
    attempt.status.state = ReportedState::kRunning;
  }
}

void AgentCore::on_over_limit(const AttemptKey& key, const std::string& why, Now now) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || found->second.kill != KillCause::kNone) return;
  found->second.over_limit = why;
  kill(found->second, KillCause::kOverLimit, now);
}

bool AgentCore::has_succeeded(const AttemptKey& key) const {
  const auto found = attempts_.find(key);
  return found != attempts_.end() && found->second.stage == Stage::kRuns &&
         found->second.committing && found->second.final_state == ReportedState::kSucceeded &&
         found->second.kill == KillCause::kNone;
}

bool AgentCore::on_exit(const AttemptKey& key, const std::string& how, Now now,
                        const std::string& note) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end()) return false;
  Attempt& attempt = found->second;
  const bool reduce_or_map_only = attempt.status.phase == TaskPhase::kCommit;
  if (attempt.final_state == ReportedState::kSucceeded &&
      (attempt.kill == KillCause::kNone || reduce_or_map_only)) {
    end(attempt, ReportedState::kSucceeded, "", now);
    return true;
  }
  if (attempt.kill == KillCause::kOrdered) {
    end(attempt, ReportedState::kKilled, "", now);
  } else if (attempt.kill == KillCause::kTimeout) {
    const std::string patience = format_duration(patience_with(attempt));
    end(attempt, ReportedState::kFailed,
        attempt.committing ? "its output was not published within " + patience
                           : "no progress for " + patience + " (task_timeout)",
        now);
  } else if (attempt.kill == KillCause::kOverLimit) {
    end(attempt, ReportedState::kFailed, attempt.over_limit, now);
  } else if (attempt.final_state) {
    end(attempt, *attempt.final_state, attempt.status.diagnostics + note, now);
  } else {
    end(attempt, ReportedState::kFailed,
        "the task's process " + how + " without a result" + note, now);
  }
  return false;
}

// 0: as long as it takes.
DurationMs AgentCore::patience_with(const Attempt& attempt) const {
  const auto job = jobs_.find(attempt.launch.attempt.task.job);
  if (job == jobs_.end() || !job->second.description) return 0;
  const DurationMs timeout_ms = job->second.description->spec->task_timeout_ms;
  return timeout_ms == 0 && attempt.committing ? limits_.publish_ms : timeout_ms;
}

// One that waits to be told to commit waits for others; once it was told, its file system may hang.
// Nobody else may publish until its process is gone and it was reported.
std::int64_t AgentCore::timeout_at(const Attempt& attempt) const {
  const bool asks = attempt.status.state == ReportedState::kCommitPending && !attempt.committing;
  if (attempt.stage != Stage::kRuns || attempt.kill != KillCause::kNone || attempt.waiting ||
      attempt.final_state || asks) {
    return kNever;
  }
  const DurationMs patience_ms = patience_with(attempt);
  return patience_ms > 0 ? attempt.last_active_ms + patience_ms : kNever;
}

// --- What the JobTracker says.

void AgentCore::on_registered(const Registered& reply, Now now) {
  in_flight_ = false;
  registered_ = true;
  retry_ms_ = 0;
  // After a restart of the JobTracker it must learn at once what runs here.
  next_regular_ms_ =
      now.steady_ms + (attempts_.empty() ? std::max<std::int64_t>(reply.interval_ms, 0) : 0);
}

void AgentCore::on_call_failed(bool unknown_tracker, Now now) {
  in_flight_ = false;
  if (goodbye_sent_) return actions_.push_back(action::Leave{leaving_});  // it will be missed
  if (unknown_tracker && registered_) {
    // It is there and has forgotten us: no reason to wait. Refused again, we do.
    registered_ = false;
    retry_ms_ = 0;
    next_regular_ms_ = now.steady_ms;
    return;
  }
  retry_ms_ =
      retry_ms_ == 0 ? limits_.first_retry_ms : std::min(retry_ms_ * 2, limits_.longest_retry_ms);
  next_regular_ms_ = now.steady_ms + spread(retry_ms_);
}

std::int64_t AgentCore::spread(std::int64_t pause_ms) {
  spread_ = spread_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return pause_ms - static_cast<std::int64_t>(spread_ >> 33) % (pause_ms / 2 + 1);
}

void AgentCore::on_reply(const HeartbeatReply& reply, std::int64_t sent_steady_ms, Now now) {
  in_flight_ = false;
  if (goodbye_sent_) return actions_.push_back(action::Leave{leaving_});
  retry_ms_ = 0;
  gap_ms_ = std::max(reply.out_of_band_gap_ms, limits_.early_gap_ms);
  next_regular_ms_ = now.steady_ms + std::max<std::int64_t>(reply.interval_ms, 1);
  for (const AttemptKey& key : reply.acknowledged) acknowledge(key);
  for (const AttemptKey& key : reply.kill) {
    if (Attempt* attempt = find(key)) kill(*attempt, KillCause::kOrdered, now);
  }
  for (const AttemptKey& key : reply.commit) commit(key, sent_steady_ms, now);
  for (const AttemptKey& key : reply.compute_granted) grant(key);
  for (const JobId job : reply.drop_jobs) drop_job(job);
  for (const Launch& each : reply.launch) launch(each, now);
  apply_duties(reply.duties, sent_steady_ms, now);
  if (!reply.leave.empty()) prepare_to_leave(reply.leave);
}

// Told so while it still holds something, it will be told again.
void AgentCore::prepare_to_leave(const std::string& why) {
  const bool busy = std::any_of(duties_.begin(), duties_.end(),
                                [](const auto& entry) { return !entry.second.report; });
  if (!attempts_.empty() || busy) return;
  leaving_ = printable(why, kMaxStatusText);
  urgent_ = true;
  gap_ms_ = 0;
}

void AgentCore::acknowledge(const AttemptKey& key) {
  const Attempt* attempt = find(key);
  if (!attempt || attempt->stage != Stage::kEnded) return;
  if (const auto job = jobs_.find(key.task.job); job != jobs_.end())
    job->second.acknowledged.insert(key);
  attempts_.erase(key);
}

void AgentCore::commit(const AttemptKey& key, std::int64_t sent_steady_ms, Now now) {
  Attempt* attempt = find(key);
  if (!attempt || attempt->stage != Stage::kRuns || attempt->kill != KillCause::kNone ||
      attempt->committing)
    return;
  if (attempt->status.state != ReportedState::kCommitPending) return;
  const std::int64_t until_ms = sent_steady_ms + limits_.commit_fresh_ms;
  if (now.steady_ms > until_ms) return;  // it will be ordered again, if still meant
  attempt->committing = true;
  attempt->last_active_ms = now.steady_ms;
  actions_.push_back(action::CommitAttempt{key, until_ms});
}

void AgentCore::grant(const AttemptKey& key) {
  Attempt* attempt = find(key);
  if (!attempt || attempt->granted || attempt->stage == Stage::kEnded) return;
  attempt->granted = true;
  attempt->status.compute_granted = true;
  if (attempt->stage == Stage::kRuns) actions_.push_back(action::GrantAttempt{key});
}

void AgentCore::drop_job(JobId id) {
  const auto job = jobs_.find(id);
  if (job == jobs_.end()) return;
  auto at = attempts_.lower_bound(AttemptKey{{id, TaskKind::kMap, 0}, 0});
  bool alive = false;
  for (; at != attempts_.end() && at->first.task.job == id; ++at)
    alive |= at->second.stage != Stage::kEnded;
  if (alive) return;  // stays among the held jobs, and is dropped when its attempts have ended
  const auto& description = job->second.description;
  actions_.push_back(
      action::DropJob{id, description ? output_of(*description) : JobOutput(), user_of(id)});
  jobs_.erase(job);
}

std::string AgentCore::user_of(JobId job) const {
  const auto known = jobs_.find(job);
  if (known == jobs_.end() || !known->second.description) return "";
  return known->second.description->spec->user;
}

void AgentCore::apply_duties(const std::vector<Duty>& wanted, std::int64_t sent_steady_ms,
                             Now now) {
  const std::int64_t until_ms = sent_steady_ms + limits_.commit_fresh_ms;
  const auto asked = [&wanted](JobId job) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [job](const Duty& duty) { return duty.job == job; });
  };
  std::erase_if(duties_,
                [&](const auto& entry) { return entry.second.report && !asked(entry.first); });
  for (const Duty& duty : wanted) {
    const auto found = duties_.find(duty.job);
    if (found != duties_.end()) {
      const DutyState& known = found->second;
      const bool failed_long_ago = known.report && !known.report->ok &&
                                   now.steady_ms - known.ended_ms >= limits_.duty_retry_ms;
      const bool other = known.report && known.duty.succeed != duty.succeed;
      if (!failed_long_ago && !other) continue;
    }
    if (now.steady_ms > until_ms) continue;
    duties_[duty.job] = DutyState{duty, std::nullopt, 0};
    actions_.push_back(action::RunDuty{duty, until_ms});
  }
}

void AgentCore::on_duty_too_late(const Duty& duty) {
  const auto found = duties_.find(duty.job);
  if (found != duties_.end() && !found->second.report) duties_.erase(found);
}

void AgentCore::on_duty_elsewhere(const Duty& duty, const std::string& why, Now now) {
  on_duty_done(duty, false, why, now);
  const auto found = duties_.find(duty.job);
  if (found != duties_.end()) found->second.report->elsewhere = true;
}

void AgentCore::on_duty_done(const Duty& duty, bool ok, const std::string& message, Now now) {
  const auto found = duties_.find(duty.job);
  if (found == duties_.end()) return;
  found->second.report =
      DutyReport{duty.job, ok, printable(message, kMaxStatusText), duty.succeed, false};
  found->second.ended_ms = now.steady_ms;
  urgent_ = true;
}

// --- Time.

std::int64_t AgentCore::heartbeat_due_ms() const {
  if (in_flight_ || goodbye_sent_) return kNever;
  if (!registered_ || retry_ms_ > 0 || !urgent_) return next_regular_ms_;
  return std::min(next_regular_ms_, last_early_ms_ + gap_ms_);
}

std::int64_t AgentCore::next_wakeup_ms() const {
  std::int64_t next_ms = heartbeat_due_ms();
  for (const auto& [key, attempt] : attempts_) next_ms = std::min(next_ms, timeout_at(attempt));
  for (auto at = attempts_.cbegin(); at != attempts_.cend();)
    next_ms = std::min(next_ms, next_due(at).first_ms());
  return next_ms;
}

void AgentCore::poll(Now now) {
  for (auto& [key, attempt] : attempts_) {
    if (timeout_at(attempt) <= now.steady_ms) kill(attempt, KillCause::kTimeout, now);
  }
  for (auto at = attempts_.cbegin(); at != attempts_.cend();) {
    const JobId id = at->first.task.job;
    if (const Due due = next_due(at); due.first_ms() <= now.steady_ms) ask_about(id, due, now);
  }
  if (heartbeat_due_ms() > now.steady_ms) return;
  in_flight_ = true;
  if (!registered_) {
    actions_.push_back(action::Register{});
    return;
  }
  if (urgent_ && now.steady_ms < next_regular_ms_) last_early_ms_ = now.steady_ms;
  urgent_ = false;
  actions_.push_back(action::SendHeartbeat{build_heartbeat(now)});
}

}  // namespace weir::tasktracker
