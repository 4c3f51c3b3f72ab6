// Drives the real engine as a story: declare queues and trackers, submit, heartbeat, and see what
// was launched. Time is a number; the store is "durable at once" unless a test holds it back.
// Launches read "J1/m0", with J the job's number.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "lab/kit/tracker_side.h"

namespace weir::test {

struct JobOptions {
  std::string queue = "default";
  std::string user = "user";
  std::uint32_t maps = 1;
  std::uint32_t reduces = 0;
  Priority priority = Priority::kNormal;
  std::int64_t slowstart_millionths = 0;
  std::int64_t slots_per_map = 1;
  std::uint32_t max_attempts = 4;
  std::vector<std::vector<std::string>> locations;  // of each map's input, cyclic
  std::vector<std::string> groups;
  std::string name = "test";
  std::string pool;  // the property
  std::int64_t slots_per_reduce = 1;
  bool hold = false;
  DurationMs time_limit_ms = 0;
};

struct TrackerOptions {
  std::int64_t map_slots = 2;
  std::int64_t reduce_slots = 2;
  std::string rack = "r1";
  std::int64_t memory_mb = 0, vcores = 0;  // where containers count
};

inline QueueSettings queue(const std::string& name, std::int64_t guaranteed_percent = 0) {
  QueueSettings settings;
  settings.name = name;
  if (guaranteed_percent > 0) {
    for (Guarantee& g : settings.guaranteed)
      g = {Guarantee::Unit::kPercent, guaranteed_percent * 100};
  }
  return settings;
}

class Harness {
 public:
  explicit Harness(PolicyFactory factory, std::string policy) : factory_(std::move(factory)) {
    settings_ = std::make_shared<Settings>();
    settings_->policy = std::move(policy);
  }

  // --- Before the first step ---
  Harness& add_queue(QueueSettings queue) {
    settings_->queues.push_back(std::move(queue));
    return *this;
  }
  Settings& settings() { return *settings_; }
  void start(Snapshot snapshot = {.epoch = 1}) {
    if (settings_->queues.empty()) settings_->queues.push_back(queue("default"));
    auto engine = Engine::create(settings_, factory_, std::move(snapshot), now);
    ASSERT_TRUE(engine.ok()) << engine.error().message;
    engine_ = std::move(engine).value();
  }
  Engine& engine() {
    if (engine_ == nullptr) start();
    return *engine_;
  }
  const ClusterState& state() { return engine().state(); }

  // --- Steps ---
  template <class Body>
  std::vector<Reply> step(Body body) {
    Output output;
    engine().handle(Input{now, ++token_, std::move(body)}, output);
    absorb(output);
    while (durable_at_once && engine_->last_seq() > engine_->durable_seq()) {
      Output more;
      engine_->handle(Input{now, 0, Durable{engine_->last_seq()}}, more);
      absorb(more);
      for (Reply& reply : more.replies) output.replies.push_back(std::move(reply));
    }
    return std::move(output.replies);
  }

  // Submits; the reply's error is in `error`, the job's number is the return value (0 if refused).
  std::uint32_t submit(const JobOptions& options) {
    auto spec = std::make_shared<JobSpec>();
    spec->name = options.name;
    if (!options.pool.empty()) spec->conf["pool"] = options.pool;
    spec->user = options.user;
    spec->groups = options.groups;
    spec->queue = options.queue;
    spec->priority = options.priority;
    spec->input_files = {"/in"};
    for (std::uint32_t i = 0; i < options.maps; ++i) {
      Split split;
      if (!options.locations.empty()) split.hosts = options.locations[i % options.locations.size()];
      spec->splits.push_back(split);
    }
    spec->output = "/out" + std::to_string(++outputs_);
    spec->reduces = options.reduces;
    spec->slowstart_millionths = options.slowstart_millionths;
    spec->max_attempts = options.max_attempts;
    spec->hold = options.hold;
    spec->time_limit_ms = options.time_limit_ms;
    spec->need[0].slots(TaskKind::kMap) = options.slots_per_map;
    spec->need[1].slots(TaskKind::kReduce) = options.slots_per_reduce;
    error = {};
    for (const Reply& reply : step(SubmitJob{{options.user, options.groups}, spec})) {
      if (const auto* submitted = std::get_if<Submitted>(&reply.body)) return submitted->job.value;
      if (const auto* refused = std::get_if<Error>(&reply.body)) error = *refused;
    }
    return 0;
  }

  void add_tracker(const std::string& name, TrackerOptions options = {}) {
    TrackerReport& tracker = trackers_[name];
    tracker.incarnation = ++incarnations_;
    tracker.sequence = 0;
    tracker.held.clear();
    tracker.options = options;
    connect(name);
  }
  // Registers again with what it was before.
  void connect(const std::string& name) {
    const TrackerReport& tracker = trackers_[name];
    RegisterTracker registration;
    registration.name = name;
    registration.incarnation = tracker.incarnation;
    registration.host = "host-" + name;
    registration.shuffle_port = 1;
    registration.rack = tracker.options.rack;
    const TrackerOptions& options = tracker.options;
    registration.total = Resources{
        {options.map_slots, options.reduce_slots, options.memory_mb, options.vcores}};
    step(registration);
  }

  // The tracker reports what it holds and takes on what the reply says. Returns the launches,
  // "J1/m0 J1/r0".
  std::string heartbeat(const std::string& name) {
    TrackerReport& tracker = trackers_[name];
    Heartbeat report;
    report.name = name;
    report.incarnation = tracker.incarnation;
    report.sequence = ++tracker.sequence;
    for (const auto& [key, attempt] : tracker.held) report.attempts.push_back(attempt);
    report.duties = tracker.duties;
    report.held_jobs = tracker.held_jobs;
    error = {};
    granted.clear();
    const std::size_t before = log.size();
    const auto replies = step(report);
    for (std::size_t i = before; i < log.size(); ++i) {
      const auto* grant = fact_as<ComputeGranted>(log[i].fact);
      if (grant != nullptr) granted += (granted.empty() ? "" : " ") + spell(grant->attempt.task);
    }
    for (const Reply& reply : replies) {
      if (const auto* beat = std::get_if<HeartbeatReply>(&reply.body)) return obey(tracker, *beat);
      if (const auto* refused = std::get_if<Error>(&reply.body)) error = *refused;
    }
    return "";
  }
  // The reduces that got their slots in the last heartbeat, after they had copied: "J1/r0 J1/r1".
  std::string granted;
  // Heartbeats until every attempt of the tracker's is published, cleaned up and acknowledged.
  std::string settle(const std::string& name, int beats = 6) {
    std::string launched;
    for (int i = 0; i < beats; ++i) {
      const std::string more = heartbeat(name);
      if (!more.empty()) launched += (launched.empty() ? "" : " ") + more;
    }
    return launched;
  }

  // The task ends (on whatever tracker it runs); reported with that tracker's next heartbeat.
  void finish(const std::string& task) { set_state(task, ReportedState::kSucceeded); }
  void fail(const std::string& task, const std::string& why = "exit 1") {
    set_state(task, ReportedState::kFailed, why);
  }
  // The reduce has copied all its input; reported as an end is.
  void copied(const std::string& task) {
    for (auto& [name, tracker] : trackers_) {
      for (auto& [key, attempt] : tracker.held) {
        if (spell(key.task) == task && !attempt.compute_granted) attempt.phase = TaskPhase::kSort;
      }
    }
  }
  // Reduces that may not compute yet have copied.
  void finish_all(const std::string& tracker) {
    for (auto& [key, attempt] : trackers_[tracker].held) {
      if (!attempt.compute_granted) {
        attempt.phase = TaskPhase::kSort;
      } else if (attempt.state == ReportedState::kRunning)
        attempt.state = end_state(key, ReportedState::kSucceeded);
    }
  }

  void advance(DurationMs ms) {
    now += ms;
    step(Tick{});
  }
  JobState state_of(std::uint32_t job) { return state().job(JobId(job)).state; }
  std::int64_t running(const std::string& queue_path, TaskKind kind = TaskKind::kMap) {
    return state().queue(*state().tree().find_path(queue_path)).running[kind];
  }
  QueueFigures figures(const std::string& queue_path, TaskKind kind = TaskKind::kMap) {
    return engine().policy().figures(*state().tree().find_path(queue_path), kind);
  }
  // All events of one type since the start.
  template <class Fact>
  std::vector<Fact> events() const {
    std::vector<Fact> found;
    for (const Event& event : log) {
      if (const auto* fact = fact_as<Fact>(event.fact)) found.push_back(*fact);
    }
    return found;
  }

  struct TrackerReport : TrackerSide {
    TrackerOptions options;
    std::vector<JobId> held_jobs;
    HeartbeatReply last;  // reply
  };
  TrackerReport& tracker(const std::string& name) { return trackers_[name]; }

  static std::string spell(const TaskKey& task) {
    return "J" + std::to_string(task.job.value) + "/" + name(task.kind)[0] +
           std::to_string(task.index);
  }

  TimeMs now = 1000000;
  bool durable_at_once = true;
  Error error;             // of the last refused step
  std::vector<Event> log;  // all events

 private:
  void absorb(const Output& output) {
    log.insert(log.end(), output.events.begin(), output.events.end());
  }

  ReportedState end_state(const AttemptKey& key, ReportedState wanted) {
    if (wanted != ReportedState::kSucceeded) return wanted;
    return state_when_done(&state().job(key.task.job), key.task);
  }

  void set_state(const std::string& task, ReportedState state,
                 const std::string& diagnostics = "") {
    for (auto& [name, tracker] : trackers_) {
      for (auto& [key, attempt] : tracker.held) {
        if (spell(key.task) != task || attempt.state > ReportedState::kCommitPending) continue;
        attempt.state = end_state(key, state);
        attempt.diagnostics = diagnostics;
        return;
      }
    }
    ADD_FAILURE() << task << " runs nowhere";
  }

  std::string obey(TrackerReport& tracker, const HeartbeatReply& reply) {
    tracker.last = reply;
    tracker.duties.clear();
    std::string launched;
    for (const TaskKey& task : tracker.obey(reply)) {
      launched += (launched.empty() ? "" : " ") + spell(task);
    }
    return launched;
  }

  PolicyFactory factory_;
  std::shared_ptr<Settings> settings_;
  std::unique_ptr<Engine> engine_;
  std::map<std::string, TrackerReport> trackers_;
  Token token_ = 0;
  int outputs_ = 0;
  std::int64_t incarnations_ = 0;
};

}  // namespace weir::test
