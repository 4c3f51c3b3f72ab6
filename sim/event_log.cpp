#include "sim/event_log.h"

#include "sim/sim_engine.h"

namespace weir {

std::string subject(const Input& input, const JobNames& names) {
  if (const auto* submit = std::get_if<SubmitJob>(&input.body)) return submit->spec->name;
  JobId job;
  if (const auto* kill = std::get_if<KillJob>(&input.body)) job = kill->job;
  if (const auto* priority = std::get_if<SetPriority>(&input.body)) job = priority->job;
  if (const auto* move = std::get_if<MoveJob>(&input.body)) job = move->job;
  if (const auto* release = std::get_if<ReleaseJob>(&input.body)) job = release->job;
  return job.valid() ? names.name(job) : "";
}

EventLog::EventLog(std::ostream& out, const JobNames& names)
    : names_(names),
      lines_(
          out, [this](JobId job) { return std::string_view(names_.name(job)); },
          SimEngine::kStart) {}

void EventLog::on_step(const Engine& engine, const Input& input, const Output& output) {
  for (const Event& event : output.events) {
    const bool refused = fact_as<Refused>(event.fact) != nullptr;
    lines_.write(event, engine, refused ? subject(input, names_) : "");
  }
}

void EventLog::refused(DurationMs at, const std::string& what, const std::string& reason) {
  lines_.refused(SimEngine::kStart + at, what, reason);
}

}  // namespace weir
