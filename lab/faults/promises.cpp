#include "lab/faults/promises.h"

namespace weir::faults {
namespace {

// As long as a message may be on its way.
constexpr DurationMs kLatestMs = 30'000;

std::optional<std::string> value_now(const Engine& engine, const std::string& what) {
  if (what == kPolicyValue) return std::string(engine.policy().name());
  if (what == kSettingsValue) return engine.state().settings().text;
  for (const TrackerState& tracker : engine.state().trackers()) {
    if (what == order_of(tracker.name)) return name(tracker.order);
  }
  for (const auto& [id, job] : engine.state().jobs()) {
    if (what == priority_of(id)) return std::to_string(static_cast<int>(job->priority));
  }
  return std::nullopt;
}

}  // namespace

std::string priority_of(JobId job) {
  return "priority of job " + std::to_string(job.value);
}

std::string order_of(const std::string& tracker) {
  return "what is ordered of " + tracker;
}

void Promises::sent(const std::string& what, const std::string& value, TimeMs now) {
  values_[what][value] = now;
}

void Promises::answered(const std::string& what, const std::string& value, bool taken, TimeMs now) {
  if (!taken) return;  // refused, or nobody knows: what was possible is still
  std::erase_if(values_[what], [&](const auto& possible) {
    return possible.first != value && possible.second + kLatestMs < now;
  });
}

std::optional<std::string> Promises::broken(const Engine& engine) const {
  for (const auto& [id, submission] : jobs_) {
    if (submission.spec == nullptr) continue;
    const std::string text = "job " + std::to_string(id.value);
    const Job* job = engine.state().find_job(id);
    if (job == nullptr) return text + " was promised and is not there";
    if (job->spec->submission != submission.spec->submission)
      return text + " is another one than promised";
    if (submission.kill_answered && !is_over(job->state) && job->duty != Job::Duty::kAbort) {
      return text + " was killed, as its user was told, and goes on";
    }
    if (job->state == JobState::kKilled && !submission.kill_may_have_come) {
      return text + " was killed, and nobody asked for it";
    }
  }
  for (const auto& [what, possible] : values_) {
    const auto value = value_now(engine, what);
    if (!value || possible.empty() || possible.contains(*value)) continue;
    std::string texts;
    for (const auto& [each, at] : possible) texts += (texts.empty() ? "" : ", ") + each;
    return what + " is " + *value + "; as clients were told it should be " + texts;
  }
  return std::nullopt;
}

}  // namespace weir::faults
