// What happens by itself while the clock runs: heartbeats at their interval, spread evenly in
// tracker order; tasks that end when their time is over; the policy's updates. All of it comes
// by (time, order of coming), out of queues, so that the cost of an event does not depend on
// how many trackers or tasks there are. A reduce copies, not ending before its job's last map, then
// reduces. It learns what was launched as an Observer and drives the VirtualCluster. Events whose
// attempt or tracker is gone are dropped when their time comes. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <vector>

#include "sim/job_plan.h"
#include "sim/observer.h"
#include "sim/scenario.h"
#include "sim/sim_engine.h"
#include "sim/virtual_cluster.h"

namespace weir {

class Clockwork : public Observer {
 public:
  Clockwork(SimEngine& engine, VirtualCluster& cluster, const HeartbeatPlan& heartbeats,
            const ClusterModel& model)
      : engine_(engine), cluster_(cluster), heartbeats_(heartbeats), model_(model) {}

  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  bool events_only() const override { return true; }
  // Right after its submission; the plan must outlive the job.
  void add_job(JobId job, const JobPlan& plan);

  // Trackers report by themselves from now on, the first one now; or no more.
  void start_beats();
  void stop_beats();
  bool beating() const { return beating_; }
  // Where nothing else moves the tracker's reduces: those that had time enough have copied.
  void finish_copies(TrackerId tracker);
  // All that is due up to and at `until`, which is the time afterwards.
  void run_to(TimeMs until);

 private:
  enum class What : std::uint8_t { kHeartbeat, kCopied, kEnd };
  struct Due {
    TimeMs at = 0;
    std::uint64_t order = 0;
    AttemptKey attempt;  // kCopied, kEnd
    TrackerId tracker;
    std::uint32_t generation = 0;  // kHeartbeat: of the tracker's beats
    What what = What::kHeartbeat;
    friend bool operator>(const Due& a, const Due& b) {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct Beat {
    TimeMs at = 0;
    std::uint64_t order = 0;
    TrackerId tracker;
    std::uint32_t generation = 0;  // of the tracker's beats
  };
  struct Timed {
    const JobPlan* plan = nullptr;
    std::vector<std::pair<AttemptKey, TrackerId>> copied;  // reduces that wait for the last map
  };

  void push(Due due);
  bool beat_is_next() const;
  void begin_beats(TrackerId tracker, TimeMs first);
  void launched(const AttemptLaunched& launch);
  void map_done(const Engine& engine, JobId job);
  DurationMs plain_time(const TaskKey& task, const std::vector<DurationMs> TaskTimes::*times) const;
  // On that tracker.
  DurationMs slowed(TrackerId tracker, DurationMs time) const;
  DurationMs reduce_ms(const TaskKey& task) const;
  void push_reduce_end(const AttemptKey& attempt, TrackerId tracker);
  void push_beat(TimeMs at, TrackerId tracker, std::uint32_t generation);
  void beat(const Beat& due);
  void confirm_kills(TrackerId tracker);
  void report_progress(TrackerId tracker);
  void copied(const Due& due);
  void end(const Due& due);

  SimEngine& engine_;
  VirtualCluster& cluster_;
  HeartbeatPlan heartbeats_;
  ClusterModel model_;
  bool beating_ = false;
  std::uint64_t order_ = 0;
  std::vector<std::uint32_t> generation_;  // by tracker
  std::vector<Timed> jobs_;                // by JobId
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
  // Heartbeats that come after all those before them, as nearly all do: the rest is in the queue.
  std::deque<Beat> beats_;
};

}  // namespace weir
