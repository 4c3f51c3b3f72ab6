// What random stories over a harness have in common: bounded draws, some job or tracker, a command
// of the job's owner. A story is a class that derives from this and adds what it draws. The same
// seed tells the same story.
#pragma once

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "support/harness.h"

namespace weir::test {

// Every free slot of the tracker.
inline Offer whole_offer(const TrackerState& tracker, TimeMs now) {
  Offer offer{.tracker = tracker.id, .now = now};
  for (const TaskKind kind : kTaskKinds) {
    offer.free[index(kind)] = tracker.total.slots(kind) - tracker.used.slots(kind);
  }
  return offer;
}

template <class H>
class RandomStory {
 protected:
  template <class... Args>
  explicit RandomStory(unsigned seed, Args&&... args)
      : seed_(seed), random_(seed), h_(std::forward<Args>(args)...) {}

  std::int64_t upto(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n)(random_);
  }
  bool one_in(std::int64_t n) { return upto(n - 1) == 0; }

  // Trackers are tt0, tt1, ...
  std::string random_tracker() { return "tt" + std::to_string(upto(trackers_ - 1)); }
  void add_tracker() {
    h_.add_tracker("tt" + std::to_string(trackers_++),
                   {.map_slots = 1 + upto(4), .reduce_slots = upto(3)});
  }
  // One that runs there, if any does.
  void fail_one(const std::string& tracker) {
    for (auto& [key, attempt] : h_.tracker(tracker).held) {
      if (attempt.state != ReportedState::kRunning) continue;
      attempt.state = ReportedState::kFailed;
      return;
    }
  }

  JobId random_job() {
    const auto& jobs = h_.state().jobs();
    auto job = jobs.begin();
    std::advance(job, upto(static_cast<std::int64_t>(jobs.size()) - 1));
    return job->first;
  }
  Caller owner(JobId job) { return {h_.state().job(job).spec->user, {}}; }
  void kill_a_job() {
    const JobId job = random_job();
    h_.step(KillJob{owner(job), job});
  }
  void change_a_priority() {
    const JobId job = random_job();
    h_.step(SetPriority{owner(job), job, static_cast<Priority>(upto(4))});
  }

  unsigned seed_;
  std::mt19937 random_;
  H h_;
  std::int64_t trackers_ = 0;
};

}  // namespace weir::test
