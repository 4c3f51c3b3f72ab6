#include "bench/sched_bench.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "bench/churn.h"
#include "bench/heap.h"
#include "bench/stopwatch_engine.h"
#include "bench/virtual_tracker.h"
#include "conf/policies.h"

namespace weir::bench {
namespace {

using std::chrono::steady_clock;

constexpr std::uint32_t kWarmUpRounds = 5;

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

double quantile_us(std::vector<std::uint32_t>& ns, double part) {
  if (ns.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(ns.size() - 1));
  std::nth_element(ns.begin(), ns.begin() + at, ns.end());
  return ns[static_cast<std::size_t>(at)] / 1000.0;
}

class SchedRun {
 public:
  SchedRun(const SchedLoad& load, std::unique_ptr<Engine> engine)
      : load_(load), engine_(std::move(engine)), churn_(load) {
    const Resources total{{load.map_slots, load.reduce_slots, 0, 0}};
    for (std::uint32_t t = 0; t < load.trackers; ++t) {
      trackers_.emplace_back(tracker_name(t), total);
    }
  }

  // Registers the trackers, submits the jobs, fills every slot.
  Status prepare();
  // The closed loop, for at least that long; figures are of this stretch alone.
  Status loop(double seconds, const Progress& progress);
  SchedFigures figures();

 private:
  Status submit_jobs();
  Status fill();
  Status beat(std::uint32_t tracker);
  // The tracker's heartbeat; adds to `ns` what it took.
  Status exchange(std::uint32_t tracker, std::int64_t& ns, std::uint32_t& launches);
  std::int64_t tick();
  void reset_figures();

  SchedLoad load_;
  StopwatchEngine engine_;
  Churn churn_;
  std::vector<VirtualTracker> trackers_;
  std::vector<std::uint32_t> eager_;  // trackers with news to report at once
  std::uint64_t beats_ = 0;           // regular ones, ever
  TimeMs started_ = 0;
  DurationMs interval_ms_ = 1000;
  double bytes_per_pending_task_ = 0;

  std::vector<std::uint32_t> samples_ns_;
  std::int64_t inside_ns_ = 0;
  std::int64_t tick_ns_ = 0, tick_worst_ns_ = 0, ticks_ = 0;
  std::uint64_t launches_ = 0;
  std::uint64_t reclaimed_before_ = 0, jobs_ended_before_ = 0;
  double cpu_share_ = 0;
};

Status SchedRun::prepare() {
  for (VirtualTracker& tracker : trackers_) engine_.handle(tracker.registration());
  started_ = engine_.now;
  interval_ms_ = engine_.engine().heartbeat_interval_ms();
  const std::int64_t before = heap_in_use();
  if (auto submitted = submit_jobs(); !submitted) return submitted.error();
  const double tasks =
      static_cast<double>(load_.jobs) * (static_cast<double>(load_.maps()) + load_.reduces());
  bytes_per_pending_task_ = static_cast<double>(heap_in_use() - before) / tasks;
  return fill();
}

Status SchedRun::submit_jobs() {
  for (std::uint32_t j = 0; j < load_.jobs; ++j) {
    engine_.handle(make_job({.queue = queue_of_job(load_, j),
                             .user = "user" + std::to_string(j / load_.queues % 5),
                             .maps = load_.maps(),
                             .reduces = load_.reduces(),
                             .number = j}));
    JobId id;
    for (const Reply& reply : engine_.output().replies) {
      if (const auto* submitted = std::get_if<Submitted>(&reply.body)) id = submitted->job;
      if (const auto* error = std::get_if<Error>(&reply.body)) return *error;
    }
    if (load_.churn) churn_.follow(j, id);
  }
  engine_.engine().changes().clear();
  return Ok{};
}

Status SchedRun::fill() {
  std::uint64_t held = 0;
  for (std::uint32_t t = 0; t < load_.trackers; ++t) {
    std::int64_t ns = 0;
    std::uint32_t launches = 0;
    if (auto sent = exchange(t, ns, launches); !sent) return sent.error();
    held += launches;
  }
  const std::uint64_t slots =
      std::uint64_t{load_.trackers} * (load_.map_slots + load_.reduce_slots);
  if (held == slots) return Ok{};
  return Error{ErrorCode::kInternal,
               "policy " + load_.policy + " filled " + std::to_string(held) + " of " +
                   std::to_string(slots) + " slots although enough is pending",
               "that is a bug of the policy"};
}

Status SchedRun::exchange(std::uint32_t tracker, std::int64_t& ns, std::uint32_t& launches) {
  ns += engine_.handle(trackers_[tracker].report());
  for (const Reply& reply : engine_.output().replies) {
    if (const auto* error = std::get_if<Error>(&reply.body)) return *error;
    const auto* answer = std::get_if<HeartbeatReply>(&reply.body);
    if (answer == nullptr) continue;
    const auto obeyed = trackers_[tracker].obey(*answer);
    launches += obeyed.launches;
    if (obeyed.has_news) eager_.push_back(tracker);
  }
  if (load_.churn) churn_.watch(engine_.output().events);
  return Ok{};
}

std::int64_t SchedRun::tick() {
  const double cpu = cpu_seconds();
  const std::int64_t ns = engine_.handle(Tick{});
  const auto cpu_ns = static_cast<std::int64_t>(1e9 * (cpu_seconds() - cpu));
  if (load_.churn) churn_.watch(engine_.output().events);
  tick_ns_ += cpu_ns;
  tick_worst_ns_ = std::max(tick_worst_ns_, cpu_ns);
  ++ticks_;
  engine_.engine().changes().clear();  // as who publishes records would
  return ns;
}

// One turn of the loop: the periodic update if it is due, and the tracker's heartbeat.
Status SchedRun::beat(std::uint32_t tracker) {
  ++beats_;
  engine_.now = started_ + static_cast<TimeMs>(beats_ * static_cast<std::uint64_t>(interval_ms_) /
                                               load_.trackers);
  VirtualTracker& reporting = trackers_[tracker];
  const ReportedState how = load_.churn ? ReportedState::kSucceeded : ReportedState::kKilled;
  reporting.end_oldest(TaskKind::kMap, load_.maps_per_heartbeat(), how, load_.reduces() == 0);
  reporting.end_oldest(TaskKind::kReduce, load_.reduces_per_heartbeat(), how, true);
  std::int64_t ns = beats_ % load_.heartbeats_per_tick == 0 ? tick() : 0;
  std::uint32_t launches = 0;
  if (auto sent = exchange(tracker, ns, launches); !sent) return sent.error();
  const std::uint32_t expected = load_.maps_per_heartbeat() + load_.reduces_per_heartbeat();
  if (!load_.churn && launches != expected) {
    return Error{ErrorCode::kInternal,
                 "a heartbeat ended " + std::to_string(expected) + " tasks but brought " +
                     std::to_string(launches) + " launches, although enough is pending",
                 "that is a bug of policy " + load_.policy};
  }
  samples_ns_.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(ns, UINT32_MAX)));
  inside_ns_ += ns;
  launches_ += launches;
  if (!load_.churn) return Ok{};
  inside_ns_ += churn_.advance(engine_, beats_);
  for (std::size_t i = 0; i < eager_.size(); ++i) {
    std::int64_t more_ns = 0;
    std::uint32_t more = 0;
    if (auto sent = exchange(eager_[i], more_ns, more); !sent) return sent.error();
    samples_ns_.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(more_ns, UINT32_MAX)));
    inside_ns_ += more_ns;
    launches_ += more;
  }
  eager_.clear();
  return Ok{};
}

void SchedRun::reset_figures() {
  samples_ns_.clear();
  inside_ns_ = tick_ns_ = tick_worst_ns_ = ticks_ = 0;
  launches_ = 0;
  reclaimed_before_ = churn_.reclaimed();
  jobs_ended_before_ = churn_.jobs_ended();
}

Status SchedRun::loop(double seconds, const Progress& progress) {
  for (std::uint32_t i = 0; i < kWarmUpRounds * load_.trackers; ++i) {
    if (auto done = beat(i % load_.trackers); !done) return done.error();
  }
  reset_figures();
  const auto start = steady_clock::now();
  const double cpu = cpu_seconds();
  bool changed = false;
  double passed = 0;
  for (std::uint32_t tracker = 0; passed < seconds; tracker = (tracker + 1) % load_.trackers) {
    if (auto done = beat(tracker); !done) return done.error();
    if (beats_ % 64 != 0) continue;
    passed = cpu_seconds() - cpu;
    if (progress && beats_ % 8192 == 0) progress(std::min(passed / seconds, 1.0));
    if (load_.churn && !changed && passed > seconds / 2) {
      changed = true;
      inside_ns_ += churn_.change_settings(engine_);
    }
  }
  cpu_share_ = std::min((cpu_seconds() - cpu) / seconds_since(start), 1.0);
  return Ok{};
}

SchedFigures SchedRun::figures() {
  SchedFigures f;
  const double inside = 1e-9 * static_cast<double>(inside_ns_) * cpu_share_;
  f.tasks_per_second = static_cast<double>(launches_) / inside;
  f.heartbeats_per_second = static_cast<double>(samples_ns_.size()) / inside;
  f.heartbeats = static_cast<double>(samples_ns_.size());
  f.launches = static_cast<double>(launches_);
  f.p50_us = quantile_us(samples_ns_, 0.5);
  f.p99_us = quantile_us(samples_ns_, 0.99);
  f.tick_mean_ms =
      ticks_ == 0 ? 0 : 1e-6 * static_cast<double>(tick_ns_) / static_cast<double>(ticks_);
  f.tick_worst_ms = 1e-6 * static_cast<double>(tick_worst_ns_);
  f.bytes_per_pending_task = bytes_per_pending_task_;
  f.cpu_share = cpu_share_;
  f.reclaimed = static_cast<double>(churn_.reclaimed() - reclaimed_before_);
  f.jobs_ended = static_cast<double>(churn_.jobs_ended() - jobs_ended_before_);
  return f;
}

}  // namespace

Result<SchedFigures> run_sched(const SchedLoad& load, double seconds, const Progress& progress) {
  if (auto fit = check_load(load); !fit) return fit.error();
  auto engine = Engine::create(make_settings(load), policy_factory(), {.epoch = 1}, 1'000'000);
  if (!engine) return engine.error();
  SchedRun run(load, std::move(engine).value());
  if (auto prepared = run.prepare(); !prepared) return prepared.error();
  if (auto looped = run.loop(seconds, progress); !looped) return looped.error();
  return run.figures();
}

SchedFigures median(const std::vector<SchedFigures>& runs) {
  SchedFigures middle;
  for (double SchedFigures::*field :
       {&SchedFigures::tasks_per_second, &SchedFigures::heartbeats_per_second,
        &SchedFigures::p50_us, &SchedFigures::p99_us, &SchedFigures::tick_mean_ms,
        &SchedFigures::tick_worst_ms, &SchedFigures::bytes_per_pending_task,
        &SchedFigures::cpu_share, &SchedFigures::heartbeats, &SchedFigures::launches,
        &SchedFigures::reclaimed, &SchedFigures::jobs_ended}) {
    std::vector<double> values;
    for (const SchedFigures& run : runs) values.push_back(run.*field);
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    middle.*field = values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
  }
  return middle;
}

}  // namespace weir::bench
