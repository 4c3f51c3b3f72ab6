// The engine's events as text: one JSON object a line for each thing that happened, in the order in
// which the engine decided. The fields are those of docs/scenarios.md; keys always come in the same
// order, so two logs can be compared byte by byte. One thread.
#pragma once

#include <functional>
#include <ostream>
#include <set>
#include <string_view>

#include "eventlog/json_line.h"
#include "jobqueue/engine/engine.h"

namespace weir {

class EventLines {
 public:
  // What a job is called; good until the next question.
  using JobNaming = std::function<std::string_view(JobId)>;

  // Times are written as they are since `zero`.
  EventLines(std::ostream& out, JobNaming names, TimeMs zero)
      : line_(out), names_(std::move(names)), zero_(zero) {}

  // `engine` is as the step left it in which the event happened. `subject`: the job that a refused
  // command was about, or nothing.
  void write(const Event& event, const Engine& engine, std::string_view subject = {});
  // A command that was refused before it came to the engine.
  void refused(TimeMs at, std::string_view what, std::string_view reason);
  // So many lines are missing here.
  void lost(TimeMs at, std::uint64_t lines);

 private:
  JsonLine& begin(const char* event);
  void task(const AttemptKey& attempt, TrackerId tracker);
  void owner(const AttemptKey& attempt, QueueId queue);
  void container(const TaskKey& task);
  void room(const char* event, const TaskKey& task, TrackerId tracker);
  std::string queue_path(QueueId queue) const;
  std::string pool_or(JobId job, const std::string& queue) const;
  template <class Fact>
  void claim(const char* event, const Fact& fact);

  template <class Fact>
  void put(const Fact&) {}  // what the log does not tell
  void put(const JobSubmitted& fact);
  void put(const PriorityChanged& fact);
  void put(const JobMoved& fact);
  void put(const JobReleased& fact);
  void put(const QueueStateChanged& fact);
  void put(const SettingsChanged& fact);
  void put(const PolicyChanged& fact);
  void put(const TaskReopened& fact);
  void put(const JobStateChanged& fact);
  void put(const ClaimOpened& fact);
  void put(const ClaimMet& fact);
  void put(const ClaimDropped& fact);
  void put(const AttemptLaunched& fact);
  void put(const ComputeGranted& fact);
  void put(const Reserved& fact);
  void put(const Unreserved& fact);
  void put(const GangHeld& fact);
  void put(const GangReleased& fact);
  void put(const GangStarted& fact);
  void put(const DutyPassedOn& fact);
  void put(const AttemptEnded& fact);
  void put(const KillOrdered& fact);
  void put(const TrackerChanged& fact);
  void put(const Refused& fact);

  JsonLine line_;
  JobNaming names_;
  TimeMs zero_;
  const Engine* engine_ = nullptr;  // of the event at hand, as the next two
  std::string_view subject_;
  TimeMs at_ = 0;
  std::set<AttemptKey> ordered_;  // kills written, whose attempts have not ended
};

}  // namespace weir
