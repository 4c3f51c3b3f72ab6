#include "bench/sched_bench.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "bench/churn.h"
#include "bench/heap.h"
#include "bench/stopwatch_engine.h"
#include "bench/virtual_tracker.h"
#include "conf/policies.h"
#include "report/percentile.h"

namespace weir::bench {
namespace {

using std::chrono::steady_clock;

constexpr std::uint32_t kWarmUpRounds = 5;
constexpr std::uint32_t kTrackersPerRack = 40;
constexpr double kLeastFilled = 0.9;  // of containers; free are reservations, and what fits nothing
constexpr std::uint32_t kBatch = 16;  // heartbeats between two looks at the CPU clock

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

double percentile_us(std::vector<std::uint32_t>& ns, std::size_t percent) {
  if (ns.empty()) return 0;
  const auto at =
      ns.begin() + static_cast<std::ptrdiff_t>(report::percentile_place(ns.size(), percent));
  std::nth_element(ns.begin(), at, ns.end());  // there are millions
  return *at / 1000.0;
}

class SchedRun {
 public:
  SchedRun(const SchedLoad& load, std::unique_ptr<Engine> engine)
      : load_(load), engine_(std::move(engine)), churn_(load) {
    const Resources total = load.offer();
    for (std::uint32_t t = 0; t < load.trackers; ++t) {
      trackers_.emplace_back(tracker_name(t), "rack-" + std::to_string(t / kTrackersPerRack),
                             total);
    }
    turns_.resize(std::min(kBatch, load.trackers));
  }

  // Registers the trackers, submits the jobs, fills every slot.
  Status prepare();
  // The closed loop, for at least that long; figures are of this stretch alone.
  Status loop(double seconds, const Progress& progress);
  SchedFigures figures();

 private:
  Status submit_jobs();
  Status fill();
  // A tracker's turn: its report goes in, its reply comes out.
  struct Turn {
    std::uint32_t tracker = 0;
    std::int64_t ns = 0;
    Output output;
  };
  // The next heartbeats of the loop, from that tracker on.
  Status beat(std::uint32_t first);
  // Heartbeats of the trackers that stand in turns_[0..count).
  void report(std::size_t count, bool regular);
  // The tracker does as it is told.
  Status obey(const Turn& turn, std::uint32_t& launches);
  void end_some(VirtualTracker& tracker) const;
  Status check_launches(std::uint32_t launches) const;
  Status check_filled() const;
  Status report_news();
  std::int64_t tick();
  void reset_figures();

  SchedLoad load_;
  StopwatchEngine engine_;
  Churn churn_;
  std::vector<VirtualTracker> trackers_;
  std::vector<Turn> turns_;
  std::vector<std::uint32_t> eager_;  // trackers with news to report at once
  std::uint64_t beats_ = 0;           // regular ones, ever
  TimeMs started_ = 0;
  DurationMs interval_ms_ = 1000;
  double bytes_per_pending_task_ = 0;

  std::vector<std::uint32_t> samples_ns_;
  std::int64_t inside_ns_ = 0;  // CPU time
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
      static_cast<double>(load_.jobs) * static_cast<double>(load_.tasks());
  bytes_per_pending_task_ = static_cast<double>(heap_in_use() - before) / tasks;
  return fill();
}

Status SchedRun::submit_jobs() {
  for (std::uint32_t j = 0; j < load_.jobs; ++j) {
    engine_.handle(make_job(load_, {.queue = queue_of_job(load_, j),
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
    std::uint32_t launches = 0;
    turns_[0].tracker = t;
    report(1, false);
    if (auto done = obey(turns_[0], launches); !done) return done.error();
    held += launches;
  }
  if (load_.containers) return check_filled();
  const std::uint64_t slots =
      std::uint64_t{load_.trackers} * (load_.map_slots + load_.reduce_slots);
  if (held == slots || load_.locations != InputPlaces::kNone) return Ok{};  // some wait
  return Error{ErrorCode::kInternal,
               "policy " + load_.policy + " filled " + std::to_string(held) + " of " +
                   std::to_string(slots) + " slots although enough is pending",
               "that is a bug of the policy"};
}

void SchedRun::report(std::size_t count, bool regular) {
  const std::int64_t start = cpu_ns();
  for (std::size_t i = 0; i < count; ++i) {
    Turn& turn = turns_[i];
    turn.ns = 0;
    if (regular) {
      ++beats_;
      engine_.now =
          started_ +
          static_cast<TimeMs>(beats_ * static_cast<std::uint64_t>(interval_ms_) / load_.trackers);
      if (beats_ % load_.heartbeats_per_tick == 0) turn.ns += tick();
    }
    turn.ns += engine_.handle(trackers_[turn.tracker].report(), turn.output);
  }
  inside_ns_ += cpu_ns() - start;
}

Status SchedRun::obey(const Turn& turn, std::uint32_t& launches) {
  for (const Reply& reply : turn.output.replies) {
    if (const auto* error = std::get_if<Error>(&reply.body)) return *error;
    const auto* answer = std::get_if<HeartbeatReply>(&reply.body);
    if (answer == nullptr) continue;
    const auto obeyed = trackers_[turn.tracker].obey(*answer);
    launches += obeyed.launches;
    if (obeyed.has_news) eager_.push_back(turn.tracker);
  }
  if (load_.churn) churn_.watch(turn.output.events);
  samples_ns_.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(turn.ns, UINT32_MAX)));
  return Ok{};
}

// The policy's update; its CPU time is kept apart, the wall time counts to the heartbeat.
std::int64_t SchedRun::tick() {
  const auto start = steady_clock::now();
  const std::int64_t ns = engine_.handle(Tick{});
  if (load_.churn) churn_.watch(engine_.output().events);
  tick_ns_ += ns;
  tick_worst_ns_ = std::max(tick_worst_ns_, ns);
  ++ticks_;
  engine_.engine().changes().clear();  // as who publishes records would
  return std::chrono::nanoseconds(steady_clock::now() - start).count();
}

Status SchedRun::check_launches(std::uint32_t launches) const {
  const std::uint32_t expected = load_.maps_per_heartbeat() + load_.reduces_per_heartbeat();
  if (load_.churn || load_.containers || load_.locations != InputPlaces::kNone ||
      launches == expected)
    return Ok{};
  return Error{ErrorCode::kInternal,
               "a heartbeat ended " + std::to_string(expected) + " tasks but brought " +
                   std::to_string(launches) + " launches, although enough is pending",
               "that is a bug of policy " + load_.policy};
}

// By the dimension of which the most is taken.
Status SchedRun::check_filled() const {
  double filled = 0;
  for (const TrackerState& tracker : engine_.engine().state().trackers()) {
    double most = 0;
    for (const Dimension d : {Dimension::kMemoryMb, Dimension::kVcores}) {
      most = std::max(most, static_cast<double>(tracker.used[d]) /
                                static_cast<double>(tracker.total[d]));
    }
    filled += most / load_.trackers;
  }
  if (filled >= kLeastFilled) return Ok{};
  return Error{ErrorCode::kInternal,
               "policy " + load_.policy + " keeps " +
                   std::to_string(static_cast<int>(100 * filled)) +
                   "% of the trackers filled although enough is pending",
               "that is a bug of the policy"};
}

void SchedRun::end_some(VirtualTracker& tracker) const {
  const ReportedState how = load_.churn ? ReportedState::kSucceeded : ReportedState::kKilled;
  if (load_.containers)
    return tracker.end_oldest(group_kind(0), kContainersPerHeartbeat, how, false);
  tracker.end_oldest(TaskKind::kMap, load_.maps_per_heartbeat(), how, load_.reduces() == 0);
  tracker.end_oldest(TaskKind::kReduce, load_.reduces_per_heartbeat(), how, true);
}

Status SchedRun::beat(std::uint32_t first) {
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    turns_[i].tracker = static_cast<std::uint32_t>((first + i) % load_.trackers);
    end_some(trackers_[turns_[i].tracker]);
  }
  report(turns_.size(), true);
  for (const Turn& turn : turns_) {
    std::uint32_t launches = 0;
    if (auto done = obey(turn, launches); !done) return done.error();
    if (auto right = check_launches(launches); !right) return right.error();
    launches_ += launches;
  }
  if (!load_.churn) return Ok{};
  inside_ns_ += churn_.advance(engine_, beats_);
  return report_news();
}

// Trackers report kills and commits at once, between their regular heartbeats.
Status SchedRun::report_news() {
  while (!eager_.empty()) {
    const std::size_t count = std::min(eager_.size(), turns_.size());
    for (std::size_t i = 0; i < count; ++i) turns_[i].tracker = eager_[i];
    eager_.erase(eager_.begin(), eager_.begin() + static_cast<std::ptrdiff_t>(count));
    report(count, false);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t launches = 0;
      if (auto done = obey(turns_[i], launches); !done) return done.error();
      launches_ += launches;
    }
  }
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
  const auto batch = static_cast<std::uint32_t>(turns_.size());
  std::uint32_t tracker = 0;
  const auto turn = [&] {
    auto done = beat(tracker);
    tracker = (tracker + batch) % load_.trackers;
    return done;
  };
  while (beats_ < std::uint64_t{kWarmUpRounds} * load_.trackers) {
    if (auto done = turn(); !done) return done.error();
  }
  reset_figures();
  const auto start = steady_clock::now();
  const std::int64_t cpu = cpu_ns();
  const auto all_ns = static_cast<std::int64_t>(1e9 * seconds);
  bool changed = false;
  for (std::uint32_t batches = 1;; ++batches) {
    if (auto done = turn(); !done) return done.error();
    const std::int64_t passed = cpu_ns() - cpu;
    if (passed >= all_ns) break;
    if (progress && batches % 512 == 0) {
      progress(static_cast<double>(passed) / static_cast<double>(all_ns));
    }
    if (load_.churn && !changed && 2 * passed > all_ns) {
      changed = true;
      inside_ns_ += churn_.change_settings(engine_);
    }
  }
  cpu_share_ = std::min(1e-9 * static_cast<double>(cpu_ns() - cpu) / seconds_since(start), 1.0);
  return load_.containers ? check_filled() : Ok{};
}

SchedFigures SchedRun::figures() {
  SchedFigures f;
  const double inside = 1e-9 * static_cast<double>(inside_ns_);
  f.tasks_per_second = static_cast<double>(launches_) / inside;
  f.heartbeats_per_second = static_cast<double>(samples_ns_.size()) / inside;
  f.heartbeats = static_cast<double>(samples_ns_.size());
  f.launches = static_cast<double>(launches_);
  f.p50_us = percentile_us(samples_ns_, 50);
  f.p99_us = percentile_us(samples_ns_, 99);
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
