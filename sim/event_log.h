// `--events`: the events of a simulated run as lines of JSON (eventlog/event_lines.h), with the
// scenario's names and times in ms since its start. One thread.
#pragma once

#include <ostream>
#include <string>

#include "eventlog/event_lines.h"
#include "sim/job_names.h"
#include "sim/observer.h"

namespace weir {

class EventLog : public Observer {
 public:
  // `names` must see each step before the log does.
  EventLog(std::ostream& out, const JobNames& names);
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  // A command that was refused before it came to the engine.
  void refused(DurationMs at, const std::string& what, const std::string& reason);

 private:
  const JobNames& names_;
  EventLines lines_;
};

// The job an input is about, in the scenario's words; empty if about none.
std::string subject(const Input& input, const JobNames& names);

}  // namespace weir
