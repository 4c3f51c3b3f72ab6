// What is looked at while a seed of the fault simulation runs, and at its end.
#include <set>

#include "lab/faults/durable_state.h"
#include "lab/faults/fault_story.h"

namespace weir::faults {

void FaultStory::on_step(const Engine& engine, const Input& input, const Output& output) {
  ++inputs_;
  checker_->on_step(engine, input, output);
  if (checker_->breach()) wrong("rule broken: " + check::to_string(*checker_->breach()));
  for (const Event& event : output.events) check_end(event.fact);
  for (const Reply& reply : output.replies) {
    const auto* beat = std::get_if<HeartbeatReply>(&reply.body);
    if (beat != nullptr && !beat->duties.empty() && engine.recovering()) {
      wrong("a last duty is given before it is known what runs of its job");
    }
  }
}

// An end is taken for what its attempt said that it was.
void FaultStory::check_end(const Fact& fact) {
  const auto* failed = fact_as<AttemptFailed>(fact);
  if (failed != nullptr && world_.succeeded.contains(failed->attempt)) {
    wrong(attempt_name(failed->attempt) +
          " has succeeded, and counts as failed: " + failed->diagnostics);
  }
  const auto* done = fact_as<TaskSucceeded>(fact);
  if (done != nullptr && !world_.succeeded.contains(done->attempt)) {
    wrong(attempt_name(done->attempt) + " has not succeeded, and its task is done");
  }
}

void FaultStory::check_published(const std::string& path, const std::string& by) {
  if (path.find("/part-") == std::string::npos) return;  // a mark
  const auto started = world_.started.find(by);
  if (started == world_.started.end()) return wrong(path + " is published and not whole");
  if (!jobtracker_->up()) return;
  const AttemptKey& attempt = started->second;
  const Job* job = jobtracker_->engine().state().find_job(attempt.task.job);
  if (job == nullptr || is_over(job->state)) return;
  const Task& task = job->tasks(attempt.task.kind).tasks[attempt.task.index];
  if (!task.commit_granted || task.commit_attempt != attempt.attempt) {
    wrong(path + " was published by attempt " + std::to_string(attempt.attempt) +
          ", which may not");
  }
}

// What a tracker has run through a restart is taken on when it says so, if it is still wanted.
void FaultStory::check_believed(const Heartbeat& report) {
  if (believed_.empty() || !jobtracker_->up()) return;
  const Engine& engine = jobtracker_->engine();
  const TrackerState* tracker = engine.state().find_tracker(report.name);
  if (tracker == nullptr || !tracker->live() || tracker->incarnation != report.incarnation ||
      tracker->sequence != report.sequence || !tracker->reported) {
    return;  // the report was not taken
  }
  for (const AttemptReport& each : report.attempts) {
    const AttemptKey& key = each.attempt;
    const auto believed = believed_.find(key);
    if (believed == believed_.end() || each.state != ReportedState::kRunning) continue;
    believed_.erase(believed);
    const Job* job = engine.state().find_job(key.task.job);
    if (job == nullptr || is_over(job->state) || job->duty != Job::Duty::kNone) continue;
    if (key.task.index >= job->tasks(key.task.kind).tasks.size()) continue;  // as long as it waits
    const Task& task = job->tasks(key.task.kind).tasks[key.task.index];
    if (task.state == Task::State::kSucceeded || task.attempt.valid() || task.commit_granted) {
      continue;
    }
    wrong(attempt_name(key) + " ran on " + report.name +
          " through a restart, and is not taken on again");
  }
}

// Its files are gone, so a job that was dropped anywhere must never go on.
void FaultStory::check_dropped() {
  for (const JobId id : world_.dropped) {
    const Job* job = jobtracker_->engine().state().find_job(id);
    if (job != nullptr && !is_over(job->state)) {
      return wrong("a tracker was told to drop the files of job " + std::to_string(id.value) +
                   ", and it goes on after a restart");
    }
  }
}

void FaultStory::check_disk() {
  if (!jobtracker_->up() || !jobtracker_->quiet()) return;
  auto stored = jobtracker_->read_back();
  if (!stored) return wrong("the store cannot be read: " + stored.error().message);
  if (auto difference = durable_difference(jobtracker_->engine(), *stored)) wrong(*difference);
}

// --- The end ---

void FaultStory::check_ends() {
  std::set<std::string> submissions;
  for (const auto& [id, job] : jobtracker_->engine().state().jobs()) {
    if (!submissions.insert(job->spec->submission).second) {
      return wrong("submission " + job->spec->submission + " has made two jobs");
    }
    if (auto what = end_of(id, *job->spec)) {
      return wrong("job " + std::to_string(id.value) + ": " + *what);
    }
  }
  for (const auto& tracker : trackers_) {
    if (!tracker->up() || tracker->outputs().empty()) continue;
    wrong(tracker->name() + " still holds the output of " +
          attempt_name(*tracker->outputs().begin()) + ", whose job is over");
  }
}

std::optional<std::string> FaultStory::end_of(JobId id, const JobSpec& spec) {
  const Job& job = jobtracker_->engine().state().job(id);
  if (!is_over(job.state)) return "it does not end, though no fault is left";
  if (spec.output.empty()) return std::nullopt;
  const std::string aside = spec.output + "/_temporary";
  for (const std::string& name : world_.files.list(aside)) {
    const std::string attempt = name.substr(0, name.find('.'));
    if (world_.left_behind.contains(aside + "/" + attempt)) continue;
    return "it is over, and what " + attempt + " had written aside is still there";
  }
  const bool succeeded = job.state == JobState::kSucceeded;
  if (world_.files.contains(spec.output + "/_SUCCESS") != succeeded) {
    return succeeded ? "it has succeeded without its mark" : "it is marked, and has not succeeded";
  }
  const std::size_t parts = spec.reduces > 0 ? spec.reduces : spec.splits.size();
  for (std::size_t i = 0; i < parts && succeeded; ++i) {
    const std::string part = tasktracker::part_name(static_cast<std::uint32_t>(i));
    const std::string path = spec.output + "/" + part;
    if (!world_.files.contains(path)) return "it has succeeded without " + part;
    const auto by = world_.started.find(world_.files.read(path));
    if (by == world_.started.end()) return "it has succeeded, and " + part + " is not whole";
    if (by->second.task.job != id || by->second.task.index != i) {
      return "it has succeeded, and " + part + " is of " + by->first;
    }
  }
  return std::nullopt;
}

}  // namespace weir::faults
