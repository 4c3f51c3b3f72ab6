#include "lab/faults/virtual_tasktracker.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "thrift/convert.h"

namespace weir::faults {
namespace {

namespace action = tasktracker::action;

constexpr std::uint16_t kAnyPort = 4'000;
constexpr std::int64_t kRoomyMb = 100'000;
constexpr std::int64_t kWallClockMs = 1'700'000'000'000;

const Error* error_in(const VirtualJobTracker::ReplyBody& reply) {
  return std::get_if<Error>(&reply);
}

// What arrives of it.
template <class Message>
auto over_the_wire(const Message& message) {
  return from_wire(to_wire(message));
}

}  // namespace

VirtualTaskTracker::VirtualTaskTracker(World& world, RegisterTracker offer)
    : world_(world), offer_(std::move(offer)) {}

void VirtualTaskTracker::start() {
  ++life_;
  outputs_.clear();  // directories of an earlier life are cleaned
  dropped_.clear();
  world_.by_address.erase({name(), port_});
  port_ = 2'000 + static_cast<std::int32_t>(life_);
  world_.by_address[{name(), port_}] = this;
  disturbed_at_ = world_.agenda.now();
  RegisterTracker registration = offer_;
  registration.incarnation = static_cast<std::int64_t>(life_);
  registration.host = name();
  registration.shuffle_port = port_;
  tasktracker::AgentLimits limits;
  limits.min_free_disk_mb = 1'000;
  core_ = std::make_unique<tasktracker::AgentCore>(std::move(registration), limits);
  turn();
}

void VirtualTaskTracker::kill() {
  for (const auto& [key, process] : processes_) {
    if (world_.cleaned_up.contains(process->output().path)) {
      world_.left_behind.insert(process->aside());
    }
  }
  processes_.clear();
  core_.reset();
  disturbed_at_ = world_.agenda.now();
}

void VirtualTaskTracker::stall(DurationMs ms) {
  awake_at_ = disturbed_at_ = std::max(awake_at_, world_.agenda.now() + ms);
}

void VirtualTaskTracker::cut_off(DurationMs ms) {
  connected_at_ = disturbed_at_ = std::max(connected_at_, world_.agenda.now() + ms);
}

bool VirtualTaskTracker::connected() const {
  return world_.agenda.now() >= connected_at_ || world_.swarm.is_calm();
}

bool VirtualTaskTracker::serves(JobId job, std::uint32_t map, std::uint32_t attempt) const {
  const AttemptKey key{{job, TaskKind::kMap, map}, attempt};
  return up() && connected() && outputs_.contains(key);
}

void VirtualTaskTracker::lose_an_output() {
  if (!outputs_.empty()) outputs_.erase(outputs_.begin());
}

tasktracker::Now VirtualTaskTracker::now() const {
  return {world_.agenda.now(), kWallClockMs + world_.agenda.now() + wall_skew_ms_};
}

// --- The agent ---

void VirtualTaskTracker::happen(std::function<void()> event) {
  if (world_.agenda.now() >= awake_at_) {
    event();
    return turn();
  }
  world_.agenda.at(awake_at_, [this, life = life_, event = std::move(event)]() mutable {
    if (up() && life == life_) happen(std::move(event));
  });
}

void VirtualTaskTracker::turn() {
  core_->set_health(disk_full_ ? 0 : kRoomyMb, 0);
  for (;;) {
    core_->poll(now());
    auto actions = core_->take_actions();
    if (actions.empty()) break;
    for (tasktracker::Action& each : actions) {
      std::visit([this](auto& what) { do_action(what); }, each);
    }
  }
  arm_timer();
}

void VirtualTaskTracker::arm_timer() {
  const std::int64_t next = core_->next_wakeup_ms();
  if (next == INT64_MAX) return;
  world_.agenda.at(std::max(next, world_.agenda.now() + 1), [this, life = life_, timer = ++timer_] {
    if (up() && life == life_ && timer == timer_) happen([] {});
  });
}

// --- Calls ---

World::Answer VirtualTaskTracker::answered(std::function<void(VirtualJobTracker::ReplyBody)> reply,
                                           std::function<void(const Error*)> failed) {
  return [this, life = life_, reply = std::move(reply),
          failed = std::move(failed)](std::optional<VirtualJobTracker::ReplyBody> answer) {
    if (!up() || life != life_) return;
    happen([reply, failed, answer = std::move(answer)] {
      if (answer && error_in(*answer) == nullptr) return reply(*answer);
      failed(answer ? error_in(*answer) : nullptr);
    });
  };
}

void VirtualTaskTracker::do_action(action::Register&) {
  auto body = over_the_wire(core_->registration());
  if (!body) return core_->on_call_failed(false, now());
  world_.ask(
      *body, [this] { return connected(); },
      answered(
          [this](const VirtualJobTracker::ReplyBody& reply) {
            core_->on_registered(over_the_wire(std::get<Registered>(reply)), now());
          },
          [this](const Error*) { core_->on_call_failed(false, now()); }));
}

void VirtualTaskTracker::do_action(action::SendHeartbeat& send) {
  auto body = over_the_wire(send.heartbeat);
  if (!body) return core_->on_call_failed(false, now());
  const std::int64_t sent_ms = now().steady_ms;
  std::vector<AttemptKey> ordered;  // by a planted error, as the next
  const std::vector<JobId> held = world_.plant.is(Planted::kDroppedBeforeDurable)
                                      ? send.heartbeat.held_jobs
                                      : std::vector<JobId>{};
  for (const AttemptReport& report : send.heartbeat.attempts) {
    const bool asks = report.state == ReportedState::kCommitPending;
    if (report.state == ReportedState::kSucceeded) world_.succeeded.insert(report.attempt);
    if (asks && world_.plant.is(Planted::kDoubleCommit)) ordered.push_back(report.attempt);
  }
  world_.ask(
      *body, [this] { return connected(); },
      answered(
          [this, sent_ms, ordered, held](const VirtualJobTracker::ReplyBody& reply) {
            HeartbeatReply orders = over_the_wire(std::get<HeartbeatReply>(reply));
            orders.commit.insert(orders.commit.end(), ordered.begin(), ordered.end());
            for (const JobId job : held) {
              if (world_.is_over(job)) orders.drop_jobs.push_back(job);
            }
            core_->on_reply(orders, sent_ms, now());
          },
          [this](const Error* error) {
            const bool unknown = error != nullptr && error->code == ErrorCode::kUnknownTracker;
            core_->on_call_failed(unknown, now());
          }));
}

void VirtualTaskTracker::do_action(action::FetchJob& fetch) {
  const JobId job = fetch.job;
  world_.ask(
      DescribeJob{job, {{name()}}}, [this] { return connected(); },
      answered(
          [this](const VirtualJobTracker::ReplyBody& reply) {
            core_->on_job(*over_the_wire(std::get<JobDescription>(reply)), now());
          },
          [this, job](const Error* error) {
            const bool refused = error != nullptr && (error->code == ErrorCode::kUnknownJob ||
                                                      error->code == ErrorCode::kJobOver);
            core_->on_job_failed(job, refused, error == nullptr ? "" : error->message, now());
          }));
}

void VirtualTaskTracker::do_action(action::FetchOutputs& fetch) {
  const JobId job = fetch.job;
  world_.ask(
      QueryMapOutputs{job, fetch.first, {{name()}}},
      [this] { return connected(); },
      answered(
          [this, job](const VirtualJobTracker::ReplyBody& reply) {
            core_->on_outputs(job, over_the_wire(std::get<MapOutputs>(reply)), now());
          },
          [this, job](const Error*) { core_->on_outputs_failed(job, now()); }));
}

void VirtualTaskTracker::do_action(action::TakePorts& take) {
  core_->on_ports(take.key, std::vector<std::uint16_t>(take.count, kAnyPort));
}

void VirtualTaskTracker::do_action(action::FetchPeers& fetch) {
  const JobId job = fetch.job;
  world_.ask(
      QueryPeers{job, fetch.first, {{name()}}}, [this] { return connected(); },
      answered(
          [this, job](const VirtualJobTracker::ReplyBody& reply) {
            core_->on_peers(job, over_the_wire(std::get<GangPeers>(reply)), now());
          },
          [this, job](const Error*) { core_->on_peers_failed(job, now()); }));
}

// --- Processes and files ---

VirtualProcess* VirtualTaskTracker::process(const AttemptKey& key) {
  const auto found = processes_.find(key);
  return found == processes_.end() ? nullptr : found->second.get();
}

// A member of a gang starts knowing of itself, at least.
void VirtualTaskTracker::check_peers(const action::StartAttempt& start) const {
  if (start.launch.grant == nullptr || !start.launch.grant->peers) return;
  const TaskKey& task = start.launch.attempt.task;
  const std::string& group = start.job.spec->task_groups[group_number(task.kind)].name;
  const bool named =
      start.peers != nullptr &&
      std::any_of(start.peers->begin(), start.peers->end(), [&](const GangPeer& peer) {
        return peer.group == group && peer.index == task.index;
      });
  if (!named) world_.on_wrong(attempt_name(start.launch.attempt) + " is not among its peers");
}

// A device is of one task at a time.
void VirtualTaskTracker::check_units(const Launch& launch) const {
  if (launch.grant == nullptr) return;
  for (const auto& [key, process] : processes_) {
    for (const auto& [resource, numbers] : process->units()) {
      const auto given = launch.grant->units.find(resource);
      if (given == launch.grant->units.end()) continue;
      for (const std::uint32_t number : given->second) {
        if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) continue;
        world_.on_wrong(resource + " " + std::to_string(number) + " of " + name() +
                        " is given to " + attempt_name(launch.attempt) + " while " +
                        attempt_name(key) + " has it");
      }
    }
  }
}

void VirtualTaskTracker::do_action(action::StartAttempt& start) {
  const AttemptKey key = start.launch.attempt;
  check_units(start.launch);
  check_peers(start);
  if (!world_.started.emplace(attempt_name(key), key).second) {
    world_.on_wrong(attempt_name(key) + " was started twice");
  }
  VirtualProcess::Outside outside;
  // Through a pipe, so a moment later and in order.
  const auto soon = [this](std::function<void()> event) {
    world_.agenda.after(1, [this, life = life_, event = std::move(event)] {
      if (up() && life == life_) happen(event);
    });
  };
  outside.report = [this, key, soon](tasktracker::TaskReport report) {
    soon([this, key, report = std::move(report)] { core_->on_report(key, report, now()); });
  };
  outside.exit = [this, key, soon](const std::string& how) {
    soon([this, key, how] {
      const VirtualProcess* ended = process(key);
      const tasktracker::JobOutput output =
          ended == nullptr ? tasktracker::JobOutput() : ended->output();
      processes_.erase(key);
      if (!core_->on_exit(key, how, now())) outputs_.erase(key);
      if (!output.path.empty()) tasktracker::remove_unpublished(output, key, world_.files);
    });
  };
  outside.keep_output = [this, key] {
    outputs_.insert(key);
    if (dropped_.contains(key.task.job)) {
      world_.on_wrong(name() + " was told to drop the job of " + attempt_name(key) +
                      ", which goes on there");
    }
  };
  outside.take_down = [this] {
    world_.agenda.after(0, [this, life = life_] {
      if (up() && life == life_) kill();
    });
  };
  auto& made = processes_[key];
  made = std::make_unique<VirtualProcess>(world_, start.launch, start.job, std::move(outside));
  made->begin();
}

void VirtualTaskTracker::do_action(action::KillAttempt& kill) {
  if (VirtualProcess* found = process(kill.key)) found->kill();
}

void VirtualTaskTracker::do_action(action::CommitAttempt& commit) {
  if (VirtualProcess* found = process(commit.key)) found->commit(commit.until_steady_ms);
}

void VirtualTaskTracker::do_action(action::GrantAttempt& grant) {
  if (VirtualProcess* found = process(grant.key)) found->grant();
}

void VirtualTaskTracker::do_action(action::PushOutputs& push) {
  if (VirtualProcess* found = process(push.key)) found->take_outputs(push.outputs);
}

void VirtualTaskTracker::do_action(action::RunDuty& run) {
  const bool hangs = world_.swarm.strikes(Fault::kDutyHung);  // begun in time, all the same
  const DurationMs wait = hangs                    ? world_.dice.between(20'000, 600'000)
                          : world_.dice.chance(90) ? world_.dice.between(1, 500)
                                                   : world_.dice.between(1'000, 20'000);
  const auto until = hangs ? INT64_MAX : run.until_steady_ms;
  world_.agenda.after(wait, [this, life = life_, duty = run.duty, until] {
    if (!up() || life != life_) return;
    if (world_.agenda.now() > until) {
      return happen([this, duty] { core_->on_duty_too_late(duty); });
    }
    const bool done =
        tasktracker::do_duty(duty, world_.files).ok();
    if (done) world_.cleaned_up.insert(duty.output);
    happen([this, duty, done] { core_->on_duty_done(duty, done, "", now()); });
  });
}

// Its process ends, and takes what it holds along.
void VirtualTaskTracker::do_action(action::Leave&) {
  world_.agenda.after(0, [this, life = life_] {
    if (up() && life == life_) kill();
  });
}

void VirtualTaskTracker::do_action(action::DropJob& drop) {
  std::erase_if(outputs_, [&](const AttemptKey& key) { return key.task.job == drop.job; });
  if (!drop.output.path.empty()) tasktracker::remove_late_output(drop.output, world_.files);
  dropped_.insert(drop.job);
  world_.dropped.insert(drop.job);
}

}  // namespace weir::faults
