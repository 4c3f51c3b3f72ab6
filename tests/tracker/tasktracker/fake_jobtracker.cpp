#include "tracker/tasktracker/fake_jobtracker.h"

#include <algorithm>

#include "tracker/tasktracker/attempt_id.h"

namespace weir::tasktracker {

class FakeJobTracker::Link : public JobTrackerLink {
 public:
  explicit Link(FakeJobTracker& fake) : fake_(fake) {}
  Result<wire::RegistrationReply> register_tracker(
      const wire::Registration& registration) override {
    const std::lock_guard lock(fake_.mutex_);
    fake_.registration_ = registration;
    wire::RegistrationReply reply;
    reply.__set_interval_ms(1);
    return reply;
  }
  Result<wire::HeartbeatReply> heartbeat(const wire::Heartbeat& report) override {
    return fake_.heartbeat(report);
  }
  Result<wire::JobDescription> job(std::int64_t job) override {
    const std::lock_guard lock(fake_.mutex_);
    wire::JobDescription description;
    description.__set_job(job);
    description.__set_job_name("job_0007");
    description.__set_user("tester");
    description.__set_spec(fake_.spec_);
    description.__set_maps(static_cast<int>(fake_.maps_.size()));
    return description;
  }
  Result<wire::MapOutputs> map_outputs(std::int64_t, std::int32_t first) override {
    const std::lock_guard lock(fake_.mutex_);
    wire::MapOutputs outputs;
    outputs.outputs.assign(fake_.outputs_.begin() + first, fake_.outputs_.end());
    outputs.__set_next_from(static_cast<int>(fake_.outputs_.size()));
    outputs.__set_maps(static_cast<int>(fake_.maps_.size()));
    return outputs;
  }
  void close() override {}

 private:
  FakeJobTracker& fake_;
};

FakeJobTracker::FakeJobTracker(wire::JobSpec spec, int slots)
    : spec_(std::move(spec)), slots_(slots) {
  const auto task = [](wire::TaskKind::type kind, std::size_t index) {
    Task made;
    made.id.__set_job(7);
    made.id.__set_kind(kind);
    made.id.__set_index(static_cast<int>(index));
    made.id.__set_attempt(0);
    return made;
  };
  for (std::size_t i = 0; i < spec_.splits.size(); ++i)
    maps_.push_back(task(wire::TaskKind::MAP, i));
  for (int i = 0; i < spec_.reduces; ++i)
    reduces_.push_back(task(wire::TaskKind::REDUCE, static_cast<std::size_t>(i)));
}

std::unique_ptr<JobTrackerLink> FakeJobTracker::link() {
  return std::make_unique<Link>(*this);
}

FakeJobTracker::Task& FakeJobTracker::task_of(const wire::AttemptId& id) {
  return (id.kind == wire::TaskKind::MAP ? maps_ : reduces_)[static_cast<std::size_t>(id.index)];
}

bool FakeJobTracker::all_done(const std::vector<Task>& tasks) const {
  return std::all_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.done; });
}

void FakeJobTracker::take_status(const wire::AttemptStatus& status, wire::HeartbeatReply& reply) {
  const std::string name = attempt_name(*to_key(status.id));
  statuses_[name] = status;
  auto& states = states_[name];
  if (states.empty() || states.back() != status.state) states.push_back(status.state);
  Task& task = task_of(status.id);
  if (status.state == wire::AttemptState::RUNNING) return;
  if (status.state == wire::AttemptState::COMMIT_PENDING) {
    reply.commit.push_back(status.id);
    return;
  }
  reply.acknowledged.push_back(status.id);
  if (status.id.attempt != task.id.attempt || task.done) return;
  if (status.state == wire::AttemptState::SUCCEEDED) {
    task.done = true;
    wire::MapOutput output;
    output.__set_map_index(status.id.index);
    output.__set_attempt(status.id.attempt);
    output.__set_obsolete(false);
    output.__set_host(registration_.host);
    output.__set_port(registration_.shuffle_port);
    if (status.id.kind == wire::TaskKind::MAP) outputs_.push_back(output);
    return;
  }
  ++task.id.attempt;
  task.launched = false;
  if (status.state == wire::AttemptState::FAILED && ++task.failures == spec_.max_attempts) {
    verdict_ = "FAILED: " + status.diagnostics;
  }
}

wire::HeartbeatReply FakeJobTracker::heartbeat(const wire::Heartbeat& report) {
  const std::lock_guard lock(mutex_);
  wire::HeartbeatReply reply;
  reply.__set_interval_ms(20);
  for (const wire::AttemptStatus& status : report.attempts) take_status(status, reply);
  if (verdict_.empty() && all_done(maps_) && all_done(reduces_)) verdict_ = "SUCCEEDED";
  int busy = 0;
  for (const wire::AttemptStatus& status : report.attempts)
    busy += status.state <= wire::AttemptState::COMMIT_PENDING;
  for (auto* tasks : {&maps_, &reduces_}) {
    for (Task& task : *tasks) {
      if (task.launched || task.done || !verdict_.empty() || busy >= slots_) continue;
      // One slot stays free for maps while there are some to run.
      if (tasks == &reduces_ && !all_done(maps_) && busy >= slots_ - 1) continue;
      wire::Launch launch;
      launch.__set_id(task.id);
      if (tasks == &maps_)
        launch.__set_split(spec_.splits[static_cast<std::size_t>(task.id.index)]);
      launch.__set_compute_granted(true);
      reply.launch.push_back(launch);
      task.launched = true;
      ++busy;
    }
  }
  for (const wire::DutyReport& duty : report.duties) duty_done_ |= duty.ok;
  if (!verdict_.empty()) {
    for (const wire::AttemptStatus& status : report.attempts) {
      if (status.state <= wire::AttemptState::COMMIT_PENDING) reply.kill.push_back(status.id);
    }
    if (!duty_done_ && busy == 0) {
      wire::Duty duty;
      duty.__set_job(7);
      duty.__set_succeed(verdict_ == "SUCCEEDED");
      duty.__set_output(spec_.output);
      reply.duties.push_back(duty);
    }
    if (duty_done_) reply.drop_jobs.push_back(7);
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

wire::AttemptStatus FakeJobTracker::last(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return statuses_[name];
}

bool FakeJobTracker::saw_state(const std::string& name, wire::AttemptState::type state) {
  const auto& states = states_[name];
  return std::find(states.begin(), states.end(), state) != states.end();
}

std::int64_t FakeJobTracker::counter(const std::string& group, const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::int64_t sum = 0;
  for (auto& [attempt, status] : statuses_) {
    if (status.state == wire::AttemptState::SUCCEEDED) sum += status.counters[group][name];
  }
  return sum;
}

}  // namespace weir::tasktracker
