#include "lab/stories/fuzz_cluster.h"

#include <utility>

#include "jobqueue/model/check.h"

namespace weir {

std::map<std::string, std::int64_t> FuzzTracker::named() const {
  const std::int64_t units = total[Dimension::named(0)];
  return units > 0 ? std::map<std::string, std::int64_t>{{kUnits, units}}
                   : std::map<std::string, std::int64_t>{};
}

FuzzCluster::FuzzCluster(std::shared_ptr<const Settings> settings, PolicyFactory factory) {
  auto engine = Engine::create(std::move(settings), std::move(factory), Snapshot{.epoch = 1}, now_);
  WEIR_CHECK(engine.ok(), "drawn settings are valid");
  engine_ = std::move(engine).value();
}

void FuzzCluster::run(const Input& input, Reply& answer) {
  Output output;
  engine_->handle(input, output);
  ++inputs_;
  for (Observer* observer : observers_) observer->on_step(*engine_, input, output);
  for (Reply& reply : output.replies) {
    if (reply.token == token_) {
      answer = std::move(reply);
      continue;
    }
    const auto parked = parked_.find(reply.token);
    if (parked == parked_.end()) continue;
    FuzzTracker& tracker = trackers_[parked->second];
    parked_.erase(parked);
    if (const auto* late = std::get_if<HeartbeatReply>(&reply.body)) obey(tracker, *late);
  }
}

Reply FuzzCluster::handle(const Input& input) {
  Reply answer;
  run(input, answer);
  while (!lagging_ && engine_->durable_seq() < engine_->last_seq()) {
    run(Input{now_, 0, Durable{engine_->last_seq()}}, answer);
  }
  return answer;
}

void FuzzCluster::catch_up(bool failed) {
  Reply nobody;
  if (failed) run(Input{now_, 0, StoreFailed{engine_->last_seq(), "disk full"}}, nobody);
  while (engine_->durable_seq() < engine_->last_seq()) {
    run(Input{now_, 0, Durable{engine_->last_seq()}}, nobody);
  }
}

void FuzzCluster::advance(DurationMs ms) {
  now_ += ms;
  step(Tick{});
}

FuzzTracker& FuzzCluster::add_tracker(const Resources& total, const std::string& rack,
                                      std::map<std::string, std::string> labels,
                                      std::uint32_t port_count) {
  FuzzTracker tracker;
  tracker.name = "tt" + std::to_string(trackers_.size() + 1);
  tracker.rack = rack;
  tracker.total = total;
  tracker.labels = std::move(labels);
  tracker.port_count = port_count;
  trackers_.push_back(std::move(tracker));
  connect(trackers_.back(), true);
  return trackers_.back();
}

void FuzzCluster::connect(FuzzTracker& tracker, bool restarted) {
  if (restarted) {
    tracker.incarnation = ++incarnations_;
    tracker.sequence = 0;
    tracker.held.clear();
    tracker.duties.clear();
    tracker.draining = false;
  }
  tracker.live = true;
  RegisterTracker registration;
  registration.name = tracker.name;
  registration.incarnation = tracker.incarnation;
  registration.host = "host-" + tracker.name;
  registration.shuffle_port = 1;
  registration.rack = tracker.rack;
  registration.total = tracker.total;
  registration.named = tracker.named();
  registration.labels = tracker.labels;
  registration.port_count = tracker.port_count;
  registration.ended_in_order = tracker.ends_in_order;
  step(std::move(registration));
}

void FuzzCluster::heartbeat(FuzzTracker& tracker, bool asks_for_tasks) {
  Heartbeat report;
  report.name = tracker.name;
  report.incarnation = tracker.incarnation;
  report.sequence = ++tracker.sequence;
  report.total = tracker.total;
  report.named = tracker.named();
  report.accepts_tasks = !tracker.draining;
  report.asks_for_tasks = asks_for_tasks;
  for (const auto& [key, attempt] : tracker.held) report.attempts.push_back(attempt);
  report.duties = std::exchange(tracker.duties, {});
  const Reply reply = step(std::move(report));
  if (const auto* beat = std::get_if<HeartbeatReply>(&reply.body)) {
    obey(tracker, *beat);
  } else if (const auto* refused = std::get_if<Error>(&reply.body)) {
    if (refused->code == ErrorCode::kUnknownTracker) connect(tracker, false);
  } else {
    parked_[token_] = static_cast<std::size_t>(&tracker - trackers_.data());
  }
}

// As it was told. Its goodbye may be lost; then it is missed only when it has expired.
void FuzzCluster::leave(FuzzTracker& tracker) {
  tracker.live = false;
  Heartbeat goodbye;
  goodbye.name = tracker.name;
  goodbye.incarnation = tracker.incarnation;
  goodbye.sequence = ++tracker.sequence;
  goodbye.leaving = true;
  if (tracker.sequence % 4 != 0) step(std::move(goodbye));
}

void FuzzCluster::end(AttemptReport& attempt, bool well) {
  if (attempt.state != ReportedState::kRunning) return;
  if (well && !attempt.compute_granted) {  // it has copied, and asks for its slots
    attempt.phase = TaskPhase::kSort;
    return;
  }
  const Job* job = state().find_job(attempt.attempt.task.job);
  attempt.state = well ? state_when_done(job, attempt.attempt.task) : ReportedState::kFailed;
  if (!well) attempt.diagnostics = "exit 1";
}

void FuzzCluster::obey(FuzzTracker& tracker, const HeartbeatReply& reply) {
  tracker.obey(reply);
  if (!reply.leave.empty()) leave(tracker);
}

}  // namespace weir
