// `--events`: one JSON object a line for each thing that happened, in the order in which the engine
// decided, times in ms since the start of the scenario. The fields are those of docs/scenarios.md;
// keys always come in the same order, so two runs can be compared byte by byte. One thread.
#pragma once

#include <ostream>
#include <set>

#include "sim/job_names.h"
#include "sim/json_line.h"
#include "sim/observer.h"

namespace weir {

class EventLog : public Observer {
 public:
  // `names` must see each step before the log does.
  EventLog(std::ostream& out, const JobNames& names) : line_(out), names_(names) {}
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  // A command that was refused before it came to the engine.
  void refused(DurationMs at, const std::string& what, const std::string& reason);

 private:
  JsonLine& begin(const char* event);
  void task(const AttemptKey& attempt, TrackerId tracker);
  void owner(const AttemptKey& attempt, QueueId queue);
  std::string queue_path(QueueId queue) const;
  std::string pool_or(JobId job, const std::string& queue) const;
  template <class Fact>
  void claim(const char* event, const Fact& fact);

  template <class Fact>
  void write(const Fact&) {}  // what the log does not tell
  void write(const JobSubmitted& fact);
  void write(const PriorityChanged& fact);
  void write(const JobMoved& fact);
  void write(const QueueStateChanged& fact);
  void write(const SettingsChanged& fact);
  void write(const PolicyChanged& fact);
  void write(const TaskReopened& fact);
  void write(const JobStateChanged& fact);
  void write(const ClaimOpened& fact);
  void write(const ClaimMet& fact);
  void write(const ClaimDropped& fact);
  void write(const AttemptLaunched& fact);
  void write(const AttemptEnded& fact);
  void write(const KillOrdered& fact);
  void write(const TrackerChanged& fact);
  void write(const Refused& fact);

  JsonLine line_;
  const JobNames& names_;
  const Engine* engine_ = nullptr;  // of the step at hand, as the next two
  const Input* input_ = nullptr;
  TimeMs at_ = 0;
  std::set<AttemptKey> ordered_;  // kills written, whose attempts have not ended
};

// The job an input is about, in the scenario's words; empty if about none.
std::string subject(const Input& input, const JobNames& names);

}  // namespace weir
