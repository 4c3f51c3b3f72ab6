#include "tracker/tasktracker/fake_jobtracker.h"

#include <algorithm>

namespace weir::tasktracker {
namespace {

bool alive(const AttemptReport& report) {
  return report.state <= ReportedState::kCommitPending;
}

}  // namespace

class FakeJobTracker::Link : public JobTrackerLink {
 public:
  explicit Link(FakeJobTracker& fake) : fake_(fake) {}
  Result<Registered> register_tracker(const RegisterTracker& registration) override {
    const std::lock_guard lock(fake_.mutex_);
    fake_.registration_ = registration;
    return Registered{1};
  }
  Result<HeartbeatReply> heartbeat(const Heartbeat& report) override {
    return fake_.heartbeat(report);
  }
  Result<JobDescription> job(JobId job) override {
    const std::lock_guard lock(fake_.mutex_);
    return JobDescription{job, std::make_shared<const JobSpec>(fake_.spec_), ""};
  }
  Result<MapOutputs> map_outputs(JobId, std::uint32_t first) override {
    const std::lock_guard lock(fake_.mutex_);
    MapOutputs outputs;
    outputs.outputs.assign(fake_.outputs_.begin() + first, fake_.outputs_.end());
    outputs.next = static_cast<std::uint32_t>(fake_.outputs_.size());
    outputs.maps = static_cast<std::uint32_t>(fake_.maps_.size());
    return outputs;
  }
  Result<GangPeers> gang_peers(JobId, std::uint32_t) override { return GangPeers{}; }
  void close() override {}

 private:
  FakeJobTracker& fake_;
};

FakeJobTracker::FakeJobTracker(JobSpec spec, int slots) : spec_(std::move(spec)), slots_(slots) {
  const auto add = [this](TaskKind kind, std::vector<Task>& tasks) {
    for (std::uint32_t i = 0; i < spec_.tasks(kind); ++i) {
      tasks.emplace_back().key.task = {JobId(7), kind, i};
    }
  };
  add(TaskKind::kMap, maps_);
  add(TaskKind::kReduce, reduces_);
}

std::unique_ptr<JobTrackerLink> FakeJobTracker::link() {
  return std::make_unique<Link>(*this);
}

FakeJobTracker::Task& FakeJobTracker::task_of(const TaskKey& task) {
  return (task.kind == TaskKind::kMap ? maps_ : reduces_)[task.index];
}

bool FakeJobTracker::all_done(const std::vector<Task>& tasks) const {
  return std::all_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.done; });
}

void FakeJobTracker::take_report(const AttemptReport& report, HeartbeatReply& reply) {
  const std::string name = attempt_name(report.attempt);
  reports_[name] = report;
  auto& states = states_[name];
  if (states.empty() || states.back() != report.state) states.push_back(report.state);
  if (report.state == ReportedState::kRunning) return;
  if (report.state == ReportedState::kCommitPending) {
    reply.commit.push_back(report.attempt);
    return;
  }
  reply.acknowledged.push_back(report.attempt);
  Task& task = task_of(report.attempt.task);
  if (report.attempt != task.key || task.done) return;
  if (report.state == ReportedState::kSucceeded) {
    task.done = true;
    if (report.attempt.task.kind == TaskKind::kMap) {
      outputs_.push_back({report.attempt.task.index, report.attempt.attempt, false,
                          registration_.host, registration_.shuffle_port});
    }
    return;
  }
  ++task.key.attempt;
  task.launched = false;
  if (report.state == ReportedState::kFailed &&
      static_cast<std::uint32_t>(++task.failures) == spec_.max_attempts) {
    verdict_ = "FAILED: " + report.diagnostics;
  }
}

HeartbeatReply FakeJobTracker::heartbeat(const Heartbeat& report) {
  const std::lock_guard lock(mutex_);
  HeartbeatReply reply;
  reply.interval_ms = 20;
  for (const AttemptReport& attempt : report.attempts) take_report(attempt, reply);
  if (verdict_.empty() && all_done(maps_) && all_done(reduces_)) verdict_ = "SUCCEEDED";
  auto busy = std::count_if(report.attempts.begin(), report.attempts.end(), alive);
  for (auto* tasks : {&maps_, &reduces_}) {
    for (Task& task : *tasks) {
      if (task.launched || task.done || !verdict_.empty() || busy >= slots_) continue;
      // One slot stays free for maps while there are some to run.
      if (tasks == &reduces_ && !all_done(maps_) && busy >= slots_ - 1) continue;
      Launch& launch = reply.launch.emplace_back(Launch{task.key, {}, true});
      if (tasks == &maps_)
        launch.split = LaunchSplit(spec_.splits[task.key.task.index]);
      task.launched = true;
      ++busy;
    }
  }
  for (const DutyReport& duty : report.duties) duty_done_ |= duty.ok;
  if (!verdict_.empty()) {
    for (const AttemptReport& attempt : report.attempts) {
      if (alive(attempt)) reply.kill.push_back(attempt.attempt);
    }
    if (!duty_done_ && busy == 0)
      reply.duties.push_back({JobId(7), verdict_ == "SUCCEEDED", spec_.output, "", 0});
    if (duty_done_) reply.drop_jobs.push_back(JobId(7));
  }
  if (meddle) meddle(report, reply);
  changed_.notify_all();
  return reply;
}

std::string FakeJobTracker::wait() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::seconds(120), [this] { return duty_done_; }))
    return "TIMED OUT " + verdict_;
  return verdict_;
}

bool FakeJobTracker::wait_for(const std::function<bool()>& condition) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(60), condition);
}

AttemptReport FakeJobTracker::last(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return reports_[name];
}

bool FakeJobTracker::saw_state(const std::string& name, ReportedState state) {
  const auto& states = states_[name];
  return std::find(states.begin(), states.end(), state) != states.end();
}

std::int64_t FakeJobTracker::counter(const std::string& group, const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::int64_t sum = 0;
  for (const auto& [attempt, report] : reports_) {
    if (report.state != ReportedState::kSucceeded || !report.counters) continue;
    Counters counters = *report.counters;
    sum += counters[group][name];
  }
  return sum;
}

}  // namespace weir::tasktracker
