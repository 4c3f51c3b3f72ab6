#include "jobqueue/engine/duties.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"

namespace weir {

constexpr DurationMs kDutyMs = 60'000;      // then another tracker is asked
constexpr std::size_t kDutiesATracker = 16;  // at a time
constexpr int kTurns = 16;                   // of users, when one tracker reports
constexpr int kDutiesLookedAt = 4;           // in one turn

life::Point<DutyStage> Duties::stage_of(const Job& job) const {
  if (job.duty == Job::Duty::kNone) return life::kOutside;
  const bool completes = job.duty == Job::Duty::kSucceed;
  if (job.duty_tracker.valid())
    return completes ? DutyStage::kCompleteGiven : DutyStage::kRemoveGiven;
  if (waits(job))
    return completes ? DutyStage::kCompleteOffered : DutyStage::kRemoveOffered;
  return completes ? DutyStage::kCompleteDue : DutyStage::kRemoveDue;
}

// Whatever happens to a duty is done in here.
template <class Change>
void Duties::change(Job& job, Change change) {
  const auto before = stage_of(job);
  change();
  life::kDuty.check(before, stage_of(job));
}

void Duties::open_duty(Job& job, Job::Duty duty) {
  change(job, [&] {
    job.duty = duty;
    if (job.live_attempts == 0 && !job.duty_tracker.valid()) put_in_line(job);
  });
  limits_.update(job);
}

void Duties::offer(Job& job) {
  change(job, [&] { put_in_line(job); });
}

bool Duties::waits(const Job& job) const {
  const auto line = waiting_.find(job.user);
  return line != waiting_.end() && line->second.contains({job.duty_passed_at, job.id});
}

void Duties::put_in_line(const Job& job) {
  waiting_[job.user].emplace(job.duty_passed_at, job.id);
}

void Duties::take_out_of_line(const Job& job) {
  const auto line = waiting_.find(job.user);
  if (line == waiting_.end()) return;
  line->second.erase({job.duty_passed_at, job.id});
  if (line->second.empty()) waiting_.erase(line);
}

void Duties::give(Job& job, TrackerState& tracker) {
  change(job, [&] {
    take_out_of_line(job);
    job.duty_tracker = tracker.id;
  });
  duties_given_.push_back({now_, job.id, tracker.id});
  tracker.duties.push_back(job.id);
}

void Duties::take_back(Job& job) {
  change(job, [&] {
    job.duty_tracker = TrackerId{};
    put_in_line(job);
  });
}

void Duties::take_duty(TrackerState& tracker, const DutyReport& report) {
  if (state_.find_job(report.job) == nullptr) return;
  Job& job = state_.mutable_job(report.job);
  if (job.duty == Job::Duty::kNone) return;
  const bool has_it = job.duty_tracker == tracker.id;
  const auto& given = job.duty_given;
  if (!has_it && std::find(given.begin(), given.end(), tracker.id) == given.end()) return;
  // A kill may have turned the duty round while the tracker was at it: that report is of the old
  // one.
  if (report.succeed && *report.succeed != (job.duty == Job::Duty::kSucceed)) return;
  if (!report.ok && !has_it) return;  // somebody else is at it
  if (!report.ok && report.elsewhere)
    return pass_on_duty(job, "tracker " + tracker.name + " cannot: " + report.message);
  end_duty(job, report.ok, report.message);
}

void Duties::end_duty(Job& job, bool ok, const std::string& message) {
  const Job::Duty duty = job.duty;
  if (job.duty_tracker.valid()) std::erase(state_.mutable_tracker(job.duty_tracker).duties, job.id);
  change(job, [&] {
    take_out_of_line(job);
    job.duty = Job::Duty::kNone;
    job.duty_tracker = TrackerId{};
  });
  job.duty_passed_at = 0;
  job.duty_given.clear();
  job.duty_trouble.clear();
  if (duty == Job::Duty::kAbort) {  // nothing depends on a clean-up that failed
    parts_.submissions.release_output(job);
    emit(JobCleanedUp{job.id, parts_.jobs.record_of(job)});
    return touch(job);
  }
  if (ok) return parts_.jobs.end_job(job, JobState::kSucceeded, "", false);
  parts_.jobs.end_job(job, JobState::kFailed,
                      "the output directory could not be completed: " + message, true);
  open_duty(job, Job::Duty::kAbort);
}

// After a restart what still runs of an ended job must be known, and told to die, before its files
// are removed.
void Duties::give_duties(TrackerState& tracker) {
  if (!tracker.live() || parts_.recovery.recovering()) return;
  std::size_t in_vain = 0;  // turns in succession
  for (int turn = 0; turn < kTurns && in_vain < waiting_.size(); ++turn) {
    if (tracker.duties.size() >= kDutiesATracker) return;
    auto line = served_.valid() ? waiting_.upper_bound(served_) : waiting_.begin();
    if (line == waiting_.end()) line = waiting_.begin();
    served_ = line->first;
    in_vain = give_one(tracker, served_) ? 0 : in_vain + 1;
  }
}

bool Duties::give_one(TrackerState& tracker, UserId user) {
  const auto his = std::count_if(tracker.duties.begin(), tracker.duties.end(), [&](JobId id) {
    const Job* job = state_.find_job(id);
    return job != nullptr && job->user == user;
  });
  const std::size_t free = kDutiesATracker - tracker.duties.size();
  if (static_cast<std::size_t>(his) >= free) return false;
  int looked = 0;
  for (const auto& [passed_at, id] : waiting_.at(user)) {
    if (++looked > kDutiesLookedAt) return false;
    Job& job = state_.mutable_job(id);
    auto& given = job.duty_given;
    const bool again = std::find(given.begin(), given.end(), tracker.id) != given.end();
    if (again && now_ - passed_at < kDutyMs) continue;  // others first
    if (!again) given.push_back(tracker.id);
    give(job, tracker);
    return true;
  }
  return false;
}

void Duties::list_duties(const TrackerState& tracker, HeartbeatReply& out) const {
  for (const JobId id : tracker.duties) {
    const Job* job = state_.find_job(id);
    if (job == nullptr || job->duty == Job::Duty::kNone) continue;
    std::uint32_t published = 0;
    for (const TaskKind kind : job->kinds()) {
      if (job->type->publishes(*job->spec, kind)) published += job->spec->tasks(kind);
    }
    out.duties.push_back({id, job->duty == Job::Duty::kSucceed, job->spec->output,
                          output_owner(*job), published, state_.user_name(job->user)});
  }
}

// The tracker is gone.
void Duties::leave_duties(TrackerState& tracker) {
  for (const JobId id : tracker.duties) {
    const Job* job = state_.find_job(id);
    if (job == nullptr || job->duty == Job::Duty::kNone) continue;
    Job& left = state_.mutable_job(id);
    std::erase(left.duty_given, tracker.id);
    take_back(left);
  }
  tracker.duties.clear();
}

void Duties::pass_on_duty(Job& job, const std::string& why) {
  TrackerState& tracker = state_.mutable_tracker(job.duty_tracker);
  std::erase(tracker.duties, job.id);
  job.duty_passed_at = now_;
  take_back(job);
  job.duty_trouble = why;
  emit(DutyPassedOn{job.id, tracker.id, why});
  touch(job);
}

void Duties::pass_on_slow_duties() {
  while (!duties_given_.empty() && duties_given_.front().at + kDutyMs <= now_) {
    const DutyGiven given = duties_given_.front();
    duties_given_.pop_front();
    const Job* job = state_.find_job(given.job);
    if (job == nullptr || job->duty == Job::Duty::kNone || job->duty_tracker != given.tracker)
      continue;
    pass_on_duty(state_.mutable_job(given.job), "tracker " + state_.tracker(given.tracker).name +
                                                    " takes longer than " +
                                                    format_duration(kDutyMs));
  }
}

}  // namespace weir
