#include "sim/checker/input_text.h"

#include <fmt/format.h>

namespace weir::check {
namespace {

const char* word(ReportedState state) {
  switch (state) {
    case ReportedState::kRunning:
      return "running";
    case ReportedState::kCommitPending:
      return "wants to commit";
    case ReportedState::kSucceeded:
      return "succeeded";
    case ReportedState::kFailed:
      return "failed";
    case ReportedState::kKilled:
      return "killed";
  }
  return "?";
}

std::string slots(const Resources& r) {
  return to_string(r);
}

struct Describe {
  std::string operator()(const SubmitJob& in) const {
    return fmt::format("submission of {} maps, {} reduces by {} to {}", in.spec->splits.size(),
                       in.spec->reduces, in.spec->user, in.spec->queue);
  }
  std::string operator()(const KillJob& in) const { return "kill of " + job_name(in.job); }
  std::string operator()(const SetPriority& in) const {
    return fmt::format("priority {} for {}", name(in.priority), job_name(in.job));
  }
  std::string operator()(const MoveJob& in) const {
    return fmt::format("move of {} to {}", job_name(in.job), in.queue);
  }
  std::string operator()(const ReleaseJob& in) const { return "release of " + job_name(in.job); }
  std::string operator()(const SetQueueState& in) const {
    return fmt::format("{} of queue {}", in.stopped ? "stop" : "start", in.queue);
  }
  std::string operator()(const ApplySettings&) const { return "new settings"; }
  std::string operator()(const SetPolicy& in) const { return "policy " + in.policy; }
  std::string operator()(const RegisterTracker& in) const {
    return fmt::format("tracker {} with {}", in.name, slots(in.total));
  }
  std::string operator()(const Heartbeat& in) const {
    std::string text = fmt::format("heartbeat {} of {}", in.sequence, in.name);
    if (in.total) text += " with " + slots(*in.total);
    if (!in.accepts_tasks) text += ", draining";
    if (in.leaving) text += ", leaving";
    if (!in.asks_for_tasks) text += ", a report only";
    for (const AttemptReport& report : in.attempts) {
      if (report.state == ReportedState::kRunning) continue;
      text += fmt::format(", {} {}", attempt_name(report.attempt), word(report.state));
    }
    return text;
  }
  static std::string of(std::string text, const std::vector<std::string>& trackers) {
    for (const std::string& tracker : trackers) text += " " + tracker;
    return text;
  }
  std::string operator()(const OrderTrackers& in) const {
    return of(std::string(name(in.order)) + " ordered of", in.trackers);
  }
  std::string operator()(const DeclareLost& in) const { return of("declared lost:", in.trackers); }
  std::string operator()(const ForgetTrackers& in) const { return of("forgotten:", in.trackers); }
  std::string operator()(const LoseTracker& in) const { return "loss of tracker " + in.name; }
  std::string operator()(const DescribeJob&) const { return "question for a job"; }
  std::string operator()(const QueryMapOutputs&) const { return "question for map outputs"; }
  std::string operator()(const QueryPeers&) const { return "question for peers"; }
  std::string operator()(const Tick&) const { return "tick"; }
  std::string operator()(const Durable& in) const {
    return fmt::format("durable up to {}", in.seq);
  }
  std::string operator()(const StoreFailed& in) const {
    return fmt::format("store failed up to {}", in.seq);
  }
};

}  // namespace

std::string describe(const Input& input) {
  return std::visit(Describe{}, input.body);
}

}  // namespace weir::check
