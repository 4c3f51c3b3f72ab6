// What random stories over a harness have in common: dice, some job, tracker or queue, and the
// moves that every story may make. A story is a class that derives from this, adds what only it
// draws, and has a table of its moves (lab/kit/moves.h). The same seed tells the same story.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "lab/kit/moves.h"
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
      : seed_(seed), dice_(seed), h_(std::forward<Args>(args)...) {}

  std::int64_t upto(std::int64_t n) { return dice_.below(n + 1); }
  bool one_in(std::int64_t n) { return dice_.below(n) == 0; }

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

  std::string random_leaf() {
    const QueueTree& tree = h_.state().tree();
    return tree.node(dice_.one_of(tree.leaves())).path;
  }
  JobId random_job() {
    const auto& jobs = h_.state().jobs();
    auto job = jobs.begin();
    std::advance(job, upto(static_cast<std::int64_t>(jobs.size()) - 1));
    return job->first;
  }
  Caller owner(JobId job) { return {h_.state().job(job).spec->user, {}}; }

  // --- Moves ---
  void beat() { h_.heartbeat(random_tracker()); }
  void finish() { h_.finish_all(random_tracker()); }
  void fail() { fail_one(random_tracker()); }
  void add_another_tracker() {
    if (trackers_ < 9) add_tracker();
  }
  void restart_a_tracker() {  // it comes back empty
    const std::string tracker = random_tracker();
    h_.add_tracker(tracker, h_.tracker(tracker).options);
  }
  void kill_a_job() {
    const JobId job = random_job();
    h_.step(KillJob{owner(job), job});
  }
  void move_a_job() {
    const JobId job = random_job();
    h_.step(MoveJob{owner(job), job, random_leaf()});
  }
  void change_a_priority() {
    const JobId job = random_job();
    h_.step(SetPriority{owner(job), job, static_cast<Priority>(upto(4))});
  }

  unsigned seed_;
  Dice dice_;
  H h_;
  std::int64_t trackers_ = 0;
};

}  // namespace weir::test
