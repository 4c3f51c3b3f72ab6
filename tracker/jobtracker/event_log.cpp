#include "tracker/jobtracker/event_log.h"

#include <spdlog/spdlog.h>

#include "jobqueue/model/counted.h"
#include "jobqueue/model/plain_text.h"

namespace weir {
namespace {

// Diagnostics come from users' programs, and may be long.
std::string shortened(const std::string& text) {
  return one_line(text, {.most_bytes = 200});
}

const char* verb(TrackerChanged::How how) {
  switch (how) {
    case TrackerChanged::How::kAdded:
      return "added";
    case TrackerChanged::How::kLost:
      return "lost";
    case TrackerChanged::How::kBack:
      return "back";
    case TrackerChanged::How::kDraining:
      return "drains, as was ordered";
    case TrackerChanged::How::kStopping:
      return "is to stop, as was ordered";
    case TrackerChanged::How::kResumed:
      return "takes tasks again, as was ordered";
    case TrackerChanged::How::kStopped:
      return "has left, as was ordered";
    case TrackerChanged::How::kFaulty:
      return "has too many faults: jobs that it failed succeeded elsewhere; it gets no tasks";
    case TrackerChanged::How::kHealed:
      return "takes tasks again: enough faults are forgotten";
    case TrackerChanged::How::kForgotten:
      return "forgotten, as was asked: it is in no list until it comes back";
  }
  return "";
}

}  // namespace

bool EventLog::may_log(TimeMs now) {
  if (now / 1000 != second_) {
    if (left_out_ > 0) spdlog::info("log: and {} more lines of that kind", left_out_);
    second_ = now / 1000;
    lines_ = 0;
    left_out_ = 0;
  }
  if (lines_ < kLimitedLinesPerSecond) {
    ++lines_;
    return true;
  }
  ++left_out_;
  return false;
}

void EventLog::on(const Event& event, const Engine& engine) {
  const ClusterState& state = engine.state();
  const Fact& fact = event.fact;
  if (const auto* submitted = fact_as<JobSubmitted>(fact)) {
    if (!may_log(event.at)) return;
    const JobSpec& spec = *submitted->spec;
    spdlog::info("{}: submitted by {} to queue {}: '{}', {}, {}",
                 job_name(submitted->job), spec.user, submitted->queue, spec.name,
                 counted(spec.tasks(TaskKind::kMap), "map"),
                 counted(spec.tasks(TaskKind::kReduce), "reduce"));
  } else if (const auto* job = fact_as<JobStateChanged>(fact)) {
    if (!is_over(job->state) || !may_log(event.at)) return;
    spdlog::info("{}: {}{}{}", job_name(job->job), name(job->state),
                 job->diagnostics.empty() ? "" : ": ", shortened(job->diagnostics));
  } else if (const auto* failed = fact_as<AttemptFailed>(fact)) {
    if (!may_log(event.at)) return;
    spdlog::info("{}: failed on tracker {}: {}", attempt_name(failed->attempt), failed->tracker,
                 shortened(failed->diagnostics));
  } else if (const auto* reopened = fact_as<TaskReopened>(fact)) {
    if (!may_log(event.at)) return;
    spdlog::info("{}: runs again: {}", task_name(reopened->task), shortened(reopened->why));
  } else if (const auto* tracker = fact_as<TrackerChanged>(fact)) {
    const TrackerState& which = state.tracker(tracker->tracker);
    const bool lost = tracker->how == TrackerChanged::How::kLost;
    spdlog::info("tracker {}: {}{}", which.name, verb(tracker->how),
                 lost ? ": it " + shortened(which.lost_why) : "");
  } else if (const auto* kill = fact_as<KillOrdered>(fact)) {
    if (!is_preemption(kill->reason) || !may_log(event.at)) return;
    const std::string who =
        kill->for_queue.valid() ? "queue " + state.tree().node(kill->for_queue).path
                                : "pool " + kill->for_pool;
    spdlog::info("{}: to be killed on tracker {} ({}) for {} after {}",
                 attempt_name(kill->attempt), state.tracker(kill->tracker).name, name(kill->reason),
                 who, short_duration(kill->ran_ms));
  } else if (const auto* passed = fact_as<DutyPassedOn>(fact)) {
    if (!may_log(event.at)) return;
    spdlog::warn("{}: its last step goes to another tracker: {}", job_name(passed->job),
                 shortened(passed->why));
  } else if (const auto* refused = fact_as<Refused>(fact)) {
    if (!may_log(event.at)) return;
    spdlog::info("{}: refused: {}", refused->what, shortened(refused->error.message));
  } else if (const auto* settings = fact_as<SettingsChanged>(fact)) {
    spdlog::info("settings: new ones from {}{}", settings->settings->source,
                 settings->by.empty() ? "" : ", by " + settings->by);
  } else if (const auto* policy = fact_as<PolicyChanged>(fact)) {
    spdlog::info("policy: {} is to be the policy{}", policy->policy,
                 policy->by.empty() ? "" : ", by " + policy->by);
  } else if (const auto* queue = fact_as<QueueStateChanged>(fact)) {
    spdlog::info("queue {}: {}", queue->queue, queue->stopped ? "stopped" : "started");
  }
}

}  // namespace weir
