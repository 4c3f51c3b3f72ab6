#include "bench/sched_load.h"

#include <algorithm>

#include "fair/fair_settings.h"

namespace weir::bench {
namespace {

constexpr std::uint32_t kVisitorsEvery = 10;      // one queue in ten
constexpr DurationMs kChurnReclaimAfterMs = 200;  // a fifth of a heartbeat interval
constexpr std::int64_t kWhole = 10000;            // 100% in hundredths of a percent

constexpr std::uint32_t kReplicas = 3;
constexpr DurationMs kMinShareTimeoutMs = 2000, kFairShareTimeoutMs = 10'000;

// Even pools are promised half of an equal part, odd ones nothing (performance.md).
std::shared_ptr<const PolicySettings> make_fair(const SchedLoad& load) {
  auto fair = std::make_shared<FairSettings>();
  const std::int64_t slots[] = {load.map_slots, load.reduce_slots};
  for (std::uint32_t q = 0; q < load.queues; ++q) {
    PoolSettings pool;
    pool.name = "q" + std::to_string(q);
    for (const TaskKind kind : kTaskKinds) {
      if (q % 2 != 0) continue;
      pool.min_share[index(kind)] = load.trackers * slots[index(kind)] / load.queues / 2;
    }
    if (load.preempts()) {
      pool.min_share_timeout_ms = kMinShareTimeoutMs;
      pool.fair_share_timeout_ms = kFairShareTimeoutMs;
    }
    fair->pools.push_back(std::move(pool));
  }
  fair->locality_delay.mode = load.locations == InputPlaces::kNone
                                  ? LocalityDelaySettings::Mode::kOff
                                  : LocalityDelaySettings::Mode::kAuto;
  if (load.preempts()) {
    fair->preemption = FairSettings::Preemption::kOn;
    fair->preemption_interval_ms = 0;
  }
  return fair;
}

constexpr Resources kContainers[] = {{{0, 0, 1024, 1}}, {{0, 0, 2048, 1}}, {{0, 0, 4096, 2}}};

// The same for the same number on every machine (splitmix64).
std::uint64_t scattered(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

Error too_small(const std::string& what, const std::string& hint) {
  return Error{ErrorCode::kBadRequest, what, hint};
}

Status check_containers(const SchedLoad& load) {
  if (load.churn || load.locations != InputPlaces::kNone)
    return too_small("containers are measured under W, and their input has no places",
                     "leave out --churn and --locations, or take --resources slots");
  Resources asked;
  for (std::uint32_t job = 0; job < load.jobs; ++job)
    for (const Dimension d : {Dimension::kMemoryMb, Dimension::kVcores})
      asked[d] += container_of_job(job)[d] * load.tasks();
  for (const Dimension d : {Dimension::kMemoryMb, Dimension::kVcores}) {
    const std::int64_t there = load.offer()[d] * load.trackers;
    if (asked[d] >= there) continue;
    const char* unit = d == Dimension::kVcores ? " vcores" : " MB";
    return too_small("the tasks ask for " + std::to_string(asked[d]) + unit + " of " +
                         std::to_string(there) + ", so not all of it would be taken again",
                     "raise --jobs or --maps-per-job, or lower --trackers");
  }
  return Ok{};
}

}  // namespace

Resources SchedLoad::offer() const {
  if (containers) return {{0, 0, 24'576, 16}};
  return {{map_slots, reduce_slots, 0, 0}};
}

Resources container_of_job(std::uint64_t job) {
  return kContainers[job % std::size(kContainers)];
}

Status check_load(const SchedLoad& load) {
  const std::int64_t trackers = load.trackers;
  if (load.trackers == 0 || load.jobs == 0 || load.queues == 0 || load.heartbeats_per_tick == 0) {
    return too_small("trackers, jobs and queues must be at least 1", "see --help");
  }
  if (load.churn && load.queues < kVisitorsEvery) {
    return too_small("--churn needs at least 10 queues: in every tenth jobs come and go",
                     "raise --queues");
  }
  if (load.containers) return check_containers(load);
  const auto demand = [&](const char* kind, std::int64_t per_job,
                          std::int64_t slots) -> std::optional<Error> {
    const std::int64_t tasks = per_job * load.jobs;
    if (slots == 0 || tasks >= trackers * slots) return std::nullopt;
    return too_small(std::to_string(tasks) + " " + kind + " tasks do not fill " +
                         std::to_string(trackers * slots) + " slots, so no slot would be refilled",
                     "raise --jobs or --" + std::string(kind) +
                         "s-per-job, or lower --trackers or --" + kind + "-slots");
  };
  if (auto error = demand("map", load.maps(), load.map_slots)) return *error;
  if (auto error = demand("reduce", load.reduces(), load.reduce_slots)) return *error;
  return Ok{};
}

std::shared_ptr<Settings> make_settings(const SchedLoad& load,
                                        std::int64_t user_minimum_hundredths) {
  auto settings = std::make_shared<Settings>();
  settings->policy = load.policy;
  settings->finished_jobs_kept_ms = 10'000;
  if (load.containers) settings->resources.mode = ResourceSettings::Mode::kContainers;
  settings->policies["fair"] = make_fair(load);
  const bool percent = kWhole % load.queues == 0;
  for (std::uint32_t q = 0; q < load.queues; ++q) {
    QueueSettings queue;
    queue.name = "q" + std::to_string(q);
    for (Guarantee& g : queue.guaranteed) {
      if (percent) g = {Guarantee::Unit::kPercent, kWhole / load.queues};
      if (!percent) g = {Guarantee::Unit::kSlots, 1};  // ratios: all alike
    }
    queue.user_limit.minimum_hundredths = user_minimum_hundredths;
    if (load.churn) {
      for (auto& reclaim_after_ms : queue.reclaim_after_ms) reclaim_after_ms = kChurnReclaimAfterMs;
    }
    settings->queues.push_back(std::move(queue));
  }
  return settings;
}

std::string tracker_name(std::uint32_t tracker) {
  const std::string digits = std::to_string(tracker);
  return "tracker-" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

bool is_visitors_queue(std::uint32_t queue) {
  return queue % kVisitorsEvery == kVisitorsEvery - 1;
}

std::uint32_t queue_of_job(const SchedLoad& load, std::uint32_t job) {
  if (!load.churn) return job % load.queues;
  const std::uint32_t residents = load.queues - load.queues / kVisitorsEvery;
  const std::uint32_t place = job % residents;
  return place / (kVisitorsEvery - 1) * kVisitorsEvery + place % (kVisitorsEvery - 1);
}

SubmitJob make_job(const SchedLoad& load, const JobShape& shape) {
  auto spec = std::make_shared<JobSpec>();
  spec->name = "bench";
  spec->user = shape.user;
  spec->queue = "q" + std::to_string(shape.queue);
  if (load.containers) {
    const Resources container = container_of_job(shape.number);
    TaskGroupSpec& group = spec->task_groups.emplace_back();
    group.name = "main";
    group.count = shape.maps + shape.reduces;
    group.command = "true";
    group.asked = {container[Dimension::kMemoryMb], container[Dimension::kVcores], {}};
    return {{shape.user, {}}, std::move(spec)};
  }
  spec->splits.resize(shape.maps);
  if (load.locations != InputPlaces::kNone) {
    const std::uint32_t among = load.locations == InputPlaces::kHot
                                    ? std::max(load.trackers / 100, kReplicas)
                                    : load.trackers;
    std::uint64_t draw = shape.number << 32;
    for (Split& split : spec->splits) {
      for (std::uint32_t r = 0; r < kReplicas; ++r) {
        split.hosts.push_back(tracker_name(static_cast<std::uint32_t>(scattered(++draw) % among)));
      }
    }
  }
  spec->output = "/bench/" + std::to_string(shape.number);
  spec->reduces = shape.reduces;
  spec->slowstart_millionths = 0;
  return {{shape.user, {}}, std::move(spec)};
}

}  // namespace weir::bench
