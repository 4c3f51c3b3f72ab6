// The ends of attempts, for people: which attempt of a job ran where, how it ended and why, so that
// `job logs` finds the logs of a failed one. The engine keeps only what it decides by; this listens
// to its events. Bounded per job and in all, the oldest jobs going first, and gone with a restart.
// An end is put behind the others, as they come; only who reads puts them in order, and takes the
// latest of those that an attempt has (it ended with its tracker, which then came back with it).
// It lives on the engine's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/event.h"
#include "tracker/published/wall_clock.h"
#include "views/attempt_view.h"

namespace weir {

class AttemptHistory {
 public:
  static constexpr std::size_t kPerJob = 5'000;
  static constexpr std::size_t kInAll = 100'000;
  static constexpr std::size_t kListed = 10'000;

  // `state` is that after the event.
  void on(const Event& event, const ClusterState& state);
  void forget(JobId job);

  // Every attempt of the job that is known: ended, live, and finished tasks from before a restart.
  // By task and attempt.
  std::vector<AttemptView> list(const Engine& engine, const Job& job,
                                const WallClock& wall) const;

  // What the tracker runs now, as much as is listed. By job, task and attempt.
  std::vector<AttemptView> list(const Engine& engine, const TrackerState& tracker,
                                const WallClock& wall) const;

 private:
  AttemptView live(const Engine& engine, const Attempt& attempt, const WallClock& wall) const;

  struct End {
    AttemptKey attempt;
    TrackerId tracker;
    AttemptEnded::How how = AttemptEnded::How::kFailed;
    bool speculative = false;
    TimeMs launched_at = 0;
    DurationMs ran_ms = 0;
    std::string diagnostics;
  };
  using Ends = std::deque<End>;

  // Of a failed attempt, whose end is told in two facts, the one that is there.
  End* place_for(const AttemptKey& attempt, bool failed);
  std::vector<const End*> latest_of(JobId job) const;

  std::map<JobId, Ends> jobs_;
  std::map<AttemptKey, std::string> to_die_;  // why; those that are dying still
  std::size_t count_ = 0;
};

}  // namespace weir
