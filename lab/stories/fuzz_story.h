// What happens in one seed of a property run: a random cluster under random settings lives through
// random inputs (submissions, heartbeats, ends, kills, moves between queues and pools, new
// settings, queues stopped, trackers lost or shrunk, jumps of the clock towards the next deadline,
// switches among the policies, a store that lags or fails) and is then driven until every job has
// ended. All of it follows from the seed. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/kit/dice.h"
#include "lab/stories/fuzz_cluster.h"

namespace weir {

class FuzzStory {
 public:
  static constexpr std::uint64_t kInputs = 300;  // at least, before the end is driven to

  enum class Counts : std::uint8_t { kSlotsAlone, kContainersToo };  // too: in some of the seeds
  FuzzStory(std::uint64_t seed, PolicyFactory factory, Counts counts = Counts::kContainersToo);
  FuzzCluster& cluster() { return cluster_; }

  // Until kInputs have been told and every job has ended, or `stop` says so. What has not ended
  // after many rounds is left, for the checker to find.
  void run(const std::function<bool()>& stop);

 private:
  static std::shared_ptr<const Settings> first_settings(Dice& dice, Dice& stragglers,
                                                        Dice& operators, Dice& containers,
                                                        Counts counts);
  static void draw_faults(Dice& operators, Settings& settings);
  void draw_trackers();
  void random_step();
  void submit();
  void beat_one();
  void beat_all();
  void finish_some();
  void churn();
  void disturb_job();  // kill, move, priority
  void order_trackers();
  void disturb_tracker();  // lose, restart, shrink, drain
  void disturb_rules();    // settings, queue state, policy
  void disturb_store();
  void jump();
  void release(const Job& job);
  void drive_to_end(const std::function<bool()>& stop);
  bool all_over() const;

  std::string random_leaf();
  std::string random_pool();
  FuzzTracker& random_tracker();
  const Job* random_job();
  Resources random_offer();
  void add_tracker(const Resources& offer, std::int64_t racks);
  void change_what_counts();  // slots, or containers again

  Dice dice_;
  Dice stragglers_;  // its own: seeds without speculation are what they were before it
  Dice operators_;   // what administrators do to trackers, likewise
  Dice holds_;       // jobs that are held or have a time limit, likewise
  Dice containers_;  // a story where containers count, likewise
  FuzzCluster cluster_;
  std::string home_;                  // the policy that mostly rules
  std::vector<Resources> full_size_;  // of each tracker, before it shrank
  bool memory_counts_ = false;
  bool counts_containers_ = false;
  int fail_percent_ = 0;
  int wide_percent_ = 0;
  int order_percent_ = 0;
  int hold_percent_ = 0;
  int outputs_ = 0;
};

}  // namespace weir
