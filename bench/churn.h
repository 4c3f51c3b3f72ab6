// What moves in W': every 1,000 heartbeats the visitors' queues (one in ten) toggle their demand
// between none and twice their guarantee, with new users each time, so that shares change, claims
// arise, fall due and kill; a job that ends is replaced by another; and once the settings change.
// It turns what the engine said into the next inputs; the run hands them in. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/sched_load.h"
#include "bench/stopwatch_engine.h"

namespace weir::bench {

class Churn {
 public:
  explicit Churn(const SchedLoad& load) : load_(load) {}

  // The job that was submitted as number `job` of the load has this id.
  void follow(std::uint32_t job, JobId id);
  // What happened: jobs that ended are due for replacement.
  void watch(const std::vector<Event>& events);
  // Hands in what is due after the load's `heartbeats`-th heartbeat; returns nanoseconds of CPU.
  std::int64_t advance(StopwatchEngine& engine, std::uint64_t heartbeats);
  std::int64_t change_settings(StopwatchEngine& engine);

  std::uint64_t jobs_ended() const { return jobs_ended_; }
  std::uint64_t reclaimed() const { return reclaimed_; }  // attempts killed for a claim

 private:
  std::int64_t toggle(StopwatchEngine& engine);
  std::int64_t submit(StopwatchEngine& engine, const JobShape& shape, JobId& id);

  SchedLoad load_;
  std::vector<std::uint32_t> numbers_;  // by JobId: which job of the load, or kNone
  std::vector<std::uint32_t> ended_;    // jobs of the load, to be replaced
  std::vector<std::pair<JobId, std::string>> visitors_;  // and their users
  std::uint64_t toggles_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t jobs_ended_ = 0;
  std::uint64_t reclaimed_ = 0;
};

}  // namespace weir::bench
