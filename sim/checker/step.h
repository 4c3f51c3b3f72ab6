// What the checks of one step look at: the engine as the step left it, the input and what came of
// it, the census and the figures expected of it, and what earlier steps left to remember. Made anew
// for each step; checks read it and say what is broken.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/engine.h"
#include "sim/checker/census.h"
#include "sim/checker/expected.h"
#include "sim/checker/rules.h"

namespace weir::check {

// What must be remembered from step to step.
struct Memory {
  bool every_step = true;                         // what is remembered is what the last step left
  std::set<JobId> reduces_eligible;               // slow-start was met once
  std::map<JobId, std::int64_t> maps_done;        // by events, of jobs with reduces
  std::map<std::string, std::int64_t> sequences;  // of the last heartbeat taken, by tracker
  std::map<TrackerId, Resources> tracker_held;    // as the last checked step left it
  std::vector<Hold> holds;                        // as the last step left them
  NotLending not_lending;
};

// A launch that the policy chose, and the cluster just before it.
struct LaunchMoment {
  const AttemptLaunched* launch = nullptr;
  Census before;
};

struct Step {
  Step(const Engine& engine, const Input& input, const Output& output,
       std::optional<CapacityRules> rules, const Memory& memory);

  const Engine& engine;
  const ClusterState& state;
  const Input& input;
  const Output& output;
  std::optional<CapacityRules> rules;  // nothing if another policy rules
  const Memory& memory;
  Census census;
  std::vector<ExpectedQueue> expected[kTaskKindCount];  // empty if another policy rules
  std::vector<LaunchMoment> launches;                   // in order
  bool adopted = false;                   // an attempt that its tracker reported was taken on again
  const Heartbeat* heartbeat = nullptr;   // one that was taken, not old news
  const TrackerState* tracker = nullptr;  // its tracker

  const std::string& path(QueueId queue) const { return state.tree().node(queue).path; }
};

// Whether the job's reduces may start, by what was seen so far.
bool slow_start_met(const Memory& memory, const Job& job);

// The first breach of a step, if any.
class Verdict {
 public:
  void breach(std::string_view rule, std::string message) {
    if (!found_) found_ = Breach{std::string(rule), 0, std::move(message), "", 0};
  }
  bool clean() const { return !found_; }
  std::optional<Breach>& found() { return found_; }

 private:
  std::optional<Breach> found_;
};

// Each looks at one side of the step.
void check_counts(const Step& step, Verdict& verdict);    // checks_counts.cpp
void check_figures(const Step& step, Verdict& verdict);   // checks_figures.cpp
void check_launches(const Step& step, Verdict& verdict);  // checks_launches.cpp
void check_idle(const Step& step, Verdict& verdict);      // checks_launches.cpp

}  // namespace weir::check
