// The closed-loop workload W(J,Q) of `weir bench sched`, and its churning sibling W', as data: how
// large the cluster is, how many jobs and queues there are, and what each queue and job looks like.
// Job j stands in queue j mod Q and belongs to user (j div Q) mod 5. Under W' every tenth queue has
// no jobs of its own but visitors that come and go (bench/churn.h). Where containers count, job j
// is an application whose tasks ask for 1024 MB and 1 core, 2048 MB and 1, or 4096 MB and 2, by
// j mod 3. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "jobqueue/model/input.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"

namespace weir::bench {

// Where the input of maps lies. With locations delay scheduling and preemption are on.
enum class InputPlaces : std::uint8_t {
  kNone,    // nobody knows
  kSpread,  // each split on 3 trackers anywhere
  kHot,     // all on the same hundredth of the trackers
};

struct SchedLoad {
  std::string policy = "capacity";
  std::uint32_t trackers = 1000;
  std::uint32_t map_slots = 8;
  std::uint32_t reduce_slots = 4;
  std::uint32_t jobs = 5000;
  std::uint32_t queues = 100;
  std::optional<std::uint32_t> maps_per_job;  // absent: 200 with up to 100 jobs, else 40
  std::optional<std::uint32_t> reduces_per_job;
  std::uint32_t heartbeats_per_tick = 50;
  bool containers = false;  // instead of slots
  bool churn = false;       // W' instead of W
  InputPlaces locations = InputPlaces::kNone;

  // W' reclaims under every policy; with locations the fair policy preempts too.
  bool preempts() const { return churn || locations != InputPlaces::kNone; }
  std::uint32_t maps() const { return maps_per_job.value_or(jobs <= 100 ? 200 : 40); }
  std::uint32_t reduces() const { return reduces_per_job.value_or(jobs <= 100 ? 100 : 20); }
  std::uint32_t tasks() const { return maps() + reduces(); }
  // What a tracker offers.
  Resources offer() const;
  // What ends, and must start again, with each heartbeat; containers need not be as many again.
  std::uint32_t maps_per_heartbeat() const { return map_slots < 2 ? map_slots : 2; }
  std::uint32_t reduces_per_heartbeat() const { return reduce_slots < 1 ? reduce_slots : 1; }
};

// What a task of job j asks for where containers count.
Resources container_of_job(std::uint64_t job);
inline constexpr std::uint32_t kContainersPerHeartbeat = 3;

// Whether the load can be run: demand must outlast the cluster, or the loop would not be closed.
Status check_load(const SchedLoad& load);

// `user_minimum_hundredths` is the user limit of every queue; W' changes it once.
std::shared_ptr<Settings> make_settings(const SchedLoad& load,
                                        std::int64_t user_minimum_hundredths = 2500);
std::string tracker_name(std::uint32_t tracker);

// The queue of job j: under W' the visitors' queues are left out.
std::uint32_t queue_of_job(const SchedLoad& load, std::uint32_t job);
bool is_visitors_queue(std::uint32_t queue);

struct JobShape {
  std::uint32_t queue = 0;
  std::string user;
  std::uint32_t maps = 0;
  std::uint32_t reduces = 0;
  std::uint64_t number = 0;  // unique: names its output
};
SubmitJob make_job(const SchedLoad& load, const JobShape& shape);

}  // namespace weir::bench
