#include "jobqueue/engine/duties.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"

namespace weir {

constexpr DurationMs kDutyMs = 60'000;      // then another tracker is asked
constexpr std::size_t kDutiesATracker = 8;  // at a time
constexpr int kDutiesLookedAt = 16;         // of those that wait, by one tracker that reports

life::Point<DutyStage> Duties::stage_of(const Job& job) const {
  if (job.duty == Job::Duty::kNone) return life::kOutside;
  const bool completes = job.duty == Job::Duty::kSucceed;
  if (job.duty_tracker.valid())
    return completes ? DutyStage::kCompleteGiven : DutyStage::kRemoveGiven;
  if (unassigned_duties_.contains(job.id))
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
    if (job.live_attempts == 0 && !job.duty_tracker.valid()) unassigned_duties_.insert(job.id);
  });
  limits_.update(job);
}

void Duties::offer(Job& job) {
  change(job, [&] { unassigned_duties_.insert(job.id); });
}

void Duties::give(Job& job, TrackerId tracker) {
  change(job, [&] {
    unassigned_duties_.erase(job.id);
    job.duty_tracker = tracker;
  });
  duties_given_.push_back({now_, job.id, tracker});
}

void Duties::take_back(Job& job) {
  change(job, [&] {
    job.duty_tracker = TrackerId{};
    unassigned_duties_.insert(job.id);
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
    unassigned_duties_.erase(job.id);
    job.duty = Job::Duty::kNone;
    job.duty_tracker = TrackerId{};
  });
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
  auto next = unassigned_duties_.begin();
  for (int looked = 0; looked < kDutiesLookedAt && next != unassigned_duties_.end(); ++looked) {
    if (tracker.duties.size() >= kDutiesATracker) return;
    Job& job = state_.mutable_job(*next);
    auto& given = job.duty_given;
    const bool again = std::find(given.begin(), given.end(), tracker.id) != given.end();
    if (again && now_ - job.duty_passed_at < kDutyMs) {  // others first
      ++next;
      continue;
    }
    ++next;
    give(job, tracker.id);
    if (!again) given.push_back(tracker.id);
    tracker.duties.push_back(job.id);
  }
}

void Duties::list_duties(const TrackerState& tracker, HeartbeatReply& out) const {
  for (const JobId id : tracker.duties) {
    const Job* job = state_.find_job(id);
    if (job == nullptr || job->duty == Job::Duty::kNone) continue;
    std::uint32_t published = 0;
    for (const TaskKind kind : job->kinds()) {
      if (job->type->publishes(*job->spec, kind)) published += job->spec->tasks(kind);
    }
    out.duties.push_back(
        {id, job->duty == Job::Duty::kSucceed, job->spec->output, output_owner(*job), published});
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
  take_back(job);
  job.duty_passed_at = now_;
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
